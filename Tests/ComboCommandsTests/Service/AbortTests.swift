import CKafka
import ComboEdge
import ComboGenerate
import ComboSystem
import ComboWire
import Glibc
import Testing

@testable import ComboKafka
@testable import ComboTestSupport

extension ServiceTests {
  @Suite("Transactions that fail")
  struct AbortTests {
    private let rooms = (0..<40).map { "r\($0)" }

    private func gifts(_ name: String, _ count: Int) -> [TestGift] {
      (0..<count).map { TestGift(id: "\(name)\($0)", room: rooms[$0 % rooms.count], sender: "u\($0 % 7)") }
    }

    private func expected(_ count: Int) -> [String: Int] {
      Dictionary(uniqueKeysWithValues: rooms.map { ($0, count / rooms.count) })
    }

    @Test("fenced in mid-batch by another producer under its id, twice, it goes back and continues")
    func fenced() throws {
      let seed = testSeed("fenced")
      var random = SplitMix64(seed: seed)
      let group = try TestGroup(partitions: 4)
      let id = TestKafka.fresh("txn")
      let arguments =
        TestGroup.fast + ["--transactional-id", id, "--checkpoint-gifts", "3000", "--checkpoint-interval-ms", "300"]
      let service = try group.process(arguments)
      func timesBack() -> Int { service.log.count { $0.contains("returning to the last commit") } }
      try service.waitForLog("new: ", count: 4)
      // Each round fences once or twice; a fifth time within half a minute would look like another instance.
      for round in 1...2 {
        // Read before the gifts are sent, as the service may process all of them before a later reading.
        let before = try group.takenIn()
        try group.give(gifts("\(round)-", 8000))
        try wait(for: "work: \(service.text)") { try group.takenIn() > before }
        MonotonicClock.sleep(ms: Int64(random.below(200)))
        let back = timesBack()
        let other = try TransactionalProducer(group.properties, transactionalID: id)
        try other.initTransactions(withinMs: ServiceKafka.patienceMs)
        try wait(for: "its going back: \(service.text)") { timesBack() > back }
      }
      try group.waitUntilTakenIn(service)
      let ledger = try group.waitUntilSaid(expected(16_000), service)
      #expect(ledger.epochs.allSatisfy { $0.value.count == 1 })
      try service.stop()
      #expect(!service.has("RESET") && !service.has("not in the state in which it was left"), "\(service.text)")
      let takeovers = try group.journal().map { $0.compactMap(\.takeover).count }
      #expect(takeovers.allSatisfy { $0 >= 2 }, "\(takeovers)")
      try group.verify()
    }

    @Test("frozen in mid-transaction until the brokers have aborted it, it goes back and continues")
    func timedOut() throws {
      let group = try TestGroup(partitions: 2)
      // The session timeout is longer than the transaction timeout.
      let service = try group.process(
        TestGroup.fast + [
          "--kafka", "transaction.timeout.ms=5000", "--kafka", "session.timeout.ms=45000", "--commit-interval-ms", "200",
        ])
      try service.waitForLog("new: ", count: 2)
      try group.give(gifts("a", 400))
      var next = 0
      // The service is frozen with an open transaction, so that its output is not readable up to the end. A transaction whose
      // commit has already reached the brokers looks the same. After that the service just continues, and is frozen again.
      try wait(for: "a freeze in mid-transaction: \(service.text)") {
        try group.give(gifts("b\(next)-", 400))
        next += 1
        MonotonicClock.sleep(ms: 30)
        service.signal(SIGSTOP)
        let wasHeldUp = try isHeldUp(group)
        if wasHeldUp { try wait(for: "the transaction's end") { try !isHeldUp(group) } }
        service.signal(SIGCONT)
        guard wasHeldUp else { return false }
        try group.waitUntilTakenIn(service)
        return service.has("returning to the last commit")
      }
      try group.give(gifts("c", 400))
      try group.waitUntilTakenIn(service)
      try group.waitUntilSaid(expected(800 + 400 * next), service)
      try service.stop()
      #expect(!service.has("RESET") && !service.has("not in the state in which it was left"), "\(service.text)")
      try group.verify()
    }

    /// Returns whether a transaction is open on the group's output or journal.
    private func isHeldUp(_ group: TestGroup) throws -> Bool {
      let committed = try ReaderClient(group.properties)
      for topic in [group.names.output, group.names.journal] {
        for partition in 0..<Int32(group.partitions) {
          var (first, stable): (Int64, Int64) = (0, 0)
          var error = RD_KAFKA_RESP_ERR_NO_ERROR
          try wait(for: "the watermarks of \(topic): \(error)") {
            error = rd_kafka_query_watermark_offsets(committed.client.handle, topic, partition, &first, &stable, 10_000)
            return error == RD_KAFKA_RESP_ERR_NO_ERROR
          }
          if try group.control.watermarks(topic, partition, withinMs: ServiceKafka.patienceMs).end > stable { return true }
        }
      }
      return false
    }

    @Test("an input whose records are deleted before they were read: all rooms begin anew, with the number lost, loudly")
    func deletedInput() throws {
      let group = try TestGroup(partitions: 1)
      let service = try group.process(
        TestGroup.fast + ["--linger-ms", "3600000", "--kafka", "session.timeout.ms=45000", "--checkpoint-interval-ms", "100"])
      try group.give([TestGift(id: "first", room: "r", count: 5)])
      try group.waitUntilSaid(["r": 5], service)
      try wait(for: "a snapshot and a checkpoint") { try group.state().count == 2 }
      service.signal(SIGSTOP)
      // The first of these may still arrive with a fetch in flight. The others are deleted before they are fetched.
      for index in 0..<50 { try group.give([TestGift(id: "lost\(index)", room: "r")]) }
      try group.control.deleteRecords(group.names.input, 0, before: 51)
      service.signal(SIGCONT)
      try service.waitForLog("RESET: partition 0")
      try group.give([TestGift(id: "last", room: "after", count: 7)])
      try wait(for: "what comes after: \(service.text)") { try group.ledger().accounted["after"] == 7 }
      let entries = try group.journal()[0]
      let index = try #require(entries.firstIndex { $0.takeover?.reset != nil })
      let before = try #require(entries[..<index].last { !$0.batches.isEmpty }?.batches.last?.endOffset)
      let reset = try #require(entries[index].takeover?.reset)
      #expect(before < 51 && (51 - before...51).contains(reset.offsetsLost), "\(reset), taken in up to \(before)")
      #expect(reset.reason.contains("begins at offset 51"), "\(reset)")
      #expect(try group.ledger().epochs["r"]?.count == 2)
      try service.stop()
    }
  }
}
