internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// A message of Protobuf, in base64 or as a whole record, as JSON: by the fields that a map names,
/// `{"uid":7,"gift_list":[{"num":3}]}`.
///
/// After https://protobuf.dev/programming-guides/encoding/ and https://protobuf.dev/programming-guides/json/. Fields that the map does not
/// name are skipped; of one that is not repeated the last counts; of repeated numbers both forms are read, packed or not. What is not
/// there is not in the JSON either. The time taken goes by the bytes; without allocations in the steady state. One thread.
final class ProtobufReader {
  /// A value of a field that the map names.
  private struct Piece {
    /// The number, as on the wire; of what has a length, where it begins and ends.
    var bits: UInt64 = 0
    var start = 0
    var end = 0
    /// The same field's next value in `pieces`; -1: none.
    var next = -1
    var hasLength = false
  }

  private let messages: [ProtobufMessage]
  private let limits: WireLimits
  private let out = ByteBuffer()
  private let decoded = ByteBuffer()
  private var bytes = Bytes.none
  /// The values of the messages that are being read, the innermost one's last; and for each of their fields its first and last value.
  private var pieces: [Piece] = []
  private var ends: [(first: Int, last: Int)] = []
  /// Where the message stands, and as what, for sentences.
  private var place = ""
  private var form = ""
  private var code = BadEvent.Code.wrongType

  init(_ messages: [ProtobufMessage], limits: WireLimits) {
    self.messages = messages
    self.limits = limits
  }

  /// The message as JSON, in the arena.
  ///
  /// - Parameters:
  ///   - text: base64 by RFC 4648; the padding may be left out.
  ///   - message: which message it is.
  ///   - place: where it is, for sentences.
  func json(of text: Bytes, _ message: Int, at place: String, into arena: BumpArena) throws(BadEvent) -> Bytes {
    self.place = place
    (form, code) = ("Protobuf in base64", .wrongType)
    if let fault = Base64.decode(text, into: decoded) { throw self.fault(fault) }
    return try json(of: decoded.bytes, message, into: arena)
  }

  /// A record that is a message as a whole, as JSON in the arena.
  func json(ofRecord record: Bytes, _ message: Int, into arena: BumpArena) throws(BadEvent) -> Bytes {
    place = "the record"
    (form, code) = ("Protobuf", .notJSON)
    return try json(of: record, message, into: arena)
  }

  private func json(of message: Bytes, _ type: Int, into arena: BumpArena) throws(BadEvent) -> Bytes {
    out.removeAll()
    pieces.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    bytes = message
    try object(0..<bytes.count, type, depth: 1)
    return arena.copy(out.bytes)
  }

  // MARK: - The wire

  private func object(_ range: Range<Int>, _ message: Int, depth: Int) throws(BadEvent) {
    if depth > limits.depth { throw fault("its messages are nested deeper than \(limits.depth) levels") }
    let fields = messages[message].fields
    let (piecesBefore, endsBefore) = (pieces.count, ends.count)
    for _ in fields { ends.append((-1, -1)) }
    var at = range.lowerBound
    while at < range.upperBound {
      let start = at
      let tag = try varint(&at, range.upperBound)
      guard tag >> 3 >= 1, tag >> 3 <= ProtobufMessage.numberMax else { throw fault("no field begins at byte \(start)") }
      if tag & 7 == Self.groupBegins {
        try skipGroup(tag >> 3, &at, range.upperBound, depth: depth + 1)
        continue
      }
      let (piece, wire) = try value(tag & 7, &at, range.upperBound)
      guard let index = fields.firstIndex(where: { $0.number == tag >> 3 }) else { continue }
      if wire != fields[index].type.wire, !(wire == .length && fields[index].isRepeated) {
        let field = fields[index]
        throw fault(
          "its field \(tag >> 3), \(field.name), does not have the wire type of \(field.type.word), its type in the map")
      }
      let slot = endsBefore + index
      if ends[slot].first < 0 { ends[slot].first = pieces.count } else { pieces[ends[slot].last].next = pieces.count }
      ends[slot].last = pieces.count
      pieces.append(piece)
    }
    out.append("{")
    var isFirst = true
    for (index, field) in fields.enumerated() where ends[endsBefore + index].first >= 0 {
      if !isFirst { out.append(",") }
      isFirst = false
      out.append(jsonString: field.name)
      out.append(":")
      if case .map(let key, let value) = field.type {
        try map(key, value, from: ends[endsBefore + index].first, field, depth: depth)
      } else if field.isRepeated {
        try list(field, from: ends[endsBefore + index].first, depth: depth)
      } else {
        try append(pieces[ends[endsBefore + index].last], field, depth: depth)
      }
      if out.count > limits.recordBytes {
        throw BadEvent(.tooLarge, "\(place) comes to more than \(limits.recordBytes) bytes of JSON, the maximum of a record")
      }
    }
    out.append("}")
    pieces.removeLast(pieces.count - piecesBefore)
    ends.removeLast(ends.count - endsBefore)
  }

