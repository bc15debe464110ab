internal import ComboCore
internal import ComboWire

/// The result of a proposed map for its samples.
struct MapTrial {
  /// The fields of a gift: `room`, `id` and `ts`, and those that two gifts with one id must have in common.
  typealias Gift = (record: Int, fields: [String])

  static let names = ["room", "id", "ts", "sender.id", "receiver.id", "gift.id", "count", "total", "streak"]
  private(set) var gifts: [Gift] = []
  /// The doubts about the result, in sentences.
  private(set) var doubts: [String] = []
  /// Ids that different gifts share.
  let shared: Set<String>

  init(_ text: String, _ samples: Samples, _ records: [Int]) {
    var limits = WireLimits()
    limits.roomFromBody = true
    let map = try? RecordMap(Array(text.utf8), file: "the proposal")
    let (decoder, arena) = (RecordDecoder(limits: limits, map: map), BumpArena())
    var event = Event()
    var bad: [(record: Int, reason: String)] = []
    for record in map == nil ? [] : records {
      arena.reset()
      do {
        // The key is the room of records that name none.
        let isEvent = try samples.records[record].bytes.withUnsafeBytes { bytes in
          try Array("-".utf8).withUnsafeBytes { try decoder.decode(bytes, key: $0, into: arena, &event) }
        }
        for event in isEvent ? [event] + decoder.further : [] {
          gifts.append((record, Self.names.map { event.text(of: $0) ?? "" }))
        }
      } catch {
        bad.append((record, "\(error)"))
      }
    }
    let byID = Dictionary(grouping: gifts.filter { !$0.fields[1].isEmpty }) { $0.fields[1] }.filter { $0.value.count > 1 }
    shared = Set(byID.filter { Set($0.value.map { $0.fields[3...] }).count > 1 }.keys)
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
  }
}
