import Foundation

@testable import ComboCore

/// A random room: settings, and events of few keys at times that are often at or near the settings' limits.
struct RandomStream {
  var settings: Settings
  var events: [(at: Int64, event: Event)] = []

  static let start: Int64 = 1_000_000

  /// Returns this number of groups of seeds as arguments, or the first tenth of them if COMBO_TEST_QUICK is set (`make quick`).
  static func groups(_ count: Int) -> Range<Int> {
    0..<(ProcessInfo.processInfo.environment["COMBO_TEST_QUICK"] == nil ? count : max(1, count / 10))
  }

  init(seed: Int, events count: Int = 120, shifts: Bool = true) {
    var random = SplitMix64(seed)
    settings = Settings()
    for setting in Self.settings(&random, oneIn: 2) { settings.apply(setting) }
    // Some rooms are crowded, some have only one combo that returns again and again.
    let senders = (0..<random.pick([1, 2, 4, 12])).map { "u\($0)" }
    let receivers = random.pick([[""], ["", "a1"], ["a1", "a2"]])
    let gifts = (0..<random.pick([1, 2, 5])).map { "g\($0)" }
    let combos = random.pick([[""], [""], ["", "c"], ["c1", "c2"]])
    let ownTimes = random.oneIn(3)
    let isHuge = random.oneIn(12)
    let kinds = random.pick([["count"], ["count", "total"], ["total"]])
    let hasIDs = random.oneIn(2)
    let eventful = random.pick([0, 4, 15])
    let pace = random.pick([3, 30, 300, 3000])
    var now = Self.start
    var totals: [String: Int] = [:]
    for n in 0..<count {
      now += Self.pause(&random, pace, settings)
      let at = random.oneIn(25) ? now - Int64(random.below(2000)) : now
      if eventful > 0, random.oneIn(100 / eventful) {
        switch random.below(shifts ? 9 : 8) {
        case 0: events.append((at, .closed))
        case 1, 2:
          events.append(
            (at, .retract(sender: random.pick(senders), receiver: random.pick(["", "a1"]), gift: random.pick(["", "g0"]))))
        case 3, 4, 5:
          var own = OwnSettings()
          for setting in Self.settings(&random, oneIn: random.pick([3, 8])) where !random.oneIn(5) && setting.roomFault == nil {
            own.add(setting)
          }
          events.append((at, .settings(own)))
        case 6:
          var settings = self.settings
          for setting in Self.settings(&random, oneIn: 4) { settings.apply(setting) }
          events.append((at, .adopt(settings)))
        case 7: events.append((at, .advance))
        default:
          let milliseconds = random.pick([1, 250, 5000, 100_000])
          events.append((at, .shift(Int64(milliseconds))))
          now += Int64(milliseconds)
        }
        continue
      }
      let key = Key(
        sender: random.pick(senders), receiver: random.pick(receivers), gift: random.pick(gifts), combo: random.pick(combos))
      var gift = OwnedGift(key: key, tag: "~\(n)")
      gift.value = random.pick([0, 0.5, 1, 10, 100, 0.1, 1e12])
      gift.amount = .count(random.pick([1, 1, 1, 2, 3, 10, 66] + (isHuge ? [1_000_000, Model.most / 3, Model.most - 1] : [])))
      if hasIDs { gift.id = random.oneIn(3) ? "e\(random.below(6))" : "e\(n)" }
      if random.pick(kinds) == "total" {
        let streak = random.pick(["", "s1", "s2"])
        let total = max(1, totals["\(key)/\(streak)", default: 0] + random.pick([1, 1, 2, 5, 0, -1, -3]))
        totals["\(key)/\(streak)"] = total
        gift.amount = .total(total, streak: streak)
      }
      gift.addDetails(&random, ownTimes: ownTimes)
      events.append((at, .gift(gift)))
    }
  }

  /// Returns a pause, often exactly as long as something lasts, or a millisecond off.
  private static func pause(_ random: inout SplitMix64, _ pace: Int, _ settings: Settings) -> Int64 {
    if random.oneIn(3) { return 0 }
    if random.oneIn(3) {
      let lasting = random.pick([
        settings.enterMs, settings.countMs, settings.lingerMs, settings.busyLingerMs, settings.exitMs, settings.reuseMs,
        settings.screenMs, settings.dedupeMs, settings.streakMs, settings.promoteMs, settings.exitMs + settings.reuseMs,
        settings.enterMs + settings.countMs, settings.holdMs, settings.dwellMs, settings.reuseMs + 1,
        settings.enterMs + 2 * settings.countMs, settings.holdMs - settings.enterMs, settings.skipMs,
      ])
      return Int64(max(0, lasting + random.below(3) - 1))
    }
    if random.oneIn(60) { return Int64(settings.rest + 10_000 + random.below(3) - 1) }
    return Int64(random.below(pace))
  }

  static func settings(_ random: inout SplitMix64, oneIn cases: Int) -> [Setting] {
    let durations: [IntegerSetting: [Int]] = [
      .enterMs: [0, 1, 250, 400], .countMs: [0, 1, 250, 300], .lingerMs: [0, 1, 500, 3000], .busyLingerMs: [0, 1, 250],
      .exitMs: [0, 1, 250, 2000], .reuseMs: [0, 1, 500, 5000], .promoteMs: [0, 1, 100, 1000], .screenMs: [0, 60, 500, 750, 5000],
      .dedupeMs: [0, 1, 500, 10_000], .streakMs: [0, 1, 800, 60_000], .restMs: [0, 1000, 60_000], .slots: [0, 1, 1, 2, 3, 5],
      .busyThreshold: [0, 1, 3, 10], .maxQueue: [1, 2, 3, 7, 1000], .maxIds: [0, 1, 2, 5, 40, 2000],
      .maxStreaks: [0, 1, 2, 5, 1000], .holdMs: [0, 1, 500, 700, 3000],
      .dwellMs: [0, 1, 400, 750, 5000], .maxHistory: [1, 2, 3, 1000], .maxLingerMs: [0, 1, 600, 4000, 60_000],
      .skipMs: [0, 0, 1, 500, 700, 1000, 70_000],
    ]
    var settings: [Setting] = []
    for name in IntegerSetting.allCases where random.oneIn(cases) {
      settings.append(.integer(name, random.pick(durations[name]!)))
    }
    if random.oneIn(cases) { settings.append(.queueMerge(random.pick(QueueMerge.allCases))) }
    if random.oneIn(cases) { settings.append(.queueOrder(random.pick(QueueOrder.allCases))) }
    if random.oneIn(cases) { settings.append(.finals(random.oneIn(2))) }
    if random.oneIn(cases) { settings.append(.milestones(random.pick([[], [1], [2, 5, 10], [66, 520]]))) }
    if random.oneIn(cases) {
      let tiers = [
        Tier(value: 0.5, lingerMs: 100, busyLingerMs: 0), Tier(value: 10, lingerMs: 4000, busyLingerMs: 900),
        Tier(value: 100, lingerMs: 8000, busyLingerMs: 1800), Tier(value: 1e12, lingerMs: 1, busyLingerMs: 1),
      ]
      settings.append(.tiers(random.pick([[], Array(tiers[1...2]), tiers, [tiers[3]]])))
    }
    return settings
  }
}
