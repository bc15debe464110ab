internal import ComboKafka
internal import ComboSystem
internal import ComboVerify

/// The options of `explain`.
struct ExplainOptions: Equatable, Sendable {
  /// A log of `live` or `demo`; nil: topics.
  var data: String?
  var brokers: String
  var input: String
  var output: String
  var group: String
  var question: GiftQuestion
  /// An object a gift, for programs.
  var isJSON: Bool
  var logLevel: LogLevel
  var logFormat: LogFormat
  var kafka: [KafkaProperty]

  init(_ reader: inout OptionReader) {
    data = reader.optionalText("data")
    if data == nil {
      brokers = reader.requiredText("brokers")
      input = reader.requiredText("input")
      output = reader.requiredText("output")
      group = reader.text("group")
    } else {
      (brokers, input, output, group) = ("", LogStage.input, LogStage.output, LogStage.group)
    }
    question = GiftQuestion(room: Array(reader.requiredText("room").utf8))
    question.sender = reader.optionalText("sender").map { Array($0.utf8) }
    question.gift = reader.optionalText("gift").map { Array($0.utf8) }
    question.id = reader.optionalText("id").map { Array($0.utf8) }
    question.since = reader.optionalText("since").flatMap { Timestamp.milliseconds($0) } ?? .min
    question.until = reader.optionalText("until").flatMap { Timestamp.milliseconds($0) } ?? .max
    if question.since >= question.until { reader.fault("--until must be later than --since") }
    question.partition = reader.optionalText("partition").flatMap { Int32($0) }
    isJSON = reader.text("format") == "json"
    logLevel = LogLevel(rawValue: reader.text("log-level"))!
    logFormat = LogFormat(rawValue: reader.text("log-format"))!
    kafka = reader.kafkaProperties()
  }
}
