internal import ComboWire
internal import Glibc

/// A field's value that says of a record that it is a gift: `cmd` is `SEND_GIFT`.
struct GiftMark: Hashable {
  let path: [String]
  let value: String

  /// How fields are called that say what a record is, the likeliest first.
  private static let names = [
    "cmd", "type", "msgtype", "messagetype", "noticetype", "signaltype", "subscriptiontype", "method", "event", "eventtype",
    "eventname", "notice", "action", "kind", "op", "command", "opcode", "payloadtype", "iuri", "uri", "bizcode", "msgid",
    "gifttype",
  ]
  private static let words = [
    "gift", "dgb", "cheer", "present", "reward", "donat", "senditem", "supersticker", "paidsticker", "jewel", "bits.use",
    "bits-events",
  ]

  /// The words in a value's name that names of gifts have.
  static func words(in value: String) -> [String] {
    let plain = LeafPath.plain(value)
    return words.filter { strstr(plain, $0) != nil }
  }

  var condition: String { "{\"at\": \(quoted(MapCompiler.written(path))), \"is\": \(quoted(value))}" }

  /// A rule without an event.
  func rule(_ outcome: String, _ reason: String) -> String { "    {\"when\": \(condition), \"\(outcome)\": \"\(reason)\"}" }

  /// The records by what says that they are gifts.
  static func kinds(_ samples: Samples, _ doubts: inout [String]) -> [(mark: GiftMark?, records: [Int])] {
    var kinds: [(mark: GiftMark?, records: [Int])] = []
    func add(_ mark: GiftMark, _ record: Int) {
      let known = kinds.firstIndex { $0.mark == mark } ?? kinds.count
      if known == kinds.count { kinds.append((mark, [])) }
      if kinds[known].records.last != record { kinds[known].records.append(record) }
    }
    let places = samples.paths.map { names.firstIndex(of: $0.last) }
    func order(_ path: Int) -> (Int, Int) { (samples.paths[path].path.count, places[path]!) }
    var rest: [Int] = []
    for (record, sample) in samples.records.enumerated() {
      // Of a record, that of the field that is nearest to its root; of several of one depth, of the likeliest.
      let named = sample.leaves.filter { places[$0.path] != nil && !words(in: $0.value).isEmpty }
      guard let first = named.map(\.path).min(by: { order($0) < order($1) }) else {
        rest.append(record)
        continue
      }
      for leaf in named where leaf.path == first { add(GiftMark(path: samples.paths[first].path, value: leaf.value), record) }
    }
    func isGift(_ leaf: LeafPath) -> Bool { FieldPattern.has(leaf.last, ["gift", "price", "present"]) || leaf.last == "bits" }
    // No value says so: which values of one field have what a gift has?
    let named = places.indices.filter { places[$0] != nil && samples.paths[$0].path.count <= 5 && !rest.isEmpty }
    for path in named.sorted(by: { (places[$0]!, order($0).0) < (places[$1]!, order($1).0) }) {
      let leaf = samples.paths[path]
      let table = SampleTable(samples, rest, root: leaf.array, mark: nil)
      guard let values = table.columns.first(where: { $0.leaf.path == leaf.path })?.values else { continue }
      let (owners, all) = (Set(table.columns.filter { isGift($0.leaf) }.flatMap(\.values.keys)), Set(values.values))
      let gifts = Set(values.filter { owners.contains($0.key) }.values)
      if values.count * 2 < table.rows.count || all.count > 40 || gifts.isEmpty || gifts == all { continue }
      let said = gifts.sorted().map(quoted).joined(separator: ", ")
      doubts.append("when: \(said) of \(MapCompiler.written(leaf.path)) have a gift's fields, so they are taken for gifts")
      for (row, value) in values.sorted(by: { $0.key < $1.key }) where gifts.contains(value) {
        add(GiftMark(path: leaf.path, value: value), table.rows[row].record)
      }
      return kinds
    }
    // Beside records that say that they are gifts, only those that have a gift's field.
    if !kinds.isEmpty { rest.removeAll { !samples.records[$0].leaves.contains { isGift(samples.paths[$0.path]) } } }
    if kinds.isEmpty {
      doubts.append("when: no field distinguishes gifts from other records, so all records are taken for gifts")
    }
    return rest.isEmpty ? kinds : kinds + [(nil, rest)]
  }
}
