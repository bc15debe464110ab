package import ComboCore

/// Appends members of JSON objects. A name is given as it is written, with the text before it: `,"count":` or `{"v":`. A nil
/// value is not written.
extension ByteBuffer {
  /// Appends a name and an integer.
  @inline(__always)
  package func append(_ name: StaticString, _ value: Int64?) {
    guard let value else { return }
    append(name)
    append(value)
  }

  /// Appends a name and an integer.
  @inline(__always)
  package func append(_ name: StaticString, _ value: Int?) { append(name, value.map(Int64.init)) }

  /// Appends a name and a string with quotes.
  package func append(_ name: StaticString, jsonString text: String?) {
    guard let text else { return }
    append(name)
    append(jsonString: text)
  }

  /// Appends a name and bytes, which must be UTF-8, as a string with quotes.
  package func append(_ name: StaticString, jsonString bytes: Bytes) {
    append(name)
    append(jsonString: bytes)
  }

  /// Appends a name and bytes, which must be UTF-8, as a string with quotes; nothing if it is empty.
  package func append(_ name: StaticString, ifAny bytes: [UInt8]) {
    if !bytes.isEmpty { bytes.withUnsafeBytes { append(name, jsonString: $0) } }
  }

  /// Appends a name and an integer, or `null` where it is nil.
  package func append(_ name: StaticString, orNull value: Int64?) {
    if let value { append(name, value) } else { append(name, written: "null") }
  }

  /// Appends a name and a string with quotes, or `null` where it is nil.
  package func append(_ name: StaticString, orNull text: String?) {
    if let text { append(name, jsonString: text) } else { append(name, written: "null") }
  }

  /// Appends a name and JSON as it is.
  package func append(_ name: StaticString, written value: StaticString) {
    append(name)
    append(value)
  }

  /// Appends a name and JSON as it is.
  package func append(_ name: StaticString, written value: Bytes) {
    append(name)
    append(value)
  }

  /// Appends a name and the shortest decimal that reads back as the same double.
  package func append(_ name: StaticString, _ value: Double) {
    append(name)
    append(value)
  }

  /// Appends a name and a string of 16 hexadecimal digits.
  package func append(_ name: StaticString, hex value: UInt64?) {
    guard let value else { return }
    append(name)
    append(UInt8(ascii: "\""))
    append(hex: value)
    append(UInt8(ascii: "\""))
  }

  /// Appends a name and a boolean.
  package func append(_ name: StaticString, _ value: Bool) {
    append(name, written: value ? "true" : "false")
  }

  /// Appends a name and an array, each of whose elements `write` appends.
  package func append<Elements: Sequence>(_ name: StaticString, _ elements: Elements, _ write: (Elements.Element) throws -> Void)
    rethrows
  {
    append(name)
    append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      try write(element)
    }
    append(UInt8(ascii: "]"))
  }
}
