import ComboMaps
import ComboWire
import Foundation
import Testing

@testable import ComboCommands

@Suite("The text of `map --check`")
struct MapWordsTests {
  private func words(_ about: String) throws -> String {
    let rule = #"{"event":"gift","fields":{"room":"/r","sender":{"id":"/s"},"gift":{"id":"/g"}}}"#
    let text = #"{"map":1,"name":"ours"\#(about),"rules":[\#(rule)]}"#
    return MapCommand.validity(of: try RecordMap(Array(text.utf8), file: "m"), in: "m.json")
  }

  @Test("has the map's own words behind its name, if it has any, and no blank in their place")
  func about() throws {
    #expect(try words("") == "m.json is a valid map: ours.")
    #expect(try words(#","about":"Roses only.""#) == "m.json is a valid map: ours. Roses only.")
  }

  @Test("names a file that cannot be included, and why")
  func unreadable() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder.appending(path: "folder.json"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(count: 300_000).write(to: folder.appending(path: "large.json"))
    func faults(_ more: String) throws -> [String] {
      let file = folder.appending(path: "m.json")
      try Data(#"{"map":1,"name":"m",\#(more)}"#.utf8).write(to: file)
      guard case .failure(let failure) = MapSource.map(file.path) else { return [] }
      return failure.sentences.map { $0.replacing(folder.path, with: "") }
    }
    let rules = #""rules":[{"drop":"x"}]"#
    #expect(
      try faults(#""include":["large.json","folder.json"],\#(rules)"#) == [
        "/m.json:1:32: /large.json is larger than the 262144 bytes allowed",
        "/m.json:1:45: cannot read /folder.json: it is a folder",
      ])
    #expect(
      try faults(#""choose":{"map":"large.json"}"#) == ["/m.json:1:37: /large.json is larger than the 262144 bytes allowed"])
    #expect(try faults(#""choose":{"map":"none.json"}"#)[0].contains(#"there is no map "none.json""#))
  }
}
