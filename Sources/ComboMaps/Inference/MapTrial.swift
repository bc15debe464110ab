internal import ComboCore
internal import ComboWire

/// The result of a proposed map for its samples.
struct MapTrial {
  /// The fields of a gift: `room`, `id` and `ts`, and those that two gifts with one id must have in common.
  typealias Gift = (record: Int, fields: [String])

  static let names = ["room", "id", "ts", "sender.id", "receiver.id", "gift.id", "count", "total", "streak"]
  /// The room of records that name none.
  private static let key: StaticString = "-"
  private(set) var gifts: [Gift] = []
  /// The bad events.
  private(set) var bad: [(record: Int, reason: String)] = []

  init(_ text: String, _ samples: Samples, _ records: [Int]) {
    var limits = WireLimits()
    limits.roomFromBody = true
    guard let map = try? RecordMap(Array(text.utf8), file: "the proposal") else { return }
    let decoder = RecordDecoder(limits: limits, map: map)
    let arena = BumpArena()
    var event = Event()
    for record in records {
      arena.reset()
      do {
        let isEvent = try samples.records[record].bytes.withUnsafeBytes { bytes in
          try decoder.decode(bytes, key: Self.key.withUTF8Buffer { Bytes($0) }, into: arena, &event)
        }
        for event in isEvent ? [event] + decoder.further : [] {
          gifts.append((record, Self.names.map { event.text(of: $0) ?? "" }))
        }
      } catch {
        bad.append((record, "\(error)"))
      }
    }
  }

  /// The gifts of each id that several gifts have.
  private var byID: [String: [Gift]] {
    Dictionary(grouping: gifts.filter { !$0.fields[1].isEmpty }) { $0.fields[1] }.filter { $0.value.count > 1 }
  }

  /// Ids that different gifts share.
  var shared: Set<String> { Set(byID.filter { Set($0.value.map { $0.fields[3...] }).count > 1 }.keys) }

  /// The doubts about the result, in sentences.
  var doubts: [String] {
    var doubts: [String] = []
    if let first = bad.first {
      doubts.append("samples: \(bad.count) become bad events; the first is sample \(first.record + 1): \(first.reason)")
    }
    let repeated = byID.values.reduce(0) { $0 + $1.count - 1 }
    if repeated > 0 { doubts.append("samples: \(repeated) repeat the id and all else of another gift, and do not count") }
    let same = (gifts.count < 3 ? 0..<0 : Self.names.indices).filter { index in
      !["", "-"].contains(gifts[0].fields[index]) && gifts.allSatisfy { $0.fields[index] == gifts[0].fields[index] }
    }
    let said = same.map { "\(Self.names[$0]) is always \(quoted(gifts[0].fields[$0]))" }
    if !said.isEmpty { doubts.append("samples: in all gifts " + said.joined(separator: ", ")) }
    return doubts
  }
}
