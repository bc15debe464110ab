import ComboWire
import Testing

@testable import combo_consumer

/// What is verified while it grows.
@Suite("Verifying beside a service that works")
struct VerifyLiveTests {
  @Test("what was said in a transaction that was open at the first look, and is committed at the second, is held against nobody")
  func openTransaction() throws {
    let scene = VerifyScene()
    let instance = scene.scene.start()
    scene.burst(instance)
    // Said, but not committed: the journal says nothing of it yet.
    var turns = 0
    repeat {
      scene.scene.gift("new\(turns)", sender: "u")
      scene.scene.turn(instance, 1)
      turns += 1
      try #require(turns < 100, "no transaction was seen open")
    } while !scene.broker.partitions(.output).contains(where: { isOpen(scene.broker.log(.output, $0)) })
    let ends = Dictionary(
      uniqueKeysWithValues: scene.broker.partitions(.journal).map { ($0, scene.broker.log(.journal, $0).end) })
    let stable = scene.broker.partitions(.output).map { scene.broker.log(.output, $0).lastStable }
    scene.scene.settle(instance)
    scene.rest(instance)
    scene.broker.settleAll()

    let reader = EarlierLook(scene.broker, journalEnds: ends, stableOutput: stable)
    var options = Verifier.Options()
    options.placement = { key, count in Int(SimBroker.partition(of: [UInt8](key), count)) }
    let report = try Verifier(reader, topics: scene.scene.world.topics, options: options).run()
    #expect(report.faults == [] && report.isProven && report.tally.equal > 0, "\(report.summary)")
    #expect(try scene.verify().faults == [])
  }

  private func isOpen(_ log: SimLog) -> Bool { log.lastStable < log.end && log.open.contains { $0.transaction.state == .open } }
}

/// The topics as they are, but for what was asked of them before.
private final class EarlierLook: ReadEdge, @unchecked Sendable {
  // The proof: an audit's threads only read.
  private let now: SimReadEdge
  private let journalEnds: [Int32: Int64]
  private let stableOutput: [Int64]

  init(_ broker: SimBroker, journalEnds: [Int32: Int64], stableOutput: [Int64]) {
    now = SimReadEdge(broker, instance: nil)
    self.journalEnds = journalEnds
    self.stableOutput = stableOutput
  }

  func bounds(_ topic: Topic, _ partition: Int32) throws(KafkaError) -> (first: Int64, end: Int64) {
    let bounds = try now.bounds(topic, partition)
    return topic == .journal ? (bounds.first, journalEnds[partition]!) : bounds
  }

  func stableEnd(_ topic: Topic, _ partition: Int32) throws(KafkaError) -> Int64 {
    topic == .output ? stableOutput[Int(partition)] : try now.stableEnd(topic, partition)
  }

  func partitions(_ topic: Topic) throws(KafkaError) -> Range<Int32> { try now.partitions(topic) }

  func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ take: (InputRecord) -> Bool
  ) throws(KafkaError) {
    try now.read(topic, partition, from: start, to: end, unless: isCancelled, take)
  }
}
