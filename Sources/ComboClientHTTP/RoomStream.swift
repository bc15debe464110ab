public import ComboClient
public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A room's instructions over HTTP, by URLSession. It connects again whenever the connection breaks, is silent or is refused,
/// for as long as it is read; cancel the task that reads it to end it.
///
///     var screen = RoomScreen()
///     for await happened in RoomStream(service: URL(string: "https://combo.example")!, room: "r1") {
///       if case .event(.screen(let one)) = happened { _ = screen.takeJoined(one) }
///       if case .event(.instruction(let one)) = happened { _ = screen.take(one) }
///     }
public struct RoomStream: AsyncSequence, Sendable {
  /// What happens on the way.
  public enum Element: Equatable, Sendable {
    /// The service said something.
    case event(RoomEvent)
    /// There is no connection, and why. It tries again after so many milliseconds.
    case disconnected(sentence: String, retryMs: Int)
  }

  /// Waits, in milliseconds.
  public struct Waits: Equatable, Sendable {
    /// Without a byte for so long, the connection is dead. The service says something at least every 6 s.
    public var silenceMs = 10_000
    /// The first wait before it tries again.
    public var retryMs = 500
    /// The longest one. Each is up to a third shorter or longer, so that not all clients come at once.
    public var retryMostMs = 8000

    /// The defaults.
    public init() {}
  }

  private let request: URLRequest
  private let waits: Waits

  /// - Parameters:
  ///   - service: where it is, such as `https://combo.example`.
  ///   - room: its id, which is percent-encoded here.
  ///   - headers: such as `Authorization`.
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

  /// Connects, each time anew.
  public func makeAsyncIterator() -> AsyncStream<Element>.Iterator {
    let stream = AsyncStream<Element> { continuation in
      let task = Task { await run(continuation) }
      continuation.onTermination = { _ in task.cancel() }
    }
    return stream.makeAsyncIterator()
  }

  private func run(_ continuation: AsyncStream<Element>.Continuation) async {
    var failures = 0
    while !Task.isCancelled {
      var sentence = "the connection ended"
      do {
        for try await event in RoomEvents(ResponseBody.chunks(of: request)) {
          failures = 0
          continuation.yield(.event(event))
          if case .ending(_, let said) = event { sentence = said }
        }
      } catch {
        sentence = (error as? Refusal)?.sentence ?? error.localizedDescription
      }
      if Task.isCancelled { break }
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

/// The service answered, but not with a stream.
struct Refusal: Error {
  let sentence: String
}
