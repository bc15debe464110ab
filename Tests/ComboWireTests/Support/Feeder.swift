import ComboCore
import ComboWire

/// Collects instructions as lines.
struct LineSink: InstructionSink {
  let room: String
  let buffer = ByteBuffer()
  private(set) var lines: [String] = []

  init(room: String) { self.room = room }

  mutating func say(_ instruction: Instruction) {
    buffer.removeAll()
    let escaped = ByteBuffer()
    Array(room.utf8).withUnsafeBytes { InstructionEncoder.writeRoom($0, into: escaped) }
    InstructionEncoder.encode(instruction, room: escaped.bytes, into: buffer)
    lines.append(String(buffer.bytes))
  }
}

/// Feeds records of one room to an engine, at their `ts`.
struct Feeder {
  let decoder = EventDecoder(limits: .replay)
  let arena = BumpArena(chunkSize: 4096)
  var event = Event()
  let settings: EngineSettings
  var engine: Engine?
  var sink: LineSink

  init(room: String = "r1", _ settings: Settings = Settings()) {
    self.settings = EngineSettings(settings)
    sink = LineSink(room: room)
  }

  mutating func feed(_ record: String) throws {
    arena.reset()
    try Array(record.utf8).withUnsafeBytes { try decoder.decode($0, key: nil, into: arena, &event) }
    if engine == nil { engine = Engine(at: event.ts, settings: settings) }
    switch event.kind {
    case .gift: engine!.take(event.gift, at: event.ts, to: &sink)
    case .roomClosed: engine!.close(at: event.ts, to: &sink)
    case .retract: engine!.retract(event.retraction, at: event.ts, to: &sink)
    case .roomSettings: engine!.set(decoder.own, at: event.ts, to: &sink)
    }
  }

  mutating func advance(to now: Int64) { engine!.advance(to: now, to: &sink) }

  /// The engine's state.
  var text: String { String(decoding: snapshot(engine!), as: UTF8.self) }
}