  /// Groups, an old form of messages, are no field that a map can name.
  private static let groupBegins: UInt64 = 3
  private static let groupEnds: UInt64 = 4

  private func skipGroup(_ number: UInt64, _ at: inout Int, _ end: Int, depth: Int) throws(BadEvent) {
    if depth > limits.depth { throw fault("its messages are nested deeper than \(limits.depth) levels") }
    while true {
      let tag = try varint(&at, end)
      if tag & 7 == Self.groupEnds {
        if tag >> 3 != number { throw fault("a group ends before byte \(at) that has not begun") }
        return
      }
      if tag & 7 == Self.groupBegins {
        try skipGroup(tag >> 3, &at, end, depth: depth + 1)
      } else {
        _ = try value(tag & 7, &at, end)
      }
    }
  }

  private func value(_ wire: UInt64, _ at: inout Int, _ end: Int) throws(BadEvent) -> (Piece, ProtobufMessage.Wire) {
    var piece = Piece()
    switch ProtobufMessage.Wire(rawValue: wire) {
    case .varint?:
      piece.bits = try varint(&at, end)
      return (piece, .varint)
    case .eight?:
      piece.bits = try fixed(8, &at, end)
      return (piece, .eight)
    case .four?:
      piece.bits = try fixed(4, &at, end)
      return (piece, .four)
    case .length?:
      let length = try varint(&at, end)
      guard length <= UInt64(end - at) else { throw fault("the value at byte \(at) is longer than the rest") }
      piece.hasLength = true
      piece.start = at
      at += Int(length)
      piece.end = at
      return (piece, .length)
    case nil: throw fault("the wire type \(wire) before byte \(at) is not supported")
    }
  }

  private func varint(_ at: inout Int, _ end: Int) throws(BadEvent) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while at < end {
      let byte = bytes[at]
      // The tenth byte has room for one bit.
      if shift == 63, byte > 1 { throw fault("the number that ends at byte \(at) has more than 64 bits") }
      at += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw fault("it is cut off at byte \(end)")
  }

  private func fixed(_ count: Int, _ at: inout Int, _ end: Int) throws(BadEvent) -> UInt64 {
    if end - at < count { throw fault("it is cut off at byte \(end)") }
    var value: UInt64 = 0
    for place in 0..<count { value |= UInt64(bytes[at + place]) << UInt64(8 * place) }
    at += count
    return value
  }

  // MARK: - JSON

  private func list(_ field: ProtobufMessage.Field, from first: Int, depth: Int) throws(BadEvent) {
    out.append("[")
    var isFirst = true
    var next = first
    while next >= 0 {
      let piece = pieces[next]
      next = piece.next
      guard piece.hasLength, field.type.wire != .length else {
        if !isFirst { out.append(",") }
        isFirst = false
        try append(piece, field, depth: depth)
        continue
      }
      var at = piece.start
      while at < piece.end {
        if !isFirst { out.append(",") }
        isFirst = false
        try append(value(field.type.wire.rawValue, &at, piece.end).0, field, depth: depth)
      }
    }
    out.append("]")
  }

