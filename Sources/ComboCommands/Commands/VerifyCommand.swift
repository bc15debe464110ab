internal import ComboEdge
internal import ComboKafka
internal import ComboLog
internal import ComboSystem
internal import ComboVerify
internal import ComboWire
internal import Synchronization

/// `verify`: derives the output again and compares it.
enum VerifyCommand {
  /// - Parameter isOneOfSeveral: Whether there are several inputs, so that this one may still be empty.
  static func run(_ options: VerifyOptions, isOneOfSeveral: Bool = false) -> Int32 {
    let source = options.source
    return source.read(
      deadLetter: options.deadLetter, checksFile: true, history: options.fromCheckpoint ? .newest : .oldest,
      needed: [.input, .output, .journal],
      options: "--input, --output and --group"
    ) { reading, log in
      try compare(
        reading, topics: source.topics,
        data: source.data,
        options: Verifier.Options(
          from: options.from ?? .min, fromCheckpoint: options.fromCheckpoint, lettersAreOwn: options.deadLetter == nil,
          brokers: source.data == nil ? source.brokers : nil, notice: { Console.report($0) }), log: log,
        isOneOfSeveral: isOneOfSeveral)
    }
  }

  private static func compare(
    _ reading: any ReadEdge, topics: TopicIdentity, data: String?, options: Verifier.Options, log: ServiceLog,
    isOneOfSeveral: Bool
  ) throws -> Int32 {
    var options = options
    // In a topic, offsets also count the marks of transactions.
    options.offsetsCountRecords = data != nil
    var verifier = Verifier(reading, topics: topics, options: options, log: log)
    let meter = Mutex((meter: ProgressMeter(of: nil, unit: "records", isAlone: true), count: 0))
    verifier.progress = { count, total in
      meter.withLock {
        if let total { $0.meter = ProgressMeter(of: total, unit: "records", isAlone: true) }
        $0.count += count
        $0.meter.update($0.count)
      }
    }
    let report = try verifier.run()
    meter.withLock { $0.meter.end($0.count) }
    if report.isEmpty {
      let inputs = try reading.extents(.input, Array(reading.partitions(.input)))
      if isOneOfSeveral, inputs.allSatisfy({ $0.end == 0 }) {
        Console.report("there is nothing to verify: \(topics.input) has had no records yet")
        return 0
      }
      Console.report(
        data.map { "there is nothing to verify: \($0) holds no records" }
          ?? "there is nothing to verify: the group \(topics.group) has read no records of \(topics.input) yet. Check --group")
      return 1
    }
    _ = Console.print(report.summary)
    return report.isProven ? 0 : 1
  }
}
