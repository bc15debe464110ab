internal import ComboWire
internal import Synchronization

/// `verify`: derives the output again and compares.
enum VerifyCommand {
  static func run(_ options: VerifyOptions) -> Int32 {
    let log = ServiceLog(options.logLevel)
    let names = TopicNames(
      input: options.input, output: options.output, journal: "\(options.input).\(options.group).combo-journal",
      state: "\(options.input).\(options.group).combo-state", deadLetter: options.deadLetter)
    do {
      let properties = try KafkaProperties(
        brokers: options.brokers, overrides: options.kafka.map { .init(key: $0.key, value: $0.value) }, log: log.ofKafka)
      let control = try ControlClient(properties)
      for name in [names.input, names.output, names.journal] where try control.partitionCount(name, withinMs: 30_000) == nil {
        Console.say("the topic \(name) does not exist: check --input, --output and --group, or run the service first")
        return 1
      }
      let reading = try KafkaReading(properties, control: control, names: names)
      var verifier = Verifier(
        reading, topics: TopicIdentity(group: options.group, input: options.input, output: options.output))
      let meter = Mutex((meter: ProgressMeter(of: nil, unit: "records"), count: 0))
      verifier.progress = { count in
        meter.withLock {
          $0.count += count
          $0.meter.tell($0.count)
        }
      }
      let report = try verifier.run()
      meter.withLock { $0.meter.end($0.count) }
      _ = Console.tell(summary(report))
      return report.isProven ? 0 : 1
    } catch let error as KafkaError {
      Console.say(error.message)
      return error.code == .badProperty ? 2 : 1
    } catch {
      Console.say("\(error)")
      return 1
    }
  }

  private static func summary(_ report: Verifier.Report) -> String {
    var lines = [
      "partitions \(report.partitions), records taken in \(report.records), entries \(report.entries), takeovers \(report.takeovers)"
        + ", resets \(report.resets), dead letters \(report.deadLetters)",
      "rooms \(report.rooms), instructions \(report.instructions)",
    ]
    for fault in report.faults { lines.append("DIFFERS: \(fault)") }
    lines.append(
      report.isProven
        ? "proven: the output is what input and journal give, byte for byte, each instruction once"
        : "NOT proven: \(report.faults.count) differences, the first of each kind above")
    return lines.joined(separator: "\n") + "\n"
  }
}
