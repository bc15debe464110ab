import ComboEdge
import Foundation
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("HTTP")
  struct HTTPServiceTests {
    /// Starts the service as a process, and returns it with its port.
    private func start(_ group: TestGroup, _ more: [String] = []) throws -> (service: ServiceProcess, port: UInt16) {
      let service = try group.process(TestGroup.fast + ["--http", "127.0.0.1:0"] + more)
      return (service, try service.httpPort())
    }

    private func get(_ target: String, _ port: UInt16) throws -> HTTPWire.Response {
      let wire = try HTTPWire(port: port)
      wire.send(HTTPStage.request(target))
      return try wire.response()
    }

    /// Returns the loop's answer, however long it takes.
    private func ask(_ target: String, _ port: UInt16) throws -> HTTPWire.Response {
      try HTTPWire.answer(to: HTTPStage.request(target), port: port).response
    }

    /// Opens a stream of a room's events.
    private func stream(_ room: String, _ port: UInt16) throws -> HTTPWire {
      let (wire, head) = try HTTPWire.answer(to: HTTPStage.request("/rooms/\(room)/events"), port: port, hasBody: false)
      #expect(head.status == 200)
      return wire
    }

    private func waitUntilReady(_ service: ServiceProcess, _ port: UInt16) throws {
      try wait(for: "readiness. \(service.text)") { try get("/health/ready", port).status == 200 }
    }

    @Test("an input that does not exist is the reason why the service is not ready")
    func noInput() throws {
      let group = try TestGroup(partitions: 0)
      let (service, port) = try start(group)
      try service.waitForLog("waiting, and trying again: the input topic")
      let answer = try get("/health/ready", port)
      #expect(
        answer.status == 503
          && answer.text.contains("the service has not started: the input topic \"\(group.names.input)\" does not exist"),
        "\(answer.text)")
      try service.stop()
    }

    @Test(
      "metrics and the list of rooms count the records that were sent and the instructions that were published",
      arguments: ["exactly-once", "at-least-once"])
    func counts(delivery: String) throws {
      let group = try TestGroup(partitions: 3)
      let (service, port) = try start(group, ["--delivery", delivery])
      try waitUntilReady(service, port)
      let rooms = (0..<10).map { "r\($0)" }
      try group.give((0..<200).map { TestGift(id: "e\($0)", room: rooms[$0 % 10], sender: "u\($0 % 3)") })
      try group.produce([
        TestRecord(key: "r1", "{"), TestRecord(key: "r1", "[]"), TestRecord(key: "r2", #"{"type":"dance"}"#),
        TestRecord(key: "r1", #"{"type":"room_settings","settings":{"slots":3}}"#), TestGift.close("nobody"),
        TestRecord(key: "r3", #"{"type":"retract","sender":{"id":"nobody"}}"#), TestRecord(key: Array("r".utf8), value: nil),
      ])
      try group.waitUntilSaid(Dictionary(uniqueKeysWithValues: rooms.map { ($0, 20) }), service)
      var samples: [String: Double] = [:]
      func sample(_ name: String, _ label: String = "") -> Double { samples[name + label] ?? -1 }
      var ledger = try group.ledger()
      try wait(for: "all to be counted: \(samples)") {
        samples = MetricsText.samples(try get("/metrics", port).text)
        ledger = try group.ledger()
        let emitted = samples.filter { $0.key.hasPrefix("combo_instructions_total") }.reduce(0) { $0 + $1.value }
        return sample("combo_records_total") == 207 && Int(emitted) == ledger.instructions
      }
      for (kind, count) in [("gift", 200), ("room_settings", 1), ("room_closed", 1), ("retract", 1)] {
        #expect(sample("combo_events_total", "{type=\"\(kind)\"}") == Double(count), "\(kind)")
      }
      #expect(sample("combo_bad_events_total", #"{code="not_json"}"#) == 2)
      #expect(sample("combo_bad_events_total", #"{code="unknown_type"}"#) == 1)
      #expect(sample("combo_records_without_value_total") == 1)
      #expect(sample("combo_lateness_seconds_count") == 207)
      for (op, count) in ledger.ops { #expect(sample("combo_instructions_total", "{op=\"\(op)\"}") == Double(count), "\(op)") }
      #expect((0..<3).allSatisfy { sample("combo_partition_lag_records", "{partition=\"\($0)\"}") == 0 })
      // These brokers are advertised under the addresses that the service is given.
      try wait(for: "a broker that is up: \(samples)") {
        samples = MetricsText.samples(try get("/metrics", port).text)
        let up = samples.filter { $0.key.hasPrefix("combo_kafka_client_brokers_up") }
        return up.count >= 2 && up.values.allSatisfy { $0 >= 1 }
      }
      let list = try JSONSerialization.jsonObject(with: Data(try ask("/rooms?limit=3&prefix=r", port).body)) as? [String: Any]
      let lines = try #require(list?["rooms"] as? [[String: Any]])
      #expect(lines.count == 3 && lines.allSatisfy { $0["gifts"] as? Int == 20 })
      try service.stop()
      try group.verify()
    }

    @Test(
      "a stream has a room's instructions as they are in the topic, also after the room has slept",
      arguments: ["exactly-once", "at-least-once"])
    func stream(delivery: String) throws {
      // A round's gifts arrive in one batch, as the room might fall asleep between two.
      let group = try TestGroup(partitions: 2, lingerMs: 60_000)
      let (service, port) = try start(
        group, ["--delivery", delivery, "--rest-ms", "100", "--dedupe-ms", "0", "--streak-ms", "100"])
      try waitUntilReady(service, port)
      let wire = try stream("r", port)
      #expect(try wire.nextEvent()?.id == "0-0")
      for round in 1...3 {
        try group.give((0..<5).map { TestGift(room: "r", sender: "u\($0)") } + [TestGift(room: "other")])
        try group.waitUntilSaid(["r": 5 * round, "other": round], service)
        try wait(for: "sleep") { try get("/rooms/r", port).status == 404 }
      }
      let expected = try group.records(of: group.names.output).filter { $0.key == Array("r".utf8) }
        .map { String(decoding: $0.value!, as: UTF8.self) }
      var received: [String] = []
      while received.count < expected.count { received.append(try #require(try wire.nextEvent()).data) }
      #expect(received == expected)
      #expect(try group.ledger().epochs["r"]?.count == 3)
      service.requestStop()
      #expect(try wire.nextEvent()?.name == "closing")
      #expect(try service.waitForExit() == 0)
    }

    @Test("a reader continues through a rebalance, and elsewhere is sent there")
    func rebalance() throws {
      let group = try TestGroup(partitions: 2)
      let names = (0..<20).map { "r\($0)" }
      let slow = ["--linger-ms", "600000"]
      let (a, portA) = try start(group, slow + ["--transactional-id", "\(group.group).a"])
      try waitUntilReady(a, portA)
      try group.give(names.map { TestGift(room: $0) })
      var wires: [String: HTTPWire] = [:]
      for name in names {
        try wait(for: "\(name)") { try get("/rooms/\(name)", portA).status == 200 }
        let wire = try stream(name, portA)
        let first = try #require(try wire.nextEvent()).data
        #expect(first.contains(#""count":1"#))
        // The topic's screens do not contain these fields.
        for field in ["slots", "enter_ms", "count_ms", "exit_ms"] { #expect(first.contains("\"\(field)\":")) }
        wires[name] = wire
      }
      let (b, portB) = try start(group, slow + ["--transactional-id", "\(group.group).b"])
      try waitUntilReady(b, portB)
      try wait(for: "both to have one partition: \(a.text)\n\(b.text)") {
        try [portA, portB].allSatisfy { MetricsText.samples(try get("/metrics", $0).text)["combo_partitions"] == 1 }
      }
      try waitUntilReady(a, portA)
      try group.give(names.map { TestGift(room: $0) })
      let here = try names.filter { try ask("/rooms/\($0)", portA).status == 200 }
      #expect(!here.isEmpty && here.count < names.count)
      for name in names {
        let wire = try #require(wires[name])
        var isDone = false
        while !isDone {
          let event = try #require(try wire.nextEvent())
          if here.contains(name) {
            isDone = event.name == "instruction" && event.data.contains(#""count":2"#)
            #expect(event.name != "closing")
          } else {
            isDone = event.name == "closing"
          }
        }
      }
      for name in names where !here.contains(name) {
        var responses: [HTTPWire.Response] = []
        try wait(for: "\(name) here and there: \(responses.map(\.text))\n\(a.text)\n\(b.text)") {
          responses = try [portA, portB].map { try get("/rooms/\(name)", $0) }
          return responses.map(\.status) == [404, 200]
        }
        #expect(responses[0].text.contains("another instance"), "\(responses[0].text)")
      }
      try a.stop()
      try b.stop()
    }

    @Test("a port that is taken ends the start with a sentence")
    func takenPort() throws {
      let stage = try HTTPStage()
      let (code, _, log) = try ServiceProcess.run([
        "run", "--brokers", "127.0.0.1:1", "--input", "a", "--output", "b", "--http", "127.0.0.1:\(stage.port)",
      ])
      #expect(code == 1)
      #expect(log.contains("--http none"), "\(log)")
      let (refused, _, sentences) = try ServiceProcess.run([
        "run", "--brokers", "127.0.0.1:1", "--input", "a", "--output", "b", "--http", "*:8080",
      ])
      #expect(refused == 2)
      #expect(sentences.contains("--http-token-file"), "\(sentences)")
    }

    @Test("while brokers are away it lives, and is not ready")
    func noBrokers() throws {
      let service = try ServiceProcess([
        "run", "--brokers", "127.0.0.1:1", "--input", "a", "--output", "b", "--http", "127.0.0.1:0",
      ])
      let port = try service.httpPort()
      #expect(try get("/health/live", port).status == 200)
      let ready = try get("/health/ready", port)
      #expect(ready.status == 503)
      #expect(ready.text.contains("waiting for the brokers"))
      service.requestStop()
      _ = try service.waitForExit()
    }
  }
}
