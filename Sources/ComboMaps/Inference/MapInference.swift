internal import ComboCore
internal import ComboWire

/// Proposes a map from samples, by the names of fields and the form of their values. It is a guess, and reports its doubts.
public struct MapInference {
  /// The map as the text of a file; empty if the samples are not enough.
  public private(set) var text = ""
  /// The doubts about the map and what it leaves out, in sentences.
  public private(set) var doubts: [String] = []

  private let samples: Samples
  /// The proposed rules, each with the gifts that it reads.
  private var guesses: [(rule: RuleGuess, gifts: [MapTrial.Gift])] = []
  /// The marks of records that repeat the gifts of others.
  private var repeats: [GiftMark] = []
  private var marks: [GiftMark] = []
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
    text = whole
  }

  private mutating func propose() {
    (doubts, guesses, repeats) = ([], [], [])
    let kinds = GiftMark.kinds(samples, &doubts)
    marks = kinds.compactMap(\.mark)
    for kind in kinds { add(kind.mark, kind.records) }
    if guesses.isEmpty { guesses = [(RuleGuess(samples, Array(samples.records.indices), nil, refused), [])] }
    for (rule, _) in guesses {
      let kind = guesses.count > 1 ? rule.mark.map { quoted($0.value) + ": " } ?? "" : ""
      doubts += rule.doubts.map { kind + $0 }.filter { !doubts.contains($0) }
    }
  }

  /// Adds a rule for each shape of a kind of records. Records that one rule cannot read are examined again.
  private mutating func add(_ mark: GiftMark?, _ records: [Int]) {
    var (rest, found) = (records, guesses.prefix(0))
    while !rest.isEmpty, found.count < Self.shapesMax {
      var guess = RuleGuess(samples, rest, mark, refused)
      let gifts = guess.isGift ? MapTrial(object(parts([guess.rule])), samples, rest).gifts : []
      let read = Set(gifts.map(\.record))
      if read.isEmpty { break }
      // The second guess sees only the records that the first one reads.
      if read.count < rest.count { guess = RuleGuess(samples, read.sorted(), mark, refused) }
      found.append((guess, gifts))
      rest.removeAll(where: read.contains)
    }
    if !rest.isEmpty {
      let name = mark.map { quoted($0.value) } ?? "a record"
      doubts.append(
        "\(name): no sender or gift was found in \(rest.count) of \(records.count); write a rule that reads or drops them")
    }
    /// Returns the senders with their gifts.
    func pairs(_ one: (rule: RuleGuess, gifts: [MapTrial.Gift])) -> Set<[String]> {
      Set(one.rule["gift.id"].isEmpty ? [] : one.gifts.map { [$0.fields[3], $0.fields[5]] })
    }
    let told = found.first.map(pairs) ?? []
    let same = guesses.firstIndex { one in
      let theirs = pairs(one)
      return one.rule.mark?.path == mark?.path && !theirs.isEmpty && (theirs.isSubset(of: told) || told.isSubset(of: theirs))
    }
    guard found.count == 1, mark != nil, !told.isEmpty, let same else { return guesses += found }
    // Of rules that read the same gifts, the best has an id, a count, and the most gifts.
    func worth(_ one: (rule: RuleGuess, gifts: [MapTrial.Gift])) -> (Int, Int, Int) {
      (one.rule["id"].count.signum(), one.rule["count"].count.signum(), one.gifts.count)
    }
    if worth(found[0]) > worth(guesses[same]) { swap(&found[0], &guesses[same]) }
    let (worse, better) = (found[0].rule.mark!, guesses[same].rule.mark!)
    repeats.append(worse)
    doubts.append("\(quoted(worse.value)) seems to repeat the gifts of \(quoted(better.value)), so only the latter counts")
  }

  /// Replays the samples with the proposed map, and adds doubts about the result.
  /// - Returns: Whether different gifts share an id, which is refused from now on.
  private mutating func check() -> Bool {
    let trial = MapTrial(whole, samples, Array(samples.records.indices))
    let ids = guesses.flatMap { $0.rule["id"].prefix(1) }.filter { column in
      // In an array, the gift's place may follow the id.
      column.values.values.contains { id in trial.shared.contains { $0.hasPrefix(id) } }
    }
    doubts += trial.doubts
    return ids.reduce(false) { refused.insert($1.leaf.path).inserted || $0 }
  }

  // MARK: - The map

  private func parts(_ rules: [String]) -> [(String, String?)] {
    [
      ("map", "1"), ("name", quoted("mine")), ("text", samples.form == .json ? nil : quoted(samples.form.rawValue)),
      ("unpack", samples.texts.isEmpty ? nil : Self.list(samples.texts.map(MapCompiler.written))),
      ("rules", "[\n\(rules.joined(separator: ",\n"))\n  ]"), ("otherwise", #"{"drop": "not a gift"}"#),
    ]
  }

  private var whole: String {
    let keys = guesses.compactMap(\.rule.giftKey)
    let signs = object([
      ("keys", keys.isEmpty ? nil : Self.list(keys)),
      ("commands", marks.isEmpty ? nil : Self.list(marks.map { LeafPath.name($0.path) }, #"{"use": "commands"}"#)),
      ("words", marks.isEmpty ? nil : Self.list(["gift"] + marks.flatMap { GiftMark.words(in: $0.value) })),
      ("others", marks.isEmpty ? nil : #"{"use": "other-events"}"#),
    ])
    let drops = repeats.map { "    " + object([("when", $0.condition), ("drop", quoted("repeats gifts of other records"))]) }
    let count = samples.records.count
    var parts = parts(guesses.map(\.rule.rule) + drops)
    parts.insert(
      contentsOf: [
        ("about", "\"Proposed from \(count) \(count == 1 ? "sample" : "samples"); see notes for what is uncertain.\""),
        ("notes", "[\n\(doubts.map { "    " + quoted($0) }.joined(separator: ",\n"))\n  ]"),
        // It has the names of known commands, and of events that are not gifts.
        ("include", marks.isEmpty ? nil : quoted("common")), ("gifts", signs == "{}" ? nil : signs),
      ], at: 2)
    // Nothing else marks a record that names a gift.
    if guesses.count == 1, guesses[0].rule.root.isEmpty, signs == "{}" {
      parts[parts.count - 1].1 = #"{"bad": "no rule reads it"}"#
    }
    return object(parts, indent: "") + "\n"
  }

  private static func list(_ texts: [String], _ more: String? = nil) -> String {
    let all = texts.reduce(into: more.map { [$0] } ?? []) { if !$0.contains(quoted($1)) { $0.append(quoted($1)) } }
    return "[\(all.joined(separator: ", "))]"
  }
}

/// Returns an object as JSON, on separate lines if there is an indent. Members without a value are left out.
func object(_ members: [(String, String?)], indent: String? = nil) -> String {
  let all = members.compactMap { name, value in value.map { "\(quoted(name)): \($0)" } }
  guard let indent else { return "{\(all.joined(separator: ", "))}" }
  return "{\n\(all.map { "\(indent)  \($0)" }.joined(separator: ",\n"))\n\(indent)}"
}
