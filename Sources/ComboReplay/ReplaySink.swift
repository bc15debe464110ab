internal import ComboCore
internal import ComboWire

/// Writes a room's instructions as JSON lines.
struct ReplaySink: InstructionSink {
  /// As a JSON string.
  let room: UnsafeRawBufferPointer
  /// Held by the holder of the sink.
  unowned(unsafe) let buffer: ByteBuffer

  mutating func say(_ instruction: Instruction) {
    InstructionEncoder.encode(instruction, room: room, into: buffer)
    buffer.append(UInt8(ascii: "\n"))
  }
}
