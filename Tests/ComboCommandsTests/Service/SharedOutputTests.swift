import ComboEdge
import ComboSystem
import Testing

@testable import ComboKafka
@testable import ComboTestSupport

extension ServiceTests {
  @Suite("An output that several inputs share", .enabled(if: TestKafka.isAvailable, Comment(rawValue: TestKafka.howTo)))
  struct SharedOutputTests {
    private let rooms = (0..<20).map { "r\($0)" }

    private func give(_ name: String, to group: TestGroup, _ service: ServiceProcess) throws {
      try group.give(rooms.map { TestGift(id: "\(group.names.input)-\(name)-\($0)", room: $0) })
      try group.waitUntilTakenIn(service)
    }

    /// Returns the rooms of the output's records, by the input that they name.
    private func rooms(in group: TestGroup) throws -> [String?: Set<String>] {
      try group.records(of: group.names.output).reduce(into: [:]) { rooms, record in
        let input = record.headers.first { $0.name == "combo-input" }.map { String(decoding: $0.value ?? [], as: UTF8.self) }
        rooms[input, default: []].insert(String(decoding: record.key ?? [], as: UTF8.self))
      }
    }

    @Test("has for each input its rooms, with equal ids too, after one had it alone, and each is proven")
    func named() throws {
      let one = try TestGroup(partitions: 2, brokers: TestKafka.canStartClusters ? nil : TestKafka.brokers())
      let two = try TestGroup(partitions: 3, beside: one)
      let alone = try one.process(TestGroup.fast + ["--instance", "one"])
      try give("a", to: one, alone)
      try alone.stop()
      let more = TestGroup.fast + ["--name-input"]
      var first = try one.process(more + ["--instance", "one"])
      let second = try two.process(more + ["--instance", "two"])
      for round in 0..<3 {
        try give("b\(round)", to: one, first)
        try give("b\(round)", to: two, second)
        if round > 0 { continue }
        try first.crash()
        first = try one.process(more + ["--instance", "one"])
      }
      try first.stop()
      try second.stop()
      let all = Set(rooms)
      #expect(try rooms(in: one) == [nil: all, one.names.input: all, two.names.input: all])
      try one.verify()
      try two.verify()
      let serve = try ServiceProcess([
        "serve", "--brokers", two.brokers, "--output", two.names.output, "--http", "127.0.0.1:0",
      ])
      try serve.waitForLog("warning", "rooms with equal ids are mixed")
      try serve.waitForLog("serve is ready: 20 rooms")
      try serve.stop()

      // Commands that write instructions name the input as the service does, without --name-input.
      try two.give([TestGift(id: "unread", room: "r1")])
      let seek = try ServiceProcess.run(
        ["seek", "--skip-to-end"] + two.arguments(TestGroup.fast).filter { $0 != "--progress" })
      #expect(seek.code == 0 && !seek.output.contains("names_input"), "\(seek)")

      // An instance that no longer names the input says so.
      let unnamed = try two.process(TestGroup.fast + ["--instance", "two"])
      try unnamed.waitForLog("warning the group's instructions named their input until now", "Give --name-input")
      try unnamed.stop()
    }

    @Test("has rooms with the names of their inputs in front where that is wanted; `explain` finds them, `serve` one input's")
    func prefixed() throws {
      let one = try TestGroup(partitions: 2, brokers: TestKafka.canStartClusters ? nil : TestKafka.brokers())
      let two = try TestGroup(partitions: 2, beside: one)
      for group in [one, two] {
        let service = try group.process(TestGroup.fast + ["--name-input", "--room-prefix", "topic"])
        try give("a", to: group, service)
        try service.stop()
      }
      let expected = [one, two].map { group in (group.names.input, Set(rooms.map { "\(group.names.input):\($0)" })) }
      #expect(try rooms(in: one) == Dictionary(uniqueKeysWithValues: expected.map { ($0, $1) }))
      try one.verify()
      try two.verify()
      let room = "\(two.names.input):r7"
      let explained = try ServiceProcess.run([
        "explain", "--brokers", two.brokers, "--input", two.names.input, "--output", two.names.output, "--group", two.group,
        "--room", room, "--id", "\(two.names.input)-a-r7",
      ])
      #expect(explained.code == 0 && explained.output.contains("shown at"), "\(explained)")
      #expect(!explained.log.contains("searching all"), "\(explained)")
      let serve = try ServiceProcess([
        "serve", "--brokers", two.brokers, "--output", two.names.output, "--http", "127.0.0.1:0", "--of-input", two.names.input,
      ])
      let port = try serve.httpPort()
      try serve.waitForLog("serve is ready: 20 rooms")
      let wire = try HTTPWire(port: port)
      wire.send(HTTPStage.request("/rooms"))
      let listed = try wire.response().text
      #expect(listed.contains(room) && !listed.contains(one.names.input), "\(listed)")
      try serve.stop()
      let misspelled = try ServiceProcess([
        "serve", "--brokers", two.brokers, "--output", two.names.output, "--http", "127.0.0.1:0", "--of-input", "nope",
      ])
      try misspelled.waitForLog(", none of nope: check --of-input")
      try misspelled.stop()
    }
  }
}
