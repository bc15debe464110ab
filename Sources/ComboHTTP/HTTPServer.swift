internal import CMicroHTTPD
package import ComboEdge
package import ComboService
package import ComboSystem
internal import Glibc
internal import Synchronization

/// The HTTP server: one thread, on which libmicrohttpd runs too, and which the pipeline never waits for. What needs the loop is asked
/// by way of the ``Observatory``; the connection is suspended until the answer comes, or its time is over.
///
/// The thread is nicer than all others of the process, unless it serves viewers and nothing else: while there is more work than
/// processors, gifts go first.
package final class HTTPServer: @unchecked Sendable {
  // The proof: after `start`, all but `stopping`, `wakePipe` and `address` belongs to the server's thread.

  /// What one program takes upon itself at most.
  package enum Limits {
    /// Event streams at a time, by default.
    package static let readers = 1600
    /// Connections for other requests.
    static let others = 448
    /// While there are more connections, an answer is the last on its connection: what is kept for later gives way.
    package static let keptOpen = 1024
    /// Bytes of a request's first line and headers, with what the answer's headers need.
    static let headerBytes = 16 << 10
    /// An idle connection is closed after this time.
    static let idleS = 15
    /// A request's headers must be complete after this time.
    static let requestMs: Int64 = 10_000
    /// The loop must answer within this time.
    package static let answerMs: Int64 = 5_000
    /// A stream of events shows at least so often that it is there.
    static let aliveMs: Int64 = 5_000
    /// Bytes of events that wait for slow readers, of all rooms.
    static let feedBytes = 64 << 20
    /// The minimum interval of a room's rounds, per reader, so that sending takes a small part of one processor.
    static let roundMicrosecondsPerReader: Int64 = 200
    /// The same per reader of all rooms, up to a quarter of a second.
    static let roundMicrosecondsPerReaderOfAll: Int64 = 25
    static let roundMicrosecondsMax: Int64 = 250_000
    /// The list of rooms is made again after this time.
    static let surveyMs: Int64 = 500
    static let surveys = 16
  }

  /// libmicrohttpd's, of the one that was loaded: `0.9.75`.
  package static var libraryVersion: String { String(cString: MHD_get_version()) }

  package let address: HTTPAddress
  package let observatory: Observatory
  package let identity: ServiceIdentity
  package let statistics: (@Sendable () -> [ClientFigures])?
  private let guarded: Mutex<HTTPGuard>
  /// The access rules.
  var guardian: HTTPGuard { guarded.withLock { $0 } }
  package let log: ServiceLog
  /// Streams of events at a time.
  let readersMax: Int
  /// Connections at a time, from everybody together.
  var connectionsMax: Int { readersMax + Limits.others }
  /// Whose pages may read what is served here.
  let origins: HTTPOrigins
  let keptOpen: Int
  /// ``EventFeed/resumeMs``
  let resumeMs: Int64
  let answerMs: Int64
  let surveyMs: Int64
  private let isNice: Bool
  private let daemon: OpaquePointer
  private let wakePipe: WakePipe
  private let stopping = Atomic<Bool>(false)
  private var thread: WorkThread?
  /// Takes events in, and knows what all rooms say; nil: neither is offered.
  let gate: (any EventGate)?
  /// Its answers that were not taken yet.
  let answers = Mutex<[(id: UInt64, response: HTTPResponse)]>([])

  // What belongs to the thread.
  let gzip = GzipPieces()
  /// Pages that were asked for, by name.
  var compressedPages: [String: [UInt8]] = [:]
  private(set) var connections: [OpaquePointer: HTTPConnection] = [:]
  package var waiting: [UInt64: HTTPExchange] = [:]
  var feeds: [[UInt8]: EventFeed] = [:]
  package var readers: [ObjectIdentifier: (reader: EventReader, connection: OpaquePointer)] = [:]
  var surveys: [SurveyKey: Survey] = [:]
  var surveyKeys: [UInt64: SurveyKey] = [:]
  var nextQuery: UInt64 = 1
  /// Of bodies that are coming in.
  var bodyBytes = 0
  /// The position of the readers of all rooms.
  var allNext: Int64 = 0
  package var counts = HTTPCounts()
  private var tickedAt: Int64 = 0
  private(set) var isClosing = false

  /// Begins to listen.
  /// - Parameters:
  ///   - readersMax: ``Limits/readers``.
  ///   - isFlexible: takes a free port if the address' own is taken.
  ///   - keptOpen: ``Limits/keptOpen``.
  ///   - idleS: ``Limits/idleS``.
  ///   - answerMs: ``Limits/answerMs``.
  ///   - surveyMs: ``Limits/surveyMs``.
  ///   - isNice: whether other threads go first.
  package static func start(
    _ address: HTTPAddress, token: HTTPToken?, observatory: Observatory, identity: ServiceIdentity,
    statistics: (@Sendable () -> [ClientFigures])? = nil,
    gate: (any EventGate)? = nil,
    readersMax: Int = Limits.readers, origins: HTTPOrigins = .none, isPublic: Bool = false,
    resumeMs: Int64 = EventFeed.resumeMs, isFlexible: Bool = false, keptOpen: Int = Limits.keptOpen, idleS: Int = Limits.idleS,
    answerMs: Int64 = Limits.answerMs,
    surveyMs: Int64 = Limits.surveyMs, isNice: Bool = true, log: ServiceLog
  ) throws(HTTPFault) -> HTTPServer {
    if !address.isLoopback, token == nil, !isPublic {
      throw HTTPFault(description: "HTTP on \(address.text) can be reached by other machines, so --http-token-file is required")
    }
    allowDescriptors(readersMax + Limits.others)
    var (listening, bound): (Int32, HTTPAddress)
    do throws(HTTPFault) {
      (listening, bound) = try address.listen()
    } catch {
      guard isFlexible, error.isPortTaken else { throw error }
      (listening, bound) = try address.with(port: 0).listen()
    }
    let server = try HTTPServer(
      listening, bound, token: token, observatory: observatory, identity: identity, statistics: statistics, gate: gate,
      readersMax: readersMax, origins: origins, isPublic: isPublic, resumeMs: resumeMs, keptOpen: keptOpen,
      idleS: idleS, answerMs: answerMs, surveyMs: surveyMs, isNice: isNice, log: log)
    server.begin()
    return server
  }

  private init(
    _ listening: Int32, _ address: HTTPAddress, token: HTTPToken?, observatory: Observatory, identity: ServiceIdentity,
    statistics: (@Sendable () -> [ClientFigures])?, gate: (any EventGate)?, readersMax: Int, origins: HTTPOrigins, isPublic: Bool,
    resumeMs: Int64,
    keptOpen: Int, idleS: Int, answerMs: Int64, surveyMs: Int64, isNice: Bool, log: ServiceLog
  ) throws(HTTPFault) {
    guard let wakePipe = WakePipe() else {
      let error = errno
      close(listening)
      throw HTTPFault(description: "cannot make a pipe: \(String(cString: strerror(error)))")
    }
    // The callbacks' context is this object, which is not made yet.
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
      throw HTTPFault(description: "cannot start the HTTP server (libmicrohttpd gives no reason; is it built with epoll?)")
    }
    self.address = address
    self.observatory = observatory
    self.identity = identity
    self.statistics = statistics
    self.gate = gate
    self.log = log
    self.readersMax = readersMax
    self.origins = origins
    counts.readersMax = readersMax
    counts.connectionsMax = readersMax + Limits.others
    self.keptOpen = keptOpen
    self.resumeMs = resumeMs
    self.answerMs = answerMs
    self.surveyMs = surveyMs
    self.isNice = isNice
    guarded = Mutex(HTTPGuard(isLoopback: address.isLoopback, token: token, isPublic: isPublic))
    self.daemon = daemon
    self.context = context
    self.wakePipe = wakePipe
    context.pointee = Unmanaged.passUnretained(self)
  }

  private let context: UnsafeMutablePointer<Unmanaged<HTTPServer>?>

  deinit { context.deallocate() }

  private func begin() {
    observatory.onNews { [wakePipe] in wakePipe.wake() }
    thread = WorkThread { [self] in run() }
    log.info("http: listening on \(.url, address.url)")
  }

  /// From now on requests must have this token. Answers in progress are not affected.
  /// - Parameter token: nil: none need be shown; but beyond loopback the one that there is stays.
  package func demand(_ token: HTTPToken?) {
    let isTaken = guarded.withLock { guarded in
      // The address may be another one by now in the configuration, but the socket is still the same.
      if token == nil, !guarded.isLoopback { return false }
      guarded = HTTPGuard(isLoopback: guarded.isLoopback, token: token, isPublic: guarded.isPublic)
      return true
    }
    if isTaken { return }
    log.warning("http: other machines can still reach \(.url, address.url), so the old token remains in use until a restart")
  }

  /// Informs readers of events, gives answers in progress a moment, and ends. Once.
  package func stop() {
    stopping.store(true, ordering: .releasing)
    wakePipe.wake()
    thread?.join()
    observatory.onNews(nil)
    gate?.onNews(nil)
  }

  /// Each connection takes a descriptor, and many systems allow 1,024 of them by default.
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
    // Of this thread alone, on Linux.
    if isNice { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
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
    for news in observatory.takeNews() { hear(news, at: now) }
    takeAnswers()
    readAll()
    if observatory.stop.isSet, !isClosing { sayClosing() }
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

  /// What is due once a second.
  private func tick(_ now: Int64) {
    for (connection, state) in connections {
      guard let since = state.owesSince, now - since > Limits.requestMs else { continue }
      // However slowly it comes, byte by byte: libmicrohttpd notices that it is closed.
      counts.slowRequests += 1
      state.owesSince = nil
      shutdown(cmhd_socket(connection), Int32(SHUT_RDWR))
    }
    for exchange in waiting.values {
      if case .waiting(let until) = exchange.stage, now >= until {
        leave(exchange)
        finish(exchange, .error(503, "the service is busy or waiting for its brokers: try again", [("Retry-After", "2")]))
      }
    }
    tickReaders(now)
    // One that was asked of a service that is no more never comes.
    for (key, survey) in surveys where survey.exchanges.isEmpty {
      if now - survey.at > (survey.lines == nil ? answerMs : surveyMs) { surveys[key] = nil }
    }
    surveyKeys = surveyKeys.filter { surveys[$0.value] != nil }
  }

  // MARK: - Answers

  /// A suspended exchange gets its answer.
  package func finish(_ exchange: HTTPExchange, _ response: HTTPResponse) {
    exchange.stage = .answered(response)
    MHD_resume_connection(exchange.connection)
  }

  /// Lets an exchange wait for the loop.
  /// - Parameter query: of the query's number, and of when nobody will wait for its answer any more.
  /// - Returns: false if it cannot be asked.
  package func wait(_ exchange: HTTPExchange, for query: (UInt64, Int64) -> Query) -> Bool {
    let id = nextQuery
    guard observatory.ask(query(id, MonotonicClock.nowMs + answerMs)) else { return false }
    nextQuery += 1
    suspend(exchange, query: id)
    waiting[id] = exchange
    return true
  }

  /// Lets the server's thread look for what is new. Any thread.
  func wake() { wakePipe.wake() }

  func suspend(_ exchange: HTTPExchange, query: UInt64) {
    exchange.query = query
    exchange.stage = .waiting(until: MonotonicClock.nowMs + answerMs)
    MHD_suspend_connection(exchange.connection)
  }

  // MARK: - Connections

  func opened(_ connection: OpaquePointer) {
    connections[connection] = HTTPConnection(at: MonotonicClock.nowMs)
    counts.connections += 1
  }

  func closed(_ connection: OpaquePointer) { connections[connection] = nil }

  /// A request is over, however it ended.
  package func ended(_ exchange: HTTPExchange) {
    connections[exchange.connection]?.owesSince = MonotonicClock.nowMs
    leave(exchange)
    drop(exchange)
    if let reader = exchange.reader { forget(reader) }
  }

  /// An exchange waits no more.
  private func leave(_ exchange: HTTPExchange) {
    guard waiting.removeValue(forKey: exchange.query) != nil else { return }
    for key in surveys.keys { surveys[key]?.exchanges.removeAll { $0 === exchange } }
  }

  // MARK: - The end

  /// All readers of events are informed; no new one begins.
  private func sayClosing() {
    isClosing = true
    for (reader, _) in readers.values { reader.end(with: StreamText.stopping) }
    for (reader, connection) in readers.values { wake(reader, connection) }
  }

  private func closeDown() {
    if !isClosing { sayClosing() }
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
    // No connection may be suspended when it stops.
    for (reader, connection) in readers.values {
      reader.isGone = true
      wake(reader, connection)
    }
    MHD_run(daemon)
    MHD_stop_daemon(daemon)
  }

  var connectionCount: Int { connections.count }
}
