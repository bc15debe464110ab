internal import CSimdJSON
internal import ComboCore

/// Proposes a map from samples, by the names of fields and the shapes of their values. A guess, and says how sure it is.
public struct MapInference {
  /// The map as the text of a file; empty if the samples are not enough.
  public let text: String
  /// What it is unsure of or has left out, in sentences.
  public let doubts: [String]

  /// Looks at samples of JSON records; those that are none are passed over.
  public init(_ records: [[UInt8]]) {
    var survey = FieldSurvey()
    for record in records { survey.add(record) }
    if survey.records == 0 || survey.fields.isEmpty && survey.arrays.isEmpty {
      text = survey.records == 0 ? "" : MapGuess(survey, nil).rule.map { Self.text([$0], nil, survey) } ?? ""
      doubts = survey.records == 0 ? ["none of the records is a JSON object"] : MapGuess(survey, nil).doubts
      return
    }
    var doubts: [String] = []
    let mark = GiftMark(survey, &doubts)
    var guesses: [MapGuess] = []
    for value in mark?.values ?? [] {
      // The topic's other records do not matter for this kind of gifts.
      var own = FieldSurvey()
      for record in records { own.add(record, onlyIf: (mark!.field.path, [value])) }
      guesses.append(MapGuess(own, (mark!.field, value)))
    }
    if mark == nil { guesses = [MapGuess(survey, nil)] }
    let rules = Self.rules(guesses, &doubts)
    text = Self.text(rules, mark, survey, doubts)
    self.doubts = doubts
  }

  /// The rules of all kinds of gifts; repetitions are dropped.
  private static func rules(_ guesses: [MapGuess], _ doubts: inout [String]) -> [MapGuess.Rule] {
    var rules: [MapGuess.Rule] = []
    var kept: [MapGuess] = []
    for guess in guesses {
      let kind = guess.mark.map { MapGuess.quoted($0.value) } ?? "a record"
      guard guesses.count == 1 || guess.isGift else {
        rules.append(guess.dropping("has not what a gift has"))
        doubts.append("\(kind): it names a gift, but nothing looks like a sender and a gift, so it is dropped")
        continue
      }
      if let index = kept.firstIndex(where: { $0.tellsTheSame(as: guess) }) {
        let (better, worse) = guess.isBetter(than: kept[index]) ? (guess, kept[index]) : (kept[index], guess)
        kept[index] = better
        rules.append(worse.dropping("tells the same gifts again"))
        doubts.append(
          "\(MapGuess.quoted(worse.mark!.value)) seems to tell the same gifts as \(MapGuess.quoted(better.mark!.value)), by sender and gift: the"
            + " latter counts. If they are different gifts, make a rule for each")
      } else {
        kept.append(guess)
      }
    }
    for guess in kept {
      let kind = guesses.count > 1 ? guess.mark.map { MapGuess.quoted($0.value) + ": " } ?? "" : ""
      doubts += guess.doubts.map { kind + $0 }
    }
    if kept.count > 1 {
      doubts.append(
        "when: \(kept.compactMap { $0.mark?.value }.map(MapGuess.quoted).joined(separator: ", ")) may tell the same gifts more than once"
      )
    }
    return kept.compactMap(\.rule) + rules
  }

  private static func text(_ rules: [MapGuess.Rule], _ mark: GiftMark?, _ survey: FieldSurvey, _ doubts: [String] = []) -> String
  {
    let notes = doubts.map { "    " + MapGuess.quoted($0) }.joined(separator: ",\n")
    var members = [
      #"  "map": 1"#, #"  "name": "mine""#,
      "  \"about\": \"Proposed from \(survey.records) \(survey.records == 1 ? "sample" : "samples"); see notes for what is unsure.\"",
      "  \"notes\": [\n\(notes)\n  ]",
    ]
    if !survey.texts.isEmpty {
      members.append("  \"unpack\": [\(survey.texts.map { MapGuess.quoted(MapCompiler.written($0)) }.joined(separator: ", "))]")
    }
    let key = rules.lazy.compactMap(\.giftKey).first
    if mark != nil || key != nil {
      let commands = mark.map { #""commands": [\#(MapGuess.quoted($0.field.name))], "words": ["gift"]"# }
      let keys = key.map { #""keys": [\#(MapGuess.quoted($0))]"# }
      members.append("  \"gifts\": {\([commands, keys].compactMap { $0 }.joined(separator: ", "))}")
    }
    members.append("  \"rules\": [\n\(rules.map(\.text).joined(separator: ",\n"))\n  ]")
    members.append(#"  "otherwise": {"drop": "not a gift"}"#)
    return "{\n" + members.joined(separator: ",\n") + "\n}\n"
  }
}
