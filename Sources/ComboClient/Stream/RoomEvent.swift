/// An event of a room's stream over HTTP (docs/http.md).
public enum RoomEvent: Equatable, Sendable {
  /// The room's whole screen, for ``RoomScreen/takeJoined(_:)``. It is the first event and may occur again.
  case screen(DisplayInstruction)
  /// An instruction, for ``RoomScreen/take(_:)``.
  case instruction(DisplayInstruction)
  /// The service ends the stream and gives a reason. Connect again.
  case ending(reason: String, sentence: String)

  /// Creates an event, or returns nil for those that clients ignore.
  public init?(_ event: ServerSentEvent) {
    switch event.type {
    case "screen":
      guard let screen = DisplayInstruction(event.data) else { return nil }
      self = .screen(screen)
    case "instruction":
      guard let instruction = DisplayInstruction(event.data) else { return nil }
      self = .instruction(instruction)
    case "dropped", "closing":
      let end = DisplayData(json: event.data)
      self = .ending(
        reason: end?.text("reason") ?? event.type, sentence: end?.text("sentence") ?? "the service ended the stream")
    default: return nil
    }
  }
}

/// The events of a room, parsed from the bytes of a stream from any source: URLSession (product `ComboClientHTTP`),
/// AsyncHTTPClient, a file.
///
///     for try await event in RoomEvents(chunks) { … }
public struct RoomEvents<Chunks: AsyncSequence>: AsyncSequence where Chunks.Element: Sequence<UInt8> {
  /// The event of a room.
  public typealias Element = RoomEvent

  private let chunks: Chunks

  /// - Parameter chunks: The response's body, in chunks of any size.
  public init(_ chunks: Chunks) {
    self.chunks = chunks
  }

  /// Creates an iterator from the stream's beginning.
  public func makeAsyncIterator() -> Iterator { Iterator(chunks.makeAsyncIterator()) }

  /// The iterator. It ends with the stream, or at an event that is too long.
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
