import ComboCore
import ComboWire
import Testing

/// Returns a room with much activity, the same for the same seed.
func busyFeeder(seed: Int, gifts: Int, displayBytes: Int = 10) throws -> Feeder {
  var random = SplitMix64(seed: seed)
  var settings = Settings()
  settings.slots = Int.random(in: 1...4, using: &random)
  settings.queueOrder = Bool.random(using: &random) ? .tier : .fifo
  settings.tiers = [Tier(value: 50, lingerMs: 4000, busyLingerMs: 900)]
  var feeder = Feeder(settings)
  var now: Int64 = 1_700_000_000_000
  for index in 0..<gifts {
    try feeder.feed(randomRecord(index, &now, displayBytes, &random))
  }
  return feeder
}

func randomRecord(_ index: Int, _ now: inout Int64, _ displayBytes: Int, _ random: inout SplitMix64) -> String {
  now += Int64.random(in: 0...300, using: &random)
  let sender =
    #""sender":{"id":"u\#(Int.random(in: 0..<30, using: &random))\"é","x":"\#(String(repeating: "y", count: displayBytes))"}"#
  switch Int.random(in: 0..<40, using: &random) {
  case 0: return #"{"type":"retract","room":"r1","ts":\#(now),\#(sender)}"#
  case 1:
    return
      #"{"type":"room_settings","room":"r1","ts":\#(now),"settings":{"linger_ms":\#(Int.random(in: 0...5000, using: &random)),"#
      + #""queue_merge":"tail","milestones":[3,7],"tiers":[{"value":0.5,"linger_ms":10,"busy_linger_ms":0}]}}"#
  default:
    let receiver = Bool.random(using: &random) ? #""receiver":{"id":"a1","name":"主播"},"# : ""
    let value = ["0.1", "10", "1e3"].randomElement(using: &random)!
    let amount =
      switch Int.random(in: 0..<3, using: &random) {
      case 0: #""count":\#(Int.random(in: 1...9, using: &random))"#
      case 1: #""total":\#(Int.random(in: 1...99, using: &random))"#
      default: #""total":\#(Int.random(in: 1...99, using: &random)),"streak":\#(Int.random(in: 0..<5, using: &random))"#
      }
    return
      #"{"id":"e\#(index)","room":"r1","ts":\#(now),\#(sender),\#(receiver)"#
      + #""gift":{"id":"g\#(Int.random(in: 0..<4, using: &random))","value":\#(value)},\#(amount)}"#
  }
}

func snapshot(_ engine: Engine) -> [UInt8] {
  let buffer = ByteBuffer()
  SnapshotEncoder.write(engine, to: buffer)
  return Array(buffer.bytes)
}

func restore(_ text: [UInt8], _ settings: EngineSettings) throws(FormatFault) -> Engine {
  let decoder = SnapshotDecoder()
  do {
    return try text.withUnsafeBytes { try decoder.engine(from: $0, settings: settings) }
  } catch let fault as FormatFault {
    throw fault
  } catch { fatalError("the decoder throws format faults only") }
}

@Suite("Snapshots")
struct SnapshotTests {
  @Test("an engine that is restored continues as the first would have, byte for byte", arguments: 0..<30)
  func roundTrip(seed: Int) throws {
    var feeder = try busyFeeder(seed: seed, gifts: 20 + seed * 7)
    let text = snapshot(feeder.engine!)
    #expect(StrictJSON.compactObject(text) == text, "seed \(seed): compact JSON")
    let again = try restore(text, feeder.settings)
    #expect(snapshot(again) == text, "seed \(seed)")

    var other = Feeder(feeder.settings.values)
    other.engine = again
    let before = feeder.sink.lines.count
    var random = SplitMix64(seed: seed + 1000)
    var now: Int64 = 1_700_000_000_000 + Int64(seed) * 1000
    for index in 0..<100 {
      let record = randomRecord(index, &now, 3, &random)
      try feeder.feed(record)
      try other.feed(record)
    }
    #expect(other.sink.lines == Array(feeder.sink.lines[before...]), "seed \(seed)")
    #expect(snapshot(other.engine!) == snapshot(feeder.engine!), "seed \(seed)")
  }

