internal import ComboSystem

/// Wakes threads that wait for an event. It counts its rings, so that none is missed.
package final class LogBell: Sendable {
  private let count = Monitor<UInt64>(0)

  package init() {}

  /// The number of times it was rung.
  package var rings: UInt64 { count.withLock { $0 } }

  package func ring() { count.change { $0 += 1 } }

  /// Waits until it was rung more often than `before`, at most `maxMs`.
  package func wait(after before: UInt64, maxMs: Int64) { count.wait(while: { $0 == before }, maxMs: maxMs) }
}
