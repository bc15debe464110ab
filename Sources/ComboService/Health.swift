internal import ComboSystem

/// The health of the service, for orchestrators: whether it is alive and ready.
package enum Health {
  /// The silence after which the loop counts as stuck. It beats more often than this even while brokers are away.
  package static let stuckAfterMs: Int64 = 90_000
  /// How long work may wait to become durable before the service is not ready.
  static let uncommittedMs: Int64 = 10_000
  /// How long a partition may wait for a schema. An available registry answers sooner.
  static let schemaMs: Int64 = 2_000
  /// How long a transaction may stay open in the input. Some producers keep theirs open for minutes.
  static let inputHeldMs: Int64 = 300_000
  /// A loop that has been silent for this long is waiting for brokers.
  static let silentMs: Int64 = 5_000

  /// Returns why the process should be restarted; nil if it should not.
  package static func reasonToRestart(lastBeat: Int64, at now: Int64, isStopping: Bool) -> String? {
    if isStopping || now - lastBeat < stuckAfterMs { return nil }
    return "the service loop is stuck: it has not made a turn for \((now - lastBeat) / 1000) s"
  }

  /// Returns why the service is not ready; nil if it is.
  package static func reasonNotReady(
    _ report: ServiceReport?, hindrance: String? = nil, at now: Int64, isStopping: Bool
  ) -> String? {
    if isStopping { return "the service is stopping" }
    guard let report else {
      return hindrance.map { "the service has not started: \($0)" }
        ?? "the service has not started: it is waiting for the brokers and its topics"
    }
    if let hindrance { return hindrance }
    if !report.hasJoined { return report.denied ?? report.stall ?? "the service has not joined its group yet" }
    let restoring = report.partitions.filter { !$0.isRunning }
    if !restoring.isEmpty {
      let count = "being restored: \(restoring.count) of \(Counted.text(report.partitions.count, "partitions"))"
      if let failed = restoring.first(where: { $0.failure != nil }) {
        return "\(count). Partition \(failed.number): \(failed.failure!)"
      }
      let held = report.heldUp.first { held in
        ["journal", "state", "offsets"].contains(held.topic) && restoring.contains { $0.number == held.partition }
      }
      if let held { return "\(count): \(held.sentence)" }
      return (report.denied ?? report.fault).map { "\(count). \($0)" } ?? count
    }
    if now - report.at > silentMs { return "the service has been waiting for the brokers for \((now - report.at) / 1000) s" }
    if let denied = report.denied { return denied }
    if report.isFailing { return "the last commit failed\(report.fault.map { ": \($0)" } ?? "")" }
    if let since = report.uncommittedSince, now - since > uncommittedMs {
      return "nothing has been committed for \((now - since) / 1000) s"
    }
    let waits = report.partitions.compactMap { partition -> String? in
      guard let wait = partition.schemaWait, wait.ms > schemaMs else { return nil }
      return
        "partition \(partition.number) has waited for schema \(wait.id) for \(wait.ms / 1000) s: \(wait.reason ?? "no answer yet")"
    }
    if !waits.isEmpty { return waits.joined(separator: "; ") }
    if let stall = report.stall { return stall }
    if let held = report.heldUp.first(where: { $0.topic == "output" || $0.topic == "input" && $0.seenMs > inputHeldMs }) {
      return held.sentence
    }
    return nil
  }

  /// Returns the state of the service as one word.
  package static func state(_ report: ServiceReport?, isStopping: Bool) -> StaticString {
    if isStopping { return "draining" }
    guard let report else { return "starting" }
    if !report.hasJoined { return "joining" }
    return report.isRestoring ? "restoring" : "running"
  }
}
