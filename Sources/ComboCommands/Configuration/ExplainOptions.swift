internal import ComboSystem
internal import ComboVerify

struct ExplainOptions: Equatable, Sendable {
  var source: DerivationSource
  var question: GiftQuestion
  /// Whether to print one JSON object per gift, for programs.
  var isJSON: Bool

  init(_ reader: inout OptionReader) {
    source = DerivationSource(&reader)
    question = GiftQuestion(room: Array(reader.requiredText("room").utf8))
    question.sender = reader.optionalText("sender").map { Array($0.utf8) }
    question.gift = reader.optionalText("gift").map { Array($0.utf8) }
    question.id = reader.optionalText("id").map { Array($0.utf8) }
    question.since = reader.optionalText("since").flatMap { Timestamp.milliseconds($0) } ?? .min
    question.until = reader.optionalText("until").flatMap { Timestamp.milliseconds($0) } ?? .max
    if question.since >= question.until { reader.fault("--until must be later than --since") }
    question.partition = reader.optionalText("partition").flatMap { Int32($0) }
    isJSON = reader.text("format") == "json"
  }
}
