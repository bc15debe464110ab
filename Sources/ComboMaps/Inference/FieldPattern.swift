internal import ComboCore
internal import ComboWire
internal import Glibc

/// The names of a field of a gift, on known platforms and in general, and the form of its values. The vocabulary describes its
/// members.
struct FieldPattern: Sendable {
  private let names, words, not, less: [String]
  let least: Int
  let doubt, missing: String
  private let form: String

  /// - Parameter list: Returns the words of a text of the vocabulary.
  init(_ members: [String: String], list: (String) -> [String]) {
    func words(_ name: String) -> [String] { list(members[name] ?? "") }
    (names, self.words, not, less) = (words("names"), words("words"), words("not"), words("less"))
    (least, doubt, missing) = (Int(members["least"] ?? "30")!, members["doubt"] ?? "", members["missing"] ?? "")
    form = members["form"] ?? "id"
  }

  // MARK: - Names

  /// Returns how well a pointer's names fit, or nil if they do not fit.
  func score(_ column: Column) -> Int? {
    let place = names.firstIndex { column.last == $0 || $0.count > 4 && column.last.hasSuffix($0) }
    if words.isEmpty, place == nil { return nil }
    let isExact = names.contains(column.last)
    var score = place.map { 70 - 2 * $0 + (isExact ? 6 : 0) } ?? 0
    if !words.isEmpty {
      let isIdentity = Self.isIdentity(column.last)
      score = (isIdentity ? 25 : -40) + (Self.has(column.last, words) ? 35 : 0)
      // A word in the middle of a name, as in that of a renderer, does not say what the object is.
      if let parent = column.above.first, Self.has(parent, words),
        words.contains(where: { parent.hasPrefix($0) || parent.hasSuffix($0) })
      {
        score += 30
      }
      if isExact { score = max(score + 25, isIdentity ? 65 : 52) }
    }
    if !isExact, Self.has(column.last, not) { score -= 70 }
    let aside = not + Vocabulary.list("aside")
    if column.above.contains(where: { !Vocabulary.list("envelopes").contains($0) && Self.has($0, aside) }) { score -= 60 }
    if less.contains(where: { part in ([column.last] + column.above).contains { strstr($0, part) != nil } }) { score -= 25 }
    return score - min(2 * column.path.count, 12)
  }

  /// Whether a name contains one of these words. A short word must begin it, and one of two letters be all of it.
  static func has(_ name: String, _ words: [String]) -> Bool {
    words.contains { word in
      // A gifter is not a gift, and a presenter is not a present.
      if ["gift", "present"].contains(word), Vocabulary.list("givers").contains(where: name.contains) { return false }
      return name == word || (word.utf8.count > 4 ? strstr(name, word) != nil : word.utf8.count > 2 && name.hasPrefix(word))
    }
  }

  /// Whether the name is that of an id, or of something that may stand for one.
  static func isIdentity(_ name: String) -> Bool {
    ["id", "no", "idstr", "idhash", "code", "key", "number", "type"].contains(where: name.hasSuffix)
  }

  // MARK: - Values

  /// Whether a value can be one of the field.
  func fits(_ value: String) -> Bool {
    // A flag, a sentence and a database type are no ids.
    let isID = (Int64(value) ?? 0) >= 0 && !["true", "false"].contains(value) && !value.contains { "\n(".contains($0) }
    return switch form {
    case "plan": isID && !value.contains(".")
    case "count": Int64(value).map { (0...1_000_000_000).contains($0) } ?? false
    case "price": (Double(value) ?? -1) >= 0
    case "time": Self.unit(of: value) != nil
    case "flag": ["0", "1", "true", "false"].contains(value)
    default: isID
    }
  }

  /// Returns the unit of a number that is a time since 2001, by its digits, or RFC 3339 for a text that is a time.
  static func unit(of value: String) -> TimeUnit? {
    let whole = value.prefix { $0 != "." }
    if Int64(whole) != nil { return [10: .s, 13: .ms, 16: .us, 19: .ns][whole.utf8.count] }
    return Array(value.utf8).withUnsafeBytes { TimeReader.rfc3339($0) }.map { _ in .rfc3339 }
  }
}
