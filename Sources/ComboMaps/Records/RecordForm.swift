internal import ComboCore
internal import ComboWire

/// The form of a binary record: its frame, and the schema by which its bytes become JSON.
struct RecordForm {
  /// The frame that precedes the bytes.
  enum Framing: String, CaseIterable {
    case none
    /// Byte 0 and a schema id of 4 bytes, or byte 1 and a GUID, before the bytes or in the header `__value_schema_id`. For
    /// Protobuf, the frame also has the message's place in its file.
    case confluent
    /// Byte 0 and an id of 8 bytes. For Protobuf, the frame also has the message's name.
    case apicurio
    /// Byte 3, the compression, and a UUID. For Protobuf, the frame also has the message's number.
    case glue
    /// Bytes C3 01 and the schema's fingerprint, for Avro only.
    case singleObject = "single-object"
  }

  enum Content {
    /// The index of one of the map's messages, and the message's place in its file, or nil to ignore that place.
    case protobuf(message: Int, indexes: [UInt64]?)
    /// One schema for all records.
    case avro(AvroPlan)
    /// Schemas by id.
    case avroByID([SchemaID: AvroPlan])
  }

  var framing: Framing
  var content: Content

  /// Returns the form for a list with `count` messages before those of its own map.
  func moved(by count: Int) -> RecordForm {
    guard case .protobuf(let message, let indexes) = content else { return self }
    return RecordForm(framing: framing, content: .protobuf(message: message + count, indexes: indexes))
  }
}

/// The id of a schema: a number, a fingerprint, or a UUID.
struct SchemaID: Hashable, CustomStringConvertible {
  private enum Form: Hashable { case number, fingerprint, uuid }

  private let form: Form
  private let high: UInt64
  private let low: UInt64

  private init(_ form: Form, high: UInt64 = 0, low: UInt64) {
    self.form = form
    self.high = high
    self.low = low
  }

  init(_ number: UInt64) { self.init(.number, low: number) }

  init(fingerprint: UInt64) { self.init(.fingerprint, low: fingerprint) }

  /// Creates an id of 16 bytes, the highest first.
  init(uuid bytes: Bytes) {
    func word(_ bytes: Bytes.SubSequence) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(.uuid, high: word(bytes[..<8]), low: word(bytes[8..<16]))
  }

  /// Reads an id from a map: a number, or a UUID such as `01234567-89ab-cdef-0123-456789abcdef`. Returns nil for anything else.
  init?(_ text: String) {
    if let number = UInt64(text), String(number) == text {
      self.init(number)
      return
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let digits = parts.joined()
    guard parts.map(\.count) == [8, 4, 4, 4, 12], digits.utf8.count == 32, digits.allSatisfy(\.isHexDigit),
      let high = UInt64(digits.prefix(16), radix: 16), let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    self.init(.uuid, high: high, low: low)
  }

  var description: String {
    switch form {
    case .number: return String(low)
    case .fingerprint: return Self.hex(low)
    case .uuid:
      let digits = Self.hex(high) + Self.hex(low)
      var text = ""
      for (place, digit) in digits.enumerated() {
        if [8, 12, 16, 20].contains(place) { text += "-" }
        text.append(digit)
      }
      return text
    }
  }

  private static func hex(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
