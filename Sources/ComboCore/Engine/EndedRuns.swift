/// Runs that end with a `room_closed` or a `retract`, and whose finals are emitted after all else.
struct EndedRuns {
  struct Run {
    var number: Int
    /// The run's last banner, if it is on screen, or -1.
    var banner: Int32
    /// Otherwise its combo, which is in the history.
    var combo: Int32
  }

  private(set) var runs: [Run] = []

  /// A banner on screen.
  mutating func add(banner: Int32, _ banners: Banners) {
    runs.append(Run(number: banners[banner].number, banner: banner, combo: -1))
  }

  /// A combo in the history, if it has a final to come.
  mutating func add(history combo: Int32, _ combos: Combos) {
    if let final = combos[combo].final { runs.append(Run(number: final.pointee.number, banner: -1, combo: combo)) }
  }
}

extension FinalReason {
  init(_ reason: SkipReason) {
    self =
      switch reason {
      case .overflow: .overflow
      case .closed: .closed
      case .retracted: .retracted
      }
  }
}
