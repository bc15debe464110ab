import ComboSystem
import Testing

@testable import ComboService
@testable import ComboTestSupport

@Suite("The mirror of rooms")
struct RoomMirrorTests {
  private static func record(_ seq: Int, _ fields: String, room: String = "r1", epoch: Int = 5) -> String {
    #"{"v":1,"room":"\#(room)","epoch":\#(epoch),"seq":\#(seq),"at":\#(1000 + seq),\#(fields)}"#
  }

  private static func show(_ banner: Int, _ count: Int, slot: Int = 0, base: Int = 0) -> String {
    #""op":"show","banner":\#(banner),"slot":\#(slot),"count":\#(count),"base":\#(base),\#(people)"#
  }

  private static let people = #""sender":{"id":"u1","name":"}],\"{"},"receiver":{"id":"a"},"gift":{"id":"g","value":10}"#

  private func take(_ mirror: RoomMirror, _ record: String, room: String = "r1", wasEmpty: Bool = false, at now: Int64 = 0) {
    var (record, room) = (record, room)
    room.withUTF8 { key in
      record.withUTF8 {
        mirror.take(key: UnsafeRawBufferPointer(key), value: UnsafeRawBufferPointer($0), wasEmpty: wasEmpty, at: now)
      }
    }
  }

  /// Returns the record of the room's screen, or nil if there is none.
  private func screen(_ mirror: RoomMirror, _ room: String = "r1", watches: Bool = false) -> String? {
    mirror.answer(.screen(room: Array(room.utf8), id: 7, watches: watches), at: 0)
    for news in mirror.takeNews() {
      if case .screen(7, _, let record) = news { return String(decoding: record, as: UTF8.self) }
    }
    return nil
  }

  private func ready() -> RoomMirror {
    let mirror = RoomMirror()
    mirror.isReady = true
    return mirror
  }

