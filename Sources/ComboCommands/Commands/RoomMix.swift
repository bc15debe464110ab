/// Detects an output with rooms of several inputs whose ids may be equal.
struct RoomMix {
  private var input: [UInt8]?
  /// Whether that was detected.
  private(set) var isKnown = false

  /// Reads the key of a record, and the input that it names.
  /// - Returns: Two of the inputs, the first time that there are two.
  mutating func read(key: UnsafeRawBufferPointer, input named: UnsafeRawBufferPointer) -> (String, String)? {
    // With its input in front, a room's id is its own.
    if isKnown || key.starts(with: named) && key.dropFirst(named.count).first == UInt8(ascii: ":") { return nil }
    guard let input else {
      input = Array(named)
      return nil
    }
    if input.elementsEqual(named) { return nil }
    isKnown = true
    return (String(decoding: input, as: UTF8.self), String(decoding: named, as: UTF8.self))
  }
}
