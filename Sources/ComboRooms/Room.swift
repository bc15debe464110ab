internal import CPrefetch
package import ComboCore
package import ComboWire
package import Dispatch

/// A room that is awake: its engine, its serial queue, and what its partition stores about it.
///
/// The engine, `hash`, `said`, `skipped` and `wakeup` belong to the room's queue, which only reads what its work on them needs.
/// Everything else belongs to the partition's owner, and so do those while the queue is empty (``Batch/wait()``). What both read
/// changes only then.
// Sendable: the queue and the owner have fields of their own, as above; a batch's counter orders what passes between them.
@usableFromInline
package final class Room: @unchecked Sendable {
  /// The room's name as a JSON string and, if that contains an escape, the name itself after it.
  private let names: UnsafeMutableRawPointer
  private let nameLength: Int32
  private let idOffset: Int32
  private let idLength: Int32

  package var engine: Engine
  /// The running hash of all emitted instructions, in order.
  package var hash = RunningHash()
  /// Instructions emitted since the entry began.
  package var said = 0
  /// Gifts skipped since it woke in this process.
  package var skipped = 0

  package var partition: Int32 = 0
  /// Its index in its partition's table.
  package var index: Int32 = -1
  /// The hash in the partition's digest.
  var foldedHash: UInt64 = 0
  /// The time for which the deadline heap holds it.
  var scheduled = Int64.max
  /// The last entry in which it did anything.
  var changedAt: Int64 = 0
  /// The entry up to which its last committed snapshot holds, or -1.
  var snapshotAt: Int64 = -1
  /// Whether the state topic holds a record of it.
  var hasRecord = false
  /// The number of parts of that record, besides the head.
  package var parts = 0
  /// Whether it has settings of its own, or will have once its queue is empty.
  var hasOwn = false
  /// The entry up to which its snapshot holds, while restoring: it processes no gifts until then.
  package var silentUpTo: Int64 = -1
  /// Whether it only stands for a room that has rested, while restoring.
  package var isGhost = false
  package var rate = RoomRate()
  /// Whether its instructions are watched.
  package internal(set) var isWatched = false
  /// Its part of the batch that is being filled.
  var firstOfBatch: Int32 = -1
  var lastOfBatch: Int32 = -1
  var countOfBatch: Int32 = 0
  /// The number of the last batch of which its queue got a part.
  var lastHop = -1
  package func watch(_ isWatched: Bool, _ quiet: borrowing Quiescence) { self.isWatched = isWatched }

  /// Its serial queue; made at its first use.
  package var queue: DispatchQueue {
    if let madeQueue { return madeQueue }
    let queue = DispatchQueue(label: "room", target: Room.pool)
    madeQueue = queue
    return queue
  }
  var hasQueue: Bool { madeQueue != nil }
  private var madeQueue: DispatchQueue?

  /// The number of its first bytes, which are read when it is found or due.
  private static let headLength = 256

  /// Prefetches the memory of a room that will be found or be due.
  @inline(__always)
  package static func prefetchHead(_ room: Unmanaged<Room>) { prefetch_lines(room.toOpaque(), headLength) }

  /// Prefetches the memory needed to work on it, as far as the room itself has the addresses.
  @inline(__always)
  func prefetchWork() {
    let memory = engine.memory()
    prefetch_lines(memory.address, memory.bytes)
  }

  /// The queue that all rooms' queues run on, as wide as the machine.
  private static let pool = DispatchQueue(label: "rooms", attributes: .concurrent)

  package init(_ id: Bytes, _ engine: Engine) {
    let buffer = ByteBuffer(capacity: 64)
    buffer.append(jsonString: id)
    let name = buffer.bytes
    let isPlain = name.count == id.count + 2
    nameLength = Int32(name.count)
    idLength = Int32(id.count)
    idOffset = isPlain ? 1 : nameLength
    names = .allocate(byteCount: name.count + (isPlain ? 0 : id.count), alignment: 1)
    names.copyMemory(from: name.baseAddress!, byteCount: name.count)
    if !isPlain, let start = id.baseAddress { (names + name.count).copyMemory(from: start, byteCount: id.count) }
    self.engine = engine
  }

  deinit { names.deallocate() }

  /// The room's name, as in the records' keys.
  package var id: Bytes { Bytes(start: names + Int(idOffset), count: Int(idLength)) }
  /// The room's name as a JSON string.
  package var name: Bytes { Bytes(start: names, count: Int(nameLength)) }

  /// Passes an event to the engine. A gift's display data must stay until ``keepLent()``.
  @inline(__always)
  package func take(_ event: UnsafePointer<Event>, own: OwnSettings?, at now: Int64, outbox: Outbox) {
    isWakeupKnown = false
    var sink = RoomSink(room: self, outbox: outbox)
    switch event.pointee.kind {
    case .gift: engine.takeLent(event.pointer(to: \.gift)!, at: now, to: &sink)
    case .roomClosed: engine.close(at: now, to: &sink)
    case .retract: engine.retract(event.pointee.retraction, at: now, to: &sink)
    case .roomSettings: engine.set(own ?? OwnSettings(), at: now, to: &sink)
    }
  }

  /// Copies what the engine has borrowed, so that the events processed so far may be released.
  @inline(__always)
  func keepLent() { engine.keepLent() }

  package func advance(to now: Int64, outbox: Outbox) {
    isWakeupKnown = false
    var sink = RoomSink(room: self, outbox: outbox)
    engine.advance(to: now, to: &sink)
    findWakeup()
  }

  /// The next time at which the room needs attention: a deadline, or the end of its rest.
  package enum Wakeup {
    case deadline(Int64)
    /// It is idle, and can be removed once the time is above this.
    case rest(Int64)
    /// It is idle and has settings of its own.
    case never
  }

  private(set) var wakeup = Wakeup.never
  /// Whether ``wakeup`` is current. The room's own thread finds it while the engine is in its cache; others would wait for
  /// memory.
  private var isWakeupKnown = false

  /// Finds ``wakeup``, if it is not current.
  func findWakeup() {
    if isWakeupKnown { return }
    isWakeupKnown = true
    if let deadline = engine.nextDeadline {
      wakeup = .deadline(deadline)
    } else if let rest = engine.restsAfter {
      wakeup = .rest(rest)
    } else {
      wakeup = .never
    }
  }

  /// Marks ``wakeup`` as outdated, because the engine was changed from outside.
  package func forgetWakeup() { isWakeupKnown = false }
}
