import ComboCore
import ComboSystem
import ComboWire
import Testing

@testable import ComboVerify

/// Tests of each independent check alone.
@Suite("The counts and drawings of verify")
struct VerifyPartsTests {
  private func instruction(_ seq: Int, _ rest: String, at: Int = 1) -> [UInt8] {
    Array(#"{"v":1,"room":"r","epoch":1,"seq":\#(seq),"at":\#(at),\#(rest)}"#.utf8)
  }

  private static let who = #""sender":{"id":"u"},"gift":{"id":"g"}"#

  /// Draws a series of instructions, and returns the client with its fault, or nil if it finds none.
  private func draw(_ rest: [String], isWhole: Bool = true) -> (fault: String?, client: ScreenClient) {
    var client = ScreenClient(isWhole: isWhole)
    for (index, text) in rest.enumerated() {
      let fault = instruction(index + 1, text, at: index).withUnsafeBytes { bytes in
        InstructionText(bytes).map { client.draw($0) } ?? "unreadable: \(text)"
      }
      if let fault { return (fault, client) }
    }
    return (nil, client)
  }

  private static let show1 = #""op":"show","banner":1,"slot":0,"count":3,"base":1,\#(who)"#

  @Test(
    "the longest silence of a room is the longest streak and the longest life of its last banner, with the longest linger",
    arguments: [(3000, 250, 0, 0), (250, 70_000, 0, 0), (1, 2, 90_000, 3), (1, 2, 3, 90_000)])
  func silence(linger: Int, busy: Int, tierLinger: Int, tierBusy: Int) {
    var settings = Settings()
    settings.lingerMs = linger
    settings.busyLingerMs = busy
    if tierLinger > 0 { settings.tiers = [Tier(value: 1, lingerMs: tierLinger, busyLingerMs: tierBusy)] }
    let places = OutputPlaces(first: [0], placement: nil)
    let comparison = Comparison(0, .init(index: OutputIndex(places, from: .min), places: places, from: .min))
    comparison.settle(settings)
    #expect(comparison.position.silenceMax == Int64(3_600_000 + 750 + max(linger, busy, tierLinger, tierBusy, 10_000)))
  }

  @Test("a room in which banners may wait is not known to rest before they can all have been shown")
  func knowledge() {
    let settings = Settings()
    func isKnown(after silence: Int64) -> Bool {
      var knowledge = RoomKnowledge()
      _ = knowledge.admits(.roomClosed, nil, at: 0, shifted: 0, settings)
      return knowledge.admits(.gift, nil, at: silence, shifted: 0, settings)
    }
    let wait = Int64((settings.maxQueue + settings.slots) * 11_000 + settings.skipMs)
    #expect(!isKnown(after: settings.silenceMax + wait) && isKnown(after: settings.silenceMax + wait + 1))
  }

  @Test("a refreshed id is remembered from its last repetition on, with the offset of the first gift")
  func refreshed() {
    var ids = IDOffsets()
    func register(_ id: String, _ offset: Int64, _ at: Int64, refreshes: Bool = false) -> Int64? {
      Array(id.utf8).withUnsafeBytes {
        ids.register($0, offset: offset, at: at, dedupeMs: 10_000, idsMax: 2, refreshes: refreshes)
      }
    }
    #expect(register("e", 0, 0) == nil && register("e", 1, 8000, refreshes: true) == 0 && register("e", 2, 15_000) == 0)
    #expect(register("e", 3, 18_001) == nil)
    // The one that was refreshed last is not the oldest.
    #expect(register("f", 4, 18_002) == nil && register("e", 5, 18_003, refreshes: true) == 3 && register("g", 6, 18_004) == nil)
    #expect(register("e", 7, 18_005) == 3 && register("f", 8, 18_006) == nil)
  }

  @Test("a client draws the instructions, and adds the gifts up")
  func draws() {
    let found = draw([
      Self.show1, #""op":"update","banner":1,"slot":0,"count":5,"added":2,"milestone":5"#, #""op":"move_up","banner":1,"slot":1"#,
      #""op":"show","banner":2,"slot":0,"count":1,"base":0,"sender":{"id":7,"name":"}]"},"receiver":{"id":"a"},"gift":{"x":[{}],"id":"g"}"#,
      #""op":"screen","banners":[{"banner":2,"slot":0,"count":1,"base":0,"sender":{"id":"7"},"receiver":{"id":"a"},"gift":{"id":"g"}},{"banner":1,"slot":1,"count":5,"base":1,\#(Self.who)}]"#,
      #""op":"dismiss","banner":1,"slot":1,"count":6,"reason":"closed""#,
      #""op":"skip","banner":3,"count":4,"reason":"closed",\#(Self.who)"#,
      #""op":"dismiss","banner":2,"slot":0,"count":1,"reason":"turn""#, #""op":"screen","banners":[]"#,
      #""op":"final","banner":1,"count":6,"reason":"closed",\#(Self.who)"#,
    ])
    #expect(found.client.ended == 6)
    #expect(
      found.fault == nil && found.client.accounted == 2 + 2 + 1 + 1 + 4 && found.client.screens == 2
        && found.client.banners.isEmpty)
  }

