internal import ComboCore
internal import ComboWire

/// Converts an Avro record to JSON, by the schema that it was written with (https://avro.apache.org/docs/1.11.1/specification/).
///
/// The JSON is that of Avro's own JSON encoding, except that a union of null and one other type is the value or null, a `decimal`
/// is a number, a `uuid` of 16 bytes is a text, and a number that is not finite is null. The time is proportional to the bytes
/// and to the JSON, which is never longer than a record may be. It does not allocate in the steady state. Only one thread may use
/// it.
final class AvroReader {
  private let limits: WireLimits
  private let out: ByteBuffer
  private let latin = ByteBuffer()
  private var bytes = ByteCursor(.none)
  /// Whether a text that is not UTF-8 is a fault, which names its position.
  var checksTexts = false

  /// - Parameter out: The buffer for the JSON.
  init(limits: WireLimits, to out: ByteBuffer) {
    self.limits = limits
    self.out = out
  }

  /// Writes the record as JSON to the buffer, replacing its contents.
  func read(_ record: Bytes, by plan: AvroPlan) throws(BadEvent) {
    bytes = ByteCursor(record)
    out.removeAll()
    try value(plan.schema.root, plan.lists, depth: 1)
    if bytes.at < bytes.end { throw fault("\(bytes.end - bytes.at) bytes are left after its end") }
  }

  private func value(_ type: Int, _ plan: AvroPlan.Lists, depth: Int) throws(BadEvent) {
    if depth > limits.depth { throw fault("its values are nested deeper than \(limits.depth) levels") }
    if out.count > limits.recordBytes {
      throw BadEvent(.tooLarge, "the record comes to more than \(limits.recordBytes) bytes of JSON, the maximum of a record")
    }
    let node = plan.nodes + type
    switch node.pointee.kind {
    case .null: out.append("null")
    case .boolean:
      let byte = try next(1)[0]
      if byte > 1 { throw fault("byte \(bytes.at - 1) is no boolean") }
      byte == 0 ? out.append("false") : out.append("true")
    case .int:
      let number = try long()
      if Int32(exactly: number) == nil { throw fault("the int that ends at byte \(bytes.at) has more than 32 bits") }
      out.append(number)
    case .long: out.append(try long())
    case .float: number(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try little(4)))))
    case .double: number(Double(bitPattern: try little(8)))
    case .bytes: binary(try counted(), node.pointee)
    case .fixed: binary(try next(node.pointee.size), node.pointee)
    case .string: try string()
    case .enumeration:
      let index = try long()
      guard index >= 0, index < node.pointee.count else { throw fault("an enum before byte \(bytes.at) has no symbol \(index)") }
      append(plan.parts + (node.pointee.first + Int(index)), plan)
    case .record:
      out.append(UInt8(ascii: "{"))
      let first = plan.parts + node.pointee.first
      for field in first..<first + node.pointee.count {
        append(field, plan)
        try value(field.pointee.type, plan, depth: depth + 1)
      }
      out.append(UInt8(ascii: "}"))
    case .union:
      let index = try long()
      guard index >= 0, index < node.pointee.count else { throw fault("a union before byte \(bytes.at) has no branch \(index)") }
      let branch = plan.parts + (node.pointee.first + Int(index))
      append(branch, plan)
      try value(branch.pointee.type, plan, depth: depth + 1)
      if branch.pointee.textCount > 0 { out.append(UInt8(ascii: "}")) }
    case .array:
      out.append(UInt8(ascii: "["))
      try blocks(plan.parts[node.pointee.first].type, plan, depth: depth, isMap: false)
      out.append(UInt8(ascii: "]"))
    case .map:
      out.append(UInt8(ascii: "{"))
      try blocks(plan.parts[node.pointee.first].type, plan, depth: depth, isMap: true)
      out.append(UInt8(ascii: "}"))
    }
  }

  /// Reads blocks of values, up to an empty one. Each value has at least one byte of JSON, so that a huge number of empty values
  /// ends at the limit.
  private func blocks(_ type: Int, _ plan: AvroPlan.Lists, depth: Int, isMap: Bool) throws(BadEvent) {
    var isFirst = true
    while true {
      var count = try long()
      if count == 0 { return }
      if count < 0 {
        // The block's size in bytes follows, for readers that skip it.
        let (positive, overflow) = Int64(0).subtractingReportingOverflow(count)
        if overflow { throw fault("the block at byte \(bytes.at) has too many values") }
        count = positive
        _ = try long()
      }
      while count > 0 {
        count -= 1
        if !isFirst { out.append(UInt8(ascii: ",")) }
        isFirst = false
        if isMap {
          try string()
          out.append(UInt8(ascii: ":"))
        }
        try value(type, plan, depth: depth + 1)
      }
    }
  }

  // MARK: - Bytes

  private func next(_ count: Int) throws(BadEvent) -> Bytes {
    if let part = bytes.next(count) { return part }
    throw cut()
  }

  /// Reads a zigzag number of variable length.
  @inline(__always)
  private func long() throws(BadEvent) -> Int64 {
    if let value = bytes.varint() { return Int64(bitPattern: value >> 1) ^ -Int64(value & 1) }
    throw bytes.at < bytes.end ? fault("the number that ends at byte \(bytes.at) has more than 64 bits") : cut()
  }

  private func counted() throws(BadEvent) -> Bytes {
    let count = try long()
    if let part = bytes.next(Int(count)) { return part }
    throw fault("the value at byte \(bytes.at) is longer than the rest")
  }

  private func little(_ count: Int) throws(BadEvent) -> UInt64 {
    if let number = bytes.little(count) { return number }
    throw cut()
  }

  private func cut() -> BadEvent { fault("it is cut off at byte \(bytes.end)") }

  // MARK: - JSON

  @inline(__always)
  private func append(_ part: UnsafePointer<AvroPlan.Part>, _ plan: AvroPlan.Lists) {
    if part.pointee.textCount > 0 { out.append(padded: plan.texts + part.pointee.text, part.pointee.textCount) }
  }

  private func string() throws(BadEvent) {
    let begin = out.count
    out.append(jsonString: try counted())
    if checksTexts, !out.isUTF8(from: begin) { throw fault("the text that ends at byte \(bytes.at) is not UTF-8") }
  }

  private func number(_ value: Double) { value.isFinite ? out.append(value) : out.append("null") }

  private func binary(_ value: Bytes, _ type: AvroPlan.Node) {
    if type.isUUID { return uuid(value) }
    if type.scale >= 0, !value.isEmpty, value.count <= 16 { return decimal(value, type.scale) }
    // Each byte becomes one character, as in Avro's JSON encoding.
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
      if [4, 6, 8, 10].contains(place) { out.append(0x2d as UInt8) }
      for digit in [byte >> 4, byte & 15] { out.append(digit < 10 ? 0x30 + digit : 0x57 + digit) }
    }
    out.append(#"""#)
  }

  /// Appends a number in two's complement of at most 16 bytes, the highest byte first.
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