  @Test("a small state is a small text")
  func size() throws {
    var feeder = Feeder()
    try feeder.feed(#"{"room":"r1","ts":1700000000000,"sender":{"id":"u1"},"gift":{"id":"g"}}"#)
    #expect(
      feeder.text
        == #"{"v":2,"epoch":1700000000000,"seq":1,"banners":1,"time":1700000000000,"idle":0,"screen":5000,"#
        + #""shown":[["u1","","g","",1,0,1,0,0,1,0,1,250,0,{"id":"u1"},null,{"id":"g"}]]}"#)
  }

  @Test("a banner's short linger, and that it was taken over, outlive a snapshot")
  func flags() throws {
    var settings = Settings()
    settings.busyThreshold = 0
    settings.slots = 1
    var feeder = Feeder(settings)
    for sender in 1...3 {
      try feeder.feed(#"{"room":"r1","ts":1000,"sender":{"id":"u\#(sender)"},"gift":{"id":"g"}}"#)
    }
    feeder.advance(to: 1500)
    #expect(feeder.text.contains(#"["u1","","g","",1,0,1,0,-500,3,0,1,250,1,"#), "lingering, its linger the short one")
    try feeder.feed(#"{"type":"retract","room":"r1","ts":1500,"sender":{"id":"u1"}}"#)
    #expect(feeder.text.contains(#"["u1","","g","",1,0,1,0,-500,4,0,1,250,3,"#), "leaving, and taken over")

    var other = Feeder(settings)
    other.engine = try restore(snapshot(feeder.engine!), feeder.settings)
    #expect(snapshot(other.engine!) == snapshot(feeder.engine!))
    let before = feeder.sink.lines.count
    for ts in [1600, 1800] {
      let record = #"{"room":"r1","ts":\#(ts),"sender":{"id":"u1"},"gift":{"id":"g"}}"#
      try feeder.feed(record)
      try other.feed(record)
    }
    feeder.advance(to: 60_000)
    other.advance(to: 60_000)
    #expect(other.sink.lines == Array(feeder.sink.lines[before...]))
  }

  @Test("a shift alters the engine's own time and nothing that is written as a difference from it")
  func shift() throws {
    var feeder = try busyFeeder(seed: 3, gifts: 200)
    let before = feeder.text
    feeder.engine!.shift(by: 1_000_000)
    let after = feeder.text
    let time = try #require(before.firstMatch(of: #/"time":(\d+)/#)?.1)
    #expect(after == before.replacing("\"time\":\(time)", with: "\"time\":\(Int64(time)! + 1_000_000)"))
  }

  @Test(
    "what 0.1.0 does not know is written in version 3, all else in version 2, and both are restored as they were",
    arguments: [
      (#""count":2"#, false), (#""refresh":true"#, false), (#""linger_ms":700"#, true), (#""linger_ms":0"#, false),
    ])
  func versions(more: String, isThird: Bool) throws {
    var settings = Settings()
    (settings.slots, settings.maxQueue) = (1, 1)
    var feeder = Feeder(settings)
    func gift(_ sender: String, _ ts: Int, _ more: String) -> String {
      #"{"room":"r1","ts":\#(ts),"sender":{"id":"\#(sender)"},"gift":{"id":"g","value":3},\#(more)}"#
    }
    try feeder.feed(gift("a", 1000, more))
    try feeder.feed(gift("b", 1010, more))
    #expect(feeder.text.hasPrefix(isThird ? #"{"v":3,"# : #"{"v":2,"#), "\(feeder.text)")
    #expect(feeder.engine!.neededRules == (isThird ? .newest : .oldest))
    #expect(snapshot(try restore(Array(feeder.text.utf8), feeder.settings)) == Array(feeder.text.utf8))
    try feeder.feed(gift("c", 1020, #""count":2"#))
    #expect(feeder.text.hasPrefix(#"{"v":3,"#) && feeder.text.contains(#""skipped":["#), "\(feeder.text)")
    #expect(snapshot(try restore(Array(feeder.text.utf8), feeder.settings)) == Array(feeder.text.utf8))
    feeder.advance(to: 30_000)
    #expect(feeder.text.hasPrefix(#"{"v":2,"#) && feeder.sink.lines.contains { $0.contains(#""op":"skip","banners":1,"#) })
  }

  @Test("a newer version is refused as such")
  func newer() throws {
    let text = snapshot(try busyFeeder(seed: 1, gifts: 30).engine!)
    let newer = Array(String(decoding: text, as: UTF8.self).replacing(#"{"v":2,"#, with: #"{"v":4,"#).utf8)
    #expect(throws: FormatFault.self) { try restore(newer, EngineSettings(Settings())) }
    do throws(FormatFault) { _ = try restore(newer, EngineSettings(Settings())) } catch {
      #expect(error.code == .newer && error.description.contains("version 4"))
    }
  }

  @Test("whatever is cut from a state or altered in it, there is a fault or an engine, and no crash", arguments: 0..<20)
  func damage(seed: Int) throws {
    let feeder = try busyFeeder(seed: seed, gifts: 60)
    let text = snapshot(feeder.engine!)
    var random = SplitMix64(seed: seed)
    for length in stride(from: 0, to: text.count, by: max(1, text.count / 100)) {
      #expect(throws: FormatFault.self) { try restore(Array(text[..<length]), feeder.settings) }
    }
    for _ in 0..<300 {
      var bytes = text
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      if var engine = try? restore(bytes, feeder.settings) {
        // It may be another engine, but it must run.
        var sink = LineSink(room: "r")
        engine.advance(to: engine.epoch + 1_000_000, to: &sink)
      }
    }
  }

  static let senseless: [(String, String)] = [
    (#"{"v":1}"#, "time"),
    (#"{"v":1,"time":1}"#, "epoch"),
    (#"{"v":1,"epoch":1,"seq":-1,"banners":0,"time":1,"idle":0}"#, "seq"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":0,"time":9223372036854775807,"idle":0}"#, "time"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":0,"time":1,"idle":9223372036854775807}"#, "time"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":0,"time":1,"idle":0,"own":{"slots":101}}"#, "slots"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":0,"time":1,"idle":0,"own":[]}"#, "own"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":0,"time":1,"idle":0,"ids":{}}"#, "ids"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":0,"time":1,"idle":0,"ids":[["a"]]}"#, "ids"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":0,"time":1,"idle":0,"ids":[["a",1,2]]}"#, "ids"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":0,"time":1,"idle":0,"ids":[[1,"a"]]}"#, "id"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":0,"time":1,"idle":0,"ids":[["",1]]}"#, "id"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":0,"time":1,"idle":0,"streaks":[["a","","b",5,1,0]]}"#, "id must be a string, not 5"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":0,"time":1,"idle":0,"history":[["a","","b",-1,1]]}"#, "total"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":1,"time":1,"idle":0,"shown":[[]]}"#, "banner"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":1,"time":1,"idle":0,"shown":[["a","","b",1,0,1,0,0,1,0,1,1,0,{}]]}"#, "banner"),
    (
      #"{"v":1,"epoch":1,"seq":0,"banners":1,"time":1,"idle":0,"shown":[["a","","b",1,0,1,0,0,1,0,1,1,0,{},null,{},1]]}"#,
      "banner"
    ),
    (#"{"v":1,"epoch":1,"seq":0,"banners":1,"time":1,"idle":0,"shown":[["a","","b",1,0,1,0,0,0,0,1,1,0,{},null,{}]]}"#, "phase"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":1,"time":1,"idle":0,"shown":[["a","","b",1,0,1,0,0,5,0,1,1,0,{},null,{}]]}"#, "phase"),
    (
      #"{"v":1,"epoch":1,"seq":0,"banners":1,"time":1,"idle":0,"shown":[["a","","b",1,0,1,0,0,1,0,1,1,0,{},null,"g"]]}"#, "object"
    ),
    (
      #"{"v":1,"epoch":1,"seq":0,"banners":1,"time":1,"idle":0,"shown":[["a","","b",1,0,1,1e999,0,1,0,1,1,0,{},null,{}]]}"#,
      "a value is too large"
    ),
    (#"{"v":1,"epoch":1,"seq":0,"banners":1,"time":1,"idle":0,"queue":[["a","",["b"],1,0,1,0,0,{},null,{}]]}"#, "banner"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":1,"time":1,"idle":0,"queue":[["a","","b",2,0,1,0,0,{},null,{}]]}"#, "number"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":1,"time":1,"idle":0,"queue":[["a","","b",1,0,1,0,0,{},null,{}]]}"#, "empty screen"),
    (#"{"v":1,"epoch":1,"seq":0,"banners":0,"time":1,"idle":0,"screen":5}"#, "empty screen"),
  ]

  @Test("a state that makes no sense is refused with its fault", arguments: senseless)
  func refusesSenseless(_ text: String, _ word: String) {
    do throws(FormatFault) {
      _ = try restore(Array(text.utf8), EngineSettings(Settings()))
      Issue.record("it was taken")
    } catch {
      #expect(error.code == .broken && error.description.contains(word), "\(error)")
    }
  }
}
