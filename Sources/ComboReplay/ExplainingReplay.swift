package import ComboCore
package import ComboWire

/// A replay that reports what became of each gift in place of the instructions: one thread, chunk by chunk.
package final class ExplainingReplay {
  private struct Room {
    var engine: Engine
    let trail = GiftTrail()
    /// Its name as a JSON string.
    let json: [UInt8]
  }

  private let source: LineSource
  private let decoder: ChunkDecoder
  private let chunk: ReplayChunk
  private let settings: EngineSettings
  private let write: (Bytes) -> Bool
  private let report: ([String]) -> Void
  private let buffer = ByteBuffer(capacity: 1 << 16)
  private var indexes: [[UInt8]: Int] = [:]
  /// In the order in which they came up.
  private var rooms: [Room] = []

  /// - Parameters:
  ///   - source: the lines.
  ///   - map: by which lines become events; nil: they are events.
  ///   - chunkBytes: read at once; above the longest record allowed.
  ///   - write: writes objects, a line each; false: it cannot.
  ///   - report: takes sentences about bad lines.
  package init(
    _ source: LineSource, settings: Settings, map: RecordMap? = nil, chunkBytes: Int = 1 << 19,
    write: @escaping (Bytes) -> Bool, report: @escaping ([String]) -> Void
  ) {
    self.source = source
    self.settings = EngineSettings(settings)
    self.write = write
    self.report = report
    decoder = ChunkDecoder(map: map)
    chunk = ReplayChunk(groups: 1, textBytes: chunkBytes)
  }

  /// Runs it to its end.
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
      if !flush() { return summary }
    }
  }

  /// Lets a room take an event; nil: it has no engine, and needs none.
  private func take(_ number: Int) -> Int? {
    let event = chunk.events + number
    let (now, name) = (event.pointee.ts, Array(event.pointee.room))
    var index = indexes[name]
    if index == nil {
      if event.pointee.kind == .roomClosed || event.pointee.kind == .retract { return nil }
      let json = ByteBuffer(capacity: 600)
      InstructionEncoder.writeRoom(event.pointee.room, into: json)
      rooms.append(Room(engine: Engine(at: max(0, now), settings: settings), json: Array(json.bytes)))
      index = rooms.count - 1
      indexes[name] = index
    }
    guard let index else { return nil }
    var sink = rooms[index].trail.sink
    switch event.pointee.kind {
    case .gift: rooms[index].trail.take(event.pointee.gift, at: now, by: &rooms[index].engine)
    case .roomClosed: rooms[index].engine.close(at: now, to: &sink)
    case .retract: rooms[index].engine.retract(event.pointee.retraction, at: now, to: &sink)
    case .roomSettings: rooms[index].engine.set(chunk.owns[number] ?? OwnSettings(), at: now, to: &sink)
    }
    return index
  }

  /// After the last line each room runs on until it has no deadline.
  private func finish() -> Bool {
    for index in rooms.indices {
      var sink = rooms[index].trail.sink
      while let deadline = rooms[index].engine.nextDeadline { rooms[index].engine.advance(to: deadline, to: &sink) }
      takeOut(index, all: true)
      if !flush() { return false }
    }
    return true
  }

  private func takeOut(_ index: Int, all: Bool) {
    rooms[index].json.withUnsafeBytes { json in
      rooms[index].trail.takeOut(all: all) { fate in
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
