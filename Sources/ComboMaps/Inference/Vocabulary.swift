internal import ComboWire

/// The names that proposals know, from `vocabulary.json`.
struct Vocabulary: Sendable {
  static let known = Vocabulary()
  private var lists: [String: [String]] = [:]
  private var patterns: [String: [FieldPattern]] = [:]
  /// The names of gifts that no field names, by a word in the type of a record.
  private(set) var gifts: [(name: String, text: String)] = []

  private init() {
    // A file that is part of the program can be read.
    let text = try! MapText(Array(BuiltInMaps.vocabulary.utf8), file: "vocabulary.json")
    func members(_ token: Int) -> [(name: String, text: String)] {
      var all: [(name: String, text: String)] = []
      text.forEachMember(token) { all.append(($0, text.text[$1].isString ? text.text.string($1) : text.compact($1))) }
      return all
    }
    func words(_ text: String) -> [String] {
      text.split(separator: " ").flatMap { $0.hasPrefix("@") ? lists[String($0.dropFirst())]! : [String($0)] }
    }
    for (name, list) in members(text.member("lists", of: 0)!) { lists[name] = words(list) }
    for token in text.elements(text.member("fields", of: 0)!) {
      let pattern = Dictionary(uniqueKeysWithValues: members(token))
      for field in words(pattern["field"]!) { patterns[field, default: []].append(FieldPattern(pattern, list: words)) }
    }
    gifts = members(text.member("gifts by type", of: 0)!)
  }

  static func list(_ name: String) -> [String] { known.lists[name]! }

  /// Returns the patterns of a field, the most certain first. If nothing fits one, the next counts.
  static func patterns(of field: String) -> [FieldPattern] { known.patterns[field]! }
}
