import ComboCore
import ComboSystem
import ComboWire
import Testing

@testable import ComboCommands

@Suite("The stage")
struct StageTests {
  /// An instruction of room `r1`, epoch 5.
  private static func record(_ seq: Int, _ fields: String, room: String = "r1", epoch: Int = 5) -> String {
    #"{"v":1,"room":"\#(room)","epoch":\#(epoch),"seq":\#(seq),"at":1000,\#(fields)}"#
  }

  private static func show(
    _ banner: Int, _ count: Int, base: Int = 0, sender: String = "小明", gift: String = "玫瑰", icon: String = "🌹"
  ) -> String {
    #"""
    "op":"show","banner":\#(banner),"slot":0,"count":\#(count),"base":\#(base),"sender":{"id":"u\#(banner)","name":"\#(sender)"},\#
    "receiver":{"id":"a","name":"主播"},"gift":{"id":"g","name":"\#(gift)","icon":"\#(icon)"}
    """#
  }

  private func apply(_ record: String, to stage: inout Stage, at now: Int64) -> Bool {
    var record = record
    return record.withUTF8 { stage.apply(UnsafeRawBufferPointer($0), at: now) != nil }
  }

  private var painter: StagePainter {
    var painter = StagePainter()
    painter.title = "title"
    painter.footer = ["footer"]
    return painter
  }

  private func lines(_ stage: Stage, at now: Int64, width: Int = 40, height: Int = 6) -> [String] {
    painter.frame(stage, at: now, width: width, height: height).lines
  }

  @Test("a room without slots is drawn as an empty card")
  func noSlots() {
    var stage = Stage(room: "r1")
    stage.beginEmpty()
    #expect(apply(Self.record(1, Self.show(1, 5)), to: &stage, at: 0))
    var painter = painter
    painter.settings.slots = 0
    let lines = painter.frame(stage, at: 5000, width: 40, height: 6).lines
    #expect(lines.contains { $0.contains("r1") } && !lines.contains { $0.contains("×5") }, "\(lines)")
  }

  @Test("a wide terminal is used for long names, and keeps number and name together")
  func staysTogether() throws {
    func row(_ name: String, width: Int) throws -> String {
      var stage = Stage(room: "r1")
      stage.beginEmpty()
      #expect(apply(Self.record(1, Self.show(1, 12345678).replacing("小明", with: name)), to: &stage, at: 0))
      return try #require(painter.frame(stage, at: 5000, width: 200, height: 8).lines.first { $0.contains("×12345678") })
    }
    let short = try row("Ann", width: 200)
    #expect(short.count <= 200 && short.hasPrefix("│ Ann"))
    #expect(short.distance(from: short.startIndex, to: try #require(short.firstRange(of: "×")).lowerBound) < 80)
    let name = String(repeating: "n", count: 39)
    let long = try row(name, width: 200)
    #expect(long.contains("\(name) → 主播 🌹 玫瑰"))
  }

  @Test("of a room that was silent long enough begins with nothing: a `show` can be followed, all else waits for a `screen`")
  func beginsEmpty() {
    func stage(_ instructions: [String]) -> RoomStage {
      var stage = Stage(room: "r")
      stage.beginEmpty()
      for text in instructions {
        var text = text
        text.withUTF8 { _ = stage.apply(UnsafeRawBufferPointer($0), at: 0) }
      }
      return stage.rooms[0].screen
    }
    let show =
      #"{"room":"r","epoch":5,"seq":57,"op":"show","banner":9,"slot":0,"count":3,"base":0,"sender":{"id":"u"},"gift":{"id":"g"}}"#
    let update = #"{"room":"r","epoch":5,"seq":58,"op":"update","banner":9,"slot":0,"count":4,"added":1}"#
    #expect(stage([]).isKnown && stage([]).banners.isEmpty)
    #expect(stage([show, update]).isKnown && stage([show, update]).banners.map(\.count) == [4])
    #expect(!stage([update]).isKnown)
    // Only the first instruction may follow a gap.
    #expect(!stage([show, update.replacing("58", with: "60")]).isKnown)
    #expect(!stage([update, show.replacing("57", with: "59")]).isKnown)
  }

  @Test("a banner slides in, counts up, moves up and slides out")
  func life() {
    var stage = Stage()
    _ = apply(Self.record(1, Self.show(1, 10)), to: &stage, at: 1000)
    #expect(
      lines(stage, at: 1000)[2...3] == ["│                                      │", "│                                      │"])
    // Half way in, the left half is still outside. The number is complete from the beginning.
    #expect(
      lines(stage, at: 1125) == [
        " title",
        "╭─ r1 ─────────────────────────────────╮",
        "│                                      │",
        "│               ×10                    │",
        "╰──────────────────────────────────────╯",
        " footer",
      ])
    #expect(lines(stage, at: 1300)[3] == "│ 小明 → 主播 🌹 玫瑰              ×10 │")
    _ = apply(Self.record(2, #""op":"update","banner":1,"slot":0,"count":66,"added":56,"milestone":66"#), to: &stage, at: 2000)
    #expect(lines(stage, at: 2125)[3] == "│ 小明 → 主播 🌹 玫瑰            ★ ×38 │")
    #expect(lines(stage, at: 2250)[3] == "│ 小明 → 主播 🌹 玫瑰            ★ ×66 │")
    _ = apply(Self.record(3, #""op":"move_up","banner":1,"slot":1"#), to: &stage, at: 3000)
    _ = apply(Self.record(4, Self.show(2, 1, sender: "Leo", gift: "火箭", icon: "🚀")), to: &stage, at: 3000)
    #expect(
      lines(stage, at: 4000)[2...3] == [
        "│ 小明 → 主播 🌹 玫瑰            ★ ×66 │",
        "│ Leo → 主播 🚀 火箭                ×1 │",
      ])
    _ = apply(Self.record(5, #""op":"dismiss","banner":1,"slot":1,"count":66,"reason":"idle""#), to: &stage, at: 5000)
    #expect(lines(stage, at: 5125)[2] == "│             ★ ×66                    │")
    stage.sweep(at: 5250, exitMs: 250)
    #expect(lines(stage, at: 5250)[2] == "│                                      │")
    #expect(stage.rooms[0].screen.banners.map(\.number) == [2])
  }

  @Test("rooms are side by side as the width allows, and those that have no space are left out")
  func columns() {
    var stage = Stage()
    for room in ["a", "b", "c"] { _ = apply(Self.record(1, Self.show(1, 1), room: room), to: &stage, at: 0) }
    let wide = lines(stage, at: 1000, width: 90, height: 6)
    #expect(wide[1] == "╭─ a ───────────────────────────────────────╮╭─ b ───────────────────────────────────────╮")
    #expect(wide[3] == "│ 小明 → 主播 🌹 玫瑰                    ×1 ││ 小明 → 主播 🌹 玫瑰                    ×1 │")
    #expect(lines(stage, at: 1000, width: 90, height: 10)[5] == "╭─ c ───────────────────────────────────────╮")
    #expect(lines(stage, at: 1000, width: 3, height: 3).count == 3)
    #expect(lines(stage, at: 1000, width: 1, height: 1).count == 1)
  }

  @Test("a long name gives way to the number")
  func longName() {
    var stage = Stage()
    _ = apply(Self.record(1, Self.show(1, 123_456, sender: String(repeating: "长", count: 40))), to: &stage, at: 0)
    #expect(lines(stage, at: 1000)[3] == "│ 长长长长长长长长长长长长长长 ×123456 │")
  }

  @Test("an instruction that is not above the known epoch and seq is a repetition")
  func repetition() {
    var stage = Stage()
    #expect(apply(Self.record(1, Self.show(1, 1)), to: &stage, at: 0))
    #expect(!apply(Self.record(1, Self.show(1, 1)), to: &stage, at: 0))
    #expect(!apply(Self.record(9, Self.show(7, 1), epoch: 4), to: &stage, at: 0))
    #expect(stage.rooms[0].screen.banners.count == 1)
    #expect(stage.instructions == 1)
  }

  @Test("after a gap shown banners are drawn, and all else waits for the next screen")
  func gap() {
    var stage = Stage()
    _ = apply(Self.record(1, Self.show(1, 1)), to: &stage, at: 0)
    #expect(apply(Self.record(3, #""op":"skip","banner":3,"count":1,"reason":"overflow""#), to: &stage, at: 0))
    #expect(stage.rooms[0].screen.banners.isEmpty)
    #expect(!apply(Self.record(4, #""op":"update","banner":1,"slot":0,"count":9,"added":1"#), to: &stage, at: 0))
    #expect(apply(Self.record(5, Self.show(7, 1)), to: &stage, at: 0))
    #expect(stage.rooms[0].screen.banners.map(\.number) == [7])
    #expect(!stage.rooms[0].screen.isKnown)
    let banner = #"{"banner":2,"slot":1,"count":4,"base":0,"sender":{"id":"u"},"gift":{"id":"g"}}"#
    #expect(apply(Self.record(6, #""op":"screen","banners":[\#(banner)]"#), to: &stage, at: 0))
    stage.sweep(at: 250, exitMs: 250)
    #expect(stage.rooms[0].screen.banners.map(\.slot) == [1])
    #expect(stage.rooms[0].screen.banners[0].sender == "u")
    #expect(apply(Self.record(7, #""op":"update","banner":2,"slot":1,"count":9,"added":5"#), to: &stage, at: 0))
    #expect(stage.rooms[0].screen.banners[0].count == 9)
  }

  @Test("when joining in mid-stream, shown banners are drawn likewise, and a new epoch begins with an empty screen")
  func epochs() {
    var stage = Stage()
    #expect(apply(Self.record(7, Self.show(3, 1)), to: &stage, at: 0))
    #expect(!apply(Self.record(8, #""op":"move_up","banner":2,"slot":1"#), to: &stage, at: 0))
    #expect(stage.rooms[0].screen.banners.map(\.number) == [3])
    #expect(apply(Self.record(1, Self.show(1, 1), epoch: 6), to: &stage, at: 0))
    #expect(apply(Self.record(2, Self.show(2, 1), epoch: 6), to: &stage, at: 0))
    #expect(apply(Self.record(1, Self.show(1, 5), epoch: 8), to: &stage, at: 0))
    #expect(stage.rooms[0].screen.banners.map(\.count) == [5])
  }

  @Test("a screen that equals the known one disturbs no animation")
  func screen() {
    var stage = Stage()
    _ = apply(Self.record(1, Self.show(1, 8)), to: &stage, at: 1000)
    let before = stage.rooms[0].screen.banners
    let banner =
      #"{"banner":1,"slot":0,"count":8,"base":0,"sender":{"name":"小明"},"receiver":{"name":"主播"},"gift":{"name":"玫瑰","icon":"🌹"}}"#
    _ = apply(Self.record(2, #""op":"screen","banners":[\#(banner)]"#), to: &stage, at: 1100)
    #expect(stage.rooms[0].screen.banners == before)
  }

  @Test("a screen brings new names, and the number of a banner that it corrects is there at once")
  func names() {
    var stage = Stage()
    _ = apply(Self.record(1, Self.show(1, 8)), to: &stage, at: 1000)
    let banner = #"{"banner":1,"slot":0,"count":90,"base":0,"sender":{"name":"Zoë"},"gift":{"name":"Rose"}}"#
    _ = apply(Self.record(2, #""op":"screen","banners":[\#(banner)]"#), to: &stage, at: 2000)
    #expect(lines(stage, at: 2000)[3] == "│ Zoë Rose                         ×90 │")
  }

  @Test("unknown operations and records that are no instructions change nothing")
  func unknown() {
    var stage = Stage()
    for text in ["", "x", "{}", #"{"room":1}"#, #"{"room":"r","epoch":"x","seq":1}"#, "[1]", "{\"room\":\"\u{0}\"}"] {
      #expect(!apply(text, to: &stage, at: 0))
    }
    #expect(apply(Self.record(1, #""op":"sparkle""#), to: &stage, at: 0))
    #expect(stage.rooms.last?.screen.banners.isEmpty == true)
  }

  @Test("without a terminal, the changes that a viewer would notice are printed as lines")
  func plain() throws {
    var stage = Stage()
    func line(_ record: String) -> String? {
      var record = record
      return record.withUTF8 { stage.apply(UnsafeRawBufferPointer($0), at: 0) }.flatMap { PlainLines.line(for: $0, in: stage) }
    }
    #expect(line(Self.record(1, Self.show(1, 3))) == "+ r1  小明 → 主播  🌹 玫瑰 ×3")
    #expect(
      line(Self.record(2, #""op":"update","banner":1,"slot":0,"count":12,"added":9,"milestone":10"#))
        == "· r1  小明 → 主播  🌹 玫瑰 ×12  ★ 10")
    #expect(line(Self.record(3, #""op":"move_up","banner":1,"slot":1"#)) == nil)
    #expect(
      line(Self.record(4, #""op":"dismiss","banner":1,"slot":1,"count":12,"reason":"idle""#))
        == "- r1  小明 → 主播  🌹 玫瑰 ×12")
    #expect(line(Self.final(5, 66)) == "✓ r1  小明 → 主播  🌹 玫瑰 ×66 in all")
  }

  private static func final(_ seq: Int, _ count: Int) -> String {
    record(
      seq,
      #""op":"final","banner":1,"count":\#(count),"reason":"over","sender":{"id":"u","name":"小明"},"receiver":{"id":"a","name":"主播"},"#
        + #""gift":{"id":"rose","name":"玫瑰","icon":"🌹"}"#)
  }

  @Test("the combos that ended last are kept, also where the screen is not known; one that turns leaves like any other")
  func ended() {
    var stage = Stage()
    for seq in 5..<10 { #expect(apply(Self.final(seq, seq), to: &stage, at: 0)) }
    #expect(stage.rooms[0].screen.ended == [7, 8, 9].map { "小明 → 主播  🌹 玫瑰 ×\($0) in all" })
    #expect(apply(Self.record(10, #""op":"screen","banners":[]"#), to: &stage, at: 0))
    #expect(apply(Self.record(11, Self.show(2, 3)), to: &stage, at: 0))
    #expect(apply(Self.record(12, #""op":"dismiss","banner":2,"slot":0,"count":3,"reason":"turn""#), to: &stage, at: 7))
    #expect(stage.rooms[0].screen.banners.map(\.left) == [7])
  }
}

@Suite("A JSON tree")
struct JSONValueTests {
  private func parse(_ text: String) -> JSONValue? {
    var text = text
    return text.withUTF8 { JSONValue(UnsafeRawBufferPointer($0)) }
  }

  @Test("is what the text says")
  func values() {
    #expect(
      parse(#" {"a":[1,-2.5e3,true,false,null],"b":"x\n\u00e9\ud83c\udf39\/","a":0} "#)
        == .object([
          .init(name: "a", value: .array([.number("1"), .number("-2.5e3"), .bool(true), .bool(false), .null])),
          .init(name: "b", value: .string("x\né🌹/")), .init(name: "a", value: .number("0")),
        ]))
    #expect(parse(#"{"a":1,"a":2}"#)?["a"]?.integer == 1)
  }

  @Test(
    "is refused where there is none",
    arguments: ["", "{", "{\"a\"}", "{\"a\":}", "[1,]", "tru", "1 2", "\"\\ud800\"", "\"\\x\"", "\"\u{1}\"", "-", "\"a", "{a:1}"])
  func refused(text: String) { #expect(parse(text) == nil) }

  @Test("is refused when it is too deep")
  func depth() {
    #expect(parse(String(repeating: "[", count: 63) + String(repeating: "]", count: 63)) != nil)
    #expect(parse(String(repeating: "[", count: 100_000)) == nil)
  }
}
