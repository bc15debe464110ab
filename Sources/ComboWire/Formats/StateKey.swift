public import ComboCore

/// The key of a record of the state topic. docs/formats.md describes the keys.
public enum StateKey {
  /// A room's snapshot, or the fact that it has rested.
  case room(Bytes)
  /// A part of a room's snapshot; indices start at 0.
  case part(room: Bytes, index: Int)
  /// The partition's checkpoint.
  case checkpoint

  /// Appends the key.
  public func write(to buffer: ByteBuffer) {
    switch self {
    case .room(let room):
      buffer.append(#"["room","#, jsonString: room)
      buffer.append("]")
    case .part(let room, let index):
      buffer.append(#"["room","#, jsonString: room)
      buffer.append(",", index)
      buffer.append("]")
    case .checkpoint:
      buffer.append(#"["checkpoint"]"#)
    }
  }
}

/// Decodes the keys of the state topic. Use one per thread.
public final class StateKeyDecoder {
  private let reader = RecordReader("a key of the state topic")

  /// Creates a decoder.
  public init() {}

  /// Decodes a key. A room's id is valid until the next call.
  public func key(_ bytes: Bytes) throws(FormatFault) -> StateKey {
    let text = try reader.readArray(bytes)
    let count = text.next(0) - 1  // the number of values, if all are plain
    if count == 1, text[1].isString, text.string(1, is: "checkpoint") { return .checkpoint }
    if count == 2 || count == 3, text[1].isString, text.string(1, is: "room"), text[2].isString {
      let room = text.meaning(2, into: reader.arena)
      if count == 2 { return .room(room) }
      if text[3].isInteger, let index = text.integer(3), (0..<1 << 31).contains(index) {
        return .part(room: room, index: Int(index))
      }
    }
    throw .broken(reader.what, "it is \(Excerpt(bytes))")
  }
}
