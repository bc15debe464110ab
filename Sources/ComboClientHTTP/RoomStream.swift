public import ComboClient
public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A room's instructions over HTTP with URLSession. It reconnects whenever the connection breaks, is silent or is refused, while
/// it is read; cancel the reading task to end it. After a short interruption it asks the service to resume after the last event
/// (`Last-Event-ID`); otherwise a stream begins with a screen.
///
///     var screen = RoomScreen()
///     for await happened in RoomStream(service: URL(string: "https://combo.example")!, room: "r1") {
///       switch happened {
///       case .event(.screen(let one)): _ = screen.takeJoined(one)
///       case .event(.instruction(let one)): _ = screen.take(one)
///       case .event(.ending), .disconnected: break
///       case .stale: pool.clear(now: now)
///       }
///     }
public struct RoomStream: AsyncSequence, Sendable {
  /// An event of the stream or its connection.
  public enum Element: Equatable, Sendable {
    /// An event of the service.
    case event(RoomEvent)
    /// The connection is lost for this reason. The stream retries after this many milliseconds.
    case disconnected(sentence: String, retryMs: Int)
    /// The connection has been lost for ``Waits/staleMs``: remove the drawn banners. The next event is a screen.
    case stale
  }

  /// Waits, in milliseconds.
  public struct Waits: Equatable, Sendable {
    /// The time without a byte after which the connection is dead. The service sends something at least every 6 s.
    public var silenceMs = 10_000
    /// The first wait before a retry.
    public var retryMs = 500
    /// The maximum wait. Each is up to a third shorter or longer, so that clients do not all retry at once.
    public var retryMostMs = 8000
    /// The time for which banners stay on screen without a connection.
    public var staleMs = 10_000

    /// Creates the default waits.
    public init() {}
  }

  private let request: URLRequest
  private let waits: Waits

  /// - Parameters:
  ///   - service: The address of the service, such as `https://combo.example`.
  ///   - room: The room's id, not yet percent-encoded.
  ///   - headers: Additional headers, such as `Authorization`.
  public init(service: URL, room: String, headers: [String: String] = [:], waits: Waits = Waits()) {
    var unreserved = CharacterSet()
    unreserved.insert(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    let id = room.addingPercentEncoding(withAllowedCharacters: unreserved) ?? room
    let base = service.absoluteString
    let url = URL(string: "\(base.hasSuffix("/") ? String(base.dropLast()) : base)/rooms/\(id)/events") ?? service
    var request = URLRequest(url: url)
    request.timeoutInterval = Double(waits.silenceMs) / 1000
    request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    self.request = request
    self.waits = waits
  }

  /// Creates an iterator, with a connection of its own.
  public func makeAsyncIterator() -> AsyncStream<Element>.Iterator {
    let stream = AsyncStream<Element> { continuation in
      let task = Task { await run(continuation) }
      continuation.onTermination = { _ in task.cancel() }
    }
    return stream.makeAsyncIterator()
  }

  private func run(_ continuation: AsyncStream<Element>.Continuation) async {
    let place = StreamPlace()
    var stale: Task<Void, Never>?
    defer { stale?.cancel() }
    var failures = 0
    while !Task.isCancelled {
      var sentence = "the connection ended"
      let lastID = place.lastID
      var asking = request
      if !lastID.isEmpty { asking.setValue(lastID, forHTTPHeaderField: "Last-Event-ID") }
      do {
        var parser = EventParser()
        for try await chunk in ResponseBody.chunks(of: asking) {
          guard place.connect(after: lastID) else { break }
          stale?.cancel()
          stale = nil
          for event in parser.push(chunk) {
            failures = 0
            place.lastID = event.id
            guard let roomEvent = RoomEvent(event) else { continue }
            continuation.yield(.event(roomEvent))
            if case .ending(_, let why) = roomEvent { sentence = why }
          }
          if parser.isTooLong { break }
        }
      } catch {
        sentence = (error as? Refusal)?.sentence ?? error.localizedDescription
      }
      place.disconnect()
      if Task.isCancelled { break }
      if stale == nil {
        let waitNs = UInt64(waits.staleMs) * 1_000_000
        stale = Task {
          try? await Task.sleep(nanoseconds: waitNs)
          if !Task.isCancelled, place.markStale() { continuation.yield(.stale) }
        }
      }
      var wait = Double(waits.retryMs)
      for _ in 0..<Swift.min(failures, 20) { wait = Swift.min(Double(waits.retryMostMs), wait * 1.7) }
      failures += 1
      let waitMs = Int(wait * Double.random(in: 0.67...1.33))
      continuation.yield(.disconnected(sentence: sentence, retryMs: waitMs))
      try? await Task.sleep(nanoseconds: UInt64(waitMs) * 1_000_000)
    }
    continuation.finish()
  }
}

/// The state of a stream: its last event, and whether it is connected. Shared by the reading task and the one that waits for
/// stale banners.
private final class StreamPlace: Sendable {
  private let state = Locked((last: "", isConnected: false))

  /// The id of the last event, empty if the next stream must begin with a screen.
  var lastID: String {
    get { state.withLock { $0.last } }
    set { state.withLock { $0.last = newValue } }
  }

  /// Marks the stream as connected, after the response to a request with this id.
  ///
  /// - Returns: false if the banners have become stale since, because the stream would continue without a screen.
  func connect(after id: String) -> Bool {
    state.withLock { state in
      if !state.isConnected, state.last != id { return false }
      state.isConnected = true
      return true
    }
  }

  func disconnect() {
    state.withLock { $0.isConnected = false }
  }

  /// Marks the banners as stale. Returns false if there is a connection again.
  func markStale() -> Bool {
    state.withLock { state in
      if state.isConnected { return false }
      state.last = ""
      return true
    }
  }
}

/// A response of the service that is not a stream.
struct Refusal: Error {
  let sentence: String
}
