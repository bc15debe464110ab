internal import ComboCore
internal import ComboWire

/// Proposes a map from samples, by the names of fields and the shapes of their values. A guess, and says how sure it is.
public struct MapInference {
  /// The map as the text of a file; empty if the samples are not enough.
  public private(set) var text = ""
  /// What it is unsure of or has left out, in sentences.
  public private(set) var doubts: [String] = []

  private let samples: Samples
  private var guesses: [RuleGuess] = []
  /// Rules without an event.
  private var others: [String] = []
  private var marks: [GiftMark] = []
  /// Pointers of ids that turned out to be none.
  private var refused: Set<[String]> = []

  /// Of one kind, records may come in so many shapes.
  private static let shapesMax = 8

  /// Looks at samples: JSON, lines of IRC with tags, or Douyu's text. Others are passed over.
  public init(_ samples: [[UInt8]]) {
    self.samples = Samples(samples)
    if self.samples.records.isEmpty {
      doubts = ["none of the records is a JSON object"]
      return
    }
    // Only a replay shows all gifts that share an id: then it is made again without that.
    repeat {
      (doubts, guesses, others) = ([], [], [])
      let kinds = GiftMark.kinds(self.samples, &doubts)
      marks = kinds.compactMap(\.mark)
      for kind in kinds { add(kind.mark, kind.records) }
      if guesses.isEmpty, others.isEmpty { guesses = [RuleGuess(self.samples, Array(self.samples.records.indices), nil, [])] }
    } while check()
  }

  /// A rule for each shape in which records of a kind come: what one cannot read is looked at again.
  private mutating func add(_ mark: GiftMark?, _ records: [Int]) {
    var rest = records
    var found: [RuleGuess] = []
    while !rest.isEmpty, found.count < Self.shapesMax {
      let guess = RuleGuess(samples, rest, mark, refused)
      let read = guess.isGift ? Set(MapTrial(text([guess.rule]), samples, rest).gifts.map(\.record)) : []
      if read.isEmpty { break }
      // Those that it reads, seen without the others.
      found.append(read.count < rest.count ? RuleGuess(samples, read.sorted(), mark, refused) : guess)
      rest.removeAll { read.contains($0) }
    }
    if !rest.isEmpty {
      let name = mark.map { quoted($0.value) } ?? "a record"
      doubts.append(
        "\(name): no sender or gift was found in \(rest.count) of \(records.count); write a rule that reads or drops them")
    }
    guard let mark else { return guesses += found }
    if found.isEmpty { others.append(mark.rule("bad", "names a gift, but has no recognizable sender or gift")) }
    guard found.count == 1, let known = guesses.firstIndex(where: { $0.mark?.path == mark.path && $0.tells(found[0]) }) else {
      return guesses += found
    }
    if found[0].isBetter(than: guesses[known]) { swap(&found[0], &guesses[known]) }
    let (worse, better) = (found[0].mark!, guesses[known].mark!)
    others.append(worse.rule("drop", "repeats gifts of other records"))
    doubts.append("\(quoted(worse.value)) seems to repeat the gifts of \(quoted(better.value)), so only the latter counts")
  }

  // MARK: - The map

  /// Replays the samples by the proposal, and says what is wrong or strange.
  /// - Returns: whether different gifts share an id: it is refused from now on.
  private mutating func check() -> Bool {
    for guess in guesses {
      let kind = guesses.count > 1 ? guess.mark.map { quoted($0.value) + ": " } ?? "" : ""
      for doubt in guess.doubts.map({ kind + $0 }) where !doubts.contains(doubt) { doubts.append(doubt) }
    }
    let rules = guesses.map(\.rule) + others
    let trial = MapTrial(text(rules, guesses), samples, Array(samples.records.indices))
    // In an array its place may stand behind an id.
    for id in guesses.compactMap(\.id?.column)
    where id.values.values.contains(where: { id in trial.shared.contains { $0.hasPrefix(id) } }) {
      if refused.insert(id.leaf.path).inserted { return true }
    }
    doubts += trial.doubts
    text = text(rules, guesses)
    return false
  }

  /// - Parameter guesses: what says of records without a rule that they name a gift; none where only one rule is tried.
  private func text(_ rules: [String], _ guesses: [RuleGuess] = []) -> String {
    func list(_ texts: [String], _ more: String = "") -> String {
      let all = texts.reduce(into: [String]()) { if !$0.contains(quoted($1)) { $0.append(quoted($1)) } }
      return "[" + (more.isEmpty ? all : [more] + all).joined(separator: ", ") + "]"
    }
    let count = samples.records.count
    var members = [
      #""map": 1"#, #""name": "mine""#,
      "\"about\": \"Proposed from \(count) \(count == 1 ? "sample" : "samples"); see notes for what is uncertain.\"",
      "\"notes\": [\n\(doubts.map { "    " + quoted($0) }.joined(separator: ",\n"))\n  ]",
    ]
    if samples.form != .json { members.append("\"text\": \"\(samples.form.rawValue)\"") }
    if !samples.texts.isEmpty { members.append("\"unpack\": \(list(samples.texts.map(MapCompiler.written)))") }
    let keys = guesses.compactMap(\.giftKey)
    var signs = keys.isEmpty ? [] : ["\"keys\": \(list(keys))"]
    if !guesses.isEmpty, !marks.isEmpty {
      // The names of commands that are known, and of events that are no gifts.
      members.append(#""include": "common""#)
      signs.append("\"commands\": \(list(marks.map { LeafPath.name($0.path) }, #"{"use": "commands"}"#))")
      signs.append("\"words\": \(list(["gift"] + marks.flatMap { GiftMark.words(in: $0.value) }))")
      signs.append(#""others": {"use": "other-events"}"#)
    }
    if !signs.isEmpty { members.append("\"gifts\": {\(signs.joined(separator: ", "))}") }
    members.append("\"rules\": [\n\(rules.joined(separator: ",\n"))\n  ]")
    // Where nothing else says of a record that it names a gift.
    let isAlone = guesses.count == 1 && guesses[0].root.isEmpty && signs.isEmpty
    members.append("\"otherwise\": \(isAlone ? #"{"bad": "no rule reads it"}"# : #"{"drop": "not a gift"}"#)")
    return "{\n" + members.map { "  " + $0 }.joined(separator: ",\n") + "\n}\n"
  }
}
