internal import ComboCore
internal import ComboWire

/// Proposes a map from samples, by the names of fields and the form of their values. It is a guess, and reports its doubts.
public struct MapInference {
  /// The map as the text of a file; empty if the samples are not enough.
  public private(set) var text = ""
  /// The doubts about the map and what it leaves out, in sentences.
  public private(set) var doubts: [String] = []

  private let samples: Samples
  /// The proposed rules.
  private var rules: [RuleGuess] = []
  /// The marks of gifts, and of records that repeat the gifts of others.
  private var (marks, repeats): ([GiftMark], [GiftMark]) = ([], [])
  /// Pointers of ids that different gifts share.
  private var refused: Set<[String]> = []

  /// The maximum number of shapes of one kind of records.
  private static let shapesMax = 8

  /// Reads samples: JSON, lines of IRC with tags, or Douyu's text. Others are skipped.
  public init(_ samples: [[UInt8]]) {
    self.samples = Samples(samples)
    if self.samples.records.isEmpty {
      doubts = ["none of the records is a JSON object"]
      return
    }
    // Only a replay shows all gifts that share an id. The map is then proposed again without that id.
    repeat { propose() } while check()
    text = map(rules)
  }

  private mutating func propose() {
    (doubts, rules, repeats) = ([], [], [])
    let kinds = GiftMark.kinds(samples, &doubts)
    marks = kinds.compactMap(\.mark)
    for kind in kinds { add(kind.mark, kind.records) }
    if rules.isEmpty { rules = [RuleGuess(samples, Array(samples.records.indices), nil, refused)] }
    for rule in rules {
      let kind = rules.count > 1 ? rule.mark.map { quoted($0.value) + ": " } ?? "" : ""
      doubts += rule.doubts.map { kind + $0 }.filter { !doubts.contains($0) }
    }
  }

  /// Adds a rule for each shape of a kind of records. Records that one rule cannot read are examined again.
  private mutating func add(_ mark: GiftMark?, _ records: [Int]) {
    var (rest, found) = (records, rules.prefix(0))
    while !rest.isEmpty, found.count < Self.shapesMax {
      var rule = RuleGuess(samples, rest, mark, refused)
      let gifts = rule.isGift ? MapTrial(map([rule], isWhole: false), samples, rest).gifts : []
      let read = Set(gifts.map(\.record))
      if read.isEmpty { break }
      // The second guess sees only the records that the first one reads.
      if read.count < rest.count { rule = RuleGuess(samples, read.sorted(), mark, refused) }
      rule.gifts = gifts
      found.append(rule)
      rest.removeAll(where: read.contains)
    }
    if !rest.isEmpty {
      let name = mark.map { quoted($0.value) } ?? "a record"
      doubts.append(
        "\(name): no sender or gift was found in \(rest.count) of \(records.count); write a rule that reads or drops them")
    }
    guard found.count == 1, let same = rules.firstIndex(where: { $0.repeats(found[0]) }) else { return rules += found }
    if found[0].worth > rules[same].worth { swap(&found[0], &rules[same]) }
    let (worse, better) = (found[0].mark!, rules[same].mark!)
    repeats.append(worse)
    doubts.append("\(quoted(worse.value)) seems to repeat the gifts of \(quoted(better.value)), so only the latter counts")
  }

  /// Replays the samples with the proposed map, and adds doubts about the result.
  /// - Returns: Whether different gifts share an id, which is refused from now on.
  private mutating func check() -> Bool {
    let trial = MapTrial(map(rules), samples, Array(samples.records.indices))
    let ids = rules.flatMap { $0["id"].prefix(1) }.filter { column in
      // In an array, the gift's place may follow the id.
      column.values.values.contains { id in trial.shared.contains { $0.hasPrefix(id) } }
    }
    doubts += trial.doubts
    return ids.reduce(false) { refused.insert($1.path).inserted || $0 }
  }

  /// Returns a map with these rules. For one rule of several nothing else is marked as a gift, since others may read it.
  private func map(_ rules: [RuleGuess], isWhole: Bool = true) -> String {
    func list(_ elements: [String]) -> String? { elements.isEmpty ? nil : "[\(elements.joined(separator: ", "))]" }
    func lines(_ elements: [String]) -> String { "[\n\(elements.map { "    \($0)" }.joined(separator: ",\n"))\n  ]" }
    func once(_ texts: [String]) -> [String] {
      texts.reduce(into: []) { if !$0.contains(quoted($1)) { $0.append(quoted($1)) } }
    }
    let types = once((isWhole ? marks : []).map { Column.name($0.path) })
    let signs = object([
      ("keys", list(once(isWhole ? rules.compactMap(\.giftKey) : []))),
      // The map that is included has the names of known commands, and of events that are not gifts.
      ("commands", types.isEmpty ? nil : list([#"{"use": "commands"}"#] + types)),
      ("words", types.isEmpty ? nil : list(once(["gift"] + marks.flatMap { GiftMark.words(in: $0.value) }))),
      ("others", types.isEmpty ? nil : #"{"use": "other-events"}"#),
    ])
    let drops = repeats.map { object([("when", $0.condition), ("drop", quoted("repeats gifts of other records"))]) }
    // If nothing else marks a record that names a gift, each one should be read.
    let isBad = isWhole && rules.count == 1 && rules[0].root.isEmpty && signs == "{}"
    let count = samples.records.count
    return object(
      [
        ("map", "1"), ("name", quoted("mine")),
        ("about", "\"Proposed from \(count) \(count == 1 ? "sample" : "samples"); see notes for what is uncertain.\""),
        ("notes", lines(doubts.map(quoted))), ("include", types.isEmpty ? nil : quoted("common")),
        ("gifts", signs == "{}" ? nil : signs), ("text", samples.form == .json ? nil : quoted(samples.form.rawValue)),
        ("unpack", list(once(samples.texts.map(MapCompiler.written)))), ("rules", lines(rules.map(\.rule) + drops)),
        ("otherwise", isBad ? #"{"bad": "no rule reads it"}"# : #"{"drop": "not a gift"}"#),
      ], indent: "") + "\n"
  }
}