  @Test("shows what the instructions say, under the number of the last one")
  func follows() {
    let mirror = ready()
    take(mirror, Self.record(1, Self.show(1, 3)))
    take(mirror, Self.record(2, #""op":"move_up","banner":1,"slot":1"#))
    take(mirror, Self.record(3, Self.show(2, 9, base: 4)))
    take(mirror, Self.record(4, #""op":"update","banner":1,"slot":1,"count":8,"added":5"#))
    let (low, high) = (
      #"{"banner":2,"slot":0,"count":9,"base":4,\#(Self.people)}"#, #"{"banner":1,"slot":1,"count":8,"base":0,\#(Self.people)}"#
    )
    let head = #"{"v":1,"room":"r1","epoch":5,"seq":4,"at":1004,"op":"screen","banners":["#
    #expect(screen(mirror) == head + low + "," + high + "]}")
    take(mirror, Self.record(5, #""op":"dismiss","banner":2,"slot":0,"count":9,"reason":"turn""#))
    take(mirror, Self.record(6, #""op":"sing","banner":1"#))
    #expect(screen(mirror)?.contains(#""seq":6,"at":1006,"op":"screen","banners":[{"banner":1,"#) == true)
    #expect(mirror.gifts == 3 + 5 + 5)
  }

  @Test("a room that is heard without a gap for longer than it could be without a screen is known")
  func knownWithoutScreen() {
    let mirror = ready()
    mirror.screenWithinMs = 3
    // The mirror begins in the middle of an epoch: banner 4 may still be there.
    take(mirror, Self.record(10, Self.show(5, 1)))
    take(mirror, Self.record(13, Self.show(6, 1)))
    #expect(screen(mirror) == nil)
    // Instructions before 13 are missing, so that the period begins again there.
    take(mirror, Self.record(14, #""op":"dismiss","banner":5,"slot":0,"count":1,"reason":"busy""#))
    take(mirror, Self.record(15, #""op":"skip","banners":3,"count":9,"value":0,"reason":"overflow""#))
    take(mirror, Self.record(16, #""op":"move_up","banner":6,"slot":1"#))
    #expect(screen(mirror) == nil)
    take(mirror, Self.record(17, Self.show(7, 2)))
    let shown = screen(mirror)
    #expect(shown?.contains(#""seq":17"#) == true)
    #expect(
      shown?.contains(#""banner":7,"slot":0"#) == true && shown?.contains(#""banner":6,"slot":1"#) == true, "\(shown ?? "")")
  }

  @Test("is correct again after a screen, ignores repetitions, and begins again with a new epoch")
  func restoredByScreen() {
    let mirror = ready()
    take(mirror, Self.record(40, #""op":"update","banner":9,"slot":0,"count":8,"added":5"#))
    #expect(screen(mirror) == nil)
    take(mirror, Self.record(41, #""op":"screen","banners":[{"banner":9,"slot":0,"count":8,"base":0,\#(Self.people)}]"#))
    #expect(screen(mirror)?.contains(#""banners":[{"banner":9,"#) == true)
    take(mirror, Self.record(41, #""op":"screen","banners":[]"#))
    take(mirror, Self.record(3, Self.show(1, 1)))
    #expect(screen(mirror)?.contains(#""seq":41"#) == true && screen(mirror)?.contains(#""banner":9"#) == true)
    take(mirror, Self.record(1, Self.show(1, 2), epoch: 6))
    #expect(screen(mirror)?.contains(#""epoch":6,"seq":1,"#) == true && screen(mirror)?.contains(#""banner":9"#) == false)
    take(mirror, Self.record(99, Self.show(2, 2), epoch: 5))
    #expect(screen(mirror)?.contains(#""epoch":6,"seq":1,"#) == true)
  }

  @Test("passes on a watched room's instructions byte for byte after its screen, including unknown ones")
  func tells() {
    let mirror = ready()
    mirror.answer(.screen(room: Array("r1".utf8), id: 1, watches: true), at: 0)
    guard case .asleep(1, _) = mirror.takeNews()[0] else {
      Issue.record("it does not sleep")
      return
    }
    let said = [Self.record(1, Self.show(1, 1)), Self.record(2, #""op":"later","x":[1,{"y":"]"}]"#)]
    for record in said { take(mirror, record) }
    take(mirror, said[0])
    take(mirror, Self.record(1, Self.show(1, 1), room: "r2"), room: "r2")
    let told = mirror.takeNews().map { news in
      if case .said(_, let record) = news { return String(decoding: record, as: UTF8.self) }
      return "something else"
    }
    #expect(told == said)
    mirror.answer(.unwatch(room: Array("r1".utf8)), at: 0)
    take(mirror, Self.record(3, Self.show(2, 1)))
    #expect(mirror.takeNews().isEmpty)
  }

  @Test("does not know a room before its next screen if it heard neither its beginning nor a screen, or missed something")
  func unknown() {
    func answer(_ mirror: RoomMirror, _ room: String) -> String {
      mirror.answer(.screen(room: Array(room.utf8), id: 7, watches: true), at: 0)
      switch mirror.takeNews().last {
      case .screen(7, _, let record): return String(String(decoding: record, as: UTF8.self).suffix(14))
      case .unknown(7, _): return "unknown"
      case .asleep(7, _): return "asleep"
      case let other: return "\(String(describing: other))"
      }
    }
    func listed(_ mirror: RoomMirror) -> [Int?] {
      mirror.answer(.survey(prefix: [], limit: 9, order: .rate, id: 8), at: 0)
      guard case .survey(8, let lines)? = mirror.takeNews().last else { return [] }
      return lines.map(\.banners)
    }
    let mirror = ready()
    take(mirror, Self.record(8, Self.show(3, 1)))
    #expect(answer(mirror, "r1") == "unknown" && mirror.unknownCount == 1 && listed(mirror) == [nil])
    // Its instructions are passed on nevertheless, and a screen makes it known.
    take(mirror, Self.record(9, #""op":"screen","banners":[]"#))
    guard case .said? = mirror.takeNews().first else {
      Issue.record("the watcher is not told")
      return
    }
    #expect(answer(mirror, "r1") == #"","banners":[]}"#.suffix(14) && mirror.unknownCount == 0 && listed(mirror) == [0])
    take(mirror, Self.record(11, Self.show(4, 1)))
    #expect(answer(mirror, "r1") == "unknown")
    take(mirror, Self.record(4, Self.show(1, 1), epoch: 6))
    #expect(answer(mirror, "r1") == "unknown")
    take(mirror, Self.record(1, #""op":"skip""#, epoch: 7))
    #expect(answer(mirror, "r1").hasSuffix("[]}"))
    // A room that was silent for longer than it would be with banners had none.
    take(mirror, Self.record(5, Self.show(2, 1), room: "r2"), room: "r2", wasEmpty: true)
    #expect(answer(mirror, "r2").hasSuffix("}}]}"))
    take(mirror, Self.record(5, #""op":"dismiss","banner":1,"slot":0,"count":1"#, room: "r3"), room: "r3", wasEmpty: true)
    #expect(answer(mirror, "r3") == "unknown")
    mirror.isUnknown = { $0 == Array("r4".utf8) }
    #expect(answer(mirror, "r4") == "unknown" && answer(mirror, "r5") == "asleep")
  }

  @Test("begins with kept screens, continues from there, and drops those that are over")
  func kept() {
    let mirror = ready()
    for (room, seq, time) in [("r1", 4, 100), ("r2", 9, 10), ("r3", 9, 100)] as [(String, Int, Int64)] {
      var (room, record) = (
        room, Self.record(seq, #""op":"screen","banners":[{"banner":1,"slot":0,"count":\#(seq)}]"#, room: room)
      )
      room.withUTF8 { key in
        record.withUTF8 { mirror.keep(key: UnsafeRawBufferPointer(key), value: UnsafeRawBufferPointer($0), from: time, at: 0) }
      }
    }
    mirror.forgetKept { _, time in time < 50 }
    #expect(mirror.roomCount == 2 && screen(mirror, "r2") == nil && mirror.instructions == 0)
    take(mirror, Self.record(4, #""op":"screen","banners":[]"#))
    take(mirror, Self.record(5, #""op":"update","banner":1,"slot":0,"count":6,"added":2"#))
    #expect(screen(mirror)?.contains(#""seq":5,"at":1005,"op":"screen","banners":[{"banner":1,"slot":0,"count":6"#) == true)
    // Instructions in between are missing.
    take(mirror, Self.record(11, Self.show(2, 1), room: "r3"), room: "r3")
    #expect(screen(mirror, "r3") == nil && mirror.unknownCount == 1)
    mirror.forgetKept { _, _ in true }
    #expect(mirror.roomCount == 2)
  }

  @Test("accepts anything that may be in a topic")
  func garbage() {
    let mirror = ready()
    var generator = SplitMix64(seed: 5)
    for text in [
      "", "{", "{}", "null", "[]", #"{"op":"show"}"#, #"{"epoch":1,"seq":1}"#, #"{"epoch":1,"seq":1,"op":5}x"#,
      #"{"epoch":1,"seq":1,"op":"#,
      #"{"epoch":-1,"seq":1,"op":"show"}"#, #"{"epoch":1e3,"seq":1,"op":"show"}"#, #"{"a":"\"#, #"{"a":"b"#,
      #"{"epoch":1,"seq":0,"op":"show"}"#,
    ] {
      take(mirror, text)
      let bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &generator) }
      take(mirror, text + String(decoding: bytes, as: UTF8.self))
    }
    #expect(mirror.malformed == 28)
    for (seq, fields) in [
      #""op":"show""#, #""op":"show","banner":0,"slot":0,"count":1"#, #""op":"show","banner":1,"slot":"x","count":1"#,
      #""op":"screen""#,
      #""op":"screen","banners":5"#, #""op":"screen","banners":[5,{},{"banner":1}]"#, #""op":"update""#, #""op":"dismiss""#,
    ].enumerated() {
      take(mirror, Self.record(seq + 1, fields, room: "g"), room: "g")
      #expect(screen(mirror, "g")?.hasSuffix(#""banners":[]}"#) == true, "\(fields)")
    }
    take(
      mirror,
      #" { "seq" : 9 , "op" : "show" , "epoch" : 5 , "count" : 2 , "slot" : 0 , "banner" : 7 , "gift" : { "id" : "g" } } "#,
      room: "g")
    #expect(screen(mirror, "g")?.contains(#"[{"banner":7,"slot":0,"count":2,"base":0,"gift":{ "id" : "g" }}]"#) == true)
  }

  @Test("gifts that were read before it is ready are no rate")
  func rate() {
    let mirror = RoomMirror()
    take(mirror, Self.record(1, Self.show(1, 50)), at: 0)
    mirror.isReady = true
    take(mirror, Self.record(2, #""op":"update","banner":1,"slot":0,"count":60,"added":10"#), at: 1000)
    mirror.answer(.survey(prefix: [], limit: 9, order: .rate, id: 1), at: 1000)
    guard case .survey(1, let lines)? = mirror.takeNews().last else {
      Issue.record("no list")
      return
    }
    #expect(lines.map(\.gifts) == [60] && lines.map { ($0.rate * 10).rounded() } == [10])
  }

  @Test("lists the busiest rooms first, forgets those that rest, and answers nobody before it is ready")
  func lists() {
    let mirror = RoomMirror()
    for (room, count) in [("a1", 5), ("a2", 50), ("b", 500)] {
      take(mirror, Self.record(1, Self.show(1, count), room: room), room: room)
    }
    mirror.answer(.screen(room: Array("a1".utf8), id: 1, watches: true), at: 0)
    guard case .notYet(1, _) = mirror.takeNews()[0] else {
      Issue.record("it answers")
      return
    }
    mirror.isReady = true
    mirror.answer(.survey(prefix: Array("a".utf8), limit: 9, order: .rate, id: 2), at: 1000)
    guard case .survey(2, let lines) = mirror.takeNews()[0] else {
      Issue.record("no list")
      return
    }
    #expect(lines.map { String(decoding: $0.room, as: UTF8.self) } == ["a2", "a1"])
    #expect(lines.map(\.gifts) == [50, 5] && lines.map(\.banners) == [1, 1])
    // When they have rested for long, both rates are 0.
    mirror.answer(.survey(prefix: Array("a".utf8), limit: 9, order: .rate, id: 4), at: 100_000_000)
    guard case .survey(4, let rested) = mirror.takeNews()[0] else {
      Issue.record("no list")
      return
    }
    #expect(rested.map(\.gifts) == [50, 5] && rested.allSatisfy { $0.rate == 0 })
    mirror.told = #","slots":3,"exit_ms":0"#
    mirror.answer(.screen(room: Array("b".utf8), id: 9, watches: false), at: 1000)
    if case .screen(9, _, let record) = mirror.takeNews()[0] {
      #expect(String(decoding: record, as: UTF8.self).hasSuffix(#"]"# + mirror.told + "}"))
    } else {
      Issue.record("no screen")
    }
    // Instructions do not contain the length of the queue.
    #expect(lines.allSatisfy { $0.queued == nil })
    for room in ["a1", "a2", "b"] {
      take(
        mirror, Self.record(2, #""op":"dismiss","banner":1,"slot":0,"count":1,"reason":"idle""#, room: room), room: room, at: 1000
      )
    }
    mirror.answer(.survey(prefix: [], limit: 9, order: .rate, id: 3), at: 100_000)
    guard case .survey(3, let none) = mirror.takeNews()[0] else {
      Issue.record("no list")
      return
    }
    #expect(none.isEmpty)
    mirror.sweep(at: 1000 + RoomMirror.forgetMs)
    #expect(mirror.roomCount == 3)
    mirror.sweep(at: 1001 + RoomMirror.forgetMs)
    #expect(mirror.roomCount == 0)
    take(mirror, Self.record(3, Self.show(2, 1)))
    #expect(mirror.roomCount == 1)
    mirror.serves = { $0 == Array("r1".utf8) }
    mirror.answer(.screen(room: Array("x".utf8), id: 4, watches: false), at: 0)
    guard case .elsewhere(4, _) = mirror.takeNews()[0] else {
      Issue.record("another's room is answered")
      return
    }
  }
}
