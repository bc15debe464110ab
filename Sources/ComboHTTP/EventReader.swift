internal import ComboSystem
internal import ComboWire

/// A reader of a room's events. It belongs to the server's thread.
///
/// It holds a position in its room's ``EventFeed``, and otherwise only its own data: its first screen, and the rest of the event
/// being sent. A thousand readers therefore cost little, and a slow one does not slow down others.
package final class EventReader {
  package let feed: EventFeed
  /// Whether it ends after its remaining events.
  private(set) var isEnding = false
  /// Whether it missed events that are no longer kept.
  private(set) var wasTooSlow = false
  /// Whether its client has disconnected.
  var isDisconnected = false
  /// Whether it waits for something to send.
  var isSuspended = false
  /// The time at which something was last sent to it.
  private(set) var sentAt: Int64

  private var own: [[UInt8]]
  private var place: Int
  private var current: [UInt8] = []
  private var sent = 0
  /// The encoder of a compressed stream, or nil if the stream is not compressed.
  private let gzip: GzipPieces?
  var isCompressed: Bool { gzip != nil }
  private var sum = GzipPieces.Sum()
  private var hasBegun = false
  private var isClosed = false

  /// Creates a reader that begins with a screen.
  /// - Parameters:
  ///   - place: The position from which events of the feed follow, or nil for later ones only.
  ///   - gzip: The encoder, or nil for a stream without compression.
  init(_ feed: EventFeed, screen: [UInt8], from place: Int? = nil, gzip: GzipPieces? = nil, at now: Int64) {
    self.feed = feed
    self.gzip = gzip
    self.place = place ?? feed.end
    sentAt = now
    own = [screen]
  }

  var hasMore: Bool {
    isDisconnected || isEnding || sent < current.count || !own.isEmpty || place < feed.end
  }

  /// The next event of the feed that it needs, or nil if there is none.
  package var needs: Int? { isEnding ? nil : place }

  /// Begins again with a screen, because earlier events may not fit later ones.
  package func begin(_ screen: [UInt8]) {
    if isEnding { return }
    own = [screen]
    place = feed.end
  }

  /// Sends a comment, which shows both ends that the connection works.
  package func comment() { if own.isEmpty { own.append(StreamText.alive) } }

  /// Sends the last event. An event in progress is completed first.
  package func end(with event: [UInt8]) {
    if isEnding { return }
    isEnding = true
    own = [event]
  }

  package enum Outcome {
    case wrote(Int)
    /// There is no data now.
    case wait
    case ended
    case gone
  }

  /// Writes as much as fits into `buffer`.
  package func write(to buffer: UnsafeMutableRawBufferPointer, at now: Int64) -> Outcome {
    if isDisconnected { return .gone }
    var count = 0
    while count < buffer.count, sent < current.count || next() {
      let piece = min(current.count - sent, buffer.count - count)
      current.withUnsafeBytes { bytes in
        buffer.baseAddress!.advanced(by: count).copyMemory(from: bytes.baseAddress! + sent, byteCount: piece)
      }
      sent += piece
      count += piece
    }
    if count > 0 {
      sentAt = now
      return .wrote(count)
    }
    return isEnding ? .ended : .wait
  }

  /// Selects the next piece to send. Returns false if there is none now.
  private func next() -> Bool {
    sent = 0
    current = []
    if isCompressed, !hasBegun {
      hasBegun = true
      current = GzipPieces.head
      return true
    }
    if !own.isEmpty {
      guard let gzip else {
        current = own.removeFirst()
        return true
      }
      select(gzip.piece(own.flatMap(\.self), readers: 1))
      own = []
      return true
    }
    if isEnding {
      if !isCompressed || isClosed { return false }
      isClosed = true
      current = sum.tail
      return true
    }
    if place < feed.first {
      wasTooSlow = true
      end(with: StreamText.dropped)
      return next()
    }
    guard place < feed.end else { return false }
    guard let gzip else {
      current = feed[place]
      place += 1
      return true
    }
    let (piece, end) = feed.piece(from: place, gzip)
    place = end
    select(piece)
    return true
  }

  private func select(_ piece: GzipPieces.Piece) {
    sum.add(piece)
    current = piece.blocks
  }
}

/// The position of an instruction in the form of an event's `id`: `epoch-seq`.
package struct EventID: Equatable, Sendable {
  private let epoch: Int64
  private let seq: Int64

  /// Parses an id, or returns nil if no stream has such an id.
  init?(_ text: some StringProtocol) {
    let halves = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, let epoch = Int64(halves[0]), let seq = Int64(halves[1]), epoch > 0, seq > 0 else { return nil }
    (self.epoch, self.seq) = (epoch, seq)
  }
}

