internal import ComboWire
internal import Glibc

/// A field's value that marks a record as a gift: `cmd` is `SEND_GIFT`.
struct GiftMark: Hashable {
  let path: [String]
  let value: String

  /// Returns the words in a value that are part of gift names.
  static func words(in value: String) -> [String] {
    let plain = LeafPath.plain(value)
    return Vocabulary.list("gift-types").filter { strstr(plain, $0) != nil }
  }

  var condition: String { object([("at", quoted(MapCompiler.written(path))), ("is", quoted(value))]) }

  /// Groups records by what marks them as gifts. The mark is the field nearest to the record's root whose value names a gift, or
  /// the most likely of several at one depth. Without such a field, it is a field of which only some values come with a gift's
  /// fields.
  static func kinds(_ samples: Samples, _ doubts: inout [String]) -> [(mark: GiftMark?, records: [Int])] {
    var kinds: [(mark: GiftMark?, records: [Int])] = []
    var rest = Array(samples.records.indices)
    func owns(_ leaf: Samples.Leaf) -> Bool {
      FieldPattern.has(samples.paths[leaf.path].last, ["gift", "price", "present", "bits"])
    }
    let types = Vocabulary.list("record-types")
    let places = samples.paths.map { leaf in types.firstIndex(of: leaf.last).map { (leaf.path.count, $0) } }
    let fields = places.indices.filter { places[$0] != nil }.sorted { places[$0]! < places[$1]! }
    for (isNamed, field) in fields.map({ (true, $0) }) + fields.map({ (false, $0) }) where !rest.isEmpty {
      let (path, array) = (samples.paths[field].path, samples.paths[field].array)
      let found = rest.flatMap { record in samples.records[record].leaves.filter { $0.path == field }.map { (record, $0) } }
      let gifts = Set(
        found.filter { record, kind in
          if isNamed { return !words(in: kind.value).isEmpty }
          let own = samples.records[record].leaves.filter { samples.paths[$0.path].path.starts(with: array) }
          return own.contains { $0.places.starts(with: kind.places) && owns($0) }
        }.map(\.1.value))
      if !isNamed {
        let all = Set(found.map(\.1.value))
        if found.count * 2 < rest.count || path.count > 5 || all.count > 40 || gifts.isEmpty || gifts == all { continue }
        let said = gifts.sorted().map(quoted).joined(separator: ", ")
        doubts.append("when: \(said) of \(samples.paths[field].pointer) have a gift's fields, so they are taken for gifts")
      }
      for (record, kind) in found where gifts.contains(kind.value) {
        let mark = GiftMark(path: path, value: kind.value)
        let known = kinds.firstIndex { $0.mark == mark } ?? kinds.count
        if known == kinds.count { kinds.append((mark, [])) }
        if kinds[known].records.last != record { kinds[known].records.append(record) }
      }
      if !isNamed { return kinds }
      rest.removeAll(where: Set(kinds.flatMap(\.records)).contains)
    }
    // Besides marked records, only those with a gift's field count.
    if !kinds.isEmpty { rest.removeAll { !samples.records[$0].leaves.contains(where: owns) } }
    if kinds.isEmpty {
      doubts.append("when: no field distinguishes gifts from other records, so all records are taken for gifts")
    }
    return rest.isEmpty ? kinds : kinds + [(nil, rest)]
  }
}
