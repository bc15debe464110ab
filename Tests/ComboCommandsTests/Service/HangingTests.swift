import ComboEdge
import ComboSystem
import Foundation
import Testing

@testable import ComboKafka
@testable import ComboTestSupport

extension ServiceTests {
  /// Tests that need the transactions of real brokers, which the broker inside the process does not have.
  @Suite("Transactions that stay open", .enabled(if: TestKafka.isAvailable, Comment(rawValue: TestKafka.howTo)))
  struct HangingTests {
    /// Begins a transaction of another program.
    private func begin(_ group: TestGroup) throws -> TransactionalProducer {
      let stranger = try TransactionalProducer(
        group.properties, transactionalID: TestKafka.fresh("stranger"), timeoutMs: 600_000)
      try stranger.initTransactions(withinMs: ServiceKafka.patienceMs)
      try stranger.begin()
      return stranger
    }

    /// Opens a transaction of another program on one partition of a topic.
    private func hang(_ group: TestGroup, _ topic: String, _ partition: Int32) throws -> TransactionalProducer {
      let stranger = try begin(group)
      let handle = try stranger.producer.topic(topic, withinMs: ServiceKafka.patienceMs)
      try Array("stranger".utf8).withUnsafeBytes {
        try stranger.producer.produce(handle, partition: partition, key: $0, value: $0, timestampMs: nil)
      }
      try stranger.producer.flush(withinMs: ServiceKafka.patienceMs)
      return stranger
    }

    private func start(_ group: TestGroup, _ more: [String] = []) throws -> (service: ServiceProcess, port: UInt16) {
      let service = try group.process(TestGroup.fast + ["--http", "127.0.0.1:0"] + more)
      return (service, try service.httpPort())
    }

    private func get(_ target: String, _ port: UInt16) throws -> HTTPWire.Response {
      let wire = try HTTPWire(port: port)
      wire.send(HTTPStage.request(target))
      return try wire.response()
    }

    private let rooms = (0..<40).map { "r\($0)" }

    private func gifts(_ name: String) -> [TestGift] { rooms.map { TestGift(id: "\(name)-\($0)", room: $0) } }

    private func expected(_ times: Int) -> [String: Int] {
      Dictionary(uniqueKeysWithValues: rooms.map { ($0, times) })
    }

    @Test("in the journal do not block a restart, and all of it is proven once they have ended")
    func inJournal() throws {
      let group = try TestGroup(partitions: 2, brokers: TestKafka.canStartClusters ? nil : TestKafka.brokers())
      let first = try group.process(TestGroup.fast)
      try group.give(gifts("a"))
      try group.waitUntilTakenIn(first)
      let stranger = try hang(group, group.names.journal, 0)
      // Records after it count nevertheless.
      try group.give(gifts("b"))
      try group.waitUntilTakenIn(first)
      try first.stop()
      let began = MonotonicClock.nowMs
      let second = try group.process(TestGroup.fast)
      try second.waitForLog("restored: partition 0 ")
      #expect(MonotonicClock.nowMs - began < 300_000)
      #expect(second.has("open in the journal from offset", "is not waited for"), "\(second.text)")
      try group.give(gifts("c"))
      try group.waitUntilSaid(expected(3), second)
      try second.waitForLog("a transaction stays open in partition 0 of the journal", "abort --topic \(group.names.journal)")
      let verify = try ServiceProcess.run([
        "verify", "--brokers", group.brokers, "--input", group.names.input, "--output", group.names.output, "--group",
        group.group,
      ])
      #expect(
        verify.code == 1 && verify.log.contains("partition 0 of \(group.names.journal): a transaction is open at offset ")
          && verify.log.contains("abort --topic \(group.names.journal) --partition 0 --start-offset "), "\(verify)")
      try stranger.abort(withinMs: ServiceKafka.patienceMs)
      try second.waitForLog("has ended: it held its readers up for")
      try second.stop()
      #expect(!first.has("RESET") && !second.has("RESET"), "\(second.text)")
      try group.verify()
    }

