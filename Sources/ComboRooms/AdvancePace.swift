/// How far the rooms of a partition are advanced at a time, so that they say only a little between two looks at how much it was.
struct AdvancePace {
  /// In milliseconds of the partition's time.
  private(set) var step = longest

  private static let longest: Int64 = 1000
  /// In a step of so many milliseconds the rooms said so many bytes; they should say `budget` in sixteen.
  mutating func took(_ ms: Int64, bytes: Int, budget: Int) {
    let wanted = Double(ms) * Double(budget) / 16 / Double(max(1, bytes))
    step = max(1, min(Int64(min(wanted, Double(Self.longest))), 2 * step))
  }
}
