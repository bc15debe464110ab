import ComboCore
import ComboWire
import Foundation
import Testing

/// The maximum cost of one room with its own settings, computed from their ranges: the figures of docs/security.md.
private enum RoomCost {
  /// The bytes of an instruction without display data, or of a banner in a `screen`: numbers, names, a room id of 256 bytes.
  static let frame = 700
  static let display = WireLimits().displayBytes
  static let slots = IntegerSetting.slots.roomRange.upperBound

  /// The bytes a second that a room emits without gifts: its screens.
  static let screenBytesASecond =
    (slots * (display + frame) + frame) * 1000 / IntegerSetting.screenMs.roomRange.lowerBound
  /// The maximum number of instructions that one gift leads to, now or later: a show, a move up of each other banner, an update,
  /// a dismissal and a final.
  static let instructionsAGift = 1 + (slots - 1) + 1 + 1 + 1
  /// The bytes of these instructions.
  static let bytesAGift = 2 * (display + frame) + (instructionsAGift - 2) * frame
  /// Returns the maximum number of banners that a room holds: on screen, waiting, and combos whose final is to come.
  static func banners(_ range: (IntegerSetting) -> ClosedRange<Int>) -> Int {
    [IntegerSetting.slots, .maxQueue, .maxHistory].reduce(0) { $0 + range($1).upperBound }
  }
  static let bytesHeld = banners { $0.roomRange } * (display + 300)
}

@Suite("The maximum cost of one room")
struct RoomCostTests {
  private struct Counter: InstructionSink {
    var instructions = 0
    var bytes = 0
    let buffer = ByteBuffer()

    mutating func say(_ instruction: Instruction) {
      buffer.removeAll()
      let room = "\"\(String(repeating: "r", count: 256))\""
      Array(room.utf8).withUnsafeBytes { InstructionEncoder.encode(instruction, room: $0, into: buffer) }
      instructions += 1
      bytes += buffer.count
    }
  }

  /// The worst room that `settings` allow, whose gifts have as much display data as allowed.
  private struct WorstRoom {
    var engine = Engine(at: 0, settings: EngineSettings(Settings()))
    var counter = Counter()
    private let fill = [UInt8](repeating: UInt8(ascii: "x"), count: WireLimits().displayBytes)

    init(_ settings: [Setting], reading record: String? = nil) throws {
      var own = OwnSettings()
      for setting in settings {
        #expect(setting.roomFault == nil, "\(setting.name)")
        own.add(setting)
      }
      engine.set(own, at: 0, to: &counter)
    }

    mutating func give(_ sender: Int, at now: Int64) {
      let id = Array("u\(sender)".utf8)
      let small = Array(#"{"id":"g"}"#.utf8)
      id.withUnsafeBytes { id in
        fill.withUnsafeBytes { fill in
          small.withUnsafeBytes { small in
            let none = Bytes(start: nil, count: 0)
            let large = Bytes(rebasing: fill[..<(fill.count - small.count)])
            engine.take(
              Gift(
                id: none, senderID: id, receiverID: none, giftID: small,
                display: Display(sender: large, receiver: none, gift: small), value: 1, amount: .count(1)),
              at: now, to: &counter)
          }
        }
      }
    }
  }

  @Test("without gifts it emits its screens, and no more than the ranges allow")
  func screens() throws {
    // There are as many banners as allowed, for as long as allowed, and their screen is emitted as often as allowed.
    var room = try WorstRoom([
      .integer(.slots, RoomCost.slots), .integer(.screenMs, IntegerSetting.screenMs.roomRange.lowerBound), .integer(.holdMs, 0),
      .integer(.lingerMs, IntegerSetting.lingerMs.roomRange.upperBound), .integer(.busyLingerMs, 60_000), .integer(.exitMs, 0),
      .integer(.enterMs, 0), .integer(.countMs, 0),
    ])
    for sender in 0..<RoomCost.slots { room.give(sender, at: 1) }
    room.engine.advance(to: 1000, to: &room.counter)
    let before = room.counter.bytes
    room.engine.advance(to: 31_000, to: &room.counter)
    let bytes = (room.counter.bytes - before) / 30
    #expect(bytes <= RoomCost.screenBytesASecond)
    #expect(bytes > RoomCost.screenBytesASecond * 9 / 10, "the worst room is not built: only \(bytes) bytes a second")
    // 0.8 MB of gifts and a screen each millisecond made 1.6 GB a second before ranges were narrowed.
    #expect(Setting.integer(.screenMs, 1).roomFault != nil && Setting.integer(.slots, 100).roomFault != nil)
    #expect(Setting.integer(.lingerMs, 86_400_000).roomFault != nil)
  }

  @Test("a gift leads to a bounded number of instructions, however short all durations are", arguments: [0, 1])
  func gifts(ms: Int) throws {
    var room = try WorstRoom(
      [IntegerSetting.enterMs, .countMs, .lingerMs, .busyLingerMs, .exitMs, .reuseMs].map { .integer($0, ms) } + [
        .integer(.slots, RoomCost.slots), .integer(.screenMs, 0), .finals(true),
      ])
    let gifts = 600
    for sender in 0..<gifts { room.give(sender, at: Int64(1 + sender / 40)) }
    while let deadline = room.engine.nextDeadline { room.engine.advance(to: deadline, to: &room.counter) }
    #expect(room.counter.instructions <= gifts * RoomCost.instructionsAGift)
    #expect(room.counter.bytes <= gifts * RoomCost.bytesAGift)
    #expect(room.counter.instructions > gifts / 10, "the worst room is not built")
  }

  @Test("docs/security.md has the figures that follow from the ranges")
  func documented() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("docs/security.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    for figure in [
      "\(RoomCost.screenBytesASecond / 1000) KB a second", "\(RoomCost.instructionsAGift) instructions",
      "\(RoomCost.bytesAGift / 1000) KB a gift", "\(RoomCost.bytesHeld / 1_000_000) MB",
    ] {
      #expect(text.contains(figure), "docs/security.md should say “\(figure)”")
    }
  }
}
