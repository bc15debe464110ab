internal import ComboWire
internal import Glibc

/// A field's value that marks a record as a gift: `cmd` is `SEND_GIFT`.
struct GiftMark: Hashable {
  let path: [String]
  let value: String

  /// Returns the words in a value that are part of gift names.
  static func words(in value: String) -> [String] {
    let plain = Column.plain(value)
    return Vocabulary.list("gift-types").filter { strstr(plain, $0) != nil }
  }

  var condition: String { object([("at", quoted(PointerTable.written(path))), ("is", quoted(value))]) }

  /// Groups records by their mark, which is nil for records without one. The mark is the field nearest to the record's root whose
  /// value names a gift, or the most likely of several at one depth.
  static func kinds(_ samples: Samples) -> [(mark: GiftMark?, records: [Int])] {
    let types = Vocabulary.list("record-types")
    let places = samples.paths.map { field in types.firstIndex(of: field.last).map { (field.path.count, $0) } }
    let hints = samples.paths.map { FieldPattern.has($0.last, ["gift", "price", "present", "bits"]) }
    var (kinds, rest): ([GiftMark: Set<Int>], [Int]) = ([:], [])
    for (record, (_, leaves)) in samples.records.enumerated() {
      let named = leaves.filter { places[$0.path] != nil && !words(in: $0.value).isEmpty }
      let field = named.map(\.path).min { places[$0]! < places[$1]! }
      for leaf in named where leaf.path == field {
        kinds[GiftMark(path: samples.paths[leaf.path].path, value: leaf.value), default: []].insert(record)
      }
      // Besides marked records, only those with a gift's field count.
      if named.isEmpty, leaves.contains(where: { hints[$0.path] }) { rest.append(record) }
    }
    if kinds.isEmpty { rest = Array(samples.records.indices) }
    let marked = kinds.map { (mark: Optional($0), records: $1.sorted()) }.sorted {
      ($0.mark!.path.count, $0.records[0], $0.mark!.value) < ($1.mark!.path.count, $1.records[0], $1.mark!.value)
    }
    return rest.isEmpty ? marked : marked + [(nil, rest)]
  }
}
