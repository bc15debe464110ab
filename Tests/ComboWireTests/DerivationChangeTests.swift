import ComboCore
import ComboWire
import Testing

@Suite("What a takeover changes")
struct DerivationChangeTests {
  @Test("is told setting by setting, with the values before and now")
  func settings() {
    let old = Derivation(settings: Settings(), rules: Rules.oldest, limits: WireLimits())
    #expect(old.changes(from: old) == [])
    var new = old
    new.settings.slots = 4
    new.settings.queueMerge = .tail
    new.settings.tiers = [Tier(value: 1000, lingerMs: 4000, busyLingerMs: 1000)]
    new.settings.milestones = [10, 66]
    new.settings.finals = true
    new.limits.maxAgeMs = 60_000
    new.limits.roomFromBody = true
    new.limits.roomSettings = [.integer(.slots), .finals]
    new.rules = .newest
    #expect(
      new.changes(from: old) == [
        "slots 2 → 4", "queue_merge anywhere → tail", "tiers none → 1000.0:4000:1000", "milestones none → 10,66",
        "finals false → true",
        "max_age_ms 0 → 60000", "room_from_body false → true", "room_settings all → slots,finals",
        "version of the engine's rules 2 → 3",
      ])
  }

  @Test("names a map by its title")
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
