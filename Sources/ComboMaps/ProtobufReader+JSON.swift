internal import ComboCore
internal import ComboWire

extension ProtobufReader {
  /// Appends the numbers of a list that one value holds.
  func packed(_ piece: Piece, _ field: ProtobufPlan.Field, depth: Int) throws(BadEvent) {
    var wire = ByteCursor(bytes, piece.start, piece.end)
    while wire.at < wire.end {
      if wire.at > piece.start { out.append(UInt8(ascii: ",")) }
      try append(value(field.wire, &wire), field, depth: depth)
    }
  }

  /// Appends an entry of a map: a message with a key and a value, either of which may be missing.
  func entry(_ entry: Piece, _ key: ProtobufPlan.Field, _ value: ProtobufPlan.Field, depth: Int) throws(BadEvent) {
    let name = try last(of: entry, 1, key.wire, key)
    if case .scalar(.string) = key.kind {
      try append(name, key, depth: depth)
    } else {
      out.append(UInt8(ascii: #"""#))
      try append(name, key, depth: depth)
      out.append(UInt8(ascii: #"""#))
    }
    out.append(UInt8(ascii: ":"))
    try append(last(of: entry, 2, value.wire, value), value, depth: depth + 1)
  }

  /// Returns the last value of the field with this number in a small message, or an empty value if it has none.
  func last(
    of message: Piece, _ number: UInt64, _ type: UInt64, _ field: ProtobufPlan.Field
  ) throws(BadEvent) -> Piece {
    var found = Piece()
    var wire = ByteCursor(bytes, message.start, message.end)
    while wire.at < wire.end {
      let tag = try varint(&wire)
      let piece = try value(tag & 7, &wire)
      guard tag >> 3 == number else { continue }
      if tag & 7 != type { throw fault("a part of \(plan.name(field)) does not have the wire type of its type in the map") }
      found = piece
    }
    return found
  }

  func time(_ message: Piece, _ field: ProtobufPlan.Field, _ word: String, _ write: (Int64, Int64) -> String?)
    throws(BadEvent)
  {
    let seconds = Int64(bitPattern: try last(of: message, 1, Self.number, field).bits)
    let nanos = Int64(Int32(truncatingIfNeeded: try last(of: message, 2, Self.number, field).bits))
    guard let text = write(seconds, nanos) else {
      throw fault("its field \(field.number), \(plan.name(field)), is no \(word): \(seconds) s and \(nanos) ns")
    }
    out.append(jsonString: text)
  }

  func base64(_ value: Bytes) {
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    out.append(UInt8(ascii: #"""#))
    for start in stride(from: 0, to: value.count, by: 3) {
      let count = min(3, value.count - start)
      var bits: UInt32 = 0
      for place in 0..<3 { bits = bits << 8 | (place < count ? UInt32(value[start + place]) : 0) }
      for place in 0..<4 {
        out.append(place <= count ? alphabet.utf8Start[Int(bits >> UInt32(18 - 6 * place) & 63)] : 0x3d)
      }
    }
    out.append(UInt8(ascii: #"""#))
  }

  func append(_ piece: Piece, _ field: ProtobufPlan.Field, depth: Int) throws(BadEvent) {
    let bits = piece.bits
    switch field.kind {
    case .message(let message): try object(piece, message, depth: depth + 1)
    case .map(let key): try entry(piece, plan.parts[key], plan.parts[key + 1], depth: depth)
    case .wrapper(let value):
      let value = plan.parts[value]
      try append(last(of: piece, 1, value.wire, value), value, depth: 0)
    case .timestamp: try time(piece, field, "timestamp", WellKnownText.timestamp)
    case .duration: try time(piece, field, "duration", WellKnownText.duration)
    case .enumeration(let place):
      let number = Int32(truncatingIfNeeded: bits)
      let type = messages + place
      guard let index = plan.place(of: ProtobufPlan.number(number), in: type) else { return out.append(Int64(number)) }
      let symbol = plan.symbols[type.pointee.first + index]
      out.append(padded: texts + symbol.start, symbol.count)
    case .scalar(.bytes): base64(slice(piece))
    case .scalar(.string):
      let begin = out.count
      out.append(jsonString: slice(piece))
      if checksTexts, !out.isUTF8(from: begin) { throw fault("its field \(field.number), \(plan.name(field)), is not UTF-8") }
    case .scalar(.int32), .scalar(.sfixed32): out.append(Int64(Int32(truncatingIfNeeded: bits)))
    case .scalar(.int64), .scalar(.sfixed64): out.append(Int64(bitPattern: bits))
    case .scalar(.uint32), .scalar(.fixed32): out.append(Int64(UInt32(truncatingIfNeeded: bits)))
    case .scalar(.uint64), .scalar(.fixed64):
      if bits > 9 { out.append(Int64(bits / 10)) }
      out.append(UInt8(0x30 + bits % 10))
    case .scalar(.sint32), .scalar(.sint64): out.append(Int64(bitPattern: bits >> 1) ^ -Int64(bits & 1))
    case .scalar(.bool): bits == 0 ? out.append("false") : out.append("true")
    case .scalar(.float): append(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
    case .scalar(.double): append(Double(bitPattern: bits))
    }
  }

  /// Appends a number. One that is not finite becomes null, since JSON cannot express it.
  func append(_ value: Double) { value.isFinite ? out.append(value) : out.append("null") }

  @inline(never)
  func fault(_ what: String) -> BadEvent {
    BadEvent(code, "\(place) is not the \(form) that the map describes: \(what)")
  }
}
