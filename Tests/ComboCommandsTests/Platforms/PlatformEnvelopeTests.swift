import ComboCore
import ComboMaps
import ComboWire
import Foundation
import Testing

@testable import ComboTestSupport

/// Records of gifts in the envelopes that other programs put around them.
@Suite("Records in envelopes")
struct PlatformEnvelopeTests {
  /// Names of members that hold a record, as queues, hooks and collectors write them, and some that none does.
  private static let names = [
    "data", "payload", "message", "msg", "event", "body", "raw", "record", "value", "detail", "after", "inner", "content",
    "result",
    "items", "messages", "records", "list", "Data", "Message", "foo", "x",
  ]

  /// Returns a record within one to four envelopes: objects, arrays with neighbours, and JSON in strings.
  private static func envelope(around record: String, _ random: inout SplitMix64) -> String {
    func draw(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
    var text = record
    var isJSON = record.hasPrefix("{") || record.hasPrefix("[")
    for _ in 0...draw(4) {
      let value = isJSON && draw(3) > 0 ? text : quoted(text)
      isJSON = true
      let name = names[draw(names.count)]
      switch draw(6) {
      case 0: text = "[\(value)]"
      case 1: text = #"[null,\#(value),7,"x"]"#
      case 2: text = #"{"id":"e1","\#(name)":\#(value),"time":1700000000}"#
      case 3: text = #"{"source":{"table":"t"},"\#(name)":[\#(value)]}"#
      default: text = #"{"\#(name)":\#(value)}"#
      }
    }
    return text
  }

  private static func quoted(_ text: String) -> String {
    let out = ByteBuffer()
    out.append(jsonString: text)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  /// The result of decoding a record: each gift as `sender gift amount`, or the reason why there is none.
  private enum Outcome: Equatable {
    case gifts([String])
    case dropped(String)
    case bad(String)
  }

  private static func outcome(_ record: String, by decoder: RecordDecoder, _ arena: BumpArena) -> Outcome {
    func text(_ bytes: Bytes) -> String { String(decoding: bytes, as: UTF8.self) }
    var event = Event()
    arena.reset()
    return Array(record.utf8).withUnsafeBytes { record in
      Array("k".utf8).withUnsafeBytes { key in
        do throws(BadEvent) {
          guard try decoder.decode(record, key: key, into: arena, &event) else { return .dropped(decoder.dropReason) }
          return .gifts(
            ([event] + decoder.further).map { event in
              let amount =
                switch event.gift.amount {
                case .count(let count): count
                case .total(let total, _): total
                }
              return "\(text(event.gift.senderID)) \(text(event.gift.giftID)) \(amount)"
            })
        } catch { return .bad(error.description) }
      }
    }
  }

  /// Returns a sample's records, and a decoder by its map.
  private static func opened(_ sample: PlatformSampleTests.Sample) throws -> (records: [String], decoder: RecordDecoder) {
    let records = try String(contentsOf: PlatformSampleTests.folder.appendingPathComponent(sample.file), encoding: .utf8)
      .split(separator: "\n").map(String.init)
    var limits = WireLimits()
    limits.roomFromBody = true
    let decoder = RecordDecoder(limits: limits, map: try PlatformReplay.map(sample.map))
    return (records, decoder)
  }

  @Test("are read as they are without them, or are bad: none vanishes", arguments: PlatformSampleTests.samples)
  func nothingVanishes(sample: PlatformSampleTests.Sample) throws {
    let (records, decoder) = try Self.opened(sample)
    let arena = BumpArena()
    let gifts = records.compactMap { record in
      if case .gifts(let gifts) = Self.outcome(record, by: decoder, arena) { (record, gifts) } else { nil }
    }
    if gifts.isEmpty { return }
    // COMBO_ENVELOPE_SEED is the seed of the draws, and COMBO_ENVELOPES their number.
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["COMBO_ENVELOPE_SEED"].flatMap(UInt64.init) ?? 1
    let draws = environment["COMBO_ENVELOPES"].flatMap(Int.init) ?? 25
    var random = SplitMix64(seed: seed)
    for draw in 0..<draws {
      let (record, gifts) = gifts[draw % gifts.count]
      let text = Self.envelope(around: record, &random)
      let result = Self.outcome(text, by: decoder, arena)
      switch result {
      case .bad, .gifts(gifts): continue
      case .gifts, .dropped: Issue.record("COMBO_ENVELOPE_SEED=\(seed), draw \(draw): \(result), not \(gifts): \(text)")
      }
      break
    }
  }

  // MARK: - Labels

  /// Some samples of each map.
  private static let someSamples = PlatformSampleTests.samples.filter { sample in
    PlatformSampleTests.samples.filter { $0.map == sample.map }.prefix(3).contains { $0.file == sample.file }
  }

  @Test("are not read from a text that is labelled as chat, but are from one that is labelled as a gift", arguments: someSamples)
  func labels(sample: PlatformSampleTests.Sample) throws {
    let (records, decoder) = try Self.opened(sample)
    let arena = BumpArena()
    func isGift(_ record: String) -> Bool {
      if case .gifts = Self.outcome(record, by: decoder, arena) { true } else { false }
    }
    guard let record = records.first(where: isGift) else { return }
    let quoted = Self.quoted(record)
    let inUser = #"{"user":{"id":"1"},"data":\#(quoted)}"#
    for label in ["event", "type", "method", "cmd"] {
      for place in ["data", "payload", "raw", "message", "msg", "body", "value", "messages"] {
        for text in [quoted, "[\(quoted)]", inUser, "[\(inUser)]"] {
          for user in ["", #""user":{"id":"1"},"#] {
            let forged = #"{"\#(label)":"chat",\#(user)"\#(place)":\#(text)}"#
            #expect(!isGift(forged), "\(forged)")
          }
        }
        #expect(!isGift(#"[{"\#(label)":"chat","\#(place)":\#(quoted)}]"#))
      }
      let name = sample.map == "soop" ? "balloon" : "gift"
      for place in ["data", "payload"] {
        // Beside some records such a label means something else; then they are bad.
        let real = #"{"\#(label)":"\#(name)","\#(place)":\#(quoted)}"#
        if case .dropped(let reason) = Self.outcome(real, by: decoder, arena) { Issue.record("\(reason): \(real)") }
      }
    }
  }

  // MARK: - Without a gift

  /// Names of members for what a record is, and how it is delivered.
  private static let administrative: Set = [
    "cmd", "event", "type", "method", "action", "msgtype", "messagetype", "eventtype", "eventname", "listener", "msgid",
    "noticetype", "subscriptiontype", "topic", "subtype", "command", "status", "version", "signaltype",
    "gifttype", "msgtypecode",
  ]

  /// Returns a record with only such members, down to a depth below which objects and arrays are empty.
  private static func emptied(_ value: Any, depth: Int) -> Any {
    if let object = value as? [String: Any] {
      if depth < 0 { return [String: Any]() }
      return object.reduce(into: [String: Any]()) { left, member in
        let isNested = member.value is [String: Any] || member.value is [Any]
        let name = member.key.lowercased().filter { $0 != "_" && $0 != "-" }
        guard isNested || administrative.contains(name) else { return }
        left[member.key] = emptied(member.value, depth: depth - 1)
      }
    }
    guard let array = value as? [Any] else { return value }
    return depth < 0 ? [] : array.map { emptied($0, depth: depth) }
  }

  @Test("that were emptied of all but their name yield no gift", arguments: PlatformSampleTests.samples)
  func nothingIsInvented(sample: PlatformSampleTests.Sample) throws {
    let records = try Data(contentsOf: PlatformSampleTests.folder.appendingPathComponent(sample.file)).split(separator: 0x0a)
    var limits = WireLimits()
    limits.roomFromBody = true
    let decoder = RecordDecoder(limits: limits, map: try PlatformReplay.map(sample.map))
    let arena = BumpArena()
    for record in records {
      // Lines of IRC and of Douyu's text have no depth.
      guard let json = try? JSONSerialization.jsonObject(with: Data(record)) else { continue }
      for depth in 0..<4 {
        let left = Self.emptied(json, depth: depth)
        let asked = (left as? [String: Any]).map { object in
          object.merging(["challenge": "x", "status": "webhook_callback_verification_pending"]) { _, new in new }
        }
        for one in [left] + (asked.map { [$0] } ?? []) {
          let text = String(decoding: try JSONSerialization.data(withJSONObject: one, options: .sortedKeys), as: UTF8.self)
          if case .gifts(let gifts) = Self.outcome(text, by: decoder, arena) { Issue.record("\(gifts) of \(text)") }
        }
      }
    }
  }
}
