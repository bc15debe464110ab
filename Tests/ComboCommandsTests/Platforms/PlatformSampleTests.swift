import ComboCore
import ComboGenerate
import ComboMaps
import ComboWire
import Foundation
import Testing

@Suite("Real records of platforms")
struct PlatformSampleTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Samples")

  /// Records of one shape, with their expected results.
  struct Sample: Decodable, Sendable, CustomTestStringConvertible {
    let file: String
    let map: String
    /// The number of gifts by `room|sender|gift`. Only the record key names the room r1.
    let counts: [String: Int]
    let dropped: Int
    let source: String
    let key: String?
    var testDescription: String { "\(file) by \(map)" }
  }

  static let samples: [Sample] = {
    let index = try! Data(contentsOf: folder.appendingPathComponent("index.json"))
    return try! JSONDecoder().decode([Sample].self, from: index)
  }()

  @Test("yield the expected counts", arguments: samples)
  func counts(sample: Sample) throws {
    let records = try Data(contentsOf: Self.folder.appendingPathComponent(sample.file))
    let replayed = try PlatformReplay.counts(records, by: PlatformReplay.map(sample.map))
    let expected = Dictionary(
      uniqueKeysWithValues: sample.counts.map { name, count in
        // A line has no key.
        (name.hasPrefix("r1|") ? "replay" + name.dropFirst(2) : name, count)
      })
    #expect(replayed.counts == expected)
    #expect(replayed.reports == [])
  }

  @Test("go to the room of their key, and those that are no gifts are dropped", arguments: samples)
  func rooms(sample: Sample) throws {
    let records = try Data(contentsOf: Self.folder.appendingPathComponent(sample.file))
    let rooms = Set(sample.counts.keys.map { String($0.prefix { $0 != "|" }) })
    // Records of several rooms name their own.
    var limits = WireLimits()
    limits.roomFromBody = rooms.count > 1
    let decoder = RecordDecoder(limits: limits, map: try PlatformReplay.map(sample.map))
    let arena = BumpArena()
    var event = Event()
    var dropped = 0
    let key = Array((sample.key ?? rooms.first ?? "r1").utf8)
    for line in records.split(separator: 0x0a) {
      try line.withUnsafeBytes { line in
        try key.withUnsafeBytes { key in
          if try !decoder.decode(line, key: rooms.count > 1 ? nil : key, into: arena, &event) {
            dropped += 1
            #expect(!decoder.dropReason.isEmpty)
          } else if rooms.count > 1 {
            #expect(rooms.contains(String(decoding: event.room, as: UTF8.self)))
          } else {
            #expect(event.room.elementsEqual(key))
          }
        }
      }
    }
    #expect(dropped == sample.dropped)
  }

  @Test("of every platform are there, each with where it is from")
  func sources() throws {
    let files = Set(Self.samples.map { String($0.file.prefix { $0 != "/" }) })
    let maps = Set(BuiltInMaps.names.filter { $0 != "wire" && !$0.hasSuffix("-linger") })
    #expect(files == maps && maps.isSuperset(of: PlatformShape.all.map(\.name)))
    #expect(Self.samples.allSatisfy { $0.source.count > 20 })
    let pages = Self.folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("docs/platforms")
    for name in files {
      #expect(FileManager.default.fileExists(atPath: pages.appendingPathComponent("\(name).md").path), "\(name)")
    }
  }

  @Test("with several gifts are bad as a whole if one of the gifts is")
  func allOrNone() throws {
    let good =
      #"{"type":"WebcastGiftMessage","data":{"common":{"method":"WebcastGiftMessage","roomId":"1"},"giftId":5,"repeatCount":2,"user":{"userId":"7"},"groupId":"9","giftDetails":{"giftType":1}}}"#
    let bad =
      #"{"type":"WebcastGiftMessage","data":{"common":{"method":"WebcastGiftMessage","roomId":"1"},"giftId":5,"repeatCount":2,"groupId":"9"}}"#
    let map = try PlatformReplay.map("tiktok")
    let both = try PlatformReplay.counts(Data("{\"messages\":[\(good),\(bad)]}\n".utf8), by: map)
    #expect(both.counts == [:])
    #expect(both.reports.count == 1)
    #expect(both.reports.first?.contains("element 1 of the record's array: sender.id is missing") == true, "\(both.reports)")
    let one = try PlatformReplay.counts(Data("{\"messages\":[\(good)]}\n".utf8), by: map)
    #expect(one.counts == ["1|7|5": 2])
  }

  @Test(
    "of version 2 that hold no gift that can be read are bad, not dropped",
    arguments: [
      (#"{"dmscore":999,"pb":"CAE="}"#, "holds no gift that can be read"),
      (#"{"dmscore":999}"#, "holds no gift that can be read"),
      (#"{"pb":"..."}"#, "/data/pb is not the Protobuf in base64 that the map describes: its character 1 is not base64"),
      (#"{"pb":"CAFSBAgJ"}"#, "the value at byte 4 is longer than the rest"),
    ])
  func version2(data: String, why: String) throws {
    let record = #"{"cmd":"SEND_GIFT_V2","data":\#(data)}"#
    let replayed = try PlatformReplay.counts(Data("\(record)\n".utf8), by: PlatformReplay.map("bilibili"))
    #expect(replayed.counts == [:])
    #expect(replayed.reports.first?.contains(why) == true, "\(replayed.reports)")
  }

  @Test("of version 2 with many gifts do not repeat long texts of their sender for each gift")
  func longNames() throws {
    let gifts = (1...1000).map { #"{"gift_id":\#($0),"num":1,"tid":"\#($0)"}"# }.joined(separator: ",")
    func shown(_ long: Int) throws -> Int {
      let text = String(repeating: "x", count: long)
      let data =
        #""uid":5,"uname":"\#(text)","face":"\#(text)","guard_level":"\#(text)","blind_gift":{"original_gift_name":"\#(text)"}"#
      let record = #"{"cmd":"SEND_GIFT_V2","roomid":7,"data":{\#(data),"gift_list":[\#(gifts)]}}"#
      let decoder = RecordDecoder(map: try PlatformReplay.map("bilibili"))
      let arena = BumpArena()
      var event = Event()
      let isEvent = try Array(record.utf8).withUnsafeBytes { record in
        try Array("7".utf8).withUnsafeBytes { key in try decoder.decode(record, key: key, into: arena, &event) }
      }
      #expect(isEvent && decoder.further.count == 999)
      return ([event] + decoder.further).reduce(0) { $0 + $1.gift.display.sender.count + $1.gift.display.gift.count }
    }
    #expect(try shown(200) > 1000 * 4 * 200)
    // The map shows no text as long as the first. Texts of the second length are too long for a thousand gifts.
    #expect(try shown(1000) < 1000 * 100)
    #expect(throws: BadEvent.self) { try shown(900) }
  }

  @Test(
    "have their time in milliseconds, whatever its unit in the record",
    arguments: [
      ("1725297211", 1_725_297_211_000), ("1725297211123", 1_725_297_211_123), ("\"1725297211123\"", 1_725_297_211_123),
      ("1725297211123456", 1_725_297_211_123), ("\"1725297211123456789\"", 1_725_297_211_123),
      ("1725297211.25", 1_725_297_211_250),
      ("\"2024-09-02T17:13:31.123Z\"", 1_725_297_211_123), ("\"2024-09-02T19:13:31.123456789+02:00\"", 1_725_297_211_123),
    ] as [(String, Int64)])
  func times(written: String, milliseconds: Int64) throws {
    let decoder = RecordDecoder(map: try PlatformReplay.map("kuaishou"))
    let arena = BumpArena()
    var event = Event()
    let record = #"{"mergeKey":"k","giftId":1,"batchSize":1,"user":{"principalId":"u"},"time":\#(written)}"#
    let isEvent = try Array(record.utf8).withUnsafeBytes { record in
      try Array("r".utf8).withUnsafeBytes { key in try decoder.decode(record, key: key, into: arena, &event) }
    }
    #expect(isEvent)
    #expect(event.ts == milliseconds)
  }
}