/// The events that a room's readers have yet to receive, and the last ones that they received; stored once for all of them.
package final class EventFeed {
  package let room: [UInt8]
  private struct Event {
    var bytes: [UInt8]
    var id: EventID?
    /// The time of arrival by the monotonic clock.
    var at: Int64
  }
  private var events: [Event] = []
  /// The position before the first event that is kept: a reader that has it has missed nothing.
  private var before: EventID?
  /// The time since which it has had no reader, or nil while it has one.
  var unreadSince: Int64?
  private var head = 0
  /// The number of the first event that is kept, and of the next new one.
  package private(set) var first = 0
  package var end: Int { first + events.count - head }
  package private(set) var bytes = 0
  package var readers: [ObjectIdentifier: EventReader] = [:]
  /// Events compressed together, by the number of the first: readers served in one round need the same ones.
  private var pieces: [Int: (piece: GzipPieces.Piece, end: Int)] = [:]
  /// The earliest time of the next round, by the monotonic clock, and whether there is something to send.
  var nextRound: Int64 = 0
  var isDue = false
  /// Whether the loop must be requested again to watch the room.
  var needsWatch = false

  /// The maximum size of a room's events that wait for its slowest reader, in bytes. It is more than a room emits within minutes,
  /// or for a skipped queue.
  package static let bytesMax = 1 << 20

  /// The time for which events that all readers have are kept, for readers that reconnect.
  package static let resumeMs: Int64 = 10_000

  package init(_ room: [UInt8]) { self.room = room }

  package subscript(place: Int) -> [UInt8] { events[head + place - first].bytes }

  /// Returns the compressed events from a position on, and the position after them.
  func piece(from place: Int, _ gzip: GzipPieces) -> (piece: GzipPieces.Piece, end: Int) {
    if let made = pieces[place] { return made }
    var text: [UInt8] = []
    for event in events[(head + place - first)...] { text += event.bytes }
    let made = (piece: gzip.piece(text, readers: readers.count), end: end)
    pieces[place] = made
    return made
  }

  package func add(_ event: [UInt8], id: EventID?, at now: Int64, bytesMax: Int) {
    events.append(Event(bytes: event, id: id, at: now))
    bytes += event.count
    while bytes > bytesMax, end - first > 1 { removeFirst() }
  }

  /// Sets the position to that of a screen for the readers. Removes all events, unless the screen follows the last one.
  func setPosition(_ id: EventID?) {
    if let last = events[head...].last?.id ?? before, last == id { return }
    while first < end { removeFirst() }
    before = id
  }

  /// Returns the position after a reader's last event, or nil if later events are gone.
  func place(after id: EventID) -> Int? {
    if let index = events[head...].lastIndex(where: { $0.id == id }) { return first + index - head + 1 }
    return before == id ? first : nil
  }

  /// Removes events that all readers have and that are older than `time`.
  func removeRead(before time: Int64) {
    var needed = end
    for reader in readers.values { if let place = reader.needs { needed = min(needed, place) } }
    while first < needed, events[head].at < time { removeFirst() }
  }

  private func removeFirst() {
    bytes -= events[head].bytes.count
    pieces[first] = nil
    before = events[head].id
    events[head].bytes = []
    head += 1
    first += 1
    if head > 64, head * 2 > events.count {
      events.removeFirst(head)
      head = 0
    }
  }
}

/// Events in their wire format.
package enum StreamText {
  package static let alive = Array(": alive\n\n".utf8)
  static let dropped = closing(
    "dropped", "slow",
    "this reader was too slow, and the instructions that it missed are no longer kept: connect again to get the current screen")
  static let stopping = closing("closing", "stopping", "the service is stopping: connect again, perhaps to another instance")
  static let moved = closing("closing", "moved", "the room's partition has moved to another instance")
  static let overrun = closing("dropped", "slow", "the server could not keep up: connect again to get the current screen")

  private static func closing(_ event: String, _ reason: String, _ sentence: String) -> [UInt8] {
    Array("event: \(event)\ndata: {\"reason\":\"\(reason)\",\"sentence\":\"\(sentence)\"}\n\n".utf8)
  }

  /// Returns an instruction as an event, with its position as the event's id.
  package static func event(_ name: StaticString, _ record: [UInt8]) -> [UInt8] {
    let buffer = ByteBuffer(capacity: record.count + 96)
    buffer.append("event: ")
    buffer.append(name)
    buffer.append("\nid: ")
    record.withUnsafeBytes { bytes in
      buffer.append(Self.number(behind: #","epoch":"#, in: bytes))
      buffer.append(UInt8(ascii: "-"))
      buffer.append(Self.number(behind: #","seq":"#, in: bytes))
      buffer.append("\ndata: ")
      buffer.append(bytes)
    }
    buffer.append("\n\n")
    return buffer.array
  }

  static func id(of record: [UInt8]) -> EventID? {
    record.withUnsafeBytes { bytes in
      EventID(
        "\(String(decoding: number(behind: #","epoch":"#, in: bytes), as: UTF8.self))-\(String(decoding: number(behind: #","seq":"#, in: bytes), as: UTF8.self))"
      )
    }
  }

  /// Returns the digits after a name. Quotes in strings are escaped, so a room's id cannot be mistaken for it.
  private static func number(behind name: StaticString, in record: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = ByteSearch.find(name, in: record).map { $0 + name.utf8CodeUnitCount } ?? record.count
    return UnsafeRawBufferPointer(rebasing: record[start...].prefix { (0x30...0x39).contains($0) })
  }
}
