/// Decides when rooms that have rested are looked for: by the input alone, so that it does not depend on threads.
struct SweepPace {
  private let linesMin: Int
  private var lines = 0
  private var earliest = Int64.max

  /// - Parameter linesMin: at least this many lines from one sweep to the next.
  init(linesMin: Int) { self.linesMin = linesMin }

  /// A chunk is decoded, and all before it.
  /// - Returns: the earliest time since the last sweep, if it is time for one.
  mutating func add(_ chunk: ReplayChunk) -> Int64? {
    lines += chunk.lineCount
    earliest = min(earliest, chunk.earliest)
    if lines < linesMin { return nil }
    defer { (lines, earliest) = (0, .max) }
    return earliest
  }
}
