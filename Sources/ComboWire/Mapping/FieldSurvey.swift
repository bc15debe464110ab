internal import CSimdJSON
internal import ComboCore

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
  /// The names above it, the nearest first.
  var above: [String] { Array(path.filter { $0 != PointerTable.each }.dropLast().reversed().map(Self.plain)) }
  var pointer: String { MapCompiler.written(path) }
  var stars: Int { PointerTable.stars(path) }
  /// The name as it is written.
  var name: String { path.last { $0 != PointerTable.each } ?? "" }

  static func plain(_ name: String) -> String { String(name.lowercased().filter { $0 != "_" && $0 != "-" }) }

  /// The value that a record has; of several the first.
  var byOwner: [Int: String] { Dictionary(zip(owners, values), uniquingKeysWith: { first, _ in first }) }
}

/// All scalar fields of some records.
struct FieldSurvey {
  private(set) var fields: [FieldSample] = []
  private(set) var records = 0
  /// Texts that hold JSON.
  private(set) var texts: [[String]] = []
  /// Arrays of texts, numbers or objects, by their pointers' paths.
  private(set) var arrays: [[String]] = []
  private var places: [[String]: Int] = [:]

  /// More elements of one array add no information.
  private static let elementsMax = 50

  /// Takes a record in, if it is a JSON object or an array.
  /// - Parameter mark: only records in which this field has one of these values.
  mutating func add(_ record: [UInt8], onlyIf mark: (field: [String], values: Set<String>)? = nil) {
    guard let text = try? MapText(record, file: ""), text.text[0].isObject || text.text[0].isArray else { return }
    if let mark {
      var alone = FieldSurvey()
      alone.records = 1
      alone.visit(text.text, 0, [])
      let values = alone.fields.first { $0.path == mark.field }?.values ?? []
      guard values.contains(where: mark.values.contains) else { return }
    }
    records += 1
    visit(text.text, 0, [])
  }

  private mutating func visit(_ text: JSONText, _ token: Int, _ path: [String]) {
    // What lies deeper, or has more fields, is not where a gift's few fields are.
    if path.count > 10 || fields.count > 2000 { return }
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
      while element < text.next(token), left > 0 {
        visit(text, element, path + [PointerTable.each])
        element = text.next(element)
        left -= 1
      }
    } else if text[token].isString, let inner = Self.json(text.string(token)) {
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

  /// The object or array that a text holds.
  private static func json(_ text: String) -> MapText? {
    guard let first = text.utf8.first, first == 0x7B || first == 0x5B, text.utf8.count > 8 else { return nil }
    guard let inner = try? MapText(Array(text.utf8), file: "") else { return nil }
    return inner.text[0].isObject || inner.text[0].isArray ? inner : nil
  }
}
