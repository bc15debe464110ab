import ComboCore
import ComboWire
import Testing

@Suite("The changes of a takeover")
struct DerivationChangeTests {
  @Test("are described setting by setting, with the values before and now")
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
    new.limits.roomPrefix = "gifts:"
    new.namesInput = true
    new.limits.roomSettings = [.integer(.slots), .finals]
    new.rules = .newest
    #expect(
      new.changes(from: old) == [
        "slots 2 → 4", "queue_merge anywhere → tail", "tiers none → 1000.0:4000:1000", "milestones none → 10,66",
        "finals false → true",
        "max_age_ms 0 → 60000", "room_from_body false → true", "room_prefix none → gifts:", "names_input false → true",
        "room_settings all → slots,finals",
        "version of the engine's rules 2 → 3",
      ])
  }
}
