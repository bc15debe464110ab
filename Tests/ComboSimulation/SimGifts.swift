import ComboCore
import ComboEdge

@testable import ComboTestSupport

/// A generator of input: gifts of few senders in few rooms, so that they collide, and all other kinds of records.
struct SimGifts {
  var random: SplitMix64
  /// Rooms where every gift counts, because it has neither an id nor a total.
  static let plainRooms = ["plain-0", "plain-1"]
  private let rooms: [String]
  /// Whether there are also records other than gifts, which close rooms, retract gifts, change settings or are bad.
  var hasOther = true
  private var totals: [String: Int] = [:]

  init(_ random: SplitMix64, rooms: Int) {
    self.random = random
    self.rooms = (0..<rooms).map { "room-\($0)" }
  }

  private mutating func one(of choices: [String]) -> String { choices[random.below(choices.count)] }

  mutating func next(at now: Int64) -> SimRecord {
    let plain = random.below(4) == 0
    let room = plain ? one(of: Self.plainRooms) : one(of: rooms)
    let kind = hasOther ? random.below(100) : 0
    switch kind {
    case 0..<76: return plain ? plainGift(room, now) : gift(room, now)
    case 76..<80: return record(room, #"{"type":"room_closed"}"#, now)
    case 80..<85:
      let sender = #"{"type":"retract","sender":{"id":"u\#(random.below(3))"}"#
      return record(room, random.below(2) == 0 ? sender + "}" : sender + #","gift":{"id":"g0"}}"#, now)
    case 85..<91: return record(room, #"{"type":"room_settings","settings":{\#(ownSettings())}}"#, now)
    case 91..<94:
      var tombstone = SimRecord(key: Array(room.utf8), value: nil, timestamp: now)
      if random.below(4) == 0 { tombstone.key = nil }
      return tombstone
    default: return bad(room, now)
    }
  }

  private func record(_ room: String, _ json: String, _ now: Int64) -> SimRecord {
    SimRecord(key: Array(room.utf8), value: Array(json.utf8), timestamp: now)
  }

  private mutating func plainGift(_ room: String, _ now: Int64) -> SimRecord {
    let count = 1 + random.below(5)
    var made = record(
      room, #"{"sender":{"id":"u\#(random.below(3))"},"gift":{"id":"g\#(random.below(2))","value":7},"count":\#(count)}"#, now)
    made.plainCount = count
    return made
  }

  private mutating func gift(_ room: String, _ now: Int64) -> SimRecord {
    let sender = "u\(random.below(4))"
    let gift = "g\(random.below(2))"
    var json = "{"
    if random.below(2) == 0 { json += #""id":"e\#(random.below(12))","# }
    json += #""ts":\#(now),"sender":{"id":"\#(sender)""#
    if random.below(5) == 0 { json += #","name":"\#(String(repeating: "名", count: 1 + random.below(20)))""# }
    json += "}"
    if random.below(4) == 0 { json += #","receiver":{"id":"a\#(random.below(2))"}"# }
    json += #","gift":{"id":"\#(gift)","value":\#([0, 1, 0.1, 12.5, 100][random.below(5)])}"#
    switch random.below(4) {
    case 0:
      let streak = random.below(3)
      let key = room + sender + gift + String(streak)
      let total = random.below(6) == 0 ? 1 + random.below(10) : (totals[key] ?? 0) + random.below(4)
      totals[key] = total
      json += #","total":\#(max(1, total))"#
      if streak > 0 { json += #","streak":\#(streak)"# }
    case 1: json += #","count":\#(1 + random.below(9))"#
    default: break
    }
    if random.below(5) == 0 { json += #","linger_ms":\#([0, 30, 300, 60_000][random.below(4)])"# }
    if random.below(4) == 0 { json += #","refresh":\#(random.below(3) > 0)"# }
    // With rules 2 these are unknown fields, with rules 3 they are faults.
    if random.below(40) == 0 { json += [#","linger_ms":-1"#, #","refresh":"yes""#][random.below(2)] }
    return record(room, json + "}", now)
  }

  private mutating func ownSettings() -> String {
    switch random.below(6) {
    case 0: return ""
    case 1: return #""slots":\#(1 + random.below(3))"#
    case 2: return #""linger_ms":\#(random.below(400)),"screen_ms":\#([0, 100, 300][random.below(3)])"#
    case 3: return #""max_queue":\#(1 + random.below(3)),"queue_merge":"tail","skip_ms":\#(500 + random.below(300))"#
    case 4: return #""tiers":[{"value":\#(1 + random.below(20)),"linger_ms":100,"busy_linger_ms":10}],"queue_order":"tier""#
    default: return #""dedupe_ms":0,"enter_ms":0,"count_ms":0,"exit_ms":\#(random.below(2) * 50)"#
    }
  }

  private mutating func bad(_ room: String, _ now: Int64) -> SimRecord {
    switch random.below(7) {
    case 0: return record(room, "{", now)
    case 1: return record(room, #"{"gift":{"id":"g"}}"#, now)
    case 2: return record(room, #"{"room":"another","sender":{"id":"u1"},"gift":{"id":"g1"}}"#, now)
    case 3: return record(room, #"{"sender":{"id":"u1"},"gift":{"id":"g1"},"count":0}"#, now)
    case 4: return record(room, #"{"type":"applause"}"#, now)
    case 5: return record(room, #"{"type":"room_settings","settings":{"slots":101}}"#, now)
    default:
      var headed = record(room, "", now)
      headed.headers = [RecordHeader(name: "trace", value: [1, 2, 3])]
      return headed
    }
  }
}

extension Settings {
  /// Returns random settings with which much happens in a short time.
  static func madeUp(_ random: inout SplitMix64) -> Settings {
    func one(_ choices: [Int]) -> Int { choices[random.below(choices.count)] }
    var settings = Settings()
    settings.slots = one([1, 2, 3])
    settings.enterMs = one([0, 20, 100])
    settings.countMs = one([0, 20, 100])
    settings.lingerMs = one([0, 50, 400, 900])
    settings.busyLingerMs = one([0, 20, 100])
    settings.busyThreshold = one([0, 1, 3])
    settings.exitMs = one([0, 20, 100])
    settings.reuseMs = one([0, 100, 600])
    settings.maxQueue = one([1, 2, 5, 1000])
    settings.skipMs = one([0, 1, 50, 400])
    settings.maxLingerMs = one([0, 100, 1000])
    settings.queueMerge = one([0, 1]) == 0 ? .anywhere : .tail
    settings.queueOrder = one([0, 1]) == 0 ? .fifo : .tier
    settings.promoteMs = one([0, 100])
    settings.tiers =
      one([0, 1]) == 0
      ? []
      : [
        Tier(value: 5, lingerMs: one([0, 100]), busyLingerMs: 20), Tier(value: 50.5, lingerMs: 500, busyLingerMs: 100),
      ]
    settings.milestones = one([0, 1]) == 0 ? [] : [3, 5, 20]
    settings.screenMs = one([0, 100, 500])
    settings.dedupeMs = one([0, 200, 1000])
    settings.maxIds = one([0, 2, 100])
    settings.streakMs = one([0, 200, 1000])
    settings.maxStreaks = one([0, 1, 3, 100])
    settings.restMs = one([0, 50, 300, 1200])
    return settings
  }
}
