internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// Writes an Avro record as JSON, by the schema that it was written with (https://avro.apache.org/docs/1.11.1/specification/).
///
/// As Avro's own JSON encoding, but a union of null and one other type is the value or null; a `decimal` is a number, a `uuid` in 16 bytes a
/// text; what is not finite is null. The time taken goes by the bytes and by the JSON, which is never longer than a record may be; without
/// allocations in the steady state. One thread.
struct AvroReader {
  private let limits: WireLimits
  private let out: ByteBuffer
  private let latin = ByteBuffer()
  private var bytes = Bytes.none
  private var at = 0

  /// - Parameter out: where the JSON goes.
  init(limits: WireLimits, to out: ByteBuffer) {
    self.limits = limits
    self.out = out
  }

  /// Writes the record to the buffer.
  mutating func read(_ record: Bytes, by schema: AvroSchema) throws(BadEvent) {
    bytes = record
    at = 0
    out.removeAll()
    try value(schema.root, schema, depth: 1)
    if at < bytes.count { throw fault("\(bytes.count - at) bytes are left after its end") }
  }

  private mutating func value(_ type: Int, _ schema: AvroSchema, depth: Int) throws(BadEvent) {
    if depth > limits.depth { throw fault("its values are nested deeper than \(limits.depth) levels") }
    if out.count > limits.recordBytes {
      throw BadEvent(.tooLarge, "the record comes to more than \(limits.recordBytes) bytes of JSON, the maximum of a record")
    }
    switch schema.nodes[type].kind {
    case .null: out.append("null")
    case .boolean:
      let byte = try take(1)[0]
      if byte > 1 { throw fault("byte \(at - 1) is no boolean") }
      byte == 0 ? out.append("false") : out.append("true")
    case .int:
      let number = try long()
      if Int32(exactly: number) == nil { throw fault("the int that ends at byte \(at) has more than 32 bits") }
      out.append(number)
    case .long: out.append(try long())
    case .float: number(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try little(4)))))
    case .double: number(Double(bitPattern: try little(8)))
    case .bytes: binary(try counted(), schema.nodes[type])
    case .fixed: binary(try take(schema.nodes[type].size), schema.nodes[type])
    case .string: try string()
    case .enumeration:
      let index = try long()
      guard index >= 0, index < schema.nodes[type].texts.count else {
        throw fault("\(schema.nodes[type].name) has no symbol \(index)")
      }
      append(schema.nodes[type].texts[Int(index)])
    case .record:
      out.append("{")
      for field in schema.nodes[type].types.indices {
        append(schema.nodes[type].texts[field])
        try value(schema.nodes[type].types[field], schema, depth: depth + 1)
      }
      out.append("}")
    case .union:
      let index = try long()
      guard index >= 0, index < schema.nodes[type].types.count else {
        throw fault("a union before byte \(at) has no branch \(index)")
      }
      append(schema.nodes[type].texts[Int(index)])
      try value(schema.nodes[type].types[Int(index)], schema, depth: depth + 1)
      if !schema.nodes[type].texts[Int(index)].isEmpty { out.append("}") }
    case .array:
      out.append("[")
      try blocks(schema.nodes[type].types[0], schema, depth: depth, isMap: false)
      out.append("]")
    case .map:
      out.append("{")
      try blocks(schema.nodes[type].types[0], schema, depth: depth, isMap: true)
      out.append("}")
    }
  }

  /// Blocks of values, up to an empty one. Each value comes to JSON of one byte at least, so that a great number of empty ones ends at the limit.
  private mutating func blocks(_ type: Int, _ schema: AvroSchema, depth: Int, isMap: Bool) throws(BadEvent) {
    var isFirst = true
    while true {
      var count = try long()
      if count == 0 { return }
      if count < 0 {
        // With its size in bytes, for those who skip it.
        let (positive, overflow) = Int64(0).subtractingReportingOverflow(count)
        if overflow { throw fault("the block at byte \(at) has too many values") }
        count = positive
        _ = try long()
      }
      while count > 0 {
        count -= 1
        if !isFirst { out.append(",") }
        isFirst = false
        if isMap {
          try string()
          out.append(":")
        }
        try value(type, schema, depth: depth + 1)
      }
    }
  }

  // MARK: - Bytes

  private mutating func take(_ count: Int) throws(BadEvent) -> Bytes {
    if count > bytes.count - at { throw fault("it is cut off at byte \(bytes.count)") }
    at += count
    return Bytes(rebasing: bytes[at - count..<at])
  }

  /// A number in variable length, zigzag.
  private mutating func long() throws(BadEvent) -> Int64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while at < bytes.count {
      let byte = bytes[at]
      // The tenth byte has room for one bit.
      if shift == 63, byte > 1 { throw fault("the number that ends at byte \(at) has more than 64 bits") }
      at += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return Int64(bitPattern: value >> 1) ^ -Int64(value & 1) }
      shift += 7
    }
    throw fault("it is cut off at byte \(bytes.count)")
  }

  private mutating func counted() throws(BadEvent) -> Bytes {
    let count = try long()
    if count < 0 || count > bytes.count - at { throw fault("the value at byte \(at) is longer than the rest") }
    return try take(Int(count))
  }

  private mutating func little(_ count: Int) throws(BadEvent) -> UInt64 {
    try take(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: - JSON

  private func append(_ text: [UInt8]) { text.withUnsafeBytes { out.append($0) } }

  private mutating func string() throws(BadEvent) {
    let text = try counted()
    if csj_is_utf8(text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count) == 0 {
      throw fault("the text that ends at byte \(at) is not UTF-8")
    }
    out.append(jsonString: text)
  }

  private func number(_ value: Double) { value.isFinite ? out.append(value) : out.append("null") }

  private func binary(_ value: Bytes, _ type: AvroSchema.Node) {
    if type.isUUID { return uuid(value) }
    if let scale = type.scale, !value.isEmpty, value.count <= 16 { return decimal(value, scale) }
    // One character for each byte, as Avro has it.
    latin.removeAll()
    for byte in value {
      if byte >= 0x80 {
        latin.append(0xc0 | byte >> 6)
        latin.append(0x80 | byte & 0x3f)
      } else {
        latin.append(byte)
      }
    }
    out.append(jsonString: latin.bytes)
  }

  private func uuid(_ value: Bytes) {
    out.append(#"""#)
    for (place, byte) in value.enumerated() {
      if [4, 6, 8, 10].contains(place) { out.append(0x2d) }
      for digit in [byte >> 4, byte & 15] { out.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
    }
    out.append(#"""#)
  }

  /// A number in two's complement, the highest byte first, of at most 16 bytes.
  private func decimal(_ value: Bytes, _ scale: Int) {
    var number: Int128 = value[0] >= 0x80 ? -1 : 0
    for byte in value { number = number << 8 | Int128(byte) }
    if number < 0 { out.append("-") }
    var digits = String(number.magnitude)
    if digits.count <= scale { digits = String(repeating: "0", count: scale + 1 - digits.count) + digits }
    out.append(String(digits.dropLast(scale)))
    if scale > 0 {
      out.append(".")
      out.append(String(digits.suffix(scale)))
    }
  }

  @inline(never)
  private func fault(_ what: String) -> BadEvent { BadEvent(.notJSON, "the record is not Avro of its schema: \(what)") }
}