  /// The entries of a map: messages of a key and a value, either of which may be left out.
  private func map(
    _ key: ProtobufMessage.Scalar, _ type: ProtobufMessage.FieldType, from first: Int, _ field: ProtobufMessage.Field, depth: Int
  ) throws(BadEvent) {
    let named = ProtobufMessage.Field(number: 1, name: field.name, type: .scalar(key), isRepeated: false)
    let valued = ProtobufMessage.Field(number: 2, name: field.name, type: type, isRepeated: false)
    out.append("{")
    var next = first
    while next >= 0 {
      let entry = pieces[next]
      if next != first { out.append(",") }
      next = entry.next
      let name = try last(of: entry, named)
      if key == .string { try append(name ?? Piece(), named, depth: depth) } else { try quoted(name ?? Piece(), named) }
      out.append(":")
      try append(last(of: entry, valued) ?? Piece(), valued, depth: depth + 1)
    }
    out.append("}")
  }

  private func quoted(_ piece: Piece, _ field: ProtobufMessage.Field) throws(BadEvent) {
    out.append(#"""#)
    try append(piece, field, depth: 0)
    out.append(#"""#)
  }

  /// The last value of a field in a message of at most two fields; nil: it has none.
  private func last(of message: Piece, _ field: ProtobufMessage.Field) throws(BadEvent) -> Piece? {
    var found: Piece?
    var at = message.start
    while at < message.end {
      let tag = try varint(&at, message.end)
      let (piece, wire) = try value(tag & 7, &at, message.end)
      guard tag >> 3 == field.number else { continue }
      if wire != field.type.wire { throw fault("an entry of \(field.name) does not have the wire types of its type in the map") }
      found = piece
    }
    return found
  }

  private func append(_ known: ProtobufMessage.Known, _ piece: Piece, _ field: ProtobufMessage.Field) throws(BadEvent) {
    func part(_ number: UInt64, _ scalar: ProtobufMessage.Scalar) throws(BadEvent) -> Piece {
      try last(of: piece, .init(number: number, name: field.name, type: .scalar(scalar), isRepeated: false)) ?? Piece()
    }
    switch known {
    case .wrapper(let scalar):
      try append(part(1, scalar), .init(number: 1, name: field.name, type: .scalar(scalar), isRepeated: false), depth: 0)
    case .timestamp, .duration:
      let seconds = Int64(bitPattern: try part(1, .int64).bits)
      let nanos = Int64(Int32(truncatingIfNeeded: try part(2, .int32).bits))
      let isTime: Bool
      if case .timestamp = known { isTime = true } else { isTime = false }
      guard let text = isTime ? WellKnownText.timestamp(seconds, nanos) : WellKnownText.duration(seconds, nanos) else {
        throw fault("its field \(field.number), \(field.name), is no \(known.word): \(seconds) s and \(nanos) ns")
      }
      out.append(jsonString: text)
    }
  }

  private func base64(_ value: Bytes) {
    let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    out.append(#"""#)
    for start in stride(from: 0, to: value.count, by: 3) {
      let count = min(3, value.count - start)
      var bits: UInt32 = 0
      for place in 0..<3 { bits = bits << 8 | (place < count ? UInt32(value[start + place]) : 0) }
      for place in 0..<4 {
        out.append(place <= count ? alphabet.utf8Start[Int(bits >> UInt32(18 - 6 * place) & 63)] : 0x3d)
      }
    }
    out.append(#"""#)
  }

  private func append(_ piece: Piece, _ field: ProtobufMessage.Field, depth: Int) throws(BadEvent) {
    let bits = piece.bits
    switch field.type {
    case .message(_, let message): try object(piece.start..<piece.end, message, depth: depth + 1)
    // Only a field as a whole is a map.
    case .map: preconditionFailure("a map within a map's value")
    case .known(let known): try append(known, piece, field)
    case .enumeration(_, let place):
      let number = Int32(truncatingIfNeeded: bits)
      if let symbol = messages[place].symbols[number] { out.append(jsonString: symbol) } else { out.append(Int64(number)) }
    case .scalar(.bytes): base64(Bytes(rebasing: bytes[piece.start..<piece.end]))
    case .scalar(.string):
      let text = Bytes(rebasing: bytes[piece.start..<piece.end])
      if csj_is_utf8(text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count) == 0 {
        throw fault("its field \(field.number), \(field.name), is not UTF-8")
      }
      out.append(jsonString: text)
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

  /// JSON has no word for what is not finite.
  private func append(_ value: Double) { value.isFinite ? out.append(value) : out.append("null") }

  @inline(never)
  private func fault(_ what: String) -> BadEvent {
    BadEvent(code, "\(place) is not the \(form) that the map describes: \(what)")
  }
}
