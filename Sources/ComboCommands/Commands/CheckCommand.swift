internal import ComboEdge
internal import ComboKafka
internal import ComboSystem

/// `check`: checks whether the service can work.
enum CheckCommand {
  static func run(_ options: ServiceOptions) -> Int32 {
    let log = ServiceLog(options.logLevel == .debug ? .debug : .error, format: options.logFormat, hiding: options.kafka)
    defer { log.flush() }
    if let format = options.topicFormat { return printTopics(options, as: format, log) }
    // Short secrets are not masked, as in the log: they are parts of ordinary words.
    let secrets = options.kafka.secrets.filter { $0.utf8.count >= 6 }
    var report = CheckReport { Console.write("\($0.masking(secrets))\n", to: 1) }
    do throws(EdgeError) {
      // The findings include librdkafka's messages about its connections.
      let properties = try options.kafkaProperties(log: options.logLevel == .debug ? log : .silent)
      var check = Check(options, properties, report)
      check.run()
      report = check.report
    } catch {
      report.fault(error.message, fix: Check.remedy(error))
    }
    let notes = report.findings.count { $0.verdict == .note }
    let rest = notes == 0 ? "" : " \(Counted.text(notes, "notes"))."
    let verdict = report.faults == 0 ? "can work" : "cannot work: \(Counted.text(report.faults, "faults"))"
    Console.write("The service \(verdict).\(rest)\n", to: 1)
    return report.faults == 0 ? 0 : 1
  }

  /// Reports the faults in an input's own options, because of which it is not read.
  static func refuse(_ faults: [String], _ folder: String?) -> Int32 {
    var report = CheckReport { Console.write("\($0)\n", to: 1) }
    for sentence in faults { report.fault(sentence, fix: "correct the file of this input in \(folder ?? "--input-settings")") }
    Console.write("The input cannot be read: \(Counted.text(report.faults, "faults")) in its options.\n", to: 1)
    return 2
  }

  private static let withinMs: Int64 = 10_000

  /// Returns the inputs to check: those that are named, and the topics that match --input-pattern. Reports the reason if there is
  /// none.
  static func inputs(_ options: ServiceOptions) -> [String]? {
    guard let pattern = options.inputs.pattern else { return options.inputs.names }
    let log = ServiceLog(options.logLevel == .debug ? .debug : .error, format: options.logFormat, hiding: options.kafka)
    defer { log.flush() }
    do throws(EdgeError) {
      // The error includes librdkafka's messages about its connections.
      let properties = try options.kafkaProperties(log: options.logLevel == .debug ? log : .silent)
      let topics = try ControlClient(properties).topics(withinMs: withinMs)
      let own = options.ownTopics(options.inputSettings)
      let found = options.inputs.all(among: topics, but: own)
      for topic in topics.filter(own.contains).filter(pattern.matches).sorted() {
        Console.report(
          "\(Sentence.quoted(topic)) matches --input-pattern, but is not read: it is the output, or one of screens or dead letters"
        )
      }
      for file in options.inputSettings?.files(unless: found.contains) ?? [] {
        Console.report("--input-settings has \(Sentence.quoted(file)), but there is no input of that name")
      }
      if found.isEmpty {
        Console.report(
          "no topic has a name that matches --input-pattern \(Sentence.quoted(pattern.text)): `run` would wait for one")
        return nil
      }
      return found
    } catch {
      Console.report(error.message)
      return nil
    }
  }

  /// Prints the topics as `run` would create them: with the partitions, replicas and retention of the input.
  private static func printTopics(_ options: ServiceOptions, as format: TopicText.Format, _ log: ServiceLog) -> Int32 {
    log.exitCode { () throws(EdgeError) in
      let control = try ControlClient(options.kafkaProperties(log: log))
      let input = options.input
      guard let partitions = try control.partitionCount(input, withinMs: withinMs) else {
        throw EdgeError(
          .unknownTopic,
          "the input topic \"\(input)\" does not exist, and the other topics get its number of partitions: create it, or check --input"
        )
      }
      let settings = try control.settings(of: input, withinMs: withinMs)
      var text = TopicText(
        topics: TopicPlan(options.topicNames, settings).topics, partitions: partitions,
        replicas: try control.replicas(of: input, withinMs: withinMs))
      text.hasTimeBounds = settings["message.timestamp.after.max.ms"] != nil
      return Console.print(text.text(format))
    }
  }
}
