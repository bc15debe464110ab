/// An event of a room's stream over HTTP (docs/http.md).
public enum RoomEvent: Equatable, Sendable {
  /// The room's whole screen: for ``RoomScreen/takeJoined(_:)``. The first event, and it may come again.
  case screen(DisplayInstruction)
  /// For ``RoomScreen/take(_:)``.
  case instruction(DisplayInstruction)
  /// The service ends the stream, and says why: connect again.
  case ending(reason: String, sentence: String)

  /// Nil for events that clients ignore.
  public init?(_ event: ServerSentEvent) {
    switch event.type {
    case "screen":
      guard let screen = DisplayInstruction(event.data) else { return nil }
      self = .screen(screen)
    case "instruction":
      guard let instruction = DisplayInstruction(event.data) else { return nil }
      self = .instruction(instruction)
    case "dropped", "closing":
      let said = DisplayData(json: event.data)
      self = .ending(
        reason: said?.text("reason") ?? event.type, sentence: said?.text("sentence") ?? "the service ended the stream")
    default: return nil
    }
  }
}

/// The events of a room out of the bytes of a stream, whatever brings them: URLSession (product `ComboClientHTTP`),
/// AsyncHTTPClient, a file.
///
///     for try await event in RoomEvents(chunks) { … }
public struct RoomEvents<Chunks: AsyncSequence>: AsyncSequence where Chunks.Element: Sequence<UInt8> {
  /// An instruction or a screen of the room.
  public typealias Element = RoomEvent

  private let chunks: Chunks

  /// - Parameter chunks: the response's body, in pieces of any size.
  public init(_ chunks: Chunks) {
    self.chunks = chunks
  }

  /// Reads from the stream's beginning.
  public func makeAsyncIterator() -> Iterator { Iterator(chunks.makeAsyncIterator()) }

  /// Ends with the stream, or where an event is longer than any can be.
  public struct Iterator: AsyncIteratorProtocol {
    private var chunks: Chunks.AsyncIterator
    private var parser = EventParser()
    private var waiting: [RoomEvent] = []

    init(_ chunks: Chunks.AsyncIterator) {
      self.chunks = chunks
    }

    /// The next event; nil at the end.
    public mutating func next() async throws -> RoomEvent? {
      while waiting.isEmpty {
        guard !parser.isTooLong, let chunk = try await chunks.next() else { return nil }
        waiting = parser.push(chunk).compactMap(RoomEvent.init).reversed()
      }
      return waiting.popLast()
    }
  }
}

extension RoomEvents: Sendable where Chunks: Sendable {}
