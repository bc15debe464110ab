internal import ComboCore
internal import ComboWire

/// What a map makes of the samples that it is proposed from.
struct MapTrial {
  /// What is read of a gift: `room`, `id` and `ts`, and what two gifts of one id must have in common.
  struct Gift {
    let record: Int
    let fields: [String]
  }

  private static let names = ["room", "id", "ts", "sender.id", "receiver.id", "gift.id", "number"]
  /// Stands for the room where a record names none.
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
      let read = samples.records[record].bytes.withUnsafeBytes { bytes in
        Result { () throws(BadEvent) in
          try decoder.decode(bytes, key: Self.key.withUTF8Buffer { Bytes($0) }, into: arena, &event)
        }
      }
      if case .failure(let fault) = read { bad.append((record, "\(fault)")) }
      guard case .success(true) = read else { continue }
      for event in [event] + decoder.further {
        let gift = event.gift
        let number =
          switch gift.amount {
          case .count(let count): "\(count)"
          case .total(let total, let streak): "\(total) of \(String(decoding: streak, as: UTF8.self))"
          }
        let parts = [event.room, gift.id, gift.senderID, gift.receiverID, gift.giftID].map { String(decoding: $0, as: UTF8.self) }
        gifts.append(Gift(record: record, fields: parts[..<2] + [event.ts > 0 ? "\(event.ts)" : ""] + parts[2...] + [number]))
      }
    }
  }

  /// The gifts by their ids.
  private var byID: [String: [Gift]] {
    Dictionary(grouping: gifts.filter { !$0.fields[1].isEmpty }) { $0.fields[1] }.filter { $0.value.count > 1 }
  }

  /// Ids that different gifts share.
  var shared: Set<String> { Set(byID.filter { Set($0.value.map { $0.fields[3...] }).count > 1 }.keys) }

  /// What is wrong or strange.
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
