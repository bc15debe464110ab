/// Runs that end with a `room_closed` or a `retract`. Their finals are emitted after everything else.
struct EndedRuns {
  struct Run {
    var number: Int
    /// The run's last banner if it is on screen, otherwise -1.
    var banner: Int32
    /// The run's combo in the history if `banner` is -1, otherwise -1.
    var combo: Int32
  }

  private(set) var runs: [Run] = []

  /// Adds the run of a banner on screen.
  mutating func add(banner: Int32, _ banners: Banners) {
    runs.append(Run(number: banners[banner].number, banner: banner, combo: -1))
  }

  /// Adds the run of a combo in the history if its final is pending.
  mutating func add(history combo: Int32, _ combos: Combos) {
    if let final = unsafe combos[combo].final { unsafe runs.append(Run(number: final.pointee.number, banner: -1, combo: combo)) }
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
