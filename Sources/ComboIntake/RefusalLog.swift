package import ComboLog
package import ComboSystem
internal import Synchronization

/// Logs when records begin to be refused because no more fit, and when they are accepted again. Any thread.
package final class RefusalLog: Sendable {
  private struct Refusals {
    var count = 0
    let since: Int64
    var last: Int64
  }

  private let log: ServiceLog
  private let setHindrance: @Sendable (String?) -> Void
  private let refusals = Mutex<Refusals?>(nil)

  /// The time without a refusal after which records count as accepted again. While senders are too fast, eviction repeatedly
  /// makes room for some.
  static let calmMs: Int64 = 10_000

  /// - Parameter setHindrance: Called with the reason when records begin to be refused, and with nil when they are accepted
  ///   again.
  package init(_ log: ServiceLog, setHindrance: @escaping @Sendable (String?) -> Void = { _ in }) {
    self.log = log
    self.setHindrance = setHindrance
  }

  /// Processes the outcome of an append.
  /// - Parameter now: The monotonic time in milliseconds.
  package func add(_ records: Int, _ fault: LogFault?, at now: Int64 = MonotonicClock.nowMs) {
    guard let fault else { return check(at: now) { nil } }
    guard fault.code == .full else { return }
    let isFirst = refusals.withLock { refusals in
      defer { refusals = Refusals(count: (refusals?.count ?? 0) + records, since: refusals?.since ?? now, last: now) }
      if refusals == nil { setHindrance("records are refused until there is room: \(fault)") }
      return refusals == nil
    }
    if isFirst { log.warning("records are refused until there is room, and their senders get 507: \(.reason, fault)") }
  }

  /// Checks whether records are accepted again, even if none arrive.
  /// - Parameter refusal: Returns the reason why a record would be refused now. Called only if needed.
  package func check(at now: Int64 = MonotonicClock.nowMs, _ refusal: () -> LogFault?) {
    func isCalm(_ refusals: Refusals?) -> Bool { refusals.map { now - $0.last >= Self.calmMs } ?? false }
    guard refusals.withLock({ isCalm($0) }), refusal() == nil else { return }
    let over = refusals.withLock { refusals -> Refusals? in
      guard isCalm(refusals) else { return nil }
      defer { refusals = nil }
      setHindrance(nil)
      return refusals
    }
    guard let over else { return }
    log.info(
      "records are accepted again: \(.records, over.count) were refused within \(.seconds, (over.last - over.since) / 1000) s")
  }
}
