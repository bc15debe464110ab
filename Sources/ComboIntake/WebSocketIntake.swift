internal import CWebSocket
internal import ComboLog
package import ComboSystem

/// Receives records from WebSocket servers: what tools for streamers offer on the machine that they run on. One thread for all of them.
package final class WebSocketIntake: @unchecked Sendable {
  // Sendable: all but `loop` belongs to the thread; `cws_stop` may be called by any.

  /// A server, and what its records have in common.
  package struct Server: Sendable {
    var url: WebSocketURL
    /// As logs name it.
    var name: String
    var origin: Intake.Origin
    /// Sent after each connect.
    var hello: [String]

    package init(_ url: WebSocketURL, name: String, origin: Intake.Origin, hello: [String]) {
      self.url = url
      self.name = name
      self.origin = origin
      self.hello = hello
    }
  }

  private struct State {
    /// Since when it is away, by the monotonic clock; nil: it is connected, or never was.
    var lostAt: Int64?
    var wasConnected = false
    var isSocketIOSaid = false
  }

  private let intake: Intake
  private let servers: [Server]
  private let log: ServiceLog
  private var loop: OpaquePointer?
  private var states: [State]
  private var thread: WorkThread?

  package init(_ servers: [Server], _ intake: Intake, log: ServiceLog) {
    self.intake = intake
    self.servers = servers
    self.log = log
    states = servers.map { _ in State() }
  }

  /// Begins to connect.
  /// - Returns: false: the system has no room for it.
  package func start() -> Bool {
    var events = cws_events()
    events.context = Unmanaged.passUnretained(self).toOpaque()
    events.opened = { WebSocketIntake.of($0).opened(Int($1)) }
    events.message = { WebSocketIntake.of($0).received(Int($1), UnsafeRawBufferPointer(start: $2, count: $3)) }
    events.too_large = { WebSocketIntake.of($0).tooLarge(Int($1)) }
    events.lost = { WebSocketIntake.of($0).lost(Int($1), $2.map { String(cString: $0) } ?? "", againMs: Int64($3)) }
    guard let loop = cws_make(&events, Intake.recordBytesMax) else { return false }
    self.loop = loop
    for server in servers {
      if cws_add(loop, server.url.host, Int32(server.url.port), server.url.path, server.url.isTLS ? 1 : 0) < 0 { return false }
    }
    thread = WorkThread { [self] in
      cws_serve(self.loop)
      cws_free(self.loop)
    }
    return true
  }

  /// Ends all connections. Once.
  package func stop() {
    if let loop { cws_stop(loop) }
    thread?.join()
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> WebSocketIntake {
    Unmanaged<WebSocketIntake>.fromOpaque(context!).takeUnretainedValue()
  }

  // MARK: - What happens

  private func opened(_ number: Int) {
    let server = servers[number]
    if let since = states[number].lostAt, states[number].wasConnected {
      let seconds = (MonotonicClock.nowMs - since + 999) / 1000
      log.warning(
        "connected again to \(.url, server.name) after \(.seconds, seconds) s: messages of that time are lost"
      )
    } else {
      log.info("connected to \(.url, server.name)")
    }
    states[number].lostAt = nil
    states[number].wasConnected = true
    for line in server.hello { send(line, to: number) }
  }

  private func lost(_ number: Int, _ reason: String, againMs: Int64) {
    let server = servers[number]
    if states[number].lostAt == nil { states[number].lostAt = MonotonicClock.nowMs }
    log.warning("no connection to \(.url, server.name), trying again in \(.ms, againMs) ms: \(.reason, reason)")
  }

  private func tooLarge(_ number: Int) {
    intake.refused(1)
    log.warning(
      "a message of \(.url, servers[number].name) is larger than \(.limit, Intake.recordBytesMax) bytes, and was skipped")
  }

  private func received(_ number: Int, _ bytes: UnsafeRawBufferPointer) {
    let server = servers[number]
    switch WebSocketTalk.kind(of: bytes) {
    case .record: break
    case .nothing: return
    case .streamerBotHello(let asksForPassword):
      if asksForPassword {
        log.error(
          "\(.url, server.name) asks for a password, which is not supported: switch authentication off in Streamer.bot's WebSocket server"
        )
      } else {
        send(WebSocketTalk.subscribe, to: number)
      }
      return
    case .socketIO:
      if !states[number].isSocketIOSaid {
        log.error("\(.url, server.name) speaks Socket.IO, which is not supported: use a connector with a plain WebSocket")
      }
      states[number].isSocketIOSaid = true
      return
    }
    let batch = LogBatch()
    let now = WallClock.nowMs
    do throws(RecordSplitter.Fault) {
      try RecordSplitter.split(bytes) { intake.add($0, of: server.origin, to: batch, at: now) }
    } catch {
      // The dead-letter topic says what is wrong with it.
      intake.add(bytes, of: server.origin, to: batch, at: now)
    }
    if batch.isEmpty { return }
    // While too much waits, so does this thread, and with it the server: its messages stay in the connection.
    _ = intake.offerPatiently(batch) { [log] fault in
      if let fault { log.warning("records of \(.url, server.name) could not be kept: \(.reason, fault)") }
    }
  }

  private func send(_ text: String, to number: Int) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { cws_send(loop, Int32(number), $0.baseAddress, $0.count) }
    }
  }
}

/// What servers say besides records.
enum WebSocketTalk {
  enum Kind: Equatable {
    case record
    /// An answer to what was sent, or a sign of life.
    case nothing
    case streamerBotHello(asksForPassword: Bool)
    case socketIO
  }

  static func kind(of bytes: UnsafeRawBufferPointer) -> Kind {
    guard let first = bytes.first(where: { $0 != 0x20 && !(0x09...0x0d).contains($0) }) else { return .nothing }
    if first == UInt8(ascii: "0"), contains(bytes, #"0{"sid":"#, within: 16) { return .socketIO }
    if first == UInt8(ascii: "{") {
      if contains(bytes, #""request":"Hello""#, within: 200) || contains(bytes, #""request": "Hello""#, within: 200) {
        return .streamerBotHello(asksForPassword: contains(bytes, #""authentication""#, within: bytes.count))
      }
      if contains(bytes, #""id":"\#(id)""#, within: bytes.count), contains(bytes, #""status""#, within: bytes.count) {
        return .nothing
      }
    }
    return .record
  }

  private static func contains(_ bytes: UnsafeRawBufferPointer, _ text: String, within: Int) -> Bool {
    let wanted = Array(text.utf8)
    let end = min(bytes.count, within) - wanted.count
    if end < 0 { return false }
    return (0...end).contains { place in
      bytes[place] == wanted[0] && bytes[place..<place + wanted.count].elementsEqual(wanted)
    }
  }

  private static let id = "combo-consumer"

  /// The subscription request without which Streamer.bot sends nothing.
  static let subscribe =
    #"{"request":"Subscribe","id":"combo-consumer","events":{"#
    + #""Twitch":["Cheer","Sub","ReSub","GiftSub","GiftBomb"],"#
    + #""YouTube":["SuperChat","SuperSticker","NewSponsor","MembershipGift","GiftMembershipReceived"],"#
    + #""Kick":["Subscription","Resubscription","GiftSubscription","MassGiftSubscription"]}}"#
}
