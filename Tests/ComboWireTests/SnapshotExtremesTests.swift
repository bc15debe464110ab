import ComboCore
import ComboWire
import Testing

/// A room at the ends of all ranges: counts near the largest, settings at their minimum and maximum, worths at the limit, long
/// names, pending finals, named streaks, and full memories.
private struct ExtremeRoom {
  var random: SplitMix64
  var feeder: Feeder
  var now: Int64
  private var number = 0

  init(seed: Int) {
    random = SplitMix64(seed: seed)
    var settings = Settings()
    for name in SettingName.all {
      if let setting = Self.setting(name, isRoom: false, &random) { settings.apply(setting) }
    }
    // A room that never shows or forgets anything tests less.
    if Int.random(in: 0..<3, using: &random) > 0 { settings.slots = max(1, min(settings.slots, 3)) }
    feeder = Feeder(settings)
    now = [0, 1_700_000_000_000, Self.latest].randomElement(using: &random)!
  }

  /// The latest `ts` that an event may have, minus the duration of a test.
  static let latest: Int64 = 253_402_300_799_999 - 10_000_000_000

  /// Returns a setting at the end of its range or next to it, or nil for the usual one.
  static func setting(_ name: SettingName, isRoom: Bool, _ random: inout SplitMix64) -> Setting? {
    switch name {
    // A screen each millisecond for days would take all of a test's time.
    case .integer(.screenMs):
      return [nil, .integer(.screenMs, 0), .integer(.screenMs, IntegerSetting.longestRoomMs)].randomElement(using: &random)!
    case .integer(let name):
      let range = isRoom ? name.roomRange : name.range
      return [
        nil, .integer(name, range.lowerBound), .integer(name, range.upperBound),
        .integer(name, min(range.upperBound, range.lowerBound + 1)),
        .integer(name, min(range.upperBound, max(range.lowerBound, 2))),
      ].randomElement(using: &random)!
    case .queueMerge: return .queueMerge(QueueMerge.allCases.randomElement(using: &random)!)
    case .queueOrder: return .queueOrder(QueueOrder.allCases.randomElement(using: &random)!)
    case .finals: return .finals(Bool.random(using: &random))
    case .milestones: return .milestones([[], [1, 1 << 53 - 1], (1...100).map { $0 * 10 }].randomElement(using: &random)!)
    case .tiers:
      let longest = isRoom ? IntegerSetting.longestRoomMs : IntegerSetting.longestMs
      return .tiers(
        [
          [], [Tier(value: .leastNonzeroMagnitude, lingerMs: longest, busyLingerMs: 0)],
          (1...100).map { Tier(value: Double($0), lingerMs: $0 % 2 * longest, busyLingerMs: $0 % 3) },
        ].randomElement(using: &random)!)
    }
  }

  private mutating func pick<T>(_ list: [T]) -> T { list.randomElement(using: &random)! }

