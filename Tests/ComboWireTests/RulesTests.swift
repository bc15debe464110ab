import ComboCore
import ComboWire
import Testing

@Suite("Rules of the engine")
struct RulesTests {
  @Test("a program has its own rules and those of the release before")
  func known() {
    #expect(Rules.known == Rules(version: 2)...Rules(version: 3))
    #expect(!Rules.oldest.hasOwnLinger && !Rules.oldest.hasRefresh && !Rules.oldest.sumsSkips)
    #expect(Rules.newest.hasOwnLinger && Rules.newest.hasRefresh && Rules.newest.sumsSkips)
  }

  @Test("engines go by the rules of the derivation that their settings are of")
  func derivation() {
    let derivation = Derivation(settings: Settings(), rules: .oldest, limits: WireLimits())
    #expect(derivation.engineSettings.rules == .oldest)
  }

  @Test("fields and settings that older rules do not have are passed over, or refused as unknown, as by the release before")
  func fields() throws {
    let decoder = EventDecoder(limits: .replay)
    func fault(_ record: String, _ rules: Rules) -> String? {
      decoder.rules = rules
      var event = Event()
      let arena = BumpArena(chunkSize: 4096)
      return Array(record.utf8).withUnsafeBytes { bytes in
        do throws(BadEvent) {
          try decoder.decode(bytes, key: nil, into: arena, &event)
          return event.kind == .gift && event.gift.lingerMs > 0 ? "has a linger" : nil
        } catch {
          return error.reason
        }
      }
    }
    func gift(_ more: String) -> String { #"{"room":"r","ts":1,"sender":{"id":"u"},"gift":{"id":"g"},\#(more)}"# }
    for more in [#""linger_ms":-1"#, #""linger_ms":60001"#, #""linger_ms":"1""#, #""refresh":1"#] {
      #expect(fault(gift(more), .oldest) == nil && fault(gift(more), .newest) != nil, "\(more)")
    }
    #expect(fault(gift(#""linger_ms":500"#), .oldest) == nil && fault(gift(#""linger_ms":500"#), .newest) == "has a linger")
    let own = #"{"room":"r","ts":1,"type":"room_settings","settings":{"skip_ms":700}}"#
    #expect(fault(own, .oldest)?.contains("is not a setting of a room") == true && fault(own, .newest) == nil)
  }

  @Test("settings that older rules do not have are neither written nor compared under these, and defaults are those of the rules")
  func settings() {
    var settings = Settings()
    (settings.skipMs, settings.maxLingerMs) = (5, 6)
    let old = Derivation(settings: settings, rules: .oldest, limits: WireLimits())
    #expect(old == Derivation(settings: Settings(), rules: .oldest, limits: WireLimits()))
    #expect(Settings(.oldest).maxQueue == 1000 && Settings(.newest) == Settings() && Settings().maxQueue == 40)
  }
}
