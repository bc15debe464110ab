/// Detects an output with rooms of several inputs whose ids may be equal.
struct RoomMix {
  private var input: [UInt8]?
  /// Whether that was detected.
  private(set) var isKnown = false

  /// Reads the key of a record, and the input that it names.
  /// - Returns: The first two inputs, at the first record of the second one, or else nil.
  mutating func read(key: UnsafeRawBufferPointer, input named: UnsafeRawBufferPointer) -> (String, String)? {
    // A room id that begins with its input is unique.
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