  mutating func gift() -> String {
    number += 1
    let amount =
      switch Int.random(in: 0..<4, using: &random) {
      case 0: #""count":\#(pick([1, 2, 1_000_000]))"#
      case 1: #""total":\#(pick([1, number, 999_999_999, 1_000_000_000])),"ends":\#(Bool.random(using: &random))"#
      case 2:
        #""total":\#(pick([1, number, 1_000_000_000])),"streak":"\#(pick(["s", "t\(number)", String(repeating: "n", count: 256)]))","#
          + #""streak_ms":\#(pick([0, 1, 3_600_000]))"#
      default: #""count":1"#
      }
    let sender = pick(["u1", "u2", "u\(number)", String(repeating: "\\u0000", count: 40), "\u{10FFFF}é"])
    let combo = pick([#""combo":"c","#, #""combo":"\#(String(repeating: "k", count: 256))","#, "", ""])
    let receiver = pick([#""receiver":{"id":"a"},"#, "", ""])
    let value = pick(["0", "1e12", "5e-324", "0.1", "999999999999.9999"])
    return #"{"id":"e\#(pick([number, number, 1]))","room":"r1","ts":\#(now),"#
      + #""sender":{"id":"\#(sender)","x":[{},null,1e400,-0.0]},"#
      + #"\#(receiver)\#(combo)"gift":{"id":"g\#(pick([1, 1, 2, number]))","value":\#(value)},\#(amount)}"#
  }

  mutating func next() throws {
    now += pick([0, 0, 1, 1, 250, 1000, 5001, 60_001, 86_400_000])
    switch Int.random(in: 0..<30, using: &random) {
    case 0: try feeder.feed(#"{"type":"retract","room":"r1","ts":\#(now),"sender":{"id":"u1"}}"#)
    case 1: try feeder.feed(#"{"type":"room_closed","room":"r1","ts":\#(now)}"#)
    case 2, 3:
      var own = OwnSettings()
      for name in SettingName.all where Int.random(in: 0..<4, using: &random) == 0 {
        if let setting = Self.setting(name, isRoom: true, &random), setting.roomFault == nil { own.add(setting) }
      }
      feeder.engine?.set(own, at: now, to: &feeder.sink)
    case 4:
      let milliseconds: Int64 = pick([1, 1000, 86_400_000])
      feeder.engine?.shift(by: milliseconds)
      now += milliseconds
    default: try feeder.feed(gift())
    }
  }
}

@Suite("Snapshots at the ends of all ranges")
struct SnapshotExtremesTests {
  @Test("each state that events lead to is restored from its bytes, and is the same engine", arguments: 0..<30)
  func restored(seed: Int) throws {
    var room = ExtremeRoom(seed: seed)
    for step in 0..<150 {
      try room.next()
      guard step % 5 == 0, let engine = room.feeder.engine else { continue }
      let text = snapshot(engine)
      do {
        let again = try restore(text, room.feeder.settings)
        #expect(snapshot(again) == text, "seed \(seed), step \(step)")
        #expect(again.nextDeadline == engine.nextDeadline, "seed \(seed), step \(step)")
        #expect(again.restsAfter == engine.restsAfter, "seed \(seed), step \(step)")
      } catch {
        Issue.record("seed \(seed), step \(step): \(error)\n\(String(decoding: text, as: UTF8.self).prefix(2000))")
        return
      }
    }
    // The restored one continues as the first does.
    guard let engine = room.feeder.engine else { return }
    var other = room
    other.feeder.engine = try restore(snapshot(engine), room.feeder.settings)
    let before = room.feeder.sink.lines.count
    for _ in 0..<100 {
      try room.next()
      try other.next()
    }
    #expect(other.feeder.sink.lines.dropFirst(before).elementsEqual(room.feeder.sink.lines.dropFirst(before)), "seed \(seed)")
    #expect(snapshot(other.feeder.engine!) == snapshot(room.feeder.engine!), "seed \(seed)")
  }

  @Test("a count that would go above the largest is cut to it, on screen, in the queue and in the history, and restores")
  func largestCount() throws {
    let most = Engine.countMax
    for waits in [false, true] {
      var settings = Settings()
      settings.slots = waits ? 0 : 1
      settings.finals = true
      var feeder = Feeder(settings)
      let record =
        #"{"room":"r1","ts":1000,"sender":{"id":"u"},"gift":{"id":"g","value":1e12},"total":1000000000,"streak":"s1"}"#
      try feeder.feed(record)
      // A test has no time for so many gifts. Instead, the engine's state gets a count just below the largest.
      let text = feeder.text.replacing("1000000000,1e+21", with: "\(most - 7),1e+21").replacing(
        ",1000000000,", with: ",\(most - 7),")
      feeder.engine = try restore(Array(text.utf8), feeder.settings)
      for n in 2...4 {
        try feeder.feed(record.replacing(#""s1""#, with: #""s\#(n)""#))
        let again = try restore(snapshot(feeder.engine!), feeder.settings)
        #expect(snapshot(again) == snapshot(feeder.engine!))
      }
      #expect(feeder.text.contains("\(most)"), "\(feeder.text)")
      if waits { continue }
      feeder.advance(to: 9000)
      #expect(feeder.text.contains(#""history":[["u","","g","",\#(most),"#), "\(feeder.text)")
      #expect(try snapshot(restore(snapshot(feeder.engine!), feeder.settings)) == snapshot(feeder.engine!))
    }
  }
}
