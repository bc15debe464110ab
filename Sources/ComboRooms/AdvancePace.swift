/// How far the rooms of a partition are advanced at a time, so that they emit only a little between two checks of the amount.
struct AdvancePace {
  /// In milliseconds of the partition's time.
  private(set) var step = longest

  private static let longest: Int64 = 1000
  /// In a step of so many milliseconds the rooms emitted so many bytes; they should emit `budget` in sixteen.
  mutating func took(_ ms: Int64, bytes: Int, budget: Int) {
    let wanted = Double(ms) * Double(budget) / 16 / Double(max(1, bytes))
    step = max(1, min(Int64(min(wanted, Double(Self.longest))), 2 * step))
  }
}
