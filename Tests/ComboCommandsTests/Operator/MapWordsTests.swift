import ComboMaps
import ComboWire
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
}
