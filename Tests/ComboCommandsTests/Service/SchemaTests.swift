import ComboEdge
import ComboWire
import Foundation
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("Records of a real broker")
  struct SchemaTests {
    private static let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()

    @Test("match docs/schemas, in both deliveries: events, instructions, dead letters and the journal")
    func schemas() throws {
      guard (try? TestKafka.shell("python3 -m pip --version || python3 -c 'import jsonschema, yaml'")) != nil else {
        print("SKIPPED: python3 with jsonschema and PyYAML is not there, nor pip to fetch them")
        return
      }
      let folder = try SecretFolder()
      var written: [String: [[UInt8]]] = [:]
      for delivery in ["exactly-once", "at-least-once"] {
        let group = try TestGroup(partitions: 2)
        let service = try group.process(
          TestGroup.fast + [
            "--delivery", delivery, "--milestones", "2,5", "--max-queue", "1", "--max-own-settings", "1",
            "--screen-ms", "50", "--linger-ms", "500",
          ])
        let events =
          (0..<60).map { TestGift(id: "e\($0)", room: "r\($0 % 3)", sender: "u\($0 % 20)", count: 1 + $0 % 3).text }
          + [
            #"{"type":"room_settings","room":"r1","settings":{"slots":1,"tiers":[{"value":5,"linger_ms":40,"busy_linger_ms":0}]}}"#,
            #"{"type":"retract","room":"r1","sender":{"id":"u1"}}"#, #"{"type":"room_closed","room":"r0"}"#,
          ]
        try group.produce(
          events.map { text in TestRecord(key: ["r0", "r1", "r2"].first { text.contains("\"\($0)\"") }, text) }
            + [
              // Bad records, each with its own header, which stays. The last two only exceed the limit of own settings.
              TestRecord(key: "r1", "no JSON"), TestRecord(key: "r2", TestGift(room: "r1").text),
              TestRecord(key: "r1", #"{"type":"sing"}"#), TestRecord(key: "r1", #"{"sender":{"id":"u"}}"#),
              TestRecord(key: "r1", #"{"sender":5,"gift":{"id":"g"}}"#),
              TestRecord(key: "r1", #"{"sender":{"id":"u"},"gift":{"id":"g"},"count":0}"#),
              TestRecord(key: "r2", #"{"type":"room_settings","settings":{"slots":2}}"#),
              TestRecord(key: "r0", #"{"type":"room_settings","settings":{"slots":2}}"#),
            ])
        try group.waitUntilTakenIn(service)
        // One room continues until all kinds of instructions were published.
        try wait(for: "all kinds of instructions: \(service.text)") {
          try group.give([TestGift(room: "r2", sender: "u9")])
          let output = try group.records(of: group.names.output).map { String(decoding: $0.value ?? [], as: UTF8.self) }
          return ["show", "update", "move_up", "dismiss", "skip", "screen"].allSatisfy { op in
            output.contains { $0.contains("\"op\":\"\(op)\"") }
          }
        }
        try service.stop()
        // Another owner writes an entry with a second takeover.
        let next = try group.process(TestGroup.fast + ["--delivery", delivery])
        try next.waitForLog("restored", count: 2)
        try next.stop()
        written["events", default: []] += events.map { Array($0.utf8) }
        written["instructions", default: []] += try group.records(of: group.names.output).compactMap(\.value)
        written["journal", default: []] += try group.records(of: group.names.journal).compactMap(\.value)
        let dead = try group.records(of: group.names.deadLetter)
        #expect(Set(dead.compactMap { $0.header("combo.error") }).count == BadEvent.Code.allCases.count - 1, "all but too_large")
        for record in dead {
          let headers = Dictionary(
            record.headers.map { ($0.name, String(decoding: $0.value ?? [], as: UTF8.self)) }, uniquingKeysWith: { $1 })
          written["dead-letters", default: []].append(Array(try JSONEncoder().encode(headers)))
        }
      }
      for (name, records) in written {
        try folder.file("\(name).jsonl", records.map { String(decoding: $0, as: UTF8.self) })
      }
      let check = "exec /\(Self.root)/tools/check-schemas --records \"$1\" 2>&1"
      let output = try TestKafka.shell(check, [folder.path])
      #expect(output.contains("; 0 faults"), "\(output)")
      // The check finds broken records.
      try folder.file("journal.jsonl", [#"{"v":1,"n":0}"#])
      #expect(throws: TestKafka.Failure.self) { try TestKafka.shell(check, [folder.path]) }
    }
  }
}
