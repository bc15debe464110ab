internal import ComboCore
internal import ComboEdge
internal import ComboHTTP
internal import ComboKafka
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import Glibc

/// `run`: the service.
enum RunCommand {
  /// - Parameter read: Reads the configuration again, on SIGHUP.
  static func run(_ options: ServiceOptions, read: @escaping @Sendable () -> Configuration.Outcome) -> Int32 {
    if options.isShadow { return ShadowRun(options).run() }
    // SIGHUP makes the service read its configuration again.
    let session = CommandSession(options.logLevel, options.logFormat, hiding: options.kafka.secrets, hangUpStops: false)
    let (log, stop) = (session.log, session.stop)
    defer { log.flush() }
    var reload: Reload?
    if case .read(_, let table, _) = read() {
      RunNotes(options, log: log).say(table)
      let new = Reload(options, table, log: log, stop: stop, read: read)
      Signals.each([SIGHUP]) { _ in new.run() }
      reload = new
    }
    let watchdog = StopWatchdog(stop, log: log)
    defer { withExtendedLifetime(watchdog) {} }
    do throws(EdgeError) {
      let end = try serve(options, reload, log, stop)
      if let reason = end.reason { log.error(last: "the service ends with exit code 1: \(.reason, reason)") }
      return end.code
    } catch {
      log.error(last: "the service cannot continue: \(.reason, error)")
      return error.code == .badProperty ? 2 : 1
    }
  }

  /// - Returns: The exit code, and the reason if it is not 0, unless the log's last line has it.
  private static func serve(
    _ options: ServiceOptions, _ reload: Reload?, _ log: ServiceLog, _ stop: StopFlag
  ) throws(EdgeError) -> (code: Int32, reason: String?) {
    var properties = try options.kafkaProperties(log: log)
    try options.tryProducer(properties)
    // Observers: HTTP clients and the supervisor.
    let isWatched = options.http != nil || ServiceManager.isWanted(Console.variable)
    let observatory = isWatched ? Observatory(stop: stop) : nil
    let manager = observatory.flatMap { ServiceManager(environment: Console.variable, observatory: $0, log: log) }
    defer { manager?.finish() }
    var server: HTTPServer?
    if let address = options.http, let observatory {
      let statistics = ClientStatistics()
      properties.statistics = statistics
      let identity = ServiceIdentity(
        group: options.group, input: options.input, instance: options.instance ?? Console.hostName,
        librdkafka: LibrdkafkaProperties.versionText)
      do throws(HTTPFault) {
        server = try HTTPServer.start(
          address, token: options.httpToken, observatory: observatory, identity: identity, statistics: { statistics.figures() },
          origins: options.httpOrigins, log: log)
      } catch {
        log.error("http: \(.reason, error)")
        return (1, nil)
      }
    }
    reload?.serves(server)
    defer {
      reload?.serves(nil)
      server?.stop()
    }
    var options = options
    var freshStarts = FreshStarts()
    var before = Service.Totals()
    let memory = GroupMemory()
    while true {
      var service = try Service.build(options, properties, log: log, stop: stop, observatory: observatory, memory: memory)
      if options.progress { service?.progress = Progress(before: before) { LineWriter.standardOutput.write($0) } }
      let code = service?.run()
      let isWanted = stop.takeFreshStart()
      var pauseMs: Int64 = 0
      if isWanted, let reload {
        reload.next.apply(to: &options)
        let statistics = properties.statistics
        properties = try options.kafkaProperties(log: log)
        properties.statistics = statistics
      } else {
        guard let service, let code else { return (stop.isSet ? 0 : 1, nil) }
        guard let loss = service.loss, !stop.isSet else {
          // The service has left the group, and its clients end with the process: closing them first would wait for brokers that
          // hang.
          _ = Unmanaged.passRetained(service)
          return (code, service.fatal)
        }
        guard let delayMs = freshStarts.delayMs(at: MonotonicClock.nowMs, wasFenced: loss == .fenced) else {
          log.error(
            loss == .fenced
              ? "the service gives up: another instance has taken its place again within \(.seconds, FreshStarts.fencedWithinMs / 1000) s"
              : "the service gives up: \(.count, FreshStarts.max) fresh starts within \(.seconds, FreshStarts.withinMs / 1000) s did not help"
          )
          return (code, service.fatal)
        }
        // After a change of the input, brokers assign the old one's partitions to a member that comes back before the old session
        // has ended.
        pauseMs = loss == .otherTopic ? properties.sessionTimeoutMs + 1000 : delayMs
        log.warning("starting again within the process in \(.ms, pauseMs) ms")
      }
      if let service {
        observatory?.startsAfresh(after: service.totals, isWanted: isWanted)
        before.add(service.totals)
      }
      // This also ends its member: while a static member exists, its session continues.
      service = nil
      let pause = Deadline(afterMs: pauseMs)
      while !pause.isOver, !stop.endsService {
        observatory?.beat()
        MonotonicClock.sleep(ms: 20)
      }
    }
  }
}

/// Counts the fresh starts of a process, and spreads them over more than a minute. Some are worth trying, as they may fix
/// something; if they do not, the supervisor must act.
///
/// A fenced static member may have lost its place to another instance with its name, or the coordinator may only have moved or
/// been unavailable while it joined. A fresh start shows which: it takes the place back. If there is another instance, that one
/// takes it back in turn, and an instance that is fenced twice in a short time gives up.
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
