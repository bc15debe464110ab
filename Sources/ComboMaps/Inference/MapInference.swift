internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// Proposes a map from samples, by the names of fields and the shapes of their values. A guess, and says how sure it is.
public struct MapInference {
  /// The map as the text of a file; empty if the samples are not enough.
  public let text: String
  /// What it is unsure of or has left out, in sentences.
  public let doubts: [String]

  /// Looks at samples: JSON, lines of IRC with tags, or Douyu's text. Others are passed over.
  public init(_ samples: [[UInt8]]) {
    let samples = SampleRecords(samples)
    let survey = FieldSurvey(samples.records)
    if survey.records == 0 {
      (text, doubts) = ("", ["none of the records is a JSON object"])
      return
    }
    var proposal = Proposal(survey: survey, form: samples.form == .json ? survey.form : samples.form)
    if survey.fields.isEmpty && survey.arrays.isEmpty {
      var guess = MapGuess(survey, nil)
      proposal.rules = [guess.rule(isNarrow: false)]
      proposal.doubts = guess.doubts
    } else {
      for kind in SampleKinds(samples.records, &proposal.doubts).kinds { proposal.add(kind) }
      proposal.write()
    }
    (text, doubts) = (proposal.text, proposal.doubts)
  }
}

/// A map in the making.
private struct Proposal {
  let survey: FieldSurvey
  let form: MapDefinition.TextForm
  var rules: [String] = []
  var doubts: [String] = []
  private var guesses: [MapGuess] = []
  private var drops: [String] = []
  private var marks: [GiftMark] = []
  private var keys: [String] = []

  /// Of one kind, records may come in so many shapes.
  private static let shapesMax = 8

  init(survey: FieldSurvey, form: MapDefinition.TextForm) { (self.survey, self.form) = (survey, form) }

  /// A rule for each shape in which records of a kind come: what one cannot read is looked at again.
  mutating func add(_ kind: SampleKinds.Kind) {
    if let mark = kind.mark { marks.append(mark) }
    var rest = kind.records
    var found: [MapGuess] = []
    while !rest.isEmpty, found.count < Self.shapesMax {
      var guess = MapGuess(FieldSurvey(rest, of: kind.mark), kind.mark)
      let covered = guess.covered
      if !guess.isGift || covered.isEmpty {
        if found.isEmpty { found.append(guess) }
        break
      }
      // Those that it reads, seen without the others.
      if covered.count < rest.count {
        let own = MapGuess(
          FieldSurvey(rest.enumerated().filter { covered.contains($0.offset + 1) }.map(\.element), of: kind.mark), kind.mark)
        if own.isGift, own.covered.count == covered.count { guess = own }
      }
      found.append(guess)
      rest = rest.enumerated().filter { !covered.contains($0.offset + 1) }.map(\.element)
    }
    if !rest.isEmpty, let first = found.first, first.isGift {
      let count = rest.count
      doubts.append(
        "\(name(kind.mark)): of \(kind.records.count) records, \(count) \(count == 1 ? "has" : "have") no recognizable sender or gift"
      )
    }
    keep(found, kind.mark)
  }

  private func name(_ mark: GiftMark?) -> String { mark.map { MapGuess.quoted($0.value) } ?? "a record" }

  /// Keeps what is a gift and not told by another kind already.
  private mutating func keep(_ found: [MapGuess], _ mark: GiftMark?) {
    guard let first = found.first else { return }
    if !first.isGift {
      if mark != nil, !guesses.isEmpty || marks.count > 1 {
        drops.append(first.refusing("names a gift, but has no recognizable sender or gift", isBad: true))
        doubts.append(
          "\(name(mark)): it names a gift, but no fields look like a sender and a gift, so it is a bad event; write a rule that reads it or drops it"
        )
      } else if guesses.isEmpty {
        guesses.append(first)
      }
      return
    }
    // What was kept for want of anything better.
    if let index = guesses.firstIndex(where: { !$0.isGift }) {
      let other = guesses.remove(at: index)
      if other.mark != nil {
        drops.append(other.refusing("names a gift, but has no recognizable sender or gift", isBad: true))
        doubts.append(
          "\(name(other.mark)): it names a gift, but no fields look like a sender and a gift, so it is a bad event; write a rule that reads it or drops it"
        )
      }
    }
    if let mark, found.count == 1,
      let index = guesses.firstIndex(where: { $0.mark?.path == mark.path && $0.mark != mark && $0.tellsTheSame(as: first) })
    {
      let isBetter = first.isBetter(than: guesses[index])
      let (better, worse) = isBetter ? (first, guesses[index]) : (guesses[index], first)
      guesses[index] = better
      drops.append(worse.refusing("repeats gifts of other records"))
      doubts.append(
        "\(name(worse.mark)) seems to repeat the gifts of \(name(better.mark)), by sender and gift: only the latter counts. If they are"
          + " different gifts, write a rule for each")
      return
    }
    guesses += found
  }

  /// Makes rules of what was kept.
  mutating func write() {
    for index in guesses.indices {
      let isAlone = guesses.count == 1 || guesses[index].mark != nil && guesses.count { $0.mark == guesses[index].mark } == 1
      rules.append(guesses[index].rule(isNarrow: !isAlone || guesses[index].mark == nil && !guesses[index].root.isEmpty))
      let kind = guesses.count > 1 ? guesses[index].mark.map { name($0) + ": " } ?? "" : ""
      for doubt in guesses[index].doubts.map({ kind + $0 }) where !doubts.contains(doubt) { doubts.append(doubt) }
      if let key = guesses[index].giftKey, !keys.contains(key) { keys.append(key) }
    }
    var values: [String] = []
    for value in guesses.compactMap({ $0.mark?.value }) where !values.contains(value) { values.append(value) }
    if values.count > 1 {
      doubts.append("when: \(values.map(MapGuess.quoted).joined(separator: ", ")) may repeat the same gifts")
    }
    rules += drops
  }

  /// The map.
  var text: String {
    let notes = doubts.map { "    " + MapGuess.quoted($0) }.joined(separator: ",\n")
    var members = [
      #"  "map": 1"#, #"  "name": "mine""#,
      "  \"about\": \"Proposed from \(survey.records) \(survey.records == 1 ? "sample" : "samples"); see notes for what is uncertain.\"",
      "  \"notes\": [\n\(notes)\n  ]",
    ]
    if form != .json { members.append("  \"text\": \"\(form.rawValue)\"") }
    if !survey.texts.isEmpty {
      members.append("  \"unpack\": [\(survey.texts.map { MapGuess.quoted(MapCompiler.written($0)) }.joined(separator: ", "))]")
    }
    let commands = marks.reduce(into: [String]()) { if !$0.contains($1.name) { $0.append($1.name) } }
    if !commands.isEmpty || !keys.isEmpty {
      let words = marks.flatMap { GiftMark.words(in: $0.value) }.reduce(into: ["gift"]) { if !$0.contains($1) { $0.append($1) } }
      func list(_ name: String, _ all: [String]) -> String? {
        all.isEmpty ? nil : "\"\(name)\": [\(all.map(MapGuess.quoted).joined(separator: ", "))]"
      }
      let parts = [list("commands", commands), commands.isEmpty ? nil : list("words", words), list("keys", keys)]
      members.append("  \"gifts\": {\(parts.compactMap { $0 }.joined(separator: ", "))}")
    }
    members.append("  \"rules\": [\n\(rules.joined(separator: ",\n"))\n  ]")
    members.append(#"  "otherwise": {"drop": "not a gift"}"#)
    return "{\n" + members.joined(separator: ",\n") + "\n}\n"
  }
}
