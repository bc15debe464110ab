internal import ComboEdge
internal import ComboKafka
internal import ComboRooms
internal import ComboSystem
internal import ComboVerify
internal import Glibc

/// `run --shadow`: compares the service's own instructions with the group's. It writes nothing, and does not join the group.
struct ShadowRun {
  private static let roundMs: Int64 = 500
  private static let noteMs: Int64 = 60_000
  /// The interval of the checks for cancellation.
  private static let checkMs: Int64 = 50

  private let options: ServiceOptions
  private let log: ServiceLog

  init(_ options: ServiceOptions) {
    self.options = options
    log = ServiceLog(options.logLevel, format: options.logFormat, hiding: options.kafka)
  }

  /// Follows the group until a signal ends it. Returns the exit code: 0 if something was compared and all that must be equal is
  /// equal.
  func run() -> Int32 {
    defer { log.flush() }
    let cancellation = Cancellation()
    let signals = StopSignal()
    signals.onSet { cancellation.cancel() }
    signals.watchSignals()
    signal(SIGPIPE, SIG_IGN)
    do {
      return try follow(cancellation)
    } catch let error as EdgeError {
      log.error("the shadow cannot continue: \(.reason, error.message)")
      return error.exitCode
    } catch {
      log.error("the shadow cannot continue: \(.reason, "\(error)")")
      return 1
    }
  }

  private func follow(_ cancellation: Cancellation) throws -> Int32 {
    let properties = try options.kafkaProperties(log: log)
    let control = try ControlClient(properties)
    let names = options.topicNames
    log.info(
      "combo-consumer \(.version, Version.number) as a shadow of group \(.group, options.group), input \(.topic, options.input): nothing is written"
    )
    for name in [names.input, names.output, names.journal, names.state]
    where try control.partitionCount(name, withinMs: 30_000) == nil {
      throw EdgeError(
        .unknownTopic, "the topic \"\(name)\" does not exist: check --input, --output and --group, or run the service first")
    }
    let shadow = Shadow(
      try KafkaReading(properties, control: control, names: names), options.configuration, log: log, cancellation: cancellation)
    var noted = MonotonicClock.nowMs
    var waitsFor = ""
    while !cancellation.isCancelled {
      do {
        try shadow.round()
        waitsFor = ""
      } catch let error as EdgeError where error.isRetriable {
        if waitsFor != error.message { log.warning("waiting, and trying again: \(.reason, error.message)") }
        waitsFor = error.message
      }
      if MonotonicClock.nowMs - noted >= Self.noteMs {
        noted = MonotonicClock.nowMs
        note(shadow.report)
      } else if shadow.report.isCompared {
        noteRound(shadow.report)
      }
      let next = MonotonicClock.nowMs + Self.roundMs
      while !cancellation.isCancelled, MonotonicClock.nowMs < next { MonotonicClock.sleep(ms: Self.checkMs) }
    }
    _ = Console.print(shadow.report.summary)
    return shadow.report.isGood ? 0 : 1
  }

  private func note(_ report: ShadowReport) {
    log.info(
      """
      the shadow has compared: \(.equal, report.equal) instructions are the same, \(.differing, report.differing) are not, \
      in \(.count, report.partitions) partitions
      """)
  }

  private func noteRound(_ report: ShadowReport) {
    log.debug("compared so far: \(.equal, report.equal) instructions are the same, \(.differing, report.differing) are not")
  }
}
