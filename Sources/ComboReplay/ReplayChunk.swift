internal import ComboCore
internal import ComboWire

/// A part of the input in progress: its events and their results. Reused for later parts.
///
/// It belongs to one thread while it is decoded or written. While it is applied, several threads read its events, and each writes
/// to the output of its own room group; the pipeline's lock separates these phases.
final class ReplayChunk {
  /// Returns an event's position in the input, from the numbers of its chunk and of the event in it.
  static func place(_ number: Int, _ event: Int) -> UInt64 { UInt64(number) << 24 | UInt64(event) }

  enum Kind {
    /// Lines of the input.
    case lines
    /// Rooms to be finished after the input. `finishing` lists them.
    case rooms
    /// All rooms to be finished after the input, in any order.
    case allRooms
  }

  /// 0, 1, 2 … in the order of the input.
  var number = 0
  var kind = Kind.lines
  /// The number of its lines, including blank and bad ones.
  var lineCount = 0
  /// The places of its records, if they come from a topic.
  var records: [RecordFeed.Record] = []
  /// The faults of its bad lines, each with the line's index.
  var badLines: [(line: Int, sentence: String)] = []
  /// The earliest `ts` of its events.
  var earliest = Int64.max
  /// The time before which rested rooms may be forgotten after its events, or nil for no sweep.
  var sweepBefore: Int64?

  /// Its lines as they were read, followed by padding. Its events point into them.
  let text: UnsafeMutableRawBufferPointer
  /// The memory for parts of its events that differ from the text.
  let arena = BumpArena(chunkSize: 1 << 16)
  private(set) var events: UnsafeMutablePointer<Event>
  private(set) var hashes: UnsafeMutablePointer<UInt64>
  private(set) var eventCount = 0
  private var eventCapacity = 4096
  /// The group of each event's room.
  private(set) var groups: UnsafeMutablePointer<UInt8>
  /// The indexes of the events of each group.
  let members: [GrowingList<Int32>]
  /// The settings of `room_settings` events, by event.
  var owns: [Int: OwnSettings] = [:]
  /// The indices within their groups of the rooms of a chunk of kind `rooms`.
  var finishing: [Int32] = []
  /// The place of each event's output in its group's buffer.
  private var spans: UnsafeMutablePointer<(start: Int, end: Int)>
  /// The instructions of each group's rooms.
  let buffers: [ByteBuffer]
  /// The position in each group's buffer at which the output of its events ends. Not an array, as several threads write to it
  /// at once.
  let lateStarts: UnsafeMutableBufferPointer<Int>

  init(groups count: Int, textBytes: Int) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: textBytes + BumpArena.padding, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    text = UnsafeMutableRawBufferPointer(rebasing: memory[..<textBytes])
    events = .allocate(capacity: eventCapacity)
    hashes = .allocate(capacity: eventCapacity)
    groups = .allocate(capacity: eventCapacity)
    spans = .allocate(capacity: eventCapacity)
    members = (0..<count).map { _ in GrowingList<Int32>() }
    buffers = (0..<count).map { _ in ByteBuffer(capacity: 1 << 14) }
    lateStarts = .allocate(capacity: count)
    lateStarts.initialize(repeating: Int.max)
  }

  deinit {
    text.deallocate()
    events.deallocate()
    hashes.deallocate()
    groups.deallocate()
    spans.deallocate()
    lateStarts.deallocate()
  }

  /// Resets the chunk, and makes it the `number`th one.
  func begin(_ number: Int, _ kind: Kind) {
    self.number = number
    self.kind = kind
    lineCount = 0
    badLines.removeAll(keepingCapacity: true)
    earliest = .max
    sweepBefore = nil
    arena.reset()
    eventCount = 0
    for list in members { list.count = 0 }
    owns.removeAll(keepingCapacity: true)
    finishing.removeAll(keepingCapacity: true)
    for buffer in buffers { buffer.removeAll() }
    lateStarts.update(repeating: .max)
  }

  /// Registers one of its lines as too long.
  func addTooLong(_ line: Int, bytes: Int) {
    let limit = WireLimits.replay.recordBytes
    badLines.append((line, BadEvent(.tooLarge, "the record has \(bytes) bytes; at most \(limit) are allowed").description))
  }

  /// Returns the slot of the next event, which counts once ``add(group:hash:)`` is called.
  @inline(__always)
  func nextEvent() -> UnsafeMutablePointer<Event> {
    if eventCount == eventCapacity { grow() }
    return events + eventCount
  }

  /// Adds the event that was written to ``nextEvent()``.
  @inline(__always)
  func add(group: Int, hash: UInt64) {
    hashes[eventCount] = hash
    groups[eventCount] = UInt8(truncatingIfNeeded: group)
    spans[eventCount] = (0, 0)
    members[group].append(Int32(truncatingIfNeeded: eventCount))
    eventCount += 1
  }

  /// Adds a room that is to be finished.
  func finish(group: Int, room: Int) {
    if eventCount == eventCapacity { grow() }
    finishing.append(Int32(room))
    add(group: group, hash: 0)
  }

  private func grow() {
    eventCapacity *= 2
    events.reallocate(eventCount, capacity: eventCapacity)
    hashes.reallocate(eventCount, capacity: eventCapacity)
    groups.reallocate(eventCount, capacity: eventCapacity)
    spans.reallocate(eventCount, capacity: eventCapacity)
  }

  /// Sets the position of an event's output in its group's buffer.
  @inline(__always)
  func setSpan(_ event: Int, _ start: Int, _ end: Int) { spans[event] = (start, end) }

  /// Appends the output of all groups in the order of its events. Other output, such as that of a sweep, follows by group.
  func gather(into out: ByteBuffer) {
    for event in 0..<eventCount {
      let span = spans[event]
      if span.start < span.end { out.append(buffers[Int(groups[event])].bytes(span.start..<span.end)) }
    }
    for (buffer, start) in zip(buffers, lateStarts) where start < buffer.count { out.append(buffer.bytes(start..<buffer.count)) }
  }
}

/// A list of plain values without copy-on-write, so that appending does not check a reference count.
final class GrowingList<Element> {
  private(set) var base = UnsafeMutablePointer<Element>.allocate(capacity: 1024)
  private var capacity = 1024
  var count = 0

  deinit { base.deallocate() }

  @inline(__always)
  func append(_ element: Element) {
    if count == capacity { grow() }
    (base + count).initialize(to: element)
    count += 1
  }

  private func grow() {
    capacity *= 2
    base.reallocate(count, capacity: capacity)
  }
}

extension UnsafeMutablePointer {
  /// Moves the first elements to new memory of this capacity, in the place of the old memory.
  fileprivate mutating func reallocate(_ count: Int, capacity: Int) {
    let new = Self.allocate(capacity: capacity)
    new.moveInitialize(from: self, count: count)
    deallocate()
    self = new
  }
}
