import ComboSystem
import Foundation

/// The brokers that the service is tested on: an own one if nodes can be started, so that members and transactions time out soon,
/// or else the given one.
enum ServiceKafka {
  private static let own: Result<TestKafka.Cluster, any Error> = Result { try TestKafka.cluster(properties: properties) }

  /// The properties with which all brokers of these tests are started.
  static let properties = """
    group.min.session.timeout.ms=500
    transaction.abort.timed.out.transaction.cleanup.interval.ms=200
    log.cleaner.backoff.ms=200
    log.cleaner.min.compaction.lag.ms=0
    log.retention.ms=-1
    """

  /// Returns the brokers' address.
  static func brokers() throws -> String {
    TestKafka.canStartClusters ? try own.get().brokers : try TestKafka.brokers()
  }

  /// The session timeout. It is longer than a busy machine delays any member, as a member that was given up takes its partitions
  /// over again.
  static let sessionMs = 30_000

  /// The session timeout where a test waits for it: the minimum that those brokers allow.
  static let briefSessionMs = TestKafka.canStartClusters ? 3000 : 6000

  /// A timeout that no awaited event exceeds, on any machine.
  static let patienceMs: Int64 = 600_000
}

/// Polls until `isSo` returns true. `what` names the awaited event in the failure.
func wait(
  for what: @autoclosure () -> String, withinMs: Int64 = ServiceKafka.patienceMs, _ isSo: () throws -> Bool
) throws {
  let deadline = Deadline(afterMs: withinMs)
  while try !isSo() {
    guard !deadline.isOver else { throw TestKafka.Failure("it never came to pass within \(withinMs) ms: \(what())") }
    MonotonicClock.sleep(ms: 10)
  }
}

/// Returns COMBO_TEST_SEED or a new seed, and prints it so that a failure can be reproduced.
func testSeed(_ test: String) -> UInt64 {
  let given = ProcessInfo.processInfo.environment["COMBO_TEST_SEED"].flatMap { UInt64($0) }
  let seed = given ?? UInt64.random(in: 0..<1_000_000_000)
  print("\(test): COMBO_TEST_SEED=\(seed)")
  return seed
}
