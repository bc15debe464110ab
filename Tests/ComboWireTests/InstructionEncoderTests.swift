import ComboWire
import Testing

@testable import ComboCore

@Suite("Instructions")
struct InstructionEncoderTests {
  @Test("every op is written as the specification has it, display data byte for byte")
  func everyOp() throws {
    var settings = Settings()
    settings.slots = 1
    settings.maxQueue = 1
    settings.skipMs = 0
    settings.screenMs = 1000
    settings.milestones = [2, 4]
    var feeder = Feeder(room: #"r"1"#, settings)
    let rose = #""gift":{"id":"rose","name":"玫瑰","value":10}"#
    try feeder.feed(#"{"room":"r","ts":1000,"sender":{"id":"u1","name":"小明"},"receiver":{"id":"a1"},\#(rose),"count":3}"#)
    try feeder.feed(#"{"room":"r","ts":1100,"sender":{"id":"u1","name":"小明"},"receiver":{"id":"a1"},\#(rose),"count":2}"#)
    try feeder.feed(#"{"room":"r","ts":1200,"sender":{"id":"u2", "x" : [1, 2]},\#(rose)}"#)
    try feeder.feed(#"{"room":"r","ts":1300,"sender":{"id":"u3"},"gift":{"id":"bear"},"count":4}"#)
    try feeder.feed(#"{"type":"retract","room":"r","ts":2100,"sender":{"id":"u2"}}"#)
    try feeder.feed(#"{"type":"room_closed","room":"r","ts":2200}"#)
    let start = #"{"v":1,"room":"r\"1","epoch":1000,"seq":"#
    #expect(
      feeder.sink.lines == [
        start + #"1,"at":1000,"op":"show","banner":1,"slot":0,"count":3,"base":0,"milestone":2,"sender":{"id":"u1","name":"小明"},"#
          + #""receiver":{"id":"a1"},\#(rose)}"#,
        start + #"2,"at":1250,"op":"update","banner":1,"slot":0,"count":5,"added":2,"milestone":4}"#,
        start + #"3,"at":1300,"op":"skip","banner":3,"count":4,"reason":"overflow","sender":{"id":"u3"},"gift":{"id":"bear"}}"#,
        start + #"4,"at":2000,"op":"screen","banners":[{"banner":1,"slot":0,"count":5,"base":0,"sender":{"id":"u1","name":"小明"},"#
          + #""receiver":{"id":"a1"},\#(rose)}]}"#,
        start + #"5,"at":2100,"op":"skip","banner":2,"count":1,"reason":"retracted","sender":{"id":"u2","x":[1,2]},\#(rose)}"#,
        start + #"6,"at":2200,"op":"dismiss","banner":1,"slot":0,"count":5,"reason":"closed"}"#,
      ])
  }

  @Test("a move up, an update without milestone, an empty screen, and a sum of skips")
  func shortOps() {
    var lines = LineSink(room: "房")
    lines.say(Instruction(epoch: 1, seq: 2, at: 3, operation: .moveUp(banner: 4, slot: 5)))
    lines.say(Instruction(epoch: -1, seq: .max, at: .min, operation: .screen([])))
    lines.say(Instruction(epoch: 1, seq: 2, at: 3, operation: .update(banner: 1, slot: 0, count: 5, added: 2, milestone: nil)))
    lines.say(
      Instruction(epoch: 1, seq: 3, at: 4, operation: .skipSum(banners: 2, count: 7, value: 12.5, reason: .overflow)))
    #expect(
      lines.lines == [
        #"{"v":1,"room":"房","epoch":1,"seq":2,"at":3,"op":"move_up","banner":4,"slot":5}"#,
        #"{"v":1,"room":"房","epoch":-1,"seq":9223372036854775807,"at":-9223372036854775808,"op":"screen","banners":[]}"#,
        #"{"v":1,"room":"房","epoch":1,"seq":2,"at":3,"op":"update","banner":1,"slot":0,"count":5,"added":2}"#,
        #"{"v":1,"room":"房","epoch":1,"seq":3,"at":4,"op":"skip","banners":2,"count":7,"value":12.5,"reason":"overflow"}"#,
      ])
  }
}
