internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// What is found at one pointer, over all samples. A step `*` is each element of an array.
struct FieldSample {
  let path: [String]
  /// Each value, and of which record it is.
  var values: [String] = []
  var owners: [Int] = []
  var isNumber = true
  /// How many records have it.
  var count = 0

  /// `GiftId`, `gift_id` and `gift-id` are the same name. Of an array's elements: the array's.
  var last: String { Self.plain(path.last { $0 != PointerTable.each } ?? "") }
  /// The names above it, the nearest first, up to the array of which it is an element.
  var above: [String] {
    let first = path.lastIndex(of: PointerTable.each).map { $0 + 1 } ?? 0
    return path[min(first, path.count - 1)...].filter { $0 != PointerTable.each }.dropLast().reversed().map(Self.plain)
  }
  var pointer: String { MapCompiler.written(path) }
  var stars: Int { PointerTable.stars(path) }
  /// The name as it is written.
  var name: String { path.last { $0 != PointerTable.each } ?? "" }

  /// In small letters, without what joins words, and without a letter before it for its type: `lRoomId`, `m_gift`.
  static func plain(_ name: String) -> String {
    var letters = Substring(name)
    if let first = letters.first, let second = letters.dropFirst().first,
      second == "_" || "ilsb".contains(first) && second.isUppercase
    {
      letters = letters.dropFirst()
    }
    return letters.lowercased().filter { $0 != "_" && $0 != "-" }
  }

  /// The value that a record has; of several the first.
  var byOwner: [Int: String] { Dictionary(zip(owners, values), uniquingKeysWith: { first, _ in first }) }
}

/// All scalar fields of some records.
struct FieldSurvey {
  private(set) var fields: [FieldSample] = []
  private(set) var records = 0
  /// Texts that hold JSON, or a line of IRC or of Douyu's text.
  private(set) var texts: [[String]] = []
  /// What those hold that is not JSON.
  private(set) var form = MapDefinition.TextForm.json
  /// Arrays of texts, numbers or objects, by their pointers' paths.
  private(set) var arrays: [[String]] = []
  private var places: [[String]: Int] = [:]

  /// More elements of one array add no information.
  private static let elementsMax = 50

  /// What says which elements of arrays are meant.
  private let mark: GiftMark?

  /// - Parameter mark: in an array, only elements of this kind are looked at.
  init(_ records: [[UInt8]], of mark: GiftMark? = nil) {
    self.mark = mark
    for record in records { add(record) }
  }

  /// The field at a pointer's path.
  func field(_ path: [String]) -> FieldSample? { places[path].map { fields[$0] } }

  /// Takes a record in, if it is a JSON object or an array.
  private mutating func add(_ record: [UInt8]) {
    guard let text = try? MapText(record, file: ""), text.text[0].isObject || text.text[0].isArray else { return }
    records += 1
    visit(text.text, 0, [])
  }

  private mutating func visit(_ text: JSONText, _ token: Int, _ path: [String]) {
    // What lies deeper, or has more fields, is not where a gift's few fields are.
    if path.count > 18 || fields.count > 2000 { return }
    if text[token].isObject {
      var member = token + 1
      while member < text.next(token) {
        visit(text, member + 1, path + [text.string(member)])
        member = text.next(member + 1)
      }
    } else if text[token].isArray {
      if !arrays.contains(path) { arrays.append(path) }
      var element = token + 1
      var left = Self.elementsMax
      let inside = path + [PointerTable.each]
      let rest = mark.flatMap { $0.path.starts(with: inside) ? $0.path[inside.count...] : nil }
      while element < text.next(token), left > 0 {
        if rest.map({ says(text, element, $0) }) ?? true { visit(text, element, inside) }
        element = text.next(element)
        left -= 1
      }
    } else if text[token].isString, let inner = inside(text.string(token)) {
      if !texts.contains(path) { texts.append(path) }
      visit(inner.text, 0, path)
    } else if !text[token].isNull {
      let place = places[path] ?? fields.count
      if place == fields.count {
        fields.append(FieldSample(path: path))
        places[path] = place
      }
      if fields[place].owners.last != records { fields[place].count += 1 }
      fields[place].isNumber = fields[place].isNumber && text[token].isNumber
      fields[place].owners.append(records)
      fields[place].values.append(
        text[token].isString ? text.string(token) : String(decoding: text.slice(token), as: UTF8.self))
    }
  }

  /// Whether the mark's value is found at the rest of its path.
  private mutating func says(_ text: JSONText, _ token: Int, _ rest: ArraySlice<String>) -> Bool {
    if text[token].isString, !rest.isEmpty {
      guard let inner = inside(text.string(token)) else { return false }
      return says(inner.text, 0, rest)
    }
    guard let step = rest.first else {
      let value = text[token].isString ? text.string(token) : String(decoding: text.slice(token), as: UTF8.self)
      return value == mark?.value
    }
    var next = token + 1
    while (text[token].isObject || text[token].isArray) && next < text.next(token) {
      if text[token].isArray {
        if step == PointerTable.each, says(text, next, rest.dropFirst()) { return true }
        next = text.next(next)
      } else {
        if text.string(next) == step { return says(text, next + 1, rest.dropFirst()) }
        next = text.next(next + 1)
      }
    }
    return false
  }

  /// What a text holds: an object or array, or a record in another form.
  private mutating func inside(_ text: String) -> MapText? {
    guard let first = text.utf8.first, text.utf8.count > 8 else { return nil }
    if first == 0x7B || first == 0x5B {
      guard let inner = try? MapText(Array(text.utf8), file: "") else { return nil }
      return inner.text[0].isObject || inner.text[0].isArray ? inner : nil
    }
    if first == 0x40, text.contains(" USERNOTICE ") || text.contains(" PRIVMSG ") {
      guard let json = SampleRecords.irc(Array(text.utf8)) else { return nil }
      form = .irc
      return try? MapText(json, file: "")
    }
    guard first == 0x74, let json = SampleRecords.stt(Array(text.utf8)) else { return nil }
    form = .stt
    return try? MapText(json, file: "")
  }
}