  @Test(
    "a client reports what cannot be drawn",
    arguments: [
      ([show1, show1], "shows banner 1, which is on screen"),
      ([show1, #""op":"show","banner":2,"slot":0,"count":1,"base":0,\#(who)"#], "in slot 0, where banner 1 is"),
      ([show1, #""op":"update","banner":1,"slot":0,"count":6,"added":2"#], "it adds 2 to come to 6, but 3 were shown"),
      ([show1, #""op":"update","banner":2,"slot":0,"count":6,"added":2"#], "counts banner 2, which is not on screen"),
      ([show1, #""op":"move_up","banner":1,"slot":2"#], "from slot 0 to 2"),
      ([show1, #""op":"dismiss","banner":1,"slot":1,"count":3,"reason":"idle""#], "is in slot 0, not in 1"),
      ([show1, #""op":"dismiss","banner":1,"slot":0,"count":2,"reason":"idle""#], "dismisses at 2, but 3 were shown"),
      ([show1, #""op":"skip","banner":1,"count":2,"reason":"closed",\#(who)"#], "skips banner 1, which is on screen"),
      ([show1, #""op":"final","banner":1,"count":3,"reason":"over",\#(who)"#], "ends the combo of banner 1, which is on screen"),
      ([show1, #""op":"screen","banners":[]"#], "said to be nothing, but a client has drawn banner 1 in slot 0 at 3"),
      ([show1, #""op":"screen","banners":[{"banner":1,"slot":0,"count":4,"base":1,\#(who)}]"#], "banner 1 in slot 0 at 4, but"),
      (
        [show1, #""op":"screen","banners":[{"banner":1,"slot":0,"count":3,"base":1,"sender":{"id":"v"},"gift":{"id":"g"}}]"#],
        "said to be"
      ),
    ] as [([String], String)])
  func reports(instructions: [String], fault: String) {
    let found = draw(instructions).fault
    #expect(found?.contains(fault) == true, "\(found ?? "nothing")")
  }

  @Test("a client that joins in mid-stream waits for a screen")
  func joins() {
    let late = [
      #""op":"update","banner":1,"slot":0,"count":6,"added":2"#,
      #""op":"screen","banners":[{"banner":1,"slot":0,"count":6,"base":1,\#(Self.who)}]"#,
    ]
    #expect(draw(late, isWhole: false).fault == nil)
    #expect(draw(late + [#""op":"screen","banners":[]"#], isWhole: false).fault != nil)
  }

  @Test(
    "what is no instruction of this version is not read",
    arguments: [
      #""op":"show","banner":1,"slot":0,"count":3,"base":1,"sender":{"id":"u"}"#, #""op":"clap""#, #""op":"update","banner":1"#,
      #""op":"screen","banners":[{"banner":1}]"#, #""op":"move_up","banner":1,"slot":1,"x":1"#,
      #""op":"move_up","banner":-,"slot":1"#,
      #""op":"show","banner":1,"slot":0,"count":3,"base":1,"sender":{},"gift":{"id":"g"}"#,
      #""op":"move_up","banner":9999999999999999999,"slot":1"#,
    ])
  func unreadable(text: String) {
    instruction(1, text).withUnsafeBytes { #expect(InstructionText($0) == nil) }
  }

  @Test("however a record is cut short, it is no instruction, and nothing is read behind it")
  func cutShort() {
    let whole = instruction(1, Self.show1)
    for length in 0..<whole.count {
      Array(whole[..<length]).withUnsafeBytes { #expect(InstructionText($0) == nil, "\(length)") }
    }
    whole.withUnsafeBytes { #expect(InstructionText($0) != nil) }
  }

  @Test(
    "a combo is the same in an event and in an instruction, however its ids are written",
    arguments: [
      (#"{"id":"u1"}"#, "u1"), (#"{"id":5}"#, "5"), (#"{"name":"id","id":"x"}"#, "x"), (#"{"id":"a\"b"}"#, "a\"b"),
      (#"{"id":"\u5c0f\ud83d\ude00\n"}"#, "小😀\n"), (#"{"\u0069d":"y","id":"z"}"#, "y"), (#"{"a":{"id":"no"},"id":"yes"}"#, "yes"),
      (#"{"a":null,"b":true,"c":-1.5e3,"id":"w"}"#, "w"),
    ] as [(String, String)])
  func identity(object: String, id: String) {
    let text = instruction(1, #""op":"skip","banner":3,"count":4,"reason":"closed","sender":\#(object),"gift":\#(object)"#)
    let bytes = Array(id.utf8)
    let expected = bytes.withUnsafeBytes { id in
      ComboIdentity.hash(sender: id, receiver: UnsafeRawBufferPointer(start: nil, count: 0), gift: id)
    }
    text.withUnsafeBytes { #expect(InstructionText($0)?.combo == expected) }
  }

  // MARK: Counting

  /// Counts gifts, given as (time, JSON), and returns the total after each.
  private func count(_ gifts: [(Int64, String)], _ settings: Settings) throws -> [Int64] {
    var recount = Recount()
    let decoder = EventDecoder()
    let arena = BumpArena()
    var event = Event()
    var given: [Int64] = []
    for (now, fields) in gifts {
      arena.reset()
      let json = Array(#"{"sender":{"id":"u"},"gift":{"id":"g"},\#(fields)}"#.utf8)
      try json.withUnsafeBytes { json in
        try Array("r".utf8).withUnsafeBytes { try decoder.decode(json, key: $0, into: arena, &event) }
      }
      recount.add(event.gift, at: now, Recount.Limits(settings))
      given.append(recount.given)
    }
    return given
  }

  @Test("two ids that were made up to have one hash are two")
  func collidingIDs() throws {
    let one = Array("event-0000002686".utf8)
    let other = Array("6t?n}r3 ".utf8)
    #expect(one.withUnsafeBytes { XXH3.hash($0, seed: 2) } == other.withUnsafeBytes { XXH3.hash($0, seed: 2) })
    #expect(try count([(0, #""id":"event-0000002686""#), (0, #""id":"6t?n}r3 ""#)], Settings()) == [1, 2])
  }

  @Test("an id counts once while it is remembered, that moment included")
  func ids() throws {
    var settings = Settings()
    settings.dedupeMs = 10
    #expect(
      try count([(0, #""id":1"#), (10, #""id":1"#), (11, #""id":1"#), (12, #""id":"1""#), (12, #""count":4"#)], settings) == [
        1, 1, 2, 2, 6,
      ])
    settings.maxIds = 2
    let four: [(Int64, String)] = [(0, #""id":1"#), (0, #""id":2"#), (0, #""id":3"#), (0, #""id":1"#)]
    #expect(try count(four, settings) == [1, 2, 3, 4], "the oldest is forgotten")
    settings.maxIds = 0
    #expect(try count([(0, #""id":1"#), (0, #""id":1"#)], settings) == [1, 2])
  }

  @Test("a running total counts its growth")
  func totals() throws {
    var settings = Settings()
    settings.streakMs = 10
    #expect(
      try count([(0, #""total":3"#), (1, #""total":5"#), (1, #""total":5"#), (2, #""total":2"#), (13, #""total":2"#)], settings)
        == [3, 5, 5, 7, 9])
    #expect(
      try count(
        [
          (0, #""total":3,"streak":1"#), (1, #""total":2,"streak":1"#), (1, #""total":2,"streak":2"#),
          (11, #""total":4,"streak":1"#),
        ], settings)
        == [3, 3, 5, 9], "a late one changes nothing, also not for how long the streak is remembered")
    settings.maxStreaks = 1
    #expect(
      try count([(0, #""total":3,"streak":1"#), (0, #""total":3,"streak":2"#), (0, #""total":3,"streak":1"#)], settings) == [
        3, 6, 9,
      ])
  }

  @Test("a streak has its own time, ends at its end mark, and with a name belongs to its sender and gift alone")
  func ownStreaks() throws {
    var settings = Settings()
    settings.streakMs = 10
    #expect(
      try count([(0, #""total":3,"streak_ms":100"#), (100, #""total":5"#), (111, #""total":5"#)], settings) == [3, 5, 10],
      "the gift's own time, then the setting's")
    #expect(
      try count(
        [
          (0, #""total":3"#), (1, #""total":5,"ends":true"#), (2, #""total":5"#), (3, #""total":5,"ends":true"#),
          (4, #""total":5"#),
        ],
        settings) == [3, 5, 10, 10, 15], "also one that counted nothing")
    #expect(
      try count([(0, #""total":3,"streak":1,"ends":true"#), (1, #""total":3,"streak":1"#)], settings) == [3, 3],
      "where a streak has a name, its end means nothing")
    #expect(
      try count(
        [(0, #""total":3,"streak":1"#), (1, #""total":5,"streak":1,"combo":"c","receiver":{"id":"a"}"#)], settings) == [3, 5])
    #expect(try count([(0, #""total":3"#), (1, #""total":5,"combo":"c""#), (2, #""total":4"#)], settings) == [3, 8, 9])
  }

  @Test("times on the command line")
  func times() {
    #expect(Timestamp.milliseconds("1970-01-01T00:00:00Z") == 0)
    #expect(Timestamp.text(-500) == "1969-12-31T23:59:59.500Z" && Timestamp.text(-1000) == "1969-12-31T23:59:59.000Z")
    #expect(Timestamp.text(.min).hasSuffix("Z"))
    #expect(Timestamp.milliseconds("2026-11-21T13:02:03.5Z") == 1_795_266_123_500)
    #expect(Timestamp.milliseconds("2026-11-21T13:02:03.5+01:30") == 1_795_260_723_500)
    #expect(Timestamp.milliseconds("2024-02-29") == 1_709_164_800_000)
    #expect(Timestamp.milliseconds("1732104000123") == 1_732_104_000_123)
    #expect(Timestamp.milliseconds("earliest") == .min)
    for wrong in [
      "", "latest", "2026-13-01", "2025-02-29", "2026-11-21T24:00", "2026-11-21T13:02:03X", "-5", "2026-11-21T13", "12:30",
    ] {
      #expect(Timestamp.milliseconds(wrong) == nil, "\(wrong)")
    }
  }
}
