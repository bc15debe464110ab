internal import ComboCore
internal import ComboWire

/// Writes a room's instructions as JSON lines.
struct ReplaySink: InstructionSink {
  /// The room's name as a JSON string.
  let room: UnsafeRawBufferPointer
  /// The output, which the owner of the sink keeps alive.
  unowned(unsafe) let buffer: ByteBuffer

  mutating func say(_ instruction: Instruction) {
    InstructionEncoder.encode(instruction, room: room, into: buffer)
    buffer.append(UInt8(ascii: "\n"))
  }
}
