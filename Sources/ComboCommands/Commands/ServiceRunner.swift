internal import ComboEdge
internal import ComboHTTP
internal import ComboKafka
internal import ComboRooms
internal import ComboService
internal import ComboSystem

extension ServiceOptions {
  /// The identity of the service in metrics and pages.
  var identity: ServiceIdentity {
    ServiceIdentity(
      group: group, input: input, instance: instance ?? Console.hostName, librdkafka: LibrdkafkaProperties.versionText)
  }
}

/// The observers of the services of this process: HTTP clients and the supervisor.
final class ServiceHost {
  /// The observatory that they query, or nil if nobody observes.
  let observatory: Observatory?
  private(set) var server: HTTPServer?
  private let options: ServiceOptions
  private let log: ServiceLog
  private let manager: ServiceManager?

  init(_ options: ServiceOptions, stop: StopFlag, log: ServiceLog) {
    self.options = options
    self.log = log
    let isWatched = options.http != nil || ServiceManager.isWanted(Console.variable)
    observatory = isWatched ? Observatory(stop: stop) : nil
    manager = observatory.flatMap { ServiceManager(environment: Console.variable, observatory: $0, log: log) }
  }

  /// Starts the HTTP server, if there is to be one.
  /// - Parameter services: Returns the services of this process.
  /// - Returns: Whether it could be started.
  func serve(_ services: @escaping @Sendable () -> [ServedService]) -> Bool {
    guard let address = options.http, let observatory else { return true }
    do throws(HTTPFault) {
      server = try HTTPServer(
        address, token: options.httpToken, observatory: observatory, identity: options.identity, services: services,
        origins: options.httpOrigins, log: log)
      return true
    } catch {
      log.error("http: \(.reason, error)")
      return false
    }
  }

  func finish() {
    server?.stop()
    manager?.finish()
  }
}

/// Runs services for one input, one after the other, until the process stops or only its supervisor can help. One thread.
struct ServiceRunner {
  struct End: Sendable {
    /// The exit code.
    let code: Int32
    /// The reason if the code is not 0, unless the log's last line has it.
    var reason: String?
    /// Whether another instance has replaced it twice in a short time, so that another fresh start would not help.
    var isDisplaced = false
  }

  var options: ServiceOptions
  var properties: KafkaProperties
  let reload: Reload?
  let log: ServiceLog
  let stop: StopFlag
  var observatory: Observatory?
  /// Whether the process continues when this runner ends, so that the clients of its last service must be closed.
  var leavesNothing = false
  /// Whether an earlier runner of this input has ended. Then the first service examines the group before it joins, as a member
  /// that joins and leaves makes all members of the group pause. It does not repeat notes about topics.
  var isRetry = false
  /// The memory of the cluster, if several services of this process share it.
  var clusterMemory: GroupMemory?

  mutating func run() throws(EdgeError) -> End {
    var freshStarts = FreshStarts()
    var before = ServiceTotals()
    let memory = GroupMemory()
    while true {
      let cluster = ClusterCheck(properties, options.brokers, clusterMemory ?? memory)
      var service = try ServiceBuilder.build(
        options, properties, log: log, stop: stop, observatory: observatory, memory: memory, cluster: cluster,
        isRetry: isRetry)
      isRetry = false
      if options.progress { service?.progress = Progress(before: before) { LineWriter.standardOutput.write($0) } }
      let code = service?.run()
      let isWanted = stop.takeFreshStart()
      var pauseMs: Int64 = 0
      if isWanted, let reload {
        options.adopt(reload.next)
        let statistics = properties.statistics
        properties = try options.kafkaProperties(log: log)
        properties.statistics = statistics
      } else {
        guard let service, let code else { return End(code: stop.isSet ? 0 : 1) }
        guard let loss = service.loss, !stop.isSet else {
          // The service has left the group, and its clients end with the process: closing them first would wait for brokers that
          // hang.
          if !leavesNothing { _ = Unmanaged.passRetained(service) }
          return End(code: code, reason: service.fatal)
        }
        guard let delayMs = freshStarts.delayMs(at: MonotonicClock.nowMs, wasFenced: loss == .fenced) else {
          log.error(
            loss == .fenced
              ? "the service gives up: another instance has taken its place again within \(.seconds, FreshStarts.fencedWithinMs / 1000) s"
              : "the service gives up: \(.count, FreshStarts.max) fresh starts within \(.seconds, FreshStarts.withinMs / 1000) s did not help"
          )
          return End(code: code, reason: service.fatal, isDisplaced: loss == .fenced)
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
      stop.pause(ms: pauseMs, observatory)
    }
  }
}

extension StopFlag {
  /// Waits, at most until the service must end, and shows meanwhile that its thread is alive.
  func pause(ms: Int64, _ observatory: Observatory?) {
    let deadline = Deadline(afterMs: ms)
    while !deadline.isOver, !endsService {
      observatory?.beat()
      MonotonicClock.sleep(ms: 20)
    }
  }
}
