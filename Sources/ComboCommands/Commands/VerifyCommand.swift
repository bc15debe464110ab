internal import ComboEdge
internal import ComboKafka
internal import ComboLog
internal import ComboSystem
internal import ComboVerify
internal import ComboWire
internal import Synchronization

/// `verify`: derives the output again and compares.
enum VerifyCommand {
  static func run(_ options: VerifyOptions) -> Int32 {
    let log = ServiceLog(options.logLevel, format: options.logFormat)
    log.hide(options.kafka.secrets)
    defer { log.flush() }
    let names = TopicNames(
      input: options.input, output: options.output, journal: "\(options.input).\(options.group).combo-journal",
      state: "\(options.input).\(options.group).combo-state",
      deadLetter: options.deadLetter ?? ServiceOptions.deadLetter(input: options.input, group: options.group))
    if let data = options.data { return run(options, on: data, log) }
    do {
      let properties = try KafkaProperties(
        brokers: options.brokers, overrides: options.kafka.map { .init(key: $0.key, value: $0.value) }, log: log.ofKafka)
      let control = try ControlClient(properties)
      for name in [names.input, names.output, names.journal] where try control.partitionCount(name, withinMs: 30_000) == nil {
        Console.say("the topic \"\(name)\" does not exist: check --input, --output and --group, or run the service first")
        return 1
      }
      let reading = try KafkaReading(properties, control: control, names: names)
      return try compare(
        reading, topics: TopicIdentity(group: options.group, input: options.input, output: options.output),
        options: Verifier.Options(
          from: options.from ?? .min, fromCheckpoint: options.fromCheckpoint, lettersAreOwn: options.deadLetter == nil,
          notice: { Console.say($0) }), log: log)
    } catch let error as EdgeError {
      Console.say(error.message)
      return error.code == .badProperty ? 2 : 1
    } catch {
      Console.say("\(error)")
      return 1
    }
  }

  /// The same for a log in a file, also while `live` writes it.
  private static func run(_ options: VerifyOptions, on data: String, _ log: ServiceLog) -> Int32 {
    do {
      let file = try LogFile(.file(data), use: .look)
      return try compare(
        try LogReading(file, names: LogStage.names),
        topics: TopicIdentity(group: options.group, input: options.input, output: options.output),
        options: Verifier.Options(
          from: options.from ?? .min, fromCheckpoint: options.fromCheckpoint, notice: { Console.say($0) }), log: log)
    } catch {
      Console.say("\(error)")
      return 1
    }
  }

  private static func compare(
    _ reading: any ReadEdge, topics: TopicIdentity, options: Verifier.Options, log: ServiceLog
  ) throws -> Int32 {
    var verifier = Verifier(reading, topics: topics, options: options, log: log)
    let meter = Mutex((meter: ProgressMeter(of: nil, unit: "records", isAlone: true), count: 0))
    verifier.progress = { count, total in
      meter.withLock {
        if let total { $0.meter = ProgressMeter(of: total, unit: "records", isAlone: true) }
        $0.count += count
        $0.meter.tell($0.count)
      }
    }
    let report = try verifier.run()
    meter.withLock { $0.meter.end($0.count) }
    if report.isEmpty {
      Console.say(
        "there is nothing to verify: journal and output are empty, so the group \(topics.group) has read no records of"
          + " \(topics.input) yet. Check --group")
      return 1
    }
    _ = Console.tell(report.summary)
    return report.isProven ? 0 : 1
  }
}
