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
}
