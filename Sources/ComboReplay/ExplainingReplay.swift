package import ComboCore
package import ComboMaps
internal import ComboWire

/// A replay that reports what became of each gift instead of the instructions. Runs on one thread, chunk by chunk.
package final class ExplainingReplay {
  private struct Room {
    var engine: Engine
    let trail = GiftTrail()
    let name: [UInt8]
    /// The name as a JSON string.
    let json: [UInt8]
    /// The latest time of the room's events.
    var time: Int64
  }

  private let source: LineSource
  private let decoder: ChunkDecoder
  private let chunk: ReplayChunk
  private let settings: EngineSettings
  private let write: (Bytes) -> Bool
  private let report: ([String]) -> Void
  private let buffer = ByteBuffer(capacity: 1 << 16)
  private var indexes: [[UInt8]: Int] = [:]
  /// The rooms in the order of their first events; nil for a room that has rested, and whose engine was discarded.
  private var rooms: [Room?] = []
  private let roomsMax: Int
  private var sweeps: SweepPace

  /// - Parameters:
  ///   - source: The lines.
  ///   - map: The map that turns lines into events; nil if they are events.
  ///   - maxRestedRooms: The number of rooms above which the engines of rested ones are discarded, as in any other replay.
  ///   - chunkBytes: The bytes read at once; more than the longest record allowed.
  ///   - sweepLines: The fewest lines between two sweeps for rested rooms.
  ///   - write: Writes objects, one per line. Returns false if it cannot.
  ///   - report: Receives sentences about bad lines.
  package init(
    _ source: LineSource, settings: Settings, map: RecordMap? = nil, maxRestedRooms: Int = 65_536, chunkBytes: Int = 1 << 19,
    sweepLines: Int = ReplayPipeline.sweepLines, write: @escaping (Bytes) -> Bool, report: @escaping ([String]) -> Void
  ) {
    self.source = source
    self.settings = EngineSettings(settings)
    roomsMax = maxRestedRooms
    sweeps = SweepPace(linesMin: sweepLines)
    self.write = write
    self.report = report
    decoder = ChunkDecoder(map: map)
    chunk = ReplayChunk(groups: 1, textBytes: chunkBytes)
  }

  /// Runs the replay to its end.
  package func run() -> ReplayPipeline.Summary {
    var summary = ReplayPipeline.Summary()
    var number = 0
    while true {
      chunk.begin(number, .lines)
      switch source.next(into: chunk.text) {
      case .lines(let count):
        decoder.decode(
          UnsafeRawBufferPointer(rebasing: chunk.text[..<count]), into: chunk, groups: 1, isFirst: number == 0)
      case .tooLong(let count):
        chunk.passOver(bytes: count)
      case .failed(let error):
        summary.failure = "cannot read the input: \(ReplayPipeline.words(of: error))"
        return summary
      case .end:
        _ = finish()
        summary.drops = decoder.drops
        return summary
      }
      number += 1
      if !chunk.badLines.isEmpty {
        report(chunk.badLines.map { "line \(summary.lines + $0.line + 1): \($0.sentence)" })
        summary.badLines += chunk.badLines.count
      }
      summary.lines += chunk.lineCount
      var touched: Set<Int> = []
      for event in 0..<chunk.eventCount { if let room = take(event) { touched.insert(room) } }
      for room in touched.sorted() { takeOut(room, all: false) }
      sweepIfDue()
      if !flush() { return summary }
    }
  }

  /// Applies an event to its room. Returns the room's index, or nil if the room has no engine and needs none.
  private func take(_ number: Int) -> Int? {
    let event = chunk.events + number
    let (now, name) = (event.pointee.ts, Array(event.pointee.room))
    var index = indexes[name]
    if index == nil {
      if event.pointee.kind == .roomClosed || event.pointee.kind == .retract { return nil }
      let json = ByteBuffer(capacity: 600)
      InstructionEncoder.writeRoom(event.pointee.room, into: json)
      rooms.append(
        Room(engine: Engine(at: max(0, now), settings: settings), name: name, json: Array(json.bytes), time: now))
      index = rooms.count - 1
      indexes[name] = index
    }
    guard let index, let trail = rooms[index]?.trail else { return nil }
    var sink = trail.sink
    rooms[index]!.time = max(rooms[index]!.time, now)
    switch event.pointee.kind {
    case .gift: trail.take(event.pointee.gift, at: now, by: &rooms[index]!.engine)
    case .roomClosed: rooms[index]!.engine.close(at: now, to: &sink)
    case .retract: rooms[index]!.engine.retract(event.pointee.retraction, at: now, to: &sink)
    case .roomSettings: rooms[index]!.engine.set(chunk.owns[number] ?? OwnSettings(), at: now, to: &sink)
    }
    return index
  }

  /// Discards the engines of rooms that have rested, as a replay does (``RoomGroup``), so that memory does not grow with the
  /// number of all rooms.
  private func sweepIfDue() {
    guard let time = sweeps.add(chunk), indexes.count > roomsMax else { return }
    let rest = Int64(settings.values.rest)
    for index in rooms.indices {
      // No copy of the engine is held, as it would be duplicated when it is modified.
      guard let trail = rooms[index]?.trail, rooms[index]!.time + rest < time else { continue }
      var sink = trail.sink
      rooms[index]!.engine.advance(to: time, to: &sink)
      takeOut(index, all: false)
      if let restsAfter = rooms[index]!.engine.restsAfter, restsAfter < time, trail.isEmpty {
        indexes[rooms[index]!.name] = nil
        rooms[index] = nil
      }
    }
    if indexes.count * 2 < rooms.count {
      rooms.removeAll { $0 == nil }
      for (index, room) in rooms.enumerated() { indexes[room!.name] = index }
    }
  }

  /// After the last line, each room is advanced until it has no deadline.
  private func finish() -> Bool {
    for index in rooms.indices {
      guard let trail = rooms[index]?.trail else { continue }
      var sink = trail.sink
      while let deadline = rooms[index]!.engine.nextDeadline { rooms[index]!.engine.advance(to: deadline, to: &sink) }
      takeOut(index, all: true)
      if !flush() { return false }
    }
    return true
  }

  private func takeOut(_ index: Int, all: Bool) {
    guard let room = rooms[index] else { return }
    room.json.withUnsafeBytes { json in
      room.trail.takeOut(all: all) { fate in
        fate.write(room: json, to: buffer)
        buffer.append(UInt8(ascii: "\n"))
      }
    }
  }

  private func flush() -> Bool {
    if buffer.count == 0 { return true }
    defer { buffer.removeAll() }
    return write(buffer.bytes)
  }
}
