/// Reports the committed totals of this process once a second: `events N instructions N bad N`.
package struct Progress {
  private let write: (String) -> Void
  private var saidAt = Int64.min
  private let before: ServiceTotals

  /// - Parameter before: The totals of earlier services of this process.
  package init(before: ServiceTotals = ServiceTotals(), _ write: @escaping (String) -> Void) {
    self.before = before
    self.write = write
  }

  /// Reports the totals, at most once a second. May be called often.
  package mutating func tell(_ totals: ServiceTotals, monotonic now: Int64) {
    if saidAt != .min, now - saidAt < 1000 { return }
    saidAt = now
    end(totals)
  }

  /// Reports the final totals.
  package func end(_ totals: ServiceTotals) {
    var all = before
    all.add(totals)
    write("events \(all.events) instructions \(all.instructions) bad \(all.bad)")
  }
}
