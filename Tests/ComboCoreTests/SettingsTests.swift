import Testing

@testable import ComboCore

@Suite("Settings")
struct SettingsTests {
  @Test("the defaults are those of the specification")
  func defaults() {
    let integers: [IntegerSetting: Int] = [
      .slots: 2, .enterMs: 250, .countMs: 250, .lingerMs: 3000, .busyLingerMs: 250, .busyThreshold: 10, .holdMs: 10_000,
      .dwellMs: 0, .maxLingerMs: 10_000, .exitMs: 250,
      .reuseMs: 5000, .maxHistory: 1000, .maxQueue: 40, .skipMs: 1000, .promoteMs: 0, .screenMs: 5000, .dedupeMs: 10_000,
      .maxIds: 2000,
      .streakMs: 60_000, .maxStreaks: 1000, .restMs: 60_000,
    ]
    let settings = Settings()
    #expect(integers.count == IntegerSetting.allCases.count)
    for (name, value) in integers { #expect(settings[keyPath: name.keyPath] == value, "\(name)") }
    #expect(settings.queueMerge == .anywhere && settings.queueOrder == .fifo)
    #expect(settings.tiers.isEmpty && settings.milestones.isEmpty && !settings.finals)
  }

  @Test("each integer is allowed from its lowest to its highest value, and not beyond", arguments: IntegerSetting.allCases)
  func ranges(name: IntegerSetting) {
    for value in [name.range.lowerBound, name.range.upperBound] { #expect(Setting.integer(name, value).fault == nil) }
    for value in [name.range.lowerBound - 1, name.range.upperBound + 1] {
      #expect(
        Setting.integer(name, value).fault
          == "must be from \(name.range.lowerBound) to \(name.range.upperBound), not \(value)")
    }
  }

  @Test("a room's own settings have narrower ranges", arguments: IntegerSetting.allCases)
  func roomRanges(name: IntegerSetting) {
    for value in [name.roomRange.lowerBound, name.roomRange.upperBound] {
      #expect(name.range.contains(value) && Setting.integer(name, value).roomFault == nil)
    }
    let above = name.roomRange.upperBound + 1
    #expect(
      Setting.integer(name, above).roomFault
        == "must be \(name == .screenMs ? "0 or " : "")from \(name.roomRange.lowerBound) to \(name.roomRange.upperBound) for a room, not \(above)"
    )
  }

  @Test("a room's own screen_ms is 0 or at least 500, its tiers linger for at most a minute")
  func roomFaults() {
    #expect(Setting.integer(.screenMs, 0).roomFault == nil)
    #expect(Setting.integer(.screenMs, 499).roomFault == "must be 0 or from 500 to 60000 for a room, not 499")
    #expect(Setting.tiers([Tier(value: 1, lingerMs: 60_000, busyLingerMs: 60_000)]).roomFault == nil)
    #expect(Setting.tiers([Tier(value: 1, lingerMs: 0, busyLingerMs: 60_001)]).roomFault != nil)
    #expect(Setting.tiers([Tier(value: 0, lingerMs: 0, busyLingerMs: 0)]).roomFault != nil)
    #expect(Setting.milestones([0]).roomFault != nil)
  }

  @Test("tiers rise above 0, have durations up to a day, and are at most 100")
  func tiers() {
    func fault(_ values: Double..., linger: Int = 1, busy: Int = 1) -> String? {
      Setting.tiers(values.map { Tier(value: $0, lingerMs: linger, busyLingerMs: busy) }).fault
    }
    #expect(fault() == nil)
    #expect(fault(0.5, 1, 1000) == nil)
    #expect(fault(0) != nil)
    #expect(fault(-1) != nil)
    #expect(fault(2, 2) == "must have rising values above 0, but 2.0 follows 2.0")
    #expect(fault(3, 2) != nil)
    #expect(fault(.infinity) != nil)
    #expect(fault(.nan) != nil)
    #expect(fault(1, linger: 86_400_000, busy: 0) == nil)
    #expect(fault(1, linger: 86_400_001) == "must have durations from 0 to 86400000, not 86400001")
    #expect(fault(1, busy: -1) != nil)
    let many = (1...101).map { Tier(value: Double($0), lingerMs: 0, busyLingerMs: 0) }
    #expect(Setting.tiers(Array(many.dropLast())).fault == nil)
    #expect(Setting.tiers(many).fault == "may have at most 100 entries, not 101")
  }

  @Test("milestones rise from 1 and are at most 100")
  func milestones() {
    #expect(Setting.milestones([]).fault == nil)
    #expect(Setting.milestones([1, 2, 9]).fault == nil)
    #expect(Setting.milestones([0]).fault != nil)
    #expect(Setting.milestones([5, 5]).fault == "must be rising counts above 0, but 5 follows 5")
    #expect(Setting.milestones(Array(1...101)).fault == "may have at most 100 entries, not 101")
  }

  @Test("all settings come in the specification's order, and make the same settings again")
  func all() {
    var settings = Settings()
    settings.slots = 7
    settings.tiers = [Tier(value: 3, lingerMs: 4, busyLingerMs: 5)]
    settings.queueMerge = .tail
    #expect(
      settings.all.map(\.name) == [
        "slots", "enter_ms", "count_ms", "linger_ms", "busy_linger_ms", "busy_threshold", "hold_ms", "dwell_ms",
        "max_linger_ms", "exit_ms", "reuse_ms", "max_history", "max_queue", "skip_ms", "queue_merge", "tiers", "queue_order",
        "promote_ms", "milestones", "finals",
        "screen_ms", "dedupe_ms", "max_ids", "streak_ms",
        "max_streaks", "rest_ms",
      ])
    #expect(Set(IntegerSetting.allCases.map(\.rawValue)).isSubset(of: settings.all.map(\.name)), "one is left out of `all`")
    var again = Settings()
    for setting in settings.all { again.apply(setting) }
    #expect(again == settings)
  }

  @Test("of two own settings under one name the first counts")
  func own() {
    var own = OwnSettings()
    own.add(.integer(.slots, 5))
    own.add(.integer(.slots, 6))
    own.add(.queueOrder(.tier))
    let settings = Settings().with(own)
    #expect(own.settings.count == 2)
    #expect(settings.slots == 5 && settings.queueOrder == .tier && settings.enterMs == 250)
  }

  @Test("a room rests for the longest of its memories")
  func rest() {
    for name in [IntegerSetting.restMs, .reuseMs, .dedupeMs, .streakMs] {
      var settings = Settings()
      settings.apply(.integer(name, 70_000))
      #expect(settings.rest == 70_000, "\(name)")
    }
  }
}
