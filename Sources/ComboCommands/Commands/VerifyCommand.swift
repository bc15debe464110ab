internal import ComboEdge
internal import ComboLog
internal import ComboSystem
internal import ComboVerify
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
      var choice = Verifier.Options(
        from: options.from ?? .min, fromCheckpoint: options.fromCheckpoint, lettersAreOwn: options.deadLetter == nil,
        brokers: source.data == nil ? source.brokers : nil, notice: { Console.report($0) })
      // In a topic, offsets also count the marks of transactions.
      choice.offsetsCountRecords = source.data != nil
      var verifier = Verifier(reading, topics: source.topics, options: choice, log: log)
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
          Console.report("there is nothing to verify: \(source.input) has had no records yet")
          return 0
        }
        return Console.fail(
          "there is nothing to verify: "
            + (source.data.map { "\($0) holds no records" }
              ?? "the group \(source.group) has read no records of \(source.input) yet. Check --group"))
      }
      _ = Console.print(report.summary)
      return report.isProven ? 0 : 1
    }
  }
}
