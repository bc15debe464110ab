import ComboEdge
import Foundation
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("`serve`")
  struct ServeTests {
    private func serve(_ group: TestGroup, _ more: [String] = []) throws -> (process: ServiceProcess, port: UInt16) {
      let process = try ServiceProcess(
        ["serve", "--brokers", group.brokers, "--output", group.names.output, "--http", "127.0.0.1:0"] + more)
      let line = try process.waitForLog("http: listening on http://127.0.0.1:")
      let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0.dropLast()) })
      return (process, port)
    }

    private func get(_ target: String, _ port: UInt16) throws -> HTTPWire.Response {
      try HTTPWire.answer(to: HTTPStage.request(target), port: port).response
    }

    @Test("shows every room as the service does, under the same numbers, and tells what comes, byte for byte")
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
      var told: [String] = []
      try wait(for: "what the room says: \(told)") {
        if let event = try wire.nextEvent(), event.name == "instruction" { told.append(event.data) }
        return told.contains { $0.contains(#""op":"show""#) && $0.contains(#""id":"two""#) }
      }
      let seqs = told.compactMap { $0.firstMatch(of: #/"seq":(\d+)/#).flatMap { Int($0.1) } }
      #expect(seqs == Array(seqs[0]..<(seqs[0] + seqs.count)))
      #expect(first.id == told[0].firstMatch(of: #/"epoch":(\d+)/#).map { "\($0.1)-\(seqs[0] - 1)" })
      process.signal(SIGTERM)
      #expect(try process.waitForExit() == 0)
      try service.stop()
    }

    @Test("of a topic that is not there, or a partition that it has not, ends in a sentence")
    func faults() throws {
      let none = try ServiceProcess.run([
        "serve", "--brokers", ServiceKafka.brokers(), "--output", TestKafka.fresh("none"), "--http", "127.0.0.1:0",
      ])
      #expect(none.code == 1)
      #expect(none.log.contains("does not exist: check --output"), "\(none.log)")
    }
  }
}
