internal import ComboEdge
internal import ComboKafka
internal import ComboLog
internal import ComboSystem
internal import ComboWire

/// The source for `verify` and `explain`: a group's topics, or a file of `live` or `demo`.
struct DerivationSource: Equatable, Sendable {
  /// A file of `live` or `demo`, or nil for topics.
  var data: String?
  var brokers: String
  var input: String
  /// All inputs that were given; they are read one after the other.
  var inputs: [String] = []
  var output: String
  var group: String
  var logLevel: LogLevel
  var logFormat: LogFormat
  var kafka: [KafkaProperty]

  init(_ reader: inout OptionReader) {
    data = reader.optionalText("data")
    if data == nil {
      brokers = reader.requiredText("brokers")
      inputs = InputChoice.names(in: reader.requiredText("input"))
      input = reader.input ?? inputs.first ?? ""
      output = reader.requiredText("output")
      group = reader.text("group")
    } else {
      (brokers, input, output, group) = ("", LogStage.input, LogStage.output, LogStage.group)
    }
    logLevel = LogLevel(rawValue: reader.text("log-level"))!
    logFormat = LogFormat(rawValue: reader.text("log-format"))!
    kafka = reader.kafkaProperties()
  }

  var topics: TopicIdentity { TopicIdentity(group: group, input: input, output: output) }

  /// Opens the source for reading, and passes it to `body`. Errors are reported on standard error.
  /// - Parameters:
  ///   - deadLetter: The dead-letter topic, or nil for the group's own.
  ///   - checksFile: Whether to verify the checksum of each record of a file first. Then the exit code is 1 if anything of it is
  ///     damaged.
  ///   - history: The part of the state that is read if old records were deleted from the file.
  ///   - needed: The topics that must exist.
  ///   - options: The options to check if one does not exist.
  /// - Returns: The exit code.
  func read(
    deadLetter: String? = nil, checksFile: Bool = false, history: LogReading.History, needed: [Topic], options: String,
    _ body: (any ReadEdge, ServiceLog) throws -> Int32
  ) -> Int32 {
    let log = ServiceLog(logLevel, format: logFormat, hiding: kafka)
    return log.exitCode {
      if let data {
        let file = try LogFile(.file(data), use: .read)
        var damage = DamageNotes(of: file)
        if checksFile {
          try file.check { damage.add($0) }
          damage.end("so nothing is proven")
          if damage.hasDamage { return 1 }
        }
        let code = try body(LogReading(file, names: LogStage.names, history: history), log)
        return checksFile && !damage.isEmpty ? 1 : code
      }
      let properties = try KafkaProperties(brokers: brokers, kafka, log: log)
      let control = try ControlClient(properties)
      let names = TopicNames(input: input, output: output, group: group, deadLetter: deadLetter)
      for topic in needed where try control.partitionCount(names[topic], withinMs: 30_000) == nil {
        return Console.fail("the topic \"\(names[topic])\" does not exist: check \(options), or run the service first")
      }
      return try body(KafkaReading(properties, control: control, names: names), log)
    }
  }
}
