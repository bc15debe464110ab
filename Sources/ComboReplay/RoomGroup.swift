internal import CPrefetch
internal import ComboCore
internal import ComboWire

/// A share of a replay's rooms, whatever observes them. Used by one thread at a time.
struct ReplayLane {
  /// Applies this share's events of a chunk.
  let apply: (ReplayChunk) -> Void
  /// Returns all rooms with their places in the input.
  let roomsByPlace: () -> [(place: UInt64, room: Int)]
}

/// A share of the rooms with their engines.
final class RoomGroup<Observer: RoomObserver> {
  private let index: Int
  private let rooms = ReplayRooms()
  private(set) var observer: Observer
  private let settings: EngineSettings
  private let roomsMax: Int
  /// The rooms that have events in the current chunk.
  private let touched = GrowingList<Int32>()
  /// The next event of the same room for each event of the group, or -1. Both are indices in the group.
  private let following = GrowingList<Int32>()
  /// The events of the current chunk, room by room, in order within each room.
  private let turns = GrowingList<(room: Int32, event: Int32)>()
  /// The addresses that engines will read next.
  private let places = UnsafeMutablePointer<UnsafeRawPointer>.allocate(capacity: Engine.prefetchMax)

  /// Creates a group. Above `roomsMax` rooms, rested ones are removed.
  init(index: Int, settings: EngineSettings, roomsMax: Int, _ observer: Observer) {
    self.index = index
    self.settings = settings
    self.roomsMax = roomsMax
    self.observer = observer
  }

  deinit { places.deallocate() }

  var lane: ReplayLane {
    ReplayLane(apply: apply, roomsByPlace: { [rooms] in rooms.indices.map { (rooms[$0].pointee.first, $0) } })
  }

  /// Applies this group's events of `chunk`.
  ///
  /// It processes the events room by room, in order within each room, so that an engine's memory enters the processor's cache
  /// once per chunk. The output is put back into the order of the events when the chunk is written.
  private func apply(_ chunk: ReplayChunk) {
    let buffer = chunk.buffers[index]
    switch chunk.kind {
    case .lines:
      queueEvents(chunk)
      processEvents(chunk, buffer)
      // Without output, groups of several combinations share this place.
      if Observer.outputTime != .never { chunk.lateStarts[index] = buffer.count }
      if Observer.outputTime == .afterChunks {
        for room in inOrder((0..<touched.count).map { Int(touched.base[$0]) }) {
          _ = observer.write(room, rooms[room], all: false, to: buffer)
        }
      }
      if let time = chunk.sweepBefore, rooms.count > roomsMax { sweep(before: time, to: buffer) }
    case .rooms:
      let members = chunk.members[index]
      for place in 0..<members.count {
        let event = Int(members.base[place])
        let start = buffer.count
        finish(Int(chunk.finishing[event]), to: buffer)
        chunk.setSpan(event, start, buffer.count)
      }
    case .allRooms:
      for room in rooms.indices { finish(room, to: buffer) }
    }
  }

  private func inOrder(_ indexes: [Int]) -> [Int] {
    Observer.outputTime == .afterChunks ? indexes.sorted { rooms[$0].pointee.first < rooms[$1].pointee.first } : indexes
  }

  /// Applies the events to the rooms.
  ///
  /// Most engines are not in the processor's cache. The memory for the next events is prefetched early, in steps, as one address
  /// leads to the next.
  private func processEvents(_ chunk: ReplayChunk, _ buffer: ByteBuffer) {
    // Read from the objects once: an access for each event would count references.
    let (turns, count, rooms, events) = (self.turns.base, self.turns.count, self.rooms.base, chunk.events)
    let places = self.places
    func prefetchPlaces(_ count: Int) { prefetch_all(places, count) }
    for turn in 0..<count {
      if turn + 16 < count {
        let (room, event) = turns[turn + 16]
        let memory = rooms[Int(room)].engine.memory()
        prefetch_lines(memory.address, memory.bytes)
        prefetch_lines(events + Int(event), MemoryLayout<Event>.size)
      }
      for step in 0..<2 {
        let ahead = turn + 13 - 4 * step
        if ahead < count, turns[ahead].room != turns[ahead - 1].room {
          let (room, event) = turns[ahead]
          prefetchPlaces(rooms[Int(room)].engine.prefetchAddresses(step: step, at: events[Int(event)].ts, in: places))
        }
      }
      for step in 0..<3 {
        let ahead = turn + 12 - 4 * step
        if ahead >= count { continue }
        let (room, event) = turns[ahead]
        if events[Int(event)].kind != .gift { continue }
        prefetchPlaces(rooms[Int(room)].engine.prefetchAddresses(of: events[Int(event)].gift.hashes, step: step, in: places))
        if step == 0, let text = events[Int(event)].gift.id.baseAddress { prefetch_lines(text, 320) }
      }
      let (room, event) = turns[turn]
      let start = buffer.count
      process(Int(event), of: chunk, Int(room), rooms + Int(room), buffer)
      if turn + 1 == count || turns[turn + 1].room != room { rooms[Int(room)].engine.keepLent() }
      if Observer.outputTime == .atOnce { chunk.setSpan(Int(event), start, buffer.count) }
    }
  }

