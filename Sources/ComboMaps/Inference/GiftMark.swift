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

  var condition: String { object([("at", quoted(MapCompiler.written(path))), ("is", quoted(value))]) }

  /// Groups records by what marks them as gifts. The mark is the field nearest to the record's root whose value names a gift, or
  /// the most likely of several at one depth. If no record has one, it is a field of which only some values come with a gift's
  /// fields.
  static func kinds(_ samples: Samples, _ doubts: inout [String]) -> [(mark: GiftMark?, records: [Int])] {
    let types = Vocabulary.list("record-types")
    let places = samples.paths.map { field in types.firstIndex(of: field.last).map { (field.path.count, $0) } }
    var (kinds, rest): ([GiftMark: Set<Int>], [Int]) = ([:], [])
    func mark(_ record: Int, _ leaf: Samples.Leaf) {
      kinds[GiftMark(path: samples.paths[leaf.path].path, value: leaf.value), default: []].insert(record)
    }
    func isGifts(_ leaf: Samples.Leaf) -> Bool {
      FieldPattern.has(samples.paths[leaf.path].last, ["gift", "price", "present", "bits"])
    }
    for (record, (_, leaves)) in samples.records.enumerated() {
      let named = leaves.filter { places[$0.path] != nil && !words(in: $0.value).isEmpty }
      let field = named.map(\.path).min { places[$0]! < places[$1]! }
      for leaf in named where leaf.path == field { mark(record, leaf) }
      // Besides marked records, only those with a gift's field count.
      if named.isEmpty, leaves.contains(where: isGifts) { rest.append(record) }
    }
    if kinds.isEmpty { rest = Array(samples.records.indices) }
    let fields = places.indices.filter { places[$0] != nil && samples.paths[$0].path.count <= 5 }
    for field in fields.sorted(by: { places[$0]! < places[$1]! }) where kinds.isEmpty {
      let found = rest.flatMap { record in samples.records[record].leaves.filter { $0.path == field }.map { (record, $0) } }
      let gifts = found.filter { record, kind in
        samples.records[record].leaves.contains {
          samples.paths[$0.path].path.starts(with: samples.paths[field].array) && $0.places.starts(with: kind.places)
            && isGifts($0)
        }
      }
      let (all, values) = (Set(found.map(\.1.value)), Set(gifts.map(\.1.value)))
      if found.count * 2 < rest.count || all.count > 40 || values.isEmpty || values == all { continue }
      for (record, leaf) in found where values.contains(leaf.value) { mark(record, leaf) }
      let said = values.sorted().map(quoted).joined(separator: ", ")
      doubts.append("when: \(said) of \(samples.paths[field].pointer) have a gift's fields, so they are taken for gifts")
      rest = []
    }
    if kinds.isEmpty {
      doubts.append("when: no field distinguishes gifts from other records, so all records are taken for gifts")
    }
    let marked = kinds.map { (mark: Optional($0), records: $1.sorted()) }.sorted {
      ($0.mark!.path.count, $0.records[0], $0.mark!.value) < ($1.mark!.path.count, $1.records[0], $1.mark!.value)
    }
    return rest.isEmpty ? marked : marked + [(nil, rest)]
  }
}
