import ComboCore
import ComboGenerate
import ComboMaps
import ComboWire
import Foundation
import Testing

@testable import ComboTestSupport

/// The share of what the built-in maps read from records that a proposed map reads too, by field.
@Suite("The results of --infer")
struct InferenceShareTests {
  private static let fields = ["sender.id", "receiver.id", "gift.id", "gift.value", "amount", "streak", "id", "ts", "room"]

  /// The number of gifts that have each field, and of those in which it was found.
  private struct Share {
    var had = Array(repeating: 0, count: fields.count)
    var found = Array(repeating: 0, count: fields.count)

    static func += (a: inout Share, b: Share) {
      for i in a.had.indices { (a.had[i], a.found[i]) = (a.had[i] + b.had[i], a.found[i] + b.found[i]) }
    }

    func row(_ name: String) -> String {
      let cells = zip(had, found).map { had, found in had == 0 ? "–" : "\(found * 100 / had) %" }
      return "\(name)\t\(cells.joined(separator: "\t"))"
    }
  }

  /// Returns the fields of each gift of each record that a map reads, with nil for a field that is not there.
  private static func read(_ map: RecordMap, _ records: [[UInt8]]) -> [[[String?]]] {
    var limits = WireLimits()
    limits.roomFromBody = true
    let decoder = RecordDecoder(limits: limits, map: map)
    let arena = BumpArena()
    var event = Event()
    func text(_ bytes: Bytes) -> String? { bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
    return records.map { record in
      record.withUnsafeBytes { record in
        Array("no room of its own".utf8).withUnsafeBytes { key in
          arena.reset()
          guard (try? decoder.decode(record, key: key, into: arena, &event)) == true else { return [] }
          return ([event] + decoder.further).map { event in
            let gift = event.gift
            var (amount, streak): (String?, String?)
            switch gift.amount {
            case .count(let count): amount = "count \(count)"
            case .total(let total, let name): (amount, streak) = ("total \(total)", text(name))
            }
            return [
              text(gift.senderID), text(gift.receiverID), text(gift.giftID), gift.value > 0 ? "\(gift.value)" : nil, amount,
              streak,
              // Beside a total, and in an array, the map adds something to the id.
              text(gift.id), event.ts > 0 ? "\(event.ts)" : nil, event.room.elementsEqual(key) ? nil : text(event.room),
            ]
          }
        }
      }
    }
  }

  /// - Parameter changed: The records from which the proposal is made, or nil if they are the same.
  private static func share(_ records: [[UInt8]], changed: [[UInt8]]? = nil, by map: RecordMap) throws -> Share {
    let seen = changed ?? records
    let proposal = MapInference(seen)
    let known = read(map, records)
    // Records without JSON have no proposal.
    let guessed =
      proposal.text.isEmpty
      ? known.map { _ in [] } : read(try RecordMap(Array(proposal.text.utf8), file: "proposal"), seen)
    var share = Share()
    for (known, guessed) in zip(known, guessed) {
      for (n, gift) in known.enumerated() {
        for (i, value) in gift.enumerated() {
          guard let value else { continue }
          share.had[i] += 1
          if guessed.count > n, guessed[n][i] == value { share.found[i] += 1 }
        }
      }
    }
    return share
  }

  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  private static func samples() throws -> [String] {
    let folder = tests.appendingPathComponent("Samples")
    let index = try JSONDecoder().decode(
      [PlatformSampleTests.Sample].self, from: Data(contentsOf: folder.appendingPathComponent("index.json")))
    var rows: [String] = []
    var all = Share()
    for name in Set(index.map { String($0.file.prefix { $0 != "/" }) }).sorted() {
      var sum = Share()
      // The index may have a file again with other switches, but a proposal has no switches.
      var files: Set<String> = []
      for sample in index where sample.file.hasPrefix("\(name)/") && files.insert(sample.file).inserted {
        let lines = try Data(contentsOf: folder.appendingPathComponent(sample.file)).split(separator: 0x0a).map(Array.init)
        sum += try share(lines, by: PlatformReplay.map(sample.map))
      }
      rows.append(sum.row("samples: \(name)"))
      all += sum
    }
    return rows + [all.row("all samples")]
  }

  /// Names of members, each with another one that a platform might use.
  private static let others = [
    "giftId": "presentId", "giftName": "presentName", "gift_id": "present_id", "gift_name": "present_name", "gift": "present",
    "user": "viewer", "userId": "viewerId", "user_id": "viewer_id", "uid": "viewerId", "uname": "viewerName",
    "nickname": "displayName",
    "roomId": "liveRoomId", "room_id": "live_room_id", "user-id": "viewer-id", "room-id": "live-room-id", "price": "cost",
    "diamondCount": "diamondCost",
    "timestamp": "sentAt", "createTime": "createdTime", "num": "quantity",
  ]

  private static func renamed(_ record: String) -> String {
    record.replacing(#/"([A-Za-z_0-9-]+)":/#) { match in "\"\(others[String(match.1)] ?? String(match.1))\":" }
  }

  /// Platforms that send only money, whose gifts the built-in map names itself, or that have hardly a name that is changed.
  private static let unnamed: Set = ["douyu", "streamelements", "streamlabs", "chzzk", "soop", "rumble", "niconico"]

  private static func generated() throws -> [String] {
    var rows: [String] = []
    var all = Share()
    for shape in PlatformShape.all where !unnamed.contains(shape.name) {
      var mix = GiftMix()
      (mix.rooms, mix.seed) = (5, 1)
      var generator = PlatformGenerator(shape, mix, PlatformFaults(), start: 1_732_104_000_000, rate: 50, sends: 1000)
      var records: [String] = []
      while records.count < 120, let record = generator.next() { records.append(record.text) }
      let sum = try share(
        records.map { Array($0.utf8) }, changed: records.map { Array(renamed($0).utf8) }, by: PlatformReplay.map(shape.name))
      rows.append(sum.row("other names: \(shape.name)"))
      all += sum
    }
    return rows + [all.row("all with other names")]
  }

  @Test("equals Tests/ComboCommandsTests/Samples/map-inference.tsv, field by field")
  func documented() throws {
    let header = "records\t\(Self.fields.joined(separator: "\t"))"
    let rows = try [header] + Self.samples() + Self.generated()
    try GeneratedPart.expect("Tests/ComboCommandsTests/Samples/map-inference.tsv", is: rows)
    // docs/mapping.md has the shares rounded down to multiples of 5, so that none can fall without a change to that page.
    let page = Self.tests.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/mapping.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    for (words, found) in [("recorded samples", "all samples"), ("other field names", "all with other names")] {
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("| \(words)") })
      let least = line.split(separator: "|").dropFirst().compactMap { Int($0.filter(\.isNumber)) }
      let row = try #require(rows.first { $0.hasPrefix(found) })
      let shares = row.split(separator: "\t").dropFirst().map { Int($0.filter(\.isNumber)) ?? 0 }
      #expect(shares.count == least.count && zip(shares, least).allSatisfy { $1 <= $0 && $0 < $1 + 5 }, "\(row)\n\(line)")
    }
  }
}
