import ComboEdge
import ComboKafka
import Foundation
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("`serve`")
  struct ServeTests {
    private func serve(_ group: TestGroup, _ more: [String] = []) throws -> (process: ServiceProcess, port: UInt16) {
      let process = try ServiceProcess(
        ["serve", "--brokers", group.brokers, "--output", group.names.output, "--http", "127.0.0.1:0"] + more)
      return (process, try process.httpPort())
    }

    private func get(_ target: String, _ port: UInt16) throws -> HTTPWire.Response {
      try HTTPWire.answer(to: HTTPStage.request(target), port: port).response
    }

    @Test("shows every room as the service does, under the same numbers, and streams what follows, byte for byte")
    func mirrors() throws {
      let group = try TestGroup(partitions: 3)
      let service = try group.process(["--linger-ms", "600000", "--slots", "3", "--screen-ms", "500", "--enter-ms", "1"])
      let rooms = (0..<6).map { "r\($0)" }
      try group.give(rooms.map { TestGift(id: "\($0)-1", room: $0, sender: "one") })
      try group.waitUntilSaid(Dictionary(uniqueKeysWithValues: rooms.map { ($0, 1) }), service)
      let (process, port) = try serve(group)
      try wait(for: "readiness. \(process.text)") { try get("/health/ready", port).status == 200 }
      for room in rooms {
        let screen = try get("/rooms/\(room)", port)
        #expect(screen.status == 200)
        #expect(
          screen.text.contains(#""op":"screen","banners":[{"banner":1,"slot":0,"count":1,"base":0,"sender":{"id":"one""#),
          "\(screen.text)")
      }
      #expect(try get("/rooms/nobody", port).status == 404)
      let (wire, head) = try HTTPWire.answer(to: HTTPStage.request("/rooms/r1/events"), port: port, hasBody: false)
      #expect(head.status == 200)
      let first = try #require(try wire.nextEvent())
      #expect(first.name == "screen")
      try group.give([TestGift(id: "r1-2", room: "r1", sender: "two")])
      var received: [String] = []
      try wait(for: "what the room says: \(received)") {
        if let event = try wire.nextEvent(), event.name == "instruction" { received.append(event.data) }
        return received.contains { $0.contains(#""op":"show""#) && $0.contains(#""id":"two""#) }
      }
      let seqs = received.compactMap { $0.firstMatch(of: #/"seq":(\d+)/#).flatMap { Int($0.1) } }
      #expect(seqs == Array(seqs[0]..<(seqs[0] + seqs.count)))
      #expect(first.id == received[0].firstMatch(of: #/"epoch":(\d+)/#).map { "\($0.1)-\(seqs[0] - 1)" })
      process.signal(SIGTERM)
      #expect(try process.waitForExit() == 0)
      try service.stop()
    }

    @Test(
      "another cluster behind the same address is named, and nothing of it is shown", .enabled(if: TestKafka.canStartClusters))
    func otherCluster() throws {
      let cluster = try TestKafka.cluster(properties: ServiceKafka.properties)
      let group = try TestGroup(partitions: 1, brokers: cluster.brokers)
      let service = try group.process(TestGroup.fast + ["--linger-ms", "600000"])
      try group.give([TestGift(id: "1", room: "r")])
      try group.waitUntilSaid(["r": 1], service)
      try service.stop()
      let (process, port) = try serve(group)
      try wait(for: "readiness. \(process.text)") { try get("/health/ready", port).status == 200 }
      try cluster.replace()
      try process.waitForLog("serve reads nothing more", "belong to another cluster now: its id is AnotherClusterAtAllAAA")
      try wait(for: "readiness that names it. \(process.text)") {
        // This request does not wait for another status.
        let wire = try HTTPWire(port: port)
        wire.send(HTTPStage.request("/health/ready"))
        let health = try wire.response()
        return health.status == 503 && health.text.contains("belong to another cluster now")
      }
      #expect(try get("/rooms/r", port).status == 200)
      process.signal(SIGTERM)
      #expect(try process.waitForExit() == 0)
    }

    private static let hourAgo = Int64(Date().timeIntervalSince1970 * 1000) - 3_600_000

    /// Returns an instruction of the room, this many seconds after a moment an hour ago.
    private func record(_ room: String, _ seq: Int, at seconds: Int64 = 0, _ fields: String) -> TestRecord {
      let at = Self.hourAgo + seconds * 1000
      var record = TestRecord(
        key: room, #"{"v":1,"room":"\#(room)","epoch":5,"seq":\#(seq),"at":\#(at),\#(fields)}"#)
      record.timestamp = at
      return record
    }

    private static let banner = #"{"banner":1,"slot":0,"count":3,"base":0,"gift":{"id":"rose"}}"#

    /// Needs the timestamps of a real Kafka.
    @Test(
      "knows the rooms of a service that has been away for long, from its output or its newest screens",
      .enabled(if: TestKafka.isAvailable))
    func afterAnOutage() throws {
      let group = try TestGroup(partitions: 1, brokers: TestKafka.brokers())
      let screens = TestKafka.fresh("screens")
      for topic in [group.names.output, screens] {
        try group.control.createTopic(topic, partitions: 1, settings: [], withinMs: ServiceKafka.patienceMs)
      }
      try group.produce(
        [
          record("old", 1, #""op":"show","banner":1,"slot":0,"count":3,"base":0,"gift":{"id":"rose"}"#),
          record("known", 7, at: 100, #""op":"screen","banners":[\#(Self.banner)]"#),
          record("unknown", 7, at: 100, #""op":"update","banner":1,"slot":0,"count":3,"added":1"#),
          record("woken", 7, at: 111, #""op":"show","banner":1,"slot":0,"count":3,"base":0,"gift":{"id":"rose"}"#),
          record("quiet", 7, at: 112, #""op":"show","banner":1,"slot":0,"count":3,"base":0,"gift":{"id":"rose"}"#),
          record("last", 7, at: 112, #""op":"screen","banners":[]"#),
        ], to: group.names.output)
      let kept = record("kept", 9, at: 105, #""op":"screen","banners":[\#(Self.banner)]"#)
      let over = record("over", 9, at: 50, #""op":"screen","banners":[\#(Self.banner)]"#)
      var gone = TestRecord(key: Array("gone".utf8), value: nil)
      gone.timestamp = over.timestamp
      try group.produce([kept, over, gone], to: screens)
      let (process, port) = try serve(group, ["--back", "12", "--screens", screens])
      try wait(for: "readiness. \(process.text)") { try get("/health/ready", port).status == 200 }
      for room in ["known", "kept", "quiet"] {
        let screen = try get("/rooms/\(room)", port)
        #expect(screen.status == 200, "\(room): \(screen.text)")
        #expect(screen.text.contains(#""op":"screen","banners":[\#(Self.banner)]"#), "\(room): \(screen.text)")
      }
      for (room, status) in [("woken", 503), ("unknown", 503), ("last", 200), ("old", 404), ("over", 404), ("gone", 404)] {
        let wire = try HTTPWire(port: port)
        wire.send(HTTPStage.request("/rooms/\(room)"))
        #expect(try wire.response().status == status, "\(room)")
      }
      let (wire, _) = try HTTPWire.answer(to: HTTPStage.request("/rooms/unknown/events"), port: port, hasBody: false)
      try group.produce([record("unknown", 8, #""op":"screen","banners":[\#(Self.banner)]"#)], to: group.names.output)
      // The stream does not begin with a screen that claims to be complete.
      let first = try #require(try wire.nextEvent())
      #expect(first.name == "instruction" && first.data.contains(#""seq":8"#), "\(first)")
      #expect(try get("/rooms/unknown", port).text.contains(Self.banner))
    }

    /// Needs the timestamps of a real Kafka.
    @Test(
      "does not call a room empty that may have banners since before a pause of the service",
      .enabled(if: TestKafka.isAvailable))
    func afterAPause() throws {
      let group = try TestGroup(partitions: 1, brokers: TestKafka.brokers())
      try group.control.createTopic(group.names.output, partitions: 1, settings: [], withinMs: ServiceKafka.patienceMs)
      func emit(_ seconds: ClosedRange<Int64>) throws {
        for at in seconds {
          try group.produce([record("other", Int(at), at: at, #""op":"screen","banners":[]"#)], to: group.names.output)
        }
      }
      try group.produce([record("shown", 7, #""op":"screen","banners":[\#(Self.banner)]"#)], to: group.names.output)
      try emit(100...104)
      let (process, port) = try serve(group, ["--back", "12"])
      try wait(for: "readiness. \(process.text)") { try get("/health/ready", port).status == 200 }
      func status() throws -> Int {
        let wire = try HTTPWire(port: port)
        wire.send(HTTPStage.request("/rooms/shown"))
        return try wire.response().status
      }
      #expect(try status() == 503)
      try emit(105...113)
      try wait(for: "the last instruction") { try get("/rooms/other", port).text.contains(#""seq":113"#) }
      #expect(try status() == 404)
    }

    @Test("of a topic that does not exist ends in a sentence")
    func faults() throws {
      let none = try ServiceProcess.run([
        "serve", "--brokers", ServiceKafka.brokers(), "--output", TestKafka.fresh("none"), "--http", "127.0.0.1:0",
      ])
      #expect(none.code == 1)
      #expect(none.log.contains("does not exist: check --output"), "\(none.log)")
    }
  }
}
