/// Says the committed totals of this process once a second: `events N instructions N bad N`.
struct Progress {
  private let write: (String) -> Void
  private var saidAt = Int64.min

  init(_ write: @escaping (String) -> Void) { self.write = write }

  /// Called often; says something once a second.
  mutating func tell(_ totals: Service.Totals, monotonic now: Int64) {
    if saidAt != .min, now - saidAt < 1000 { return }
    saidAt = now
    write("events \(totals.events) instructions \(totals.instructions) bad \(totals.bad)")
  }

  /// The last state.
  func end(_ totals: Service.Totals) {
    write("events \(totals.events) instructions \(totals.instructions) bad \(totals.bad)")
  }
}
