/// The progress of a read through a partition, reported in steps of at least 10,000 offsets, except the last.
struct OffsetProgress {
  private(set) var reported: Int64
  /// Receives a number of offsets processed.
  let report: (Int) -> Void

  mutating func advance(to offset: Int64) {
    if offset - reported >= 10_000 { finish(at: offset) }
  }

  mutating func finish(at offset: Int64) {
    report(Int(max(0, offset - reported)))
    reported = max(reported, offset)
  }
}
