import ComboCore
import ComboMaps
import ComboWire
import Testing

@Suite("The map of a derivation")
struct DerivationMapTests {
  @Test("is named by its title")
  func map() throws {
    var derivation = Derivation(settings: Settings(), rules: Rules.oldest, limits: WireLimits())
    #expect(derivation.mapWords == "without a map")
    let text = #"{"map":1,"name":"test","rules":[{"event":"gift","fields":{"sender":{"id":"/u"},"gift":{"id":"/g"}}}]}"#
    derivation.mapping = try RecordMap(Array(text.utf8), file: "t").canonical
    #expect(derivation.mapWords == "with the map test")
    derivation.mapping = "no map"
    #expect(derivation.mapWords == "with a map that this program cannot read")
  }

  @Test("a record that became no event has its reason alone where there was no rule")
  func cause() {
    let decoder = RecordDecoder()
    var event = Event()
    _ = Array("{}".utf8).withUnsafeBytes { bytes in
      Result { () throws(BadEvent) in try decoder.decode(bytes, key: nil, into: BumpArena(), &event) }
    }
    #expect(decoder.commonestLoss?.row.cause == "missing_field")
  }
}
