internal import CPrefetch
package import ComboCore
package import ComboWire
internal import Dispatch
internal import Synchronization

/// The result of one poll: the events, and the room that each belongs to.
///
/// The events of a room form an ordered chain; a room gets its whole chain in one hop. The batch must not be filled again before
/// ``wait()`` has returned.
// Sendable: filled by the owner alone; then only read, by the rooms' queues, until the counter is at 0.
package final class Batch: @unchecked Sendable {
  /// Holds the bytes that events point to.
  package let arena = BumpArena()
  private var events: UnsafeMutablePointer<Event>
  private var next: UnsafeMutablePointer<Int32>
  package private(set) var count = 0
  private var capacity: Int
  /// The settings that events bring, by the event's index.
  private var own: [Int32: OwnSettings] = [:]
  /// The rooms with events, and the time of those events.
  ///
  /// Their partitions own them, and keep them until the batch is done.
  private var parts: [(room: Unmanaged<Room>, now: Int64)] = []
  private let hasher = GiftHasher()
  /// The number of the batch: one more than that of the batch dispatched before.
  private var number = 0
  private let outstanding = Atomic<Int>(0)
  private let done = DispatchSemaphore(value: 0)

  package init(capacity: Int = 4096) {
    self.capacity = capacity
    events = .allocate(capacity: capacity)
    events.initialize(repeating: Event(), count: capacity)
    next = .allocate(capacity: capacity)
    next.initialize(repeating: -1, count: capacity)
  }

  deinit {
    events.deallocate()
    next.deallocate()
  }

  /// The slot for the next event.
  @inline(__always)
  package func slot() -> UnsafeMutablePointer<Event> {
    assert(isDone, "a batch is filled once all rooms have processed their part of it")
    if count == capacity { grow() }
    return events + count
  }

  /// Adds the event in ``slot()``, for this room.
  @inline(__always)
  package func add(to handle: Unmanaged<Room>, own settings: OwnSettings?, now: Int64) {
    let index = Int32(count)
    // Hashed while its bytes are in the cache.
    let isGift = events[count].kind == .gift
    if isGift { events[count].gift.hash(with: hasher) }
    count += 1
    next[Int(index)] = -1
    if let settings { own[index] = settings }
    handle._withUnsafeGuaranteedRef { room in
      if room.firstOfBatch < 0 {
        room.firstOfBatch = index
        room.countOfBatch = 1
        parts.append((handle, now))
      } else {
        next[Int(room.lastOfBatch)] = index
        room.countOfBatch += 1
      }
      room.lastOfBatch = index
      if isGift { room.rate.gifts &+= 1 }
    }
  }

  /// Runs every room's part: in one hop to another thread if it has at least `hopMin` events; otherwise at once, or after the
  /// room's work of the previous batch.
  /// - Parameters:
  ///   - before: The batch dispatched last, which may still be in progress; earlier ones are done.
  ///   - period: See ``RoomRate``.
  package func dispatch(behind before: Batch, outboxes: OutboxPool, hopMin: Int, period: Int32) {
    precondition(isDone && before !== self, "a batch is dispatched once, after the other one")
    number = before.number + 1
    outstanding.store(1, ordering: .relaxed)
    // The long ones first: other threads run them while this thread does the short ones.
    for (handle, now) in parts {
      handle._withUnsafeGuaranteedRef { room in
        room.rate.count(room.countOfBatch, in: period)
        if room.countOfBatch < hopMin { return }
        let first = room.firstOfBatch
        room.firstOfBatch = -1
        room.lastHop = number
        outstanding.add(1, ordering: .relaxed)
        room.queue.async { [self] in
          outboxes.withOutbox { outbox in handle._withUnsafeGuaranteedRef { run($0, from: first, at: now, outbox: outbox) } }
          finish()
        }
      }
    }
    outboxes.withOutbox { outbox in
      for index in parts.indices {
        prefetchNext(index, behind: before, outbox.places)
        let (handle, now) = parts[index]
        handle._withUnsafeGuaranteedRef { room in
          let first = room.firstOfBatch
          if first < 0 { return }
          room.firstOfBatch = -1
          if mayRun(room, of: before) {
            room.queue.sync { run(room, from: first, at: now, outbox: outbox) }
          } else {
            run(room, from: first, at: now, outbox: outbox)
          }
        }
      }
    }
    finish()
  }

  /// Whether another thread may still run the room's part of the batch dispatched before.
  @inline(__always)
  private func mayRun(_ room: Room, of before: Batch) -> Bool { room.lastHop == before.number && !before.isDone }

  /// Whether this thread may read the room, which has a part that it will run.
  @inline(__always)
  func mayPrefetch(_ room: Room, behind before: Batch) -> Bool { room.firstOfBatch >= 0 && !mayRun(room, of: before) }

  /// Prefetches the memory of the next rooms, as most are not in the processor's cache when their turn comes. It goes step by
  /// step, since one piece of memory contains the address of the next.
  @inline(__always)
  private func prefetchNext(_ index: Int, behind before: Batch, _ places: PrefetchList) {
    if index + 12 < parts.count {
      parts[index + 12].room._withUnsafeGuaranteedRef { room in
        if !mayPrefetch(room, behind: before) { return }
        room.prefetchWork()
        prefetch_lines(events + Int(room.firstOfBatch), MemoryLayout<Event>.size)
      }
    }
    for step in 0..<2 where index + 9 - 3 * step < parts.count {
      let (handle, now) = parts[index + 9 - 3 * step]
      handle._withUnsafeGuaranteedRef { room in
        if !mayPrefetch(room, behind: before) { return }
        places.prefetch(room.engine.prefetchAddresses(step: step, at: now, in: places.base))
      }
    }
    for step in 0..<3 {
      let ahead = index + 8 - 3 * step
      if ahead >= parts.count { continue }
      parts[ahead].room._withUnsafeGuaranteedRef { room in
        if !mayPrefetch(room, behind: before) { return }
        let event = events + Int(room.firstOfBatch)
        if event.pointee.kind != .gift { return }
        if step == 0 { prefetchNames(event) }
        places.prefetch(room.engine.prefetchAddresses(of: event.pointee.gift.hashes, step: step, in: places.base))
      }
    }
  }

  /// Whether all rooms have processed their part.
  private var isDone: Bool { outstanding.load(ordering: .acquiring) == 0 }

  /// Waits until all rooms have processed their part, then empties the batch.
  package func wait() {
    if count == 0 { return }
    done.wait()
    precondition(isDone, "a room still works on a batch that is done")
    count = 0
    parts.removeAll(keepingCapacity: true)
    own.removeAll()
    arena.reset()
  }

  private func run(_ room: Room, from first: Int32, at now: Int64, outbox: Outbox) {
    var index = first
    var ahead = Ahead(first, next)
    while index >= 0 {
      prefetchNext(room, ahead, outbox.places)
      assert(events[Int(index)].room.elementsEqual(room.id), "an event goes to its own room")
      room.take(events + Int(index), own: own.isEmpty ? nil : own[index], at: now, outbox: outbox)
      index = next[Int(index)]
      ahead.step(next)
    }
    room.keepLent()
    room.findWakeup()
  }

  /// Prefetches the memory of the next events of one room.
  @inline(__always)
  private func prefetchNext(_ room: Room, _ ahead: Ahead, _ places: PrefetchList) {
    if ahead.first < 0 { return }
    if ahead.fourth >= 0 { prefetch_lines(events + Int(ahead.fourth), MemoryLayout<Event>.size) }
    for step in 0..<3 {
      let index = step == 0 ? ahead.third : step == 1 ? ahead.second : ahead.first
      if index < 0 || events[Int(index)].kind != .gift { continue }
      if step == 0 { prefetchNames(events + Int(index)) }
      places.prefetch(room.engine.prefetchAddresses(of: events[Int(index)].gift.hashes, step: step, in: places.base))
    }
  }

  /// Prefetches the names that the engine compares and stores: they may have left the processor's cache since they were hashed.
  @inline(__always)
  private func prefetchNames(_ event: UnsafePointer<Event>) {
    if let id = event.pointee.gift.id.baseAddress { prefetch(id) }
    if let sender = event.pointee.gift.senderID.baseAddress { prefetch(sender) }
    if let gift = event.pointee.gift.giftID.baseAddress { prefetch(gift) }
  }

  private func finish() {
    if outstanding.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { done.signal() }
  }

  private func grow() {
    let larger = capacity * 2
    let events = UnsafeMutablePointer<Event>.allocate(capacity: larger)
    events.update(from: self.events, count: count)
    (events + count).initialize(repeating: Event(), count: larger - count)
    let next = UnsafeMutablePointer<Int32>.allocate(capacity: larger)
    next.update(from: self.next, count: count)
    (next + count).initialize(repeating: -1, count: larger - count)
    self.events.deallocate()
    self.next.deallocate()
    self.events = events
    self.next = next
    capacity = larger
  }
}

/// Proof that no room is running. What may be done only then takes one; it cannot be copied, so none can be kept for later.
package struct Quiescence: ~Copyable {
  /// Waits until the rooms have processed their parts of all batches.
  package init(after batches: [Batch]) {
    for batch in batches { batch.wait() }
  }

  /// The proof for a thread that runs its rooms itself, without batches, as a restore does.
  package static func ofSoleThread() -> Quiescence { Quiescence(after: []) }
}

/// The next four events of a room's part of a batch; -1 for none.
private struct Ahead {
  private(set) var first: Int32
  private(set) var second: Int32
  private(set) var third: Int32
  private(set) var fourth: Int32

  /// Finds the events after `index`.
  init(_ index: Int32, _ next: UnsafeMutablePointer<Int32>) {
    func following(_ index: Int32) -> Int32 { index < 0 ? -1 : next[Int(index)] }
    first = following(index)
    second = following(first)
    third = following(second)
    fourth = following(third)
  }

  /// Advances by one event.
  @inline(__always)
  mutating func step(_ next: UnsafeMutablePointer<Int32>) {
    (first, second, third) = (second, third, fourth)
    if fourth >= 0 { fourth = next[Int(fourth)] }
  }
}