  /// Finds or creates the room of each event, and queues the events by room.
  private func queueEvents(_ chunk: ReplayChunk) {
    touched.count = 0
    following.count = 0
    let members = chunk.members[index]
    for place in 0..<members.count {
      if place + 16 < members.count { prefetch(rooms.place(of: chunk.hashes[Int(members.base[place + 16])])) }
      if place + 10 < members.count, let room = rooms.likely(chunk.hashes[Int(members.base[place + 10])]) { prefetch(room) }
      if place + 5 < members.count, let room = rooms.likely(chunk.hashes[Int(members.base[place + 5])]) {
        prefetch(room.pointee.names)
      }
      let number = Int(members.base[place])
      let event = chunk.events + number
      let hash = chunk.hashes[number]
      following.append(-1)
      var index = rooms.find(event.pointee.room, hash: hash)
      if index < 0 {
        // There is nothing to close or to retract.
        if event.pointee.kind == .roomClosed || event.pointee.kind == .retract { continue }
        index = rooms.add(
          event.pointee.room, hash: hash, first: ReplayChunk.place(chunk.number, number),
          engine: Engine(at: max(0, event.pointee.ts), settings: settings), at: max(0, event.pointee.ts))
        observer.add(index, rooms[index], slots: settings.values.slots)
      }
      let room = rooms[index]
      if room.pointee.firstEvent < 0 {
        touched.append(Int32(truncatingIfNeeded: index))
        room.pointee.firstEvent = Int32(truncatingIfNeeded: place)
      } else {
        following.base[Int(room.pointee.lastEvent)] = Int32(truncatingIfNeeded: place)
      }
      room.pointee.lastEvent = Int32(truncatingIfNeeded: place)
    }
    turns.count = 0
    for place in 0..<touched.count {
      let room = rooms[Int(touched.base[place])]
      var event = room.pointee.firstEvent
      room.pointee.firstEvent = -1
      while event >= 0 {
        turns.append((touched.base[place], members.base[Int(event)]))
        event = following.base[Int(event)]
      }
    }
  }

  @inline(__always)
  private func process(_ number: Int, of chunk: ReplayChunk, _ index: Int, _ room: Observer.Room, _ buffer: ByteBuffer) {
    let event = chunk.events + number
    let ts = event.pointee.ts
    if ts > room.pointee.time { room.pointee.time = ts }
    var sink = observer.sink(index, room, buffer)
    switch event.pointee.kind {
    case .gift: observer.process(event.pointer(to: \.gift)!, at: ts, index, room, &sink)
    case .roomClosed:
      room.pointee.engine.close(at: ts, to: &sink)
      observer.set(slots: settings.values.slots, index, at: ts)
    case .retract: room.pointee.engine.retract(event.pointee.retraction, at: ts, to: &sink)
    case .roomSettings:
      let own = chunk.owns[number]!
      room.pointee.engine.set(own, at: ts, to: &sink)
      observer.set(slots: settings.values.with(own).slots, index, at: ts)
    }
  }

  private func finish(_ index: Int, to buffer: ByteBuffer) {
    let room = rooms[index]
    var sink = observer.sink(index, room, buffer)
    while let deadline = room.pointee.engine.nextDeadline { room.pointee.engine.advance(to: deadline, to: &sink) }
    _ = observer.write(index, room, all: true, to: buffer)
    observer.remove(index, room)
    rooms.remove(index)
  }

  /// Removes rooms that are idle and rested by `time`. This changes the output only if the time of one of them later goes back
  /// before `time`, as a rested engine is replaced at the next gift in any case.
  private func sweep(before time: Int64, to buffer: ByteBuffer) {
    let rest = Int64(settings.values.rest)
    for index in inOrder(rooms.indices) {
      let room = rooms[index]
      // A room with a recent event cannot have rested.
      if room.pointee.time + rest >= time { continue }
      var sink = observer.sink(index, room, buffer)
      room.pointee.engine.advance(to: time, to: &sink)
      let isComplete = observer.write(index, room, all: false, to: buffer)
      guard isComplete, let restsAfter = room.pointee.engine.restsAfter, restsAfter < time else { continue }
      observer.remove(index, room)
      rooms.remove(index)
    }
    observer.endSweep()
  }
}
