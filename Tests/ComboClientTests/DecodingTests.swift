import Testing

@testable import ComboClient

@Suite("Decoding instructions")
struct DecodingTests {
  private func show(_ more: String) -> String {
    #"{"v":1,"room":"r1","epoch":5,"seq":1,"at":6,"op":"show","banner":1,"slot":0,"count":2,"base":0\#(more)}"#
  }

  @Test("every op has its fields")
  func operations() throws {
    let head = #"{"room":"r","epoch":1,"seq":2,"at":3,"op":"#
    let sender = try #require(DisplayData(json: #"{"id":"u"}"#))
    let expected: [(String, DisplayInstruction.Operation)] = [
      (
        #""show","banner":1,"slot":0,"count":12,"base":10,"milestone":11,"sender":{"id":"u"}}"#,
        .show(RoomBanner(number: 1, slot: 0, count: 12, base: 10, sender: sender), milestone: 11)
      ),
      (#""update","banner":1,"slot":2,"count":3,"added":1}"#, .update(banner: 1, slot: 2, count: 3, milestone: nil)),
      (#""move_up","banner":1,"slot":2}"#, .moveUp(banner: 1, slot: 2)),
      (#""dismiss","banner":1,"slot":0,"count":3,"reason":"turn"}"#, .dismiss(banner: 1, count: 3, reason: "turn")),
      (#""screen","banners":[],"slots":3,"exit_ms":9}"#, .screen([], RoomTimes(slots: 3, exitMs: 9))),
      (
        #""skip","banner":4,"count":3,"reason":"overflow","sender":{"id":"u"}}"#,
        .skip(ComboCount(banner: 4, count: 3, reason: "overflow", sender: sender, receiver: nil, gift: nil))
      ),
      (
        #""final","banner":4,"count":3,"reason":"over"}"#,
        .final(ComboCount(banner: 4, count: 3, reason: "over", sender: nil, receiver: nil, gift: nil))
      ),
      (#""sing","banner":1}"#, .unknown("sing")),
      (#""update","banner":1}"#, .malformed("update")),
    ]
    for (text, operation) in expected {
      let instruction = try #require(DisplayInstruction(head + text))
      #expect(instruction == DisplayInstruction(room: "r", epoch: 1, seq: 2, at: 3, operation: operation))
    }
  }

  @Test("display data keeps every field unchanged, and its texts are decoded")
  func displayData() throws {
    let json =
      #"{"id":7,"name":"a\"\\\/\b\f\n\r\t\u00e9\ud83c\udf81\ud800x","value":0.5,"x":{"y":[1,null]},"gone":null,"\u0069con":"🎁"}"#
    let instruction = try #require(DisplayInstruction(show(#","sender":\#(json)"#)))
    guard case .show(let banner, _) = instruction.operation else { throw Wrong() }
    let sender = try #require(banner.sender)
    #expect(sender.json == json)
    #expect(sender.id == "7")
    #expect(sender.name == "a\"\\/\u{8}\u{c}\n\r\té🎁\u{FFFD}x")
    #expect(sender.number("value") == 0.5)
    #expect(sender.text("value") == "0.5")
    #expect(sender.text("icon") == "🎁")
    #expect(sender.text("x") == nil && sender.text("gone") == nil && sender.text("other") == nil && sender.number("name") == nil)
    #expect(DisplayData(json: #"{"id":"u","name":""}"#)?.name == "u")
    #expect(DisplayData(json: "[]") == nil && DisplayData(json: "{") == nil && DisplayData(json: "{} x") == nil)
  }

  @Test("nesting of any depth ends in a result", arguments: [10, 500, 600, 100_000])
  func depth(levels: Int) {
    let nested = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    #expect((DisplayInstruction(show(#","x":\#(nested)"#)) != nil) == (levels < 512))
  }

  @Test("a text that is cut anywhere is none")
  func cut() {
    let whole = Array(show(#","sender":{"id":"u","name":"\u00e9","value":-1.5e+3},"gift":{"a":[true,false,null]}"#).utf8)
    #expect(DisplayInstruction(whole) != nil)
    for count in 0..<whole.count { #expect(DisplayInstruction(whole.prefix(count)) == nil) }
  }

  struct Wrong: Error {}
}
