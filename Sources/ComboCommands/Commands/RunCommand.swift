internal import ComboEdge
internal import ComboHTTP
internal import ComboKafka
internal import ComboService
internal import ComboSystem
internal import Glibc

/// `run`: the service.
enum RunCommand {
  /// Reads the configuration for one of several inputs, or for all if `input` is nil.
  typealias Read = @Sendable (_ input: String?) -> Configuration.Outcome

  static func run(_ options: ServiceOptions, read: @escaping Read) -> Int32 {
    if options.isShadow { return ShadowRun(options).run() }
    // SIGHUP makes the service read its configuration again.
    let session = CommandSession(options.logLevel, options.logFormat, hiding: options.kafka, hangUpStops: false)
    let (log, stop) = (session.log, session.stop)
    defer { log.flush() }
    StopWatchdog.start(stop, log: log)
    var reload: Reload?
    if case .read(_, let table, _) = read(nil) {
      RunNotes(options: options, log: log).log(table)
      if options.inputs.isSingle { reload = Reload(options, table, log: log, stop: stop) { read(nil) } }
    }
    do throws(EdgeError) {
      if !options.inputs.isSingle { return try InputFleet(options, log: log, stop: stop, read: read).run() }
      if let reload { Signals.each([SIGHUP]) { _ in reload.run() } }
      let end = try serve(options, reload, log, stop)
      if let reason = end.reason { log.error(last: "the service ends with exit code 1: \(.reason, reason)") }
      return end.code
    } catch {
      log.error(last: "the service cannot continue: \(.reason, error)")
      return error.exitCode
    }
  }

  /// - Returns: The exit code, and the reason if it is not 0, unless the log's last line has it.
  private static func serve(
    _ options: ServiceOptions, _ reload: Reload?, _ log: ServiceLog, _ stop: StopFlag
  ) throws(EdgeError) -> ServiceRunner.End {
    var runner = ServiceRunner(
      options: options, properties: try options.kafkaProperties(log: log), reload: reload, log: log, stop: stop)
    try options.tryProducer(runner.properties)
    let host = ServiceHost(options, stop: stop, log: log)
    defer { host.finish() }
    if let observatory = host.observatory {
      let statistics = options.http == nil ? nil : ClientStatistics()
      runner.properties.statistics = statistics
      runner.observatory = observatory
      let service = ServedService(observatory, options.identity) { statistics?.figures() ?? [] }
      if !host.serve({ [service] }) { return .init(code: 1) }
    }
    reload?.setServer(host.server)
    defer { reload?.setServer(nil) }
    return try runner.run()
  }
}

/// Counts the fresh starts of one input's service, and spreads them over more than a minute. They may fix the fault. If they do
/// not, the service gives up.
///
/// A fenced static member may have been replaced by another instance with its name, or the coordinator may only have moved or
/// been unavailable while it joined. A fresh start shows which, because it fences the other instance. If there is one, it fences
/// this one in turn, and an instance that is fenced twice in a short time gives up.
struct FreshStarts {
  static let max = 20
  static let withinMs: Int64 = 600_000
  static let fencedWithinMs: Int64 = 60_000
  private var at: [Int64] = []
  private var fencedAt: Int64?
  private var backOff = BackOff()

  /// - Returns: The delay before the next fresh start, which is then counted, or nil if there must not be another one.
  mutating func delayMs(at now: Int64, wasFenced: Bool) -> Int64? {
    if wasFenced, let fencedAt, now - fencedAt <= Self.fencedWithinMs { return nil }
    at.removeAll { now - $0 > Self.withinMs }
    if at.count >= Self.max { return nil }
    if at.isEmpty { backOff = BackOff() }
    at.append(now)
    if wasFenced { fencedAt = now }
    return backOff.failed(at: now)
  }
}
