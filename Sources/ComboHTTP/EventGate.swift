internal import ComboSystem
internal import Synchronization

/// The server's extension for programs with their own log: `POST /events` accepts events, and `GET /events` streams all
/// instructions. Its functions are called on the server's thread and must not block for long.
package struct EventGate {
  /// Processes the body of a request. `done` is called once, on any thread, when the events are durable or refused.
  let accept: (_ body: [UInt8], _ map: String?, _ room: String?, _ done: @escaping @Sendable (HTTPResponse) -> Void) -> Void
  /// Returns the position after all instructions.
  let end: () -> Int64
  /// Returns the instructions from a position on, each with its position; at most about `bytesMax` bytes.
  let instructions: (_ place: Int64, _ bytesMax: Int) -> (records: [(place: Int64, record: [UInt8])], next: Int64)
  /// Sets the callback for news, which may run on any thread; nil removes it.
  let onNews: (_ body: (@Sendable () -> Void)?) -> Void

  package init(
    accept: @escaping ([UInt8], String?, String?, @escaping @Sendable (HTTPResponse) -> Void) -> Void,
    end: @escaping () -> Int64,
    instructions: @escaping (Int64, Int) -> (records: [(place: Int64, record: [UInt8])], next: Int64),
    onNews: @escaping ((@Sendable () -> Void)?) -> Void
  ) {
    (self.accept, self.end, self.instructions, self.onNews) = (accept, end, instructions, onNews)
  }
}

extension HTTPServer {
  /// The maximum size of a body, in bytes.
  static let bodyBytesMax = 1 << 20
  /// The maximum size of all bodies in progress, in bytes.
  static let bodiesBytesMax = 64 << 20
  /// The maximum size of missed instructions for a reader of all rooms, in bytes.
  private static let missedBytesMax = 1 << 20
  private static let room: [UInt8] = []

  // MARK: - Input

  /// Returns the response that refuses a request with a body before the body arrives, or nil if it is allowed.
  func refusal(ofBody lengths: [String], origins: [String], hosts: [String]) -> HTTPResponse? {
    // Scripts of foreign pages can send such a request without a preflight.
    if let origin = origins.first, !hosts.contains(where: { origin == "http://\($0)" || origin == "https://\($0)" }) {
      return .error(403, "a page from another origin (\(Sentence.quoted(origin))) may not send events")
    }
    if let length = lengths.first.flatMap({ Int($0) }), length > Self.bodyBytesMax { return Self.tooLarge }
    if bodyBytes > Self.bodiesBytesMax {
      return .error(429, "too many requests send events at once: try again", [("Retry-After", "1")])
    }
    return nil
  }

  private static let tooLarge = HTTPResponse.error(
    413, "a request may have at most \(bodyBytesMax) bytes: send the events in several requests")

  /// Appends a piece of the body.
  func collect(_ exchange: HTTPExchange, _ piece: UnsafeRawBufferPointer) {
    if exchange.isBodyTooLarge { return }
    if exchange.body.count + piece.count > Self.bodyBytesMax {
      exchange.isBodyTooLarge = true
      drop(exchange)
      return
    }
    exchange.body.append(contentsOf: piece)
    bodyBytes += piece.count
  }

  func drop(_ exchange: HTTPExchange) {
    bodyBytes -= exchange.body.count
    exchange.body = []
  }

  func post(_ target: HTTPTarget, _ exchange: HTTPExchange) -> HTTPResponse? {
    guard let gate else { return .error(405, "only GET and HEAD are allowed here", [("Allow", "GET, HEAD")]) }
    if exchange.isBodyTooLarge { return Self.tooLarge }
    if isClosing { return .error(503, "the service is stopping") }
    var texts: [String?] = []
    for name in ["map", "room"] {
      let value = target.value(name)
      let text = value.flatMap { String(validating: $0, as: UTF8.self) }
      if value != nil, text?.isEmpty != false || text!.utf8.count > 256 {
        return .error(400, "\(name) in the address must be 1 to 256 bytes of UTF-8")
      }
      texts.append(text)
    }
    let id = wait(exchange)
    let body = exchange.body
    drop(exchange)
    gate.accept(body, texts[0], texts[1]) { [self] response in
      responses.withLock { $0.append((id, response)) }
      wake()
    }
    return nil
  }

  /// Sends the gate's responses.
  func sendResponses() {
    let taken = responses.withLock { responses in
      defer { responses = [] }
      return responses
    }
    for (id, response) in taken {
      // The exchange may have timed out or been closed.
      if let exchange = waiting.removeValue(forKey: id) { finish(exchange, response) }
    }
  }

  // MARK: - Output

  /// Starts a stream of all rooms' instructions: a feed like a room's, under an empty name, which no room has.
  func routeAll(_ exchange: HTTPExchange) -> HTTPResponse? {
    guard let gate else { return notFound }
    if isClosing { return .error(503, "the service is stopping") }
    if readers.count >= readersMax {
      return .error(
        503, "\(readersMax) clients already read events, which is the maximum: try again later", [("Retry-After", "10")])
    }
    if feeds[Self.room] == nil {
      allNext = gate.end()
      gate.onNews { [weak self] in self?.wake() }
    } else {
      readAll()
    }
    var missed: [UInt8] = Array("retry: 1000\n\n".utf8)
    if let last = Self.headers(exchange.connection, "Last-Event-ID").first.flatMap({ Int64($0) }), last >= 0 {
      var place = last + 1
      while place < allNext, missed.count < Self.missedBytesMax {
        let (records, next) = gate.instructions(place, 64 << 10)
        for (place, record) in records where place < allNext { missed += Self.event(place, record) }
        if next <= place { break }
        place = next
      }
    }
    suspend(exchange, query: 0)
    begin(exchange, Self.room, missed, id: nil, at: MonotonicClock.nowMs)
    return nil
  }

  /// Sends news to the readers of all rooms.
  func readAll() {
    guard let gate, let feed = feeds[Self.room] else { return }
    while true {
      let (records, next) = gate.instructions(allNext, 256 << 10)
      let now = MonotonicClock.nowMs
      for (place, record) in records { feed.add(Self.event(place, record), id: nil, at: now, bytesMax: 8 << 20) }
      if !records.isEmpty { feed.isDue = true }
      if next <= allNext { return }
      allNext = next
    }
  }

  private static func event(_ place: Int64, _ record: [UInt8]) -> [UInt8] {
    var event = Array("event: instruction\nid: \(place)\ndata: ".utf8)
    event.reserveCapacity(event.count + record.count + 2)
    event += record
    event += [0x0a, 0x0a]
    return event
  }
}
