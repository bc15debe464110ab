import ComboEdge
import ComboKafka
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("explain on a real broker")
  struct ExplainServiceTests {
    private func explain(_ group: TestGroup, _ more: [String]) throws -> (code: Int32, output: String, log: String) {
      try ServiceProcess.run(
        [
          "explain", "--brokers", group.brokers, "--input", group.names.input, "--output", group.names.output, "--group",
          group.group,
        ] + more)
    }

    @Test(
      "beside a service that works, a gift is found in its room's partition, in words and as an object, and one of nobody is not")
    func besideTheService() throws {
      let group = try TestGroup(partitions: 4)
      let service = try group.process(TestGroup.fast + ["--checkpoint-gifts", "500", "--checkpoint-interval-ms", "300"])
      try group.give((0..<3000).map { TestGift(id: "e\($0)", room: "room-\($0 % 40)", sender: "u\($0 % 7)") })
      try group.waitUntilTakenIn(service)
      let (code, output, log) = try explain(group, ["--room", "room-5", "--id", "e45"])
      #expect(code == 0 && output.contains("(UTC)\n") && output.contains("rose ×1 from u3: "), "\(output)\n\(log)")
      #expect(!log.contains("reading the other"), "\(log)")
      let (jsonCode, json, _) = try explain(group, ["--room", "room-5", "--format", "json"])
      let lines = json.split(separator: "\n")
      #expect(jsonCode == 0 && lines.count == 75, "\(json)")
      #expect(lines.allSatisfy { $0.hasPrefix(#"{"room":"room-5","epoch":"#) && $0.contains(#""became":""#) }, "\(json)")
      let (other, elsewhere, _) = try explain(group, ["--room", "room-6", "--id", "e45"])
      #expect(other == 0 && elsewhere.contains("a gift of another room, \"room-5\""), "\(elsewhere)")
      let (none, nothing, _) = try explain(group, ["--room", "room-5", "--id", "nobody's"])
      #expect(none == 1 && nothing.contains("never seen: no such gift in the room's input"), "\(nothing)")
      let (wrong, _, sentence) = try explain(group, ["--id", "e45"])
      #expect(wrong == 2 && sentence.contains("explain needs --room ROOM"), "\(sentence)")
      try service.stop()
    }
  }
}
