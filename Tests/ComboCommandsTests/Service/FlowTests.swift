import ComboEdge
import ComboKafka
import ComboWire
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("Gifts in, instructions out")
  struct FlowTests {
    @Test("progress shows the committed totals, the last line all of them")
    func progress() throws {
      let group = try TestGroup(partitions: 1)
      let service = try group.process(TestGroup.fast)
      try group.produce([TestRecord(key: "r", "{"), TestRecord(key: "r", "[]"), TestGift.close("nobody")])
      try group.give((0..<7).map { TestGift(id: "e\($0)", room: "r") })
      try group.waitUntilSaid(["r": 7], service)
      // Progress is printed every second, so that this line appears while the service runs.
      try wait(for: "a line with all events: \(service.text)") { service.progress.contains { $0.hasPrefix("events 10 ") } }
      try service.stop()
      let emitted = try group.ledger().instructions
      #expect(service.progress.last == "events 10 instructions \(emitted) bad 2")
      for line in service.progress {
        #expect(line.wholeMatch(of: /events \d+ instructions \d+ bad \d+/) != nil, "\(line)")
      }
    }

    @Test("gifts of an aborted transaction count for nothing, those of a committed one do")
    func abortedProducer() throws {
      let group = try TestGroup(partitions: 2)
      let service = try group.thread(TestGroup.fast)
      func transaction(_ id: String, count: Int, commits: Bool) throws {
        let producer = try TransactionalProducer(group.properties, transactionalID: TestKafka.fresh(id))
        try producer.initTransactions(withinMs: ServiceKafka.patienceMs)
        let topic = try producer.producer.topic(group.names.input, withinMs: ServiceKafka.patienceMs)
        try producer.begin()
        for room in ["a", "b", "c", "d"] {
          let gift = TestGift(room: room, count: count).record
          try gift.key!.withUnsafeBytes { key in
            try gift.value!.withUnsafeBytes { try producer.producer.produce(topic, key: key, value: $0) }
          }
        }
        try producer.producer.flush(withinMs: ServiceKafka.patienceMs)
        if commits {
          try producer.commit(withinMs: ServiceKafka.patienceMs)
        } else {
          try producer.abort(withinMs: ServiceKafka.patienceMs)
        }
      }
      try transaction("aborted", count: 1000, commits: false)
      try transaction("committed", count: 1, commits: true)
      try transaction("aborted", count: 1000, commits: false)
      try transaction("committed", count: 10, commits: true)
      try group.waitUntilSaid(["a": 11, "b": 11, "c": 11, "d": 11], service)
      // The same holds with an aborted transaction after all records.
      try transaction("aborted", count: 1000, commits: false)
      try group.give([TestGift(room: "a"), TestGift(room: "b"), TestGift(room: "c"), TestGift(room: "d")])
      try group.waitUntilSaid(["a": 12, "b": 12, "c": 12, "d": 12], service)
      try service.stop()
      try group.verify()
    }

    @Test("a service that is started many times over a backlog processes every record")
    func manyStarts() throws {
      // A lookup that is in progress when a partition starts must not move the partition to its end later.
      let group = try TestGroup(partitions: 6)
      let rooms = (0..<60).map { "r\($0)" }
      let gifts = (0..<6000).map { TestGift(id: "e\($0)", room: rooms[$0 % rooms.count], sender: "u\($0 % 7)") }
      try group.give(gifts)
      for _ in 0..<12 {
        let before = try group.takenIn()
        // Little of the backlog is fetched at a time, so that much of it is left for each start.
        let service = try group.thread(
          TestGroup.fast + ["--kafka", "fetch.message.max.bytes=2000", "--kafka", "queued.min.messages=1"])
        try wait(for: "any progress: \(service.text)") { try group.takenIn() > before || before == 6000 }
        try service.stop()
      }
      let service = try group.thread(TestGroup.fast)
      try group.waitUntilTakenIn(service)
      try group.waitUntilSaid(Dictionary(uniqueKeysWithValues: rooms.map { ($0, 100) }), service)
      try service.stop()
      let taken = try group.journal().map { $0.flatMap(\.batches).reduce(0) { $0 + $1.taken } }
      #expect(taken.reduce(0, +) == gifts.count)
      try group.verify()
    }

    @Test("--from earliest, the default, begins with the records that were there before")
    func fromEarliest() throws {
      let group = try TestGroup(partitions: 1)
      try group.give([TestGift(room: "old", count: 1)])
      let service = try group.thread(TestGroup.fast)
      try group.waitUntilSaid(["old": 1], service)
      #expect(service.has("new: partition 0, read from its beginning, offset 0"))
      try service.stop()
    }
  }
}
