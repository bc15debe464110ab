/// Decides when to look for rested rooms. It depends only on the input, and not on threads.
struct SweepPace {
  private let linesMin: Int
  private var lines = 0
  private var earliest = Int64.max

  /// - Parameter linesMin: The least number of lines between two sweeps.
  init(linesMin: Int) { self.linesMin = linesMin }

  /// Adds a chunk that is decoded, like all before it.
  /// - Returns: The earliest time since the last sweep, if it is time for one.
  mutating func add(_ chunk: ReplayChunk) -> Int64? {
    lines += chunk.lineCount
    earliest = min(earliest, chunk.earliest)
    if lines < linesMin { return nil }
    defer { (lines, earliest) = (0, .max) }
    return earliest
  }
}
