import ComboSystem
import Foundation

/// The brokers that the service is tested on: one of this folder's own if nodes can be started, so that members are given up
/// and transactions time out soon; else the one that there is.
enum ServiceKafka {
  private static let own: Result<TestKafka.Cluster, any Error> = Result { try TestKafka.cluster(properties: properties) }

  /// What all brokers of these tests are started with.
  static let properties = """
    group.min.session.timeout.ms=500
    transaction.abort.timed.out.transaction.cleanup.interval.ms=200
    log.cleaner.backoff.ms=200
    log.cleaner.min.compaction.lag.ms=0
    log.retention.ms=-1
    """

  /// Their address.
  static func brokers() throws -> String {
    TestKafka.canStartClusters ? try own.get().brokers : try TestKafka.brokers()
  }

  /// After so long a member that is silent has left the group: longer than a busy machine holds anybody up, as whoever was taken for
  /// gone takes its partitions over anew.
  static let sessionMs = 30_000

  /// The same where a test waits for it: as little as those brokers allow.
  static let briefSessionMs = TestKafka.canStartClusters ? 3000 : 6000

  /// Nothing that is waited for takes so long, on any machine.
  static let patienceMs: Int64 = 600_000
}

/// Waits until `isSo`; asks again and again. What is waited for is in `what`, for the failure.
func wait(
  for what: @autoclosure () -> String, withinMs: Int64 = ServiceKafka.patienceMs, _ isSo: () throws -> Bool
) throws {
  let deadline = Deadline(afterMs: withinMs)
  while try !isSo() {
    guard !deadline.isOver else { throw TestKafka.Failure("it never came to pass within \(withinMs) ms: \(what())") }
    MonotonicClock.sleep(ms: 10)
  }
}

/// A seed for a test, printed so that a failure can be had again: COMBO_TEST_SEED, or a new one.
func testSeed(_ test: String) -> UInt64 {
  let given = ProcessInfo.processInfo.environment["COMBO_TEST_SEED"].flatMap { UInt64($0) }
  let seed = given ?? UInt64.random(in: 0..<1_000_000_000)
  print("\(test): COMBO_TEST_SEED=\(seed)")
  return seed
}
