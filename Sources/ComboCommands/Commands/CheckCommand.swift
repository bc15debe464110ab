internal import ComboCore
internal import ComboEdge
internal import ComboKafka
internal import ComboSystem

/// `check`: tries whether the service can work.
enum CheckCommand {
  static func run(_ options: ServiceOptions) -> Int32 {
    let log = ServiceLog(options.logLevel == .debug ? .debug : .error, format: options.logFormat)
    log.hide(options.kafka.secrets)
    defer { log.flush() }
    var report = CheckReport { Console.write("\($0)\n", to: 1) }
    do throws(EdgeError) {
      // What librdkafka says of its connections is in the findings.
      let properties = try options.kafkaProperties(log: options.logLevel == .debug ? log : ServiceLog(.error) { _ in })
      var check = Check(options, properties, report)
      check.run()
      report = check.report
    } catch {
      report.fault(error.message, fix: "fix the properties given with --kafka, --kafka-file or --config")
    }
    let notes = report.findings.count { $0.verdict == .note }
    let rest = notes == 0 ? "" : ", \(notes) to know of"
    if report.faults == 0 {
      Console.write("The service can work\(rest).\n", to: 1)
      return 0
    }
    Console.write("The service cannot work: \(report.faults) \(report.faults == 1 ? "fault" : "faults")\(rest).\n", to: 1)
    return 1
  }
}
