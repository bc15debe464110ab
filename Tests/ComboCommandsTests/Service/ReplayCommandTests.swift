import ComboCore
import ComboMaps
import ComboReplay
import Foundation
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

@Suite("The command replay")
struct ReplayCommandTests {
  @Test("exits with 1 after bad lines, a missing file, or a folder, else with 0")
  func exitCodes() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("combo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let empty = folder.appendingPathComponent("empty").path
    let bad = folder.appendingPathComponent("bad").path
    try Data().write(to: URL(fileURLWithPath: empty))
    try Data("x\n".utf8).write(to: URL(fileURLWithPath: bad))
    #expect(ReplayCommand.run(ReplayOptions(file: empty)) == 0)
    #expect(ReplayCommand.run(ReplayOptions(file: bad)) == 1)
    #expect(ReplayCommand.run(ReplayOptions(file: folder.path)) == 1)
    #expect(ReplayCommand.run(ReplayOptions(file: bad + ".not")) == 1)
  }

  @Test("ends with the reasons of dropped records, the most frequent first")
  func drops() {
    #expect(ReplayCommand.sentence(of: ["no gift": 1]) == #"1 record dropped: 1 "no gift""#)
    #expect(
      ReplayCommand.sentence(of: ["b": 1, "a guard": 1200, "a": 1])
        == #"1,202 records dropped: 1,200 "a guard", 1 "a", 1 "b""#)
  }

  @Test("counts the records that a map drops, by reason, however many threads there are", arguments: [1, 4])
  func drops(threads: Int) throws {
    let map = try RecordMap(
      Array(
        #"""
        {"map": 1, "name": "t", "rules": [
          {"when": {"at": "/list/*/t", "is": "chat"}, "root": "/list/*", "drop": "chat"}, {"when": {"at": "/t", "is": "chat"}, "drop": "chat"},
          {"when": {"at": "/t", "is": "gift"}, "event": "gift", "fields": {"sender": {"id": "/u"}, "gift": {"id": "/g"}}}],
         "otherwise": {"drop": "other"}}
        """#.utf8), file: "t")
    let lines = (0..<300).map { number in
      switch number % 4 {
      case 0: #"{"t":"gift","u":\#(number),"g":1}"#
      case 1: #"{"t":"x"}"#
      case 2: #"{"list":[{"t":"y"},{"t":"chat"}]}"#
      default: #"{"t":"chat"}"#
      }
    }
    let pipeline = ReplayPipeline(
      TestReplay.source(Data(lines.joined(separator: "\n").utf8)), settings: Settings(), map: map, maxRestedRooms: 100,
      threads: threads, chunkBytes: 1000, write: { _ in true }, report: { _ in })
    let summary = pipeline.run()
    // A record counts under its element that a rule drops, rather than under one that matches no rule.
    #expect(summary.drops == ["chat": 150, "other": 75])
    #expect(summary.badLines == 0)
  }
}
