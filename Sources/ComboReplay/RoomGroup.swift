internal import CPrefetch
internal import ComboCore
internal import ComboWire

/// A share of the rooms with their engines, used by one thread at a time.
final class RoomGroup {
  private let index: Int
  private let rooms = ReplayRooms()
  private let settings: EngineSettings
  private let roomsMax: Int
  /// The rooms that have events in the current chunk.
  private let touched = GrowingList<Int32>()
  /// The events of the current chunk, room by room, in order within each room.
  private let turns = GrowingList<(room: Int32, event: Int32)>()
  /// The addresses that engines are about to read.
  private let places = UnsafeMutablePointer<UnsafeRawPointer>.allocate(capacity: Engine.prefetchMax)

  /// Creates a group. Above `roomsMax` rooms, rested ones are forgotten.
  init(index: Int, settings: EngineSettings, roomsMax: Int) {
    self.index = index
    self.settings = settings
    self.roomsMax = roomsMax
  }

  deinit { places.deallocate() }

  /// All rooms with their places in the input.
  var roomsByPlace: [(place: UInt64, room: Int)] { rooms.indices.map { (rooms[$0].pointee.first, $0) } }

  /// Applies this group's events of `chunk`.
  ///
  /// It processes the events room by room, in order within each room, so that an engine's memory enters the processor's cache
  /// once per chunk. The output is put back into the order of the events when the chunk is written.
  func apply(_ chunk: ReplayChunk) {
    let buffer = chunk.buffers[index]
    switch chunk.kind {
    case .lines:
      lineUp(chunk)
      takeTurns(chunk, buffer)
      if let time = chunk.sweepBefore, rooms.count > roomsMax {
        chunk.sweepStarts[index] = buffer.count
        sweep(before: time, to: buffer)
      }
    case .end:
      let members = chunk.members[index]
      for place in 0..<members.count {
        let event = Int(members.base[place])
        let start = buffer.count
        finish(Int(chunk.finishing[event]), to: buffer)
        chunk.note(event, start, buffer.count)
      }
    }
  }

  /// Applies the events to the rooms.
  ///
  /// Most engines are not in the processor's cache at their turn. The memory of the next turns is prefetched early, in steps, as
  /// one address leads to the next.
  private func takeTurns(_ chunk: ReplayChunk, _ buffer: ByteBuffer) {
    // Read from the objects once: access at each turn would count references.
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
      take(Int(event), of: chunk, rooms + Int(room), buffer)
      if turn + 1 == count || turns[turn + 1].room != room { rooms[Int(room)].engine.keepLent() }
      chunk.note(Int(event), start, buffer.count)
    }
  }

  /// Finds or creates the room of each event, and queues the events by room.
  private func lineUp(_ chunk: ReplayChunk) {
    touched.count = 0
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
      chunk.note(number, 0, 0)
      var index = rooms.find(event.pointee.room, hash: hash)
      if index < 0 {
        // There is nothing to close or to retract.
        if event.pointee.kind == .roomClosed || event.pointee.kind == .retract { continue }
        index = rooms.add(
          event.pointee.room, hash: hash, first: ReplayChunk.place(chunk.number, number),
          engine: Engine(at: max(0, event.pointee.ts), settings: settings), at: max(0, event.pointee.ts))
      }
      let room = rooms[index]
      if room.pointee.firstEvent < 0 {
        touched.append(Int32(truncatingIfNeeded: index))
        room.pointee.firstEvent = Int32(truncatingIfNeeded: number)
      } else {
        chunk.following[Int(room.pointee.lastEvent)] = Int32(truncatingIfNeeded: number)
      }
      room.pointee.lastEvent = Int32(truncatingIfNeeded: number)
      chunk.following[number] = -1
    }
    turns.count = 0
    for place in 0..<touched.count {
      let room = rooms[Int(touched.base[place])]
      var event = room.pointee.firstEvent
      room.pointee.firstEvent = -1
      while event >= 0 {
        turns.append((touched.base[place], event))
        event = chunk.following[Int(event)]
      }
    }
  }

  @inline(__always)
  private func take(
    _ number: Int, of chunk: ReplayChunk, _ room: UnsafeMutablePointer<ReplayRooms.Room>, _ buffer: ByteBuffer
  ) {
    let event = chunk.events + number
    let ts = event.pointee.ts
    if ts > room.pointee.time { room.pointee.time = ts }
    var sink = ReplaySink(room: room.pointee.json, buffer: buffer)
    switch event.pointee.kind {
    case .gift: room.pointee.engine.takeLent(event.pointer(to: \.gift)!, at: ts, to: &sink)
    case .roomClosed: room.pointee.engine.close(at: ts, to: &sink)
    case .retract: room.pointee.engine.retract(event.pointee.retraction, at: ts, to: &sink)
    case .roomSettings: room.pointee.engine.set(chunk.owns[number]!, at: ts, to: &sink)
    }
  }

  private func finish(_ index: Int, to buffer: ByteBuffer) {
    let room = rooms[index]
    var sink = ReplaySink(room: room.pointee.json, buffer: buffer)
    while let deadline = room.pointee.engine.nextDeadline { room.pointee.engine.advance(to: deadline, to: &sink) }
  }

  /// Forgets rooms that are idle and rested by `time`. This matters only if the time of one of them later goes back before
  /// `time`, as an engine that has rested is replaced at the next gift in any case.
  private func sweep(before time: Int64, to buffer: ByteBuffer) {
    let rest = Int64(settings.values.rest)
    for index in rooms.indices {
      let room = rooms[index]
      // A room with a recent event cannot have rested.
      if room.pointee.time + rest >= time { continue }
      var sink = ReplaySink(room: room.pointee.json, buffer: buffer)
      room.pointee.engine.advance(to: time, to: &sink)
      if let restsAfter = room.pointee.engine.restsAfter, restsAfter < time { rooms.remove(index) }
    }
  }
}
