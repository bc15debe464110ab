internal import CMicroHTTPD
package import ComboEdge
package import ComboService
package import ComboSystem
internal import Glibc
internal import Synchronization

/// The HTTP server. It has one thread, which also runs libmicrohttpd; the pipeline never waits for it. Requests to the loop
/// go through the ``Observatory``; the connection is suspended until the response arrives or times out.
///
/// The thread has a lower priority than all others of the process, unless it only serves viewers. Under load, gifts take
/// precedence.
// Sendable: after `init`, what changes belongs to the server's thread, except what is atomic or behind a mutex.
package final class HTTPServer: @unchecked Sendable {
  /// The limits of one program.
  package enum Limits {
    /// The default maximum of simultaneous event streams.
    package static let readers = 1600
    /// The maximum number of connections for other requests.
    static let others = 448
    /// The number of connections above which each response closes its connection, to make room.
    package static let keptOpen = 1024
    /// The maximum size of a request's first line and headers, and of the response's headers, in bytes.
    static let headerBytes = 16 << 10
    /// The time after which an idle connection is closed.
    static let idleS = 15
    /// The time within which a request's headers must be complete.
    static let requestMs: Int64 = 10_000
    /// The time within which the loop must respond.
    package static let responseMs: Int64 = 5_000
    /// The maximum interval between signs of life of an event stream.
    static let aliveMs: Int64 = 5_000
    /// The maximum size of the events that wait for slow readers, for all rooms, in bytes.
    static let feedBytes = 64 << 20
    /// The minimum interval of a room's rounds, per reader, so that sending takes a small part of one processor.
    static let roundMicrosecondsPerReader: Int64 = 200
    /// The minimum interval per reader of all rooms, up to a quarter of a second in total.
    static let roundMicrosecondsPerReaderOfAll: Int64 = 25
    static let roundMicrosecondsMax: Int64 = 250_000
    /// The time after which the list of rooms is renewed.
    static let surveyMs: Int64 = 500
    static let surveys = 16
  }

  /// The version of the loaded libmicrohttpd: `0.9.75`.
  package static var libraryVersion: String { String(cString: MHD_get_version()) }

  package let address: HTTPAddress
  package let observatory: Observatory
  package let identity: ServiceIdentity
  /// The services of this process.
  let services: @Sendable () -> [ServedService]
  private let guarded: Mutex<HTTPGuard>
  var accessGuard: HTTPGuard { guarded.withLock { $0 } }
  package let log: ServiceLog
  /// The maximum number of simultaneous event streams.
  let readersMax: Int
  /// The origins whose pages may read responses.
  let origins: HTTPOrigins
  let keptOpen: Int
  /// The time for which events are kept: ``EventFeed/resumeMs``.
  let resumeMs: Int64
  let responseMs: Int64
  let surveyMs: Int64
  private let hasLowPriority: Bool
  private let daemon: OpaquePointer
  private let wakePipe: WakePipe
  private let stopping = Atomic<Bool>(false)
  private var thread: WorkThread?
  /// Accepts events and provides all rooms' instructions, or nil if neither is offered.
  let gate: EventGate?
  /// The gate's responses that have not been processed yet.
  let responses = Mutex<[(id: UInt64, response: HTTPResponse)]>([])

  // State of the server's thread.
  let gzip = GzipPieces()
  /// The compressed pages that were requested, by name.
  var compressedPages: [String: [UInt8]] = [:]
  var connections: [OpaquePointer: HTTPConnection] = [:]
  package var waiting: [UInt64: HTTPExchange] = [:]
  var feeds: [[UInt8]: EventFeed] = [:]
  package var readers: [ObjectIdentifier: (reader: EventReader, connection: OpaquePointer)] = [:]
  var surveys: [SurveyKey: Survey] = [:]
  var surveyKeys: [UInt64: SurveyKey] = [:]
  var nextQuery: UInt64 = 1
  /// The size of all bodies in progress, in bytes.
  var bodyBytes = 0
  /// The position of the readers of all rooms.
  var allNext: Int64 = 0
  package var counts = HTTPCounts()
  private var tickedAt: Int64 = 0
  private(set) var isClosing = false

  /// Starts to listen.
  /// - Parameters:
  ///   - observatory: The observatory for queries about rooms.
  ///   - services: Returns the services of this process, or nil if there is only that of `observatory`.
  ///   - readersMax: ``Limits/readers``.
  ///   - isFlexible: Whether to use a free port if that of the address is in use.
  ///   - keptOpen: ``Limits/keptOpen``.
  ///   - idleS: ``Limits/idleS``.
  ///   - responseMs: ``Limits/responseMs``.
  ///   - surveyMs: ``Limits/surveyMs``.
  ///   - hasLowPriority: Whether other threads have priority.
  package init(
    _ address: HTTPAddress, token: HTTPToken?, observatory: Observatory, identity: ServiceIdentity,
    statistics: (@Sendable () -> [ClientFigures])? = nil,
    services: (@Sendable () -> [ServedService])? = nil,
    gate: EventGate? = nil,
    readersMax: Int = Limits.readers, origins: HTTPOrigins = .none, isPublic: Bool = false,
    resumeMs: Int64 = EventFeed.resumeMs, isFlexible: Bool = false, keptOpen: Int = Limits.keptOpen, idleS: Int = Limits.idleS,
    responseMs: Int64 = Limits.responseMs,
    surveyMs: Int64 = Limits.surveyMs, hasLowPriority: Bool = true, log: ServiceLog
  ) throws(HTTPFault) {
    if !address.isLoopback, token == nil, !isPublic {
      throw HTTPFault(description: "HTTP on \(address.text) can be reached by other machines, so --http-token-file is required")
    }
    Self.allowDescriptors(readersMax + Limits.others)
    var (listening, bound): (Int32, HTTPAddress)
    do throws(HTTPFault) {
      (listening, bound) = try address.listen()
    } catch {
      guard isFlexible, error.isPortTaken else { throw error }
      (listening, bound) = try address.with(port: 0).listen()
    }
    guard let wakePipe = WakePipe() else {
      let error = errno
      close(listening)
      throw HTTPFault(description: "cannot create a pipe: \(String(cString: strerror(error)))")
    }
    // The callbacks' context refers to this object, which is not complete yet.
    let context = UnsafeMutablePointer<Unmanaged<HTTPServer>?>.allocate(capacity: 1)
    context.initialize(to: nil)
    var options = HTTPCallbacks.options
    options.context = UnsafeMutableRawPointer(context)
    options.listening = listening
    options.connections_max = UInt32(readersMax + Limits.others)
    options.timeout_s = UInt32(idleS)
    options.memory_max = Limits.headerBytes
    guard let daemon = cmhd_start(&options) else {
      close(listening)
      context.deallocate()
      throw HTTPFault(description: "cannot start the HTTP server: libmicrohttpd gives no reason, but it must be built with epoll")
    }
    self.address = bound
    self.observatory = observatory
    self.identity = identity
    self.services = services ?? { [ServedService(observatory, identity, statistics)] }
    self.gate = gate
    self.log = log
    self.readersMax = readersMax
    self.origins = origins
    counts.readersMax = readersMax
    counts.connectionsMax = readersMax + Limits.others
    self.keptOpen = keptOpen
    self.resumeMs = resumeMs
    self.responseMs = responseMs
    self.surveyMs = surveyMs
    self.hasLowPriority = hasLowPriority
    guarded = Mutex(HTTPGuard(isLoopback: bound.isLoopback, token: token, isPublic: isPublic))
    self.daemon = daemon
    self.context = context
    self.wakePipe = wakePipe
    context.pointee = Unmanaged.passUnretained(self)
    observatory.onNews { [wakePipe] in wakePipe.wake() }
    thread = WorkThread { [self] in run() }
    log.info("http: listening on \(.url, bound.url)")
  }

  private let context: UnsafeMutablePointer<Unmanaged<HTTPServer>?>

  deinit { context.deallocate() }

  /// Sets the token that requests need from now on. Responses in progress are not affected.
  /// - Parameter token: The token, or nil for none. Beyond loopback, nil keeps the current token.
  package func setToken(_ token: HTTPToken?) {
    let isSet = guarded.withLock { guarded in
      // The configuration may have another address by now, but the socket is still the same.
      if token == nil, !guarded.isLoopback { return false }
      guarded = HTTPGuard(isLoopback: guarded.isLoopback, token: token, isPublic: guarded.isPublic)
      return true
    }
    if isSet { return }
    log.warning("http: other machines can still reach \(.url, address.url), so the old token remains in use until a restart")
  }

  /// Notifies readers of events, gives responses in progress a moment, and ends. Call it once.
  package func stop() {
    stopping.store(true, ordering: .releasing)
    wakePipe.wake()
    thread?.join()
    observatory.onNews(nil)
    gate?.onNews(nil)
  }

  /// Raises the limit of descriptors: each connection needs one, and many systems allow only 1,024 by default.
  private static func allowDescriptors(_ connections: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let wanted = rlim_t(connections + 4096)
    if limit.rlim_cur >= wanted { return }
    limit.rlim_cur = min(wanted, limit.rlim_max)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  // MARK: - The thread

  private func run() {
    // On Linux, this applies to this thread only.
    if hasLowPriority { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
    let epoll = cmhd_epoll(daemon)
    while !stopping.load(ordering: .acquiring) {
      var descriptors = [
        pollfd(fd: epoll, events: Int16(POLLIN), revents: 0), pollfd(fd: wakePipe.readEnd, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&descriptors, 2, waitMs())
      if descriptors[1].revents != 0 { wakePipe.drain() }
      serve()
    }
    closeDown()
  }

  private func serve() {
    let now = MonotonicClock.nowMs
    for news in observatory.takeNews() { process(news, at: now) }
    sendResponses()
    readAll()
    if observatory.stop.isSet, !isClosing { closeStreams() }
    if now - tickedAt >= 1000 {
      tickedAt = now
      tick(now)
    }
    serveFeeds(now)
    MHD_run(daemon)
  }

  private func waitMs() -> Int32 {
    var wait: UInt64 = 250
    var own: UInt64 = 0
    if MHD_get_timeout(daemon, &own) == .YES { wait = min(wait, own) }
    let now = MonotonicClock.nowMs
    for feed in feeds.values where feed.isDue { wait = min(wait, UInt64(max(0, feed.nextRound - now))) }
    return Int32(wait)
  }

  /// Does the work that is due once per second.
  private func tick(_ now: Int64) {
    for (connection, state) in connections {
      guard let since = state.awaitedSince, now - since > Limits.requestMs else { continue }
      // A request that arrives slowly, byte by byte, is cut off: libmicrohttpd notices that the connection is closed.
      counts.slowRequests += 1
      connections[connection]?.awaitedSince = nil
      shutdown(cmhd_socket(connection), Int32(SHUT_RDWR))
    }
    for exchange in waiting.values {
      if case .waiting(let until) = exchange.stage, now >= until {
        leave(exchange)
        finish(exchange, .error(503, "the service is busy or waiting for its brokers: try again", [("Retry-After", "2")]))
      }
    }
    tickReaders(now)
    // A query to a service that has ended is never answered.
    for (key, survey) in surveys where survey.exchanges.isEmpty {
      if now - survey.at > (survey.lines == nil ? responseMs : surveyMs) { surveys[key] = nil }
    }
    surveyKeys = surveyKeys.filter { surveys[$0.value] != nil }
  }

  // MARK: - Responses

  /// Sends the response of a suspended exchange.
  package func finish(_ exchange: HTTPExchange, _ response: HTTPResponse) {
    exchange.stage = .responded(response)
    MHD_resume_connection(exchange.connection)
  }

  /// Suspends an exchange until the loop responds.
  /// - Parameter query: Creates the query from its number and the time after which nobody waits for the response.
  /// - Returns: false if the query was refused.
  package func wait(_ exchange: HTTPExchange, for query: (UInt64, Int64) -> Query) -> Bool {
    guard observatory.ask(query(nextQuery, MonotonicClock.nowMs + responseMs)) else { return false }
    wait(exchange)
    return true
  }

  /// Suspends an exchange until there is a response to the next query.
  /// - Returns: The number of that query.
  @discardableResult
  func wait(_ exchange: HTTPExchange) -> UInt64 {
    defer { nextQuery += 1 }
    suspend(exchange, query: nextQuery)
    waiting[nextQuery] = exchange
    return nextQuery
  }

  /// Wakes the server's thread to process news. May be called from any thread.
  func wake() { wakePipe.wake() }

  func suspend(_ exchange: HTTPExchange, query: UInt64) {
    exchange.query = query
    exchange.stage = .waiting(until: MonotonicClock.nowMs + responseMs)
    MHD_suspend_connection(exchange.connection)
  }

  // MARK: - Connections

  func opened(_ connection: OpaquePointer) {
    connections[connection] = HTTPConnection(awaitedSince: MonotonicClock.nowMs)
    counts.connections += 1
  }

  func closed(_ connection: OpaquePointer) { connections[connection] = nil }

  /// Cleans up after a request, however it ended.
  package func ended(_ exchange: HTTPExchange) {
    connections[exchange.connection]?.awaitedSince = MonotonicClock.nowMs
    leave(exchange)
    drop(exchange)
    if let reader = exchange.reader { remove(reader) }
  }

  /// Removes an exchange that no longer waits.
  private func leave(_ exchange: HTTPExchange) {
    guard waiting.removeValue(forKey: exchange.query) != nil else { return }
    for key in surveys.keys { surveys[key]?.exchanges.removeAll { $0 === exchange } }
  }

  // MARK: - The end

  /// Notifies all readers of events; new ones are refused.
  private func closeStreams() {
    isClosing = true
    for (reader, _) in readers.values {
      reader.end(with: StreamText.stopping)
      wake(reader)
    }
  }

  private func closeDown() {
    if !isClosing { closeStreams() }
    for exchange in waiting.values { finish(exchange, .error(503, "the service is stopping")) }
    waiting = [:]
    surveys = [:]
    let deadline = Deadline(afterMs: 1000)
    MHD_run(daemon)
    while !readers.isEmpty, !deadline.isOver {
      var descriptor = pollfd(fd: cmhd_epoll(daemon), events: Int16(POLLIN), revents: 0)
      poll(&descriptor, 1, 20)
      MHD_run(daemon)
    }
    // No connection may be suspended when the daemon stops.
    for (reader, _) in readers.values {
      reader.isDisconnected = true
      wake(reader)
    }
    MHD_run(daemon)
    MHD_stop_daemon(daemon)
  }
}
