import ComboCore
import ComboMaps
import ComboWire
import Foundation
import Testing

@testable import ComboTestSupport

/// Records of gifts within what others put around them.
@Suite("Records in envelopes")
struct PlatformEnvelopeTests {
  /// Names of members that hold a record, as queues, hooks and collectors write them, and some that none does.
  private static let names = [
    "data", "payload", "message", "msg", "event", "body", "raw", "record", "value", "detail", "after", "inner", "content",
    "result",
    "items", "messages", "records", "list", "Data", "Message", "foo", "x",
  ]

  /// A record within one to four envelopes: objects, arrays with neighbours, and JSON in strings.
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

  /// What a decoder makes of a record: each gift as `sender gift amount`, or why there is none.
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

  @Test("are read as they are without them, or are bad: none vanishes", arguments: PlatformSampleTests.samples)
  func nothingVanishes(sample: PlatformSampleTests.Sample) throws {
    let records = try String(contentsOf: PlatformSampleTests.folder.appendingPathComponent(sample.file), encoding: .utf8)
      .split(separator: "\n").map(String.init)
    var limits = WireLimits()
    limits.roomFromBody = true
    let decoder = RecordDecoder(limits: limits, map: try PlatformReplay.map(sample.map))
    let arena = BumpArena()
    let gifts = records.compactMap { record in
      if case .gifts(let gifts) = Self.outcome(record, by: decoder, arena) { (record, gifts) } else { nil }
    }
    if gifts.isEmpty { return }
    // COMBO_ENVELOPE_SEED draws others, COMBO_ENVELOPES says how many.
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["COMBO_ENVELOPE_SEED"].flatMap(UInt64.init) ?? 1
    let draws = environment["COMBO_ENVELOPES"].flatMap(Int.init) ?? 25
    var random = SplitMix64(seed: seed)
    for draw in 0..<draws {
      let (record, gifts) = gifts[draw % gifts.count]
      let text = Self.envelope(around: record, &random)
      let came = Self.outcome(text, by: decoder, arena)
      switch came {
      case .bad, .gifts(gifts): continue
      case .gifts, .dropped: Issue.record("COMBO_ENVELOPE_SEED=\(seed), draw \(draw): \(came), not \(gifts): \(text)")
      }
      break
    }
  }
}
