import ComboCore
import ComboMaps
import ComboWire
import Foundation
import Testing

@testable import ComboTestSupport

/// Records of gifts whose fields are damaged or removed.
@Suite("Damaged records")
struct PlatformDamageTests {
  /// The gifts of a record: how many they are, and the sum of their amounts.
  private struct Gifts: Equatable {
    var number = 0
    var amount = 0
  }

  private static func gifts(_ record: String, by decoder: RecordDecoder, _ arena: BumpArena) -> Gifts {
    var event = Event()
    arena.reset()
    return Array(record.utf8).withUnsafeBytes { record in
      Array("k".utf8).withUnsafeBytes { key in
        guard (try? decoder.decode(record, key: key, into: arena, &event)) == true else { return Gifts() }
        return ([event] + decoder.further).reduce(into: Gifts()) { sum, event in
          if event.kind != .gift { return }
          sum.number += 1
          switch event.gift.amount {
          case .count(let count): sum.amount += count
          case .total(let total, _): sum.amount += total
          }
        }
      }
    }
  }

  /// Values of switches that make gifts of more records.
  private static let switched: Set = ["gifts", "paid", "children", "uses", "chat"]

  /// Files of samples, each by the map of its index, and by the map with each of these values.
  private static let samples: [(file: String, map: String)] = {
    var known: Set<String> = []
    return PlatformSampleTests.samples.flatMap { sample in
      let name = String(sample.map.prefix { $0 != ":" })
      let switches = try! PlatformReplay.map(name).switches
      let others = switches.flatMap { one in
        one.values.filter { switched.contains($0.name) }.map { "\(name):\(one.name)=\($0.name)" }
      }
      return ([sample.map] + others).compactMap { known.insert("\(sample.file) \($0)").inserted ? (sample.file, $0) : nil }
    }
  }()

  private static func decoder(_ map: String) throws -> RecordDecoder {
    var limits = WireLimits()
    limits.roomFromBody = true
    return RecordDecoder(limits: limits, map: try PlatformReplay.map(map))
  }

  /// Returns the JSON pointer to a field, with `*` for each array index.
  private static func pointer(_ way: [String]) -> String { way.map { Int($0) == nil ? "/\($0)" : "/*" }.joined() }

  /// The gifts of a file, one record for each set of fields, without those of `known` that another map has read.
  private static func records(
    _ file: String, by decoder: RecordDecoder, _ arena: BumpArena, without known: inout Set<String>
  ) throws -> [(record: DamagedRecord, gifts: Gifts)] {
    let lines = try String(contentsOf: PlatformSampleTests.folder.appendingPathComponent(file), encoding: .utf8)
    return lines.split(separator: "\n").compactMap { line in
      // Larger records hold more gifts, but not more kinds of fields.
      guard line.utf8.count < 3000, let record = DamagedRecord(String(line)) else { return nil }
      let gifts = Self.gifts(record.text, by: decoder, arena)
      let shape = "\(file) \(Set(record.fields.map { pointer($0) }).sorted())"
      return gifts.number > 0 && known.insert(shape).inserted ? (record, gifts) : nil
    }
  }

  /// Calls `body` with records of gifts from each file, by each of its maps. Returns the number of calls.
  /// - Parameters:
  ///   - each: The maximum number of records of a file and a map.
  ///   - body: Receives the map, the record, the gifts in it, and a function that counts those in another text.
  private static func forEachRecord(
    max each: Int = .max, _ body: (String, DamagedRecord, Gifts, (String) -> Gifts) -> Void
  ) throws -> Int {
    var number = 0
    let arena = BumpArena()
    var known: Set<String> = []
    for (file, map) in samples {
      let decoder = try decoder(map)
      for (record, whole) in try records(file, by: decoder, arena, without: &known).prefix(each) {
        body(map, record, whole) { gifts($0, by: decoder, arena) }
        number += 1
      }
    }
    return number
  }

  /// Fields whose loss makes several gifts of one: marks of a part of a gift bomb, another packet, or a number below another.
  private static let distinguishing: Set = [
    "msg-param-origin-id", "msg-param-sender-count", "iUri", "gift_num", "method", "cmd", "type",
  ]

  @Test("never yield more gifts than they had, whichever field is missing, empty, 0 or of another type")
  func neverMore() throws {
    let records = try Self.forEachRecord(max: 1) { map, record, whole, gifts in
      for way in record.fields where !Self.distinguishing.contains(way[way.count - 1]) {
        for damage in DamagedRecord.Damage.allCases {
          let left = gifts(record.damaged(way, damage).text)
          if left.number > whole.number || left.amount > whole.amount {
            Issue.record("\(map): \(left), not \(whole), with \(damage) at \(Self.pointer(way)) of \(record.text)")
          }
        }
      }
    }
    #expect(records > 30)
  }

  /// Returns whether a member only names what a record is, who is in it, where or when. Such members make no gift.
  private static func isAround(_ name: String) -> Bool {
    let name = name.lowercased().filter { $0 != "_" && $0 != "-" }
    let whole: Set = [
      "cmd", "event", "type", "method", "action", "listener", "msgid", "id", "msgtype", "messagetype", "noticetype",
      "subscriptiontype", "topic", "subtype", "command", "status", "version", "source", "sender", "userlogin",
      "uid", "userid", "username", "uname", "nickname", "roomid", "channelid", "room", "ts", "time", "timestamp", "createdat",
      "messageid", "meta_id", "common", "broadcaster", "authordetails", "userinfo", "now",
    ]
    return whole.contains(name)
  }

  @Test("yield no gift if only the envelope is left")
  func around() throws {
    let records = try Self.forEachRecord { map, record, _, gifts in
      // In some records the receiver alone makes the gift.
      let text = record.keeping(Self.isAround) { name in
        let name = name.lowercased()
        return ["gift", "recipient", "receive"].contains { name.contains($0) }
      }.text
      let left = gifts(text)
      if left.number > 0 { Issue.record("\(map): \(left) of \(text)") }
    }
    #expect(records > 100)
  }
}
