internal import CWebSocket
internal import ComboLog
package import ComboSystem
internal import Synchronization

/// Receives records from WebSocket servers, such as streamers' tools on this machine. One thread serves all of them.
package final class WebSocketIntake: Sendable {
  /// A server, and the common properties of its records.
  package struct Server: Sendable {
    var url: WebSocketURL
    /// The name for logs.
    var name: String
    var origin: Intake.Origin
    /// The messages sent after each connect.
    var hello: [String]
    /// The password that Streamer.bot requests.
    var password: String?

    package init(_ url: WebSocketURL, name: String, origin: Intake.Origin, hello: [String] = [], password: String? = nil) {
      self.url = url
      self.name = name
      self.origin = origin
      self.hello = hello
      self.password = password
    }
  }

  private struct State {
    /// Only the thread uses it, except that any thread may stop it.
    var loop: SharedPointer<OpaquePointer>?
    var thread: WorkThread?
    var connections: [Connection]
  }

  private struct Connection {
    /// The time of the disconnect, or of the first failed attempt, by the monotonic clock; nil while connected.
    var lostAt: Int64?
    var wasConnected = false
    var isSocketIOReported = false
    /// The time of the last failure report by the monotonic clock.
    var failureReportedAt: Int64?
  }

  /// The longest pause between attempts: connecting to this machine costs nothing, and a server on it is usually started by hand.
  private static let againMaxMs: (loopback: UInt32, elsewhere: UInt32) = (2_000, 30_000)
  private static let failureEveryMs: Int64 = 60_000

  private let intake: Intake
  private let servers: [Server]
  private let log: ServiceLog
  private let state: Mutex<State>

  package init(_ servers: [Server], _ intake: Intake, log: ServiceLog) {
    self.intake = intake
    self.servers = servers
    self.log = log
    state = Mutex(State(connections: servers.map { _ in Connection() }))
  }

  /// Starts to connect.
  /// - Returns: false if the system lacks the resources.
  package func start() -> Bool {
    var events = cws_events()
    events.context = Unmanaged.passUnretained(self).toOpaque()
    events.opened = { WebSocketIntake.of($0).opened(Int($1)) }
    events.message = { WebSocketIntake.of($0).received(Int($1), UnsafeRawBufferPointer(start: $2, count: $3)) }
    events.too_large = { WebSocketIntake.of($0).tooLarge(Int($1)) }
    events.lost = { WebSocketIntake.of($0).lost(Int($1), $2.map { String(cString: $0) } ?? "") }
    guard let loop = cws_make(&events, Intake.recordBytesMax) else { return false }
    for server in servers {
      let againMaxMs = server.url.isLoopback ? Self.againMaxMs.loopback : Self.againMaxMs.elsewhere
      if cws_add(loop, server.url.host, Int32(server.url.port), server.url.path, server.url.isTLS ? 1 : 0, againMaxMs) < 0 {
        return false
      }
    }
    let shared = SharedPointer(loop)
    state.withLock { state in
      state.loop = shared
      state.thread = WorkThread { [self] in
        withExtendedLifetime(self) { cws_serve(shared.pointer) }
        cws_free(shared.pointer)
      }
    }
    return true
  }

  /// Ends all connections. Call it once.
  package func stop() {
    let (loop, thread) = state.withLock { ($0.loop, $0.thread) }
    if let loop { cws_stop(loop.pointer) }
    thread?.join()
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> WebSocketIntake {
    Unmanaged<WebSocketIntake>.fromOpaque(context!).takeUnretainedValue()
  }

  // MARK: - Callbacks

  func opened(_ number: Int) {
    let server = servers[number]
    let before = state.withLock { state in
      let before = state.connections[number]
      state.connections[number] = Connection(wasConnected: true, isSocketIOReported: before.isSocketIOReported)
      return before
    }
    if let since = before.lostAt, before.wasConnected {
      let seconds = (MonotonicClock.nowMs - since + 999) / 1000
      log.warning(
        "reconnected to \(.url, server.name) after \(.seconds, seconds) s: messages sent in that time are lost"
      )
    } else {
      log.info("connected to \(.url, server.name)")
    }
    for line in server.hello { send(line, to: number) }
  }

  func lost(_ number: Int, _ reason: String) {
    let server = servers[number]
    let now = MonotonicClock.nowMs
    let (wasConnected, isReported) = state.withLock { state in
      let before = state.connections[number]
      if before.lostAt == nil { state.connections[number].lostAt = now }
      if let reportedAt = before.failureReportedAt, now - reportedAt < Self.failureEveryMs { return (false, false) }
      state.connections[number].failureReportedAt = now
      return (before.wasConnected && before.lostAt == nil, true)
    }
    if !isReported { return }
    if wasConnected {
      log.warning("the connection to \(.url, server.name) was lost, reconnecting: \(.reason, reason)")
    } else {
      log.warning("cannot connect to \(.url, server.name), trying again: \(.reason, reason)")
    }
  }

  private func tooLarge(_ number: Int) {
    log.warning(
      "a message from \(.url, servers[number].name) is larger than \(.limit, Intake.recordBytesMax) bytes and was skipped")
  }

  private func received(_ number: Int, _ bytes: UnsafeRawBufferPointer) {
    let server = servers[number]
    switch WebSocketTalk.kind(of: bytes) {
    case .record: break
    case .nothing: return
    case .streamerBotHello(let challenge):
      respond(to: challenge, of: number)
      return
    case .streamerBotLogin(let isDone):
      if isDone {
        send(WebSocketTalk.subscribe, to: number)
      } else {
        log.error(
          "\(.url, server.name) has refused the password: the file of password= must hold the password that Streamer.bot's WebSocket server has"
        )
      }
      return
    case .socketIO:
      let isNew = state.withLock { state in
        defer { state.connections[number].isSocketIOReported = true }
        return !state.connections[number].isSocketIOReported
      }
      if isNew {
        log.error("\(.url, server.name) speaks Socket.IO, which is not supported: use a connector with a plain WebSocket")
      }
      return
    }
    var batch = LogBatch()
    let now = WallClock.nowMs
    do throws(RecordSplitter.Fault) {
      try RecordSplitter.split(bytes) { intake.add($0, of: server.origin, to: &batch, at: now) }
    } catch {
      // The dead-letter topic reports the fault.
      intake.add(bytes, of: server.origin, to: &batch, at: now)
    }
    if batch.isEmpty { return }
    // While too many records wait, this thread waits too, and the server's messages stay in the connection.
    _ = intake.offerPatiently(batch, gathers: true) { [log] fault in
      if let fault { log.warning("records from \(.url, server.name) could not be stored: \(.reason, fault)") }
    }
  }

  /// Requests gifts from Streamer.bot, after proving knowledge of the password if it is required.
  private func respond(to challenge: WebSocketTalk.Challenge?, of number: Int) {
    let server = servers[number]
    guard let challenge else { return send(WebSocketTalk.subscribe, to: number) }
    guard let password = server.password else {
      log.error("\(.url, server.name) asks for a password: write it to a file and add ,password=FILE to --from")
      // If the password is not enforced, it sends events nevertheless.
      return send(WebSocketTalk.subscribe, to: number)
    }
    guard let answer = challenge.answer(password) else {
      log.error("the password of \(.url, server.name) could not be hashed")
      return
    }
    send(WebSocketTalk.login(answer), to: number)
  }

  private func send(_ text: String, to number: Int) {
    let loop = state.withLock { $0.loop }
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { cws_send(loop?.pointer, Int32(number), $0.baseAddress, $0.count) }
    }
  }
}
