internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// A pointer to values of samples, its names, and its values in a table. A step `*` stands for each element of an array.
struct Column {
  let path: [String]
  /// The last name in plain form, in which `GiftId`, `gift_id` and `gift-id` are equal. Elements have the name of their array.
  let last: String
  /// The names above it, the nearest first, up to the array that contains it.
  let above: [String]
  /// Its steps up to that array's elements.
  let array: [String]
  /// The values by row.
  var values: [Int: String] = [:]
  /// Whether different gifts have the same value, so that it is no id.
  var isShared = false

  init(_ path: [String]) {
    self.path = path
    last = Self.plain(Self.name(path))
    array = path.lastIndex(of: PointerTable.each).map { Array(path[...$0]) } ?? []
    above = path[min(array.count, path.count - 1)...].dropLast().reversed().map(Self.plain)
  }

  var pointer: String { PointerTable.written(path) }
  var parent: ArraySlice<String> { path.dropLast() }
  /// The values that are not empty or 0.
  var filled: [String] { values.keys.compactMap(filled) }
  /// Whether no value occurs twice.
  var isDistinct: Bool { Set(values.values).count == values.count }
  /// Returns the value of a row, unless it is empty or 0.
  func filled(_ row: Int) -> String? { values[row].flatMap { $0.isEmpty || $0 == "0" ? nil : $0 } }
  /// The index of the word for receivers in the name of its array, or nil if the array's elements are something else.
  var receivers: Int? {
    let list = Self.plain(Self.name(array))
    return Vocabulary.list("receivers").firstIndex { FieldPattern.has(list, [$0]) }
  }

  /// Returns the last name as it is written.
  static func name(_ path: [String]) -> String { path.last { $0 != PointerTable.each } ?? "" }

  /// Returns a name in lowercase, without the characters that join words, and without a letter for its type: `lRoomId`, `m_gift`.
  static func plain(_ name: String) -> String {
    let isTyped = name.hasPrefix("m_") || "ilsb".contains(name.prefix(1)) && name.dropFirst().first?.isUppercase == true
    return name.dropFirst(isTyped ? 1 : 0).lowercased().filter { $0 != "_" && $0 != "-" }
  }
}

/// The values of samples by pointer. Samples are JSON, also within a text, lines of IRC with tags, or Douyu's text.
struct Samples {
  /// A value, with the index of its path and its element in each array that the path goes through.
  typealias Leaf = (path: Int, places: [Int], value: String)

  private(set) var records: [(bytes: [UInt8], leaves: [Leaf])] = []
  var paths: [Column] = []
  /// The pointers of texts that hold further values.
  private(set) var texts: [[String]] = []
  /// The format of samples and texts that are not JSON.
  private(set) var form = MapDefinition.TextForm.json
  private var known: [[String]: Int] = [:]

  /// The maximum number of samples, elements of an array and fields, beyond which there is nothing new, and the maximum depth.
  private static let (recordsMax, elementsMax, pathsMax, depthMax) = (5000, 50, 2000, 18)

  init(_ samples: [[UInt8]]) {
    for sample in samples.prefix(Self.recordsMax) {
      guard let text = inside(sample, least: 0) else { continue }
      records.append((sample, []))
      visit(text, 0, [], [])
    }
  }

  private mutating func visit(_ text: MapText, _ token: Int, _ path: [String], _ places: [Int]) {
    let found = text.text[token]
    if path.count > Self.depthMax || paths.count > Self.pathsMax || found.isNull { return }
    if found.isObject { return text.forEachMember(token) { visit(text, $1, path + [$0], places) } }
    if found.isArray {
      for (place, element) in text.elements(token).prefix(Self.elementsMax).enumerated() {
        visit(text, element, path + [PointerTable.each], places + [place])
      }
      return
    }
    let value = found.isString ? text.text.string(token) : String(decoding: text.text.slice(token), as: UTF8.self)
    if found.isString, !SignReader.chat.contains(path.last ?? ""), let inner = inside(Array(value.utf8), least: 8) {
      if !texts.contains(path) { texts.append(path) }
      return visit(inner, 0, path, places)
    }
    let index = known[path] ?? paths.count
    known[path] = index
    if index == paths.count { paths.append(Column(path)) }
    records[records.count - 1].leaves.append((index, places, value))
  }

  /// Returns the contents of a text of more than `least` bytes: an object or array, or a record in another format as an object.
  private mutating func inside(_ text: [UInt8], least: Int) -> MapText? {
    guard let first = text.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }), text.count > least else { return nil }
    if first == 0x7B || first == 0x5B { return try? MapText(text, file: "") }
    // Without these beginnings, IRC and STT cannot be told from other texts. STT inside STT is found by a map's pointers only.
    let arena = BumpArena(chunkSize: 4096)
    let json = text.withUnsafeBytes { text in
      if first == 0x40 { return try? Array(IRCReader().json(of: text, into: arena)) }
      return text.starts(with: Array("type@=".utf8)) ? try? Array(STTReader().json(of: text, nil, into: arena)) : nil
    }
    guard let json else { return nil }
    form = first == 0x40 ? .irc : .stt
    return try? MapText(json, file: "")
  }

  /// Returns records as a table: a column for each pointer, and a row for each element that a rule with this root reads as a
  /// gift, with the record of each row.
  ///
  /// - Parameters:
  ///   - root: The arrays that the rule goes through; empty for none. Only the first element of other arrays counts.
  ///   - mark: The mark of the rows to include, or nil for all rows.
  func table(of records: [Int], root: [String], mark: GiftMark?) -> (columns: [Column], rows: [Int]) {
    let stars = PointerTable.stars(root)
    // The number of arrays that each path shares with the root.
    let shared = paths.map { column in PointerTable.stars(zip(column.path, root).prefix { $0 == $1 }.map(\.0)) }
    var (columns, rows) = (paths, [Int]())
    for record in records {
      let leaves = self.records[record].leaves
      let elements = Set(leaves.filter { shared[$0.path] == stars }.map { Array($0.places[..<stars]) })
      for element in elements.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        let row = leaves.filter { $0.places[..<shared[$0.path]].elementsEqual(element[..<shared[$0.path]]) }
        if let mark, !row.contains(where: { $0.value == mark.value && paths[$0.path].path == mark.path }) { continue }
        // Reversed, so that the first of several elements of another array counts.
        for leaf in row.reversed() { columns[leaf.path].values[rows.count] = leaf.value }
        rows.append(record)
      }
    }
    return (columns.filter { !$0.values.isEmpty }, rows)
  }
}