    @Test("in the output are named by log, readiness, metric and `check`, until they have ended")
    func inOutput() throws {
      let group = try TestGroup(partitions: 2, brokers: TestKafka.canStartClusters ? nil : TestKafka.brokers())
      let (service, port) = try start(group)
      try group.give(gifts("a"))
      try group.waitUntilTakenIn(service)
      let mirror = try ServiceProcess(
        ["serve", "--brokers", group.brokers, "--output", group.names.output, "--http", "127.0.0.1:0"])
      let mirrorPort = try mirror.httpPort()
      let both = [(service, port), (mirror, mirrorPort)]
      for (process, port) in both {
        try wait(for: "readiness: \(process.text)") { try get("/health/ready", port).status == 200 }
      }
      let stranger = try hang(group, group.names.output, 1)
      let place = "a transaction is open in partition 1 of the output"
      for (process, port) in both {
        try wait(for: "its being named: \(process.text)") {
          let health = try get("/health/ready", port)
          return health.status == 503 && health.text.contains(place) && health.text.contains("since 20")
        }
        try process.waitForLog(
          "a transaction stays open in partition 1 of the output", "describe-producers --topic \(group.names.output)")
        #expect(
          try get("/metrics", port).text.contains(/combo_open_transaction_seconds\{[^}]*topic="output",partition="1"\} [1-9]/))
      }
      let check = try ServiceProcess.run(["check"] + group.arguments().filter { $0 != "--progress" })
      #expect(check.code == 1 && check.output.contains("FAULT") && check.output.contains(place), "\(check.output)")
      #expect(check.output.contains("abort --topic \(group.names.output) --partition 1 --start-offset"), "\(check.output)")
      try stranger.abort(withinMs: ServiceKafka.patienceMs)
      for (process, port) in both {
        try wait(for: "readiness: \(process.text)") { try get("/health/ready", port).status == 200 }
        try process.waitForLog("has ended: it held its readers up for")
      }
      mirror.requestStop()
      #expect(try mirror.waitForExit() == 0)
      try service.stop()
    }

    @Test("on the group's offsets are named by `check`, readiness, metric and log, with the command that ends them")
    func onOffsets() throws {
      let group = try TestGroup(partitions: 2, brokers: TestKafka.canStartClusters ? nil : TestKafka.brokers())
      let service = try group.process(TestGroup.fast)
      try group.give(gifts("a"))
      try group.waitUntilTakenIn(service)
      try service.stop()
      let consumer = try GroupConsumer(group.properties, .init(groupID: group.group, topic: group.names.input))
      let stranger = try begin(group)
      let offsets = try group.committed().map {
        CommittedOffset(partition: $0.partition, offset: $0.offset, metadata: String($0.entry!))
      }
      try stranger.sendOffsets(
        offsets, topic: group.names.input, of: consumer.groupMetadata(), withinMs: ServiceKafka.patienceMs)
      let check = try ServiceProcess.run(["check"] + group.arguments().filter { $0 != "--progress" })
      #expect(
        check.code == 1 && check.output.contains("an open transaction holds the offsets"), "\(check.output)")
      #expect(!check.output.contains("slow or busy"), "\(check.output)")
      #expect(check.output.contains(/abort --topic __consumer_offsets --partition \d+ --start-offset \d+`/), "\(check.output)")
      // An instance that takes over waits for it.
      let (next, port) = try start(group)
      let place = "a transaction that is to change the group's offset of partition 0 of the input has been open for more than"
      let metric =
        #"combo_open_transaction_seconds{group="\#(group.group)",input="\#(group.names.input)",topic="offsets",partition="1"}"#
      var health: HTTPWire.Response?
      try wait(for: "its being named: \(health?.text ?? ""), \(next.text)") {
        health = try get("/health/ready", port)
        return health!.status == 503 && health!.text.contains(place)
      }
      #expect(try get("/metrics", port).text.contains(metric))
      try next.waitForLog("waits for a transaction that has been open for more than 30 s", "abort --topic __consumer_offsets")
      try stranger.abort(withinMs: ServiceKafka.patienceMs)
      try wait(for: "readiness: \(next.text)") { try get("/health/ready", port).status == 200 }
      #expect(try !get("/metrics", port).text.contains(#"topic="offsets""#))
      try next.stop()
    }

    @Test("of an instance that was killed are ended by its successor", arguments: ["exactly-once", "at-least-once"])
    func leftOver(delivery: String) throws {
      let group = try TestGroup(partitions: 2, brokers: TestKafka.canStartClusters ? nil : TestKafka.brokers())
      let more = TestGroup.fast + ["--delivery", delivery, "--kafka", "transaction.timeout.ms=600000"]
      let first = try group.process(more + ["--transactional-id", "\(group.group).first"])
      try group.give(gifts("a"))
      try group.waitUntilTakenIn(first)
      try first.stop()
      // The last committer is a member that is gone, in the middle of another commit.
      let consumer = try GroupConsumer(group.properties, .init(groupID: group.group, topic: group.names.input))
      let gone = try TransactionalProducer(group.properties, transactionalID: "\(group.group).gone", timeoutMs: 600_000)
      try gone.initTransactions(withinMs: ServiceKafka.patienceMs)
      let owner = CommittedOffset.Owner(member: "gone", transactionalID: "\(group.group).gone")
      let offsets = try group.committed().map {
        var offset = CommittedOffset(partition: $0.partition, offset: $0.offset, metadata: String($0.entry!))
        offset.namesOwner = true
        return offset.signed(by: owner)
      }
      for isLast in [false, true] {
        try gone.begin()
        try gone.sendOffsets(
          offsets, topic: group.names.input, of: consumer.groupMetadata(), withinMs: ServiceKafka.patienceMs)
        if !isLast {
          try gone.commit(deliveredWithinMs: ServiceKafka.patienceMs, withinMs: ServiceKafka.patienceMs)
        }
      }
      let began = MonotonicClock.nowMs
      let second = try group.process(more + ["--transactional-id", "\(group.group).second"])
      try second.waitForLog("ended the transaction that the last owner of partition", "\(group.group).gone")
      try second.waitForLog("restored: partition", count: 2)
      #expect(MonotonicClock.nowMs - began < 300_000)
      try group.give(gifts("b"))
      try group.waitUntilSaid(expected(2), second)
      try second.stop()
      try group.verify()
    }

    @Test("of another program are not taken for those of the last owner")
    func ofAnother() throws {
      let group = try TestGroup(partitions: 1, brokers: TestKafka.canStartClusters ? nil : TestKafka.brokers())
      let service = try group.process(TestGroup.fast)
      try group.give(gifts("a"))
      try group.waitUntilTakenIn(service)
      try service.stop()
      let stranger = try hang(group, group.names.journal, 0)
      let left = LeftTransactions(
        group.properties, control: group.control,
        reading: try KafkaReading(group.properties, control: group.control, names: group.names), names: group.names,
        group: group.group, transactionalID: "next")
      #expect(try left.end([0]).isEmpty)
      try stranger.abort(withinMs: ServiceKafka.patienceMs)
    }

    @Test("of an instance that was killed with an output that nobody can read end at once, too")
    func killed() throws {
      let group = try TestGroup(partitions: 2, brokers: TestKafka.canStartClusters ? nil : TestKafka.brokers())
      let more = TestGroup.fast + TestGroup.briefSession + ["--kafka", "transaction.timeout.ms=600000"]
      let first = try group.process(more + ["--transactional-id", "\(group.group).first", "--commit-interval-ms", "3000"])
      try group.give(gifts("a"))
      try group.waitUntilSaid(expected(1), first)
      let committed = try ReaderClient(group.properties)
      var given = 1
      try wait(for: "an open transaction: \(first.text)") {
        // Repeated, as a transaction may be committed before it is checked.
        given += 1
        try group.give(gifts("b\(given)"))
        let end = try group.control.watermarks(group.names.output, 0, withinMs: ServiceKafka.patienceMs).end
        return try group.control.watermarks(
          group.names.output, 0, seenBy: committed.client, withinMs: ServiceKafka.patienceMs
        ).end < end
      }
      try first.crash()
      let second = try group.process(more + ["--transactional-id", "\(group.group).second"])
      try second.waitForLog("ended the transaction that the last owner of partition", "\(group.group).first")
      try group.waitUntilSaid(expected(given), second)
      try second.stop()
      try group.verify()
    }
  }
}
