/// The step in which a partition's rooms are advanced, so that they emit only a little between two checks of the amount.
struct AdvancePace {
  /// The step, in milliseconds of the partition's time.
  private(set) var step = longest

  private static let longest: Int64 = 1000
  /// Adjusts the step after one of `ms` milliseconds in which the rooms emitted `bytes`; sixteen steps should emit `budget`
  /// bytes.
  mutating func took(_ ms: Int64, bytes: Int, budget: Int) {
    let wanted = Double(ms) * Double(budget) / 16 / Double(max(1, bytes))
    step = max(1, min(Int64(min(wanted, Double(Self.longest))), 2 * step))
  }
}
