internal import ComboCore
internal import ComboWire

/// A message of Protobuf, in base64 or as a whole record, as JSON: by the fields that a map names,
/// `{"uid":7,"gift_list":[{"num":3}]}`.
///
/// After https://protobuf.dev/programming-guides/encoding/ and https://protobuf.dev/programming-guides/json/. Fields that the map does not
/// name are skipped; of one that is not repeated the last counts; of repeated numbers both forms are read, packed or not. What is not
/// there is not in the JSON either. The time taken goes by the bytes; without allocations in the steady state. One thread.
final class ProtobufReader {
  /// A value of a field that the map names; or, of a field of which all values count, their list.
  private struct Piece {
    /// The number, as on the wire; of what has a length, where it begins; of a list, its first value in `pieces`.
    var bits: UInt64 = 0
    /// Where it ends; of a list, its last value.
    var end = 0
    /// The next value of a list; -1: none.
    var next = -1
    var wire = Self.absent

    static let absent = UInt64.max
    var start: Int { Int(truncatingIfNeeded: bits) }
  }

  private let plan: ProtobufPlan
  private let limits: WireLimits
  private let out = ByteBuffer()
  private let decoded = ByteBuffer()
  private var bytes = Bytes.none
  /// For each message that is being read, the innermost one last: a piece for each of its fields, then the values of lists.
  private var pieces = UnsafeMutableBufferPointer<Piece>.allocate(capacity: 256)
  private var pieceCount = 0
  /// Where the message stands, and as what, for sentences.
  private var place = ""
  private var form = ""
  private var code = BadEvent.Code.wrongType

  init(_ plan: ProtobufPlan, limits: WireLimits) {
    self.plan = plan
    self.limits = limits
  }

  deinit { pieces.deallocate() }

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
    pieceCount = 0
    bytes = message
    try object(Piece(end: message.count), type, depth: 1)
    return arena.copy(out.bytes)
  }

  // MARK: - The wire

  private func object(_ whole: Piece, _ message: Int, depth: Int) throws(BadEvent) {
    if depth > limits.depth { throw fault("its messages are nested deeper than \(limits.depth) levels") }
    let type = plan.messages[message]
    let fields = plan.fields.all.baseAddress! + type.first
    let first = pieceCount
    for _ in 0..<type.count { push(Piece()) }
    var wire = ByteCursor(bytes, whole.start, whole.end)
    while wire.at < wire.end {
      let start = wire.at
      let tag = try varint(&wire)
      let number = tag >> 3
      guard number >= 1, number <= ProtobufMessage.numberMax else { throw fault("no field begins at byte \(start)") }
      if tag & 7 == Self.groupBegins {
        try skipGroup(number, &wire, depth: depth + 1)
        continue
      }
      let piece = try value(tag & 7, &wire)
      guard let index = plan.place(of: number, in: type) else { continue }
      let field = fields + index
      if piece.wire != field.pointee.wire, !(piece.wire == Self.length && field.pointee.isList) {
        let declared = plan.declared[message].fields[index]
        throw fault(
          "its field \(number), \(declared.name), does not have the wire type of \(declared.type.word), its type in the map")
      }
      if field.pointee.isList { add(piece, to: first + index) } else { pieces[first + index] = piece }
    }
    out.append("{")
    // Behind the first field's comma.
    var skipped = 1
    for index in 0..<type.count where pieces[first + index].wire != Piece.absent {
      let field = fields + index
      let piece = pieces[first + index]
      let name = field.pointee.name
      out.append(padded: plan.bytes.all.baseAddress! + (name.start + skipped), name.count - skipped)
      skipped = 0
      if case .map(let key) = field.pointee.kind {
        try map(plan.parts[key], plan.parts[key + 1], piece, depth: depth)
      } else if field.pointee.isList {
        try list(field.pointee, piece, depth: depth)
      } else {
        try append(piece, field.pointee, depth: depth)
      }
      if out.count > limits.recordBytes {
        throw BadEvent(.tooLarge, "\(place) comes to more than \(limits.recordBytes) bytes of JSON, the maximum of a record")
      }
    }
    out.append("}")
    pieceCount = first
  }

  @inline(__always)
  private func push(_ piece: Piece) {
    if pieceCount == pieces.count { growPieces() }
    pieces[pieceCount] = piece
    pieceCount += 1
  }

  @inline(never)
  private func growPieces() {
    let larger = UnsafeMutableBufferPointer<Piece>.allocate(capacity: 2 * pieces.count)
    _ = larger.moveInitialize(fromContentsOf: pieces)
    pieces.deallocate()
    pieces = larger
  }

  private func add(_ piece: Piece, to list: Int) {
    if pieces[list].wire == Piece.absent {
      pieces[list] = Piece(bits: UInt64(pieceCount), wire: Self.length)
    } else {
      pieces[pieces[list].end].next = pieceCount
    }
    pieces[list].end = pieceCount
    push(piece)
  }

  /// Groups, an old form of messages, are no field that a map can name.
  private static let groupBegins: UInt64 = 3
  private static let groupEnds: UInt64 = 4
  private static let length = ProtobufMessage.Wire.length.rawValue

  private func skipGroup(_ number: UInt64, _ wire: inout ByteCursor, depth: Int) throws(BadEvent) {
    if depth > limits.depth { throw fault("its messages are nested deeper than \(limits.depth) levels") }
    while true {
      let tag = try varint(&wire)
      if tag & 7 == Self.groupEnds {
        if tag >> 3 != number { throw fault("a group ends before byte \(wire.at) that has not begun") }
        return
      }
      if tag & 7 == Self.groupBegins {
        try skipGroup(tag >> 3, &wire, depth: depth + 1)
      } else {
        _ = try value(tag & 7, &wire)
      }
    }
  }

  @inline(__always)
  private func value(_ type: UInt64, _ wire: inout ByteCursor) throws(BadEvent) -> Piece {
    switch ProtobufMessage.Wire(rawValue: type) {
    case .varint?: return Piece(bits: try varint(&wire), wire: type)
    case .length?:
      let length = try varint(&wire)
      let start = wire.at
      guard length <= UInt64(wire.end - start), wire.take(Int(length)) != nil else {
        throw fault("the value at byte \(start) is longer than the rest")
      }
      return Piece(bits: UInt64(start), end: wire.at, wire: type)
    case .eight?, .four?:
      guard let bits = wire.little(type == ProtobufMessage.Wire.four.rawValue ? 4 : 8) else { throw cut(wire) }
      return Piece(bits: bits, wire: type)
    case nil: throw fault("the wire type \(type) before byte \(wire.at) is not supported")
    }
  }

  @inline(__always)
  private func varint(_ wire: inout ByteCursor) throws(BadEvent) -> UInt64 {
    if let value = wire.varint() { return value }
    throw wire.at < wire.end ? fault("the number that ends at byte \(wire.at) has more than 64 bits") : cut(wire)
  }

  private func cut(_ wire: ByteCursor) -> BadEvent { fault("it is cut off at byte \(wire.end)") }

  // MARK: - JSON

  private func list(_ field: ProtobufPlan.Field, _ list: Piece, depth: Int) throws(BadEvent) {
    out.append("[")
    var isFirst = true
    var next = list.start
    while next >= 0 {
      let piece = pieces[next]
      next = piece.next
      guard piece.wire == Self.length, field.wire != Self.length else {
        if !isFirst { out.append(",") }
        isFirst = false
        try append(piece, field, depth: depth)
        continue
      }
      var packed = ByteCursor(bytes, piece.start, piece.end)
      while packed.at < packed.end {
        if !isFirst { out.append(",") }
        isFirst = false
        try append(value(field.wire, &packed), field, depth: depth)
      }
    }
    out.append("]")
  }

  /// The entries of a map: messages of a key and a value, either of which may be left out.
  private func map(_ key: ProtobufPlan.Field, _ value: ProtobufPlan.Field, _ list: Piece, depth: Int) throws(BadEvent) {
    out.append("{")
    var next = list.start
    while next >= 0 {
      let entry = pieces[next]
      if next != list.start { out.append(",") }
      next = entry.next
      let name = try last(of: entry, 1, key.wire, key)
      if case .scalar(.string) = key.kind {
        try append(name, key, depth: depth)
      } else {
        out.append(#"""#)
        try append(name, key, depth: depth)
        out.append(#"""#)
      }
      out.append(":")
      try append(last(of: entry, 2, value.wire, value), value, depth: depth + 1)
    }
    out.append("}")
  }

  /// The last value with a number in a message of at most two fields; empty if it has none.
  private func last(
    of message: Piece, _ number: UInt64, _ type: UInt64, _ field: ProtobufPlan.Field
  ) throws(BadEvent) -> Piece {
    var found = Piece()
    var wire = ByteCursor(bytes, message.start, message.end)
    while wire.at < wire.end {
      let tag = try varint(&wire)
      let piece = try value(tag & 7, &wire)
      guard tag >> 3 == number else { continue }
      if piece.wire != type { throw fault("an entry of \(plan.name(field)) does not have the wire types of its type in the map") }
      found = piece
    }
    return found
  }

  private func time(_ message: Piece, _ field: ProtobufPlan.Field, _ word: String, _ write: (Int64, Int64) -> String?)
    throws(BadEvent)
  {
    let varint = ProtobufMessage.Wire.varint.rawValue
    let seconds = Int64(bitPattern: try last(of: message, 1, varint, field).bits)
    let nanos = Int64(Int32(truncatingIfNeeded: try last(of: message, 2, varint, field).bits))
    guard let text = write(seconds, nanos) else {
      throw fault("its field \(field.number), \(plan.name(field)), is no \(word): \(seconds) s and \(nanos) ns")
    }
    out.append(jsonString: text)
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

  private func append(_ piece: Piece, _ field: ProtobufPlan.Field, depth: Int) throws(BadEvent) {
    let bits = piece.bits
    switch field.kind {
    case .message(let message): try object(piece, message, depth: depth + 1)
    // Only a field as a whole is a map.
    case .map: preconditionFailure("a map within a map's value")
    case .wrapper(let value):
      let value = plan.parts[value]
      try append(last(of: piece, 1, value.wire, value), value, depth: 0)
    case .timestamp: try time(piece, field, "timestamp", WellKnownText.timestamp)
    case .duration: try time(piece, field, "duration", WellKnownText.duration)
    case .enumeration(let place):
      let number = Int32(truncatingIfNeeded: bits)
      let type = plan.messages[place]
      guard let index = plan.place(of: ProtobufPlan.number(number), in: type) else { return out.append(Int64(number)) }
      let symbol = plan.symbols[type.first + index]
      out.append(padded: plan.bytes.all.baseAddress! + symbol.start, symbol.count)
    case .scalar(.bytes): base64(Bytes(rebasing: bytes[piece.start..<piece.end]))
    case .scalar(.string):
      if !out.append(checkedJSONString: Bytes(rebasing: bytes[piece.start..<piece.end])) {
        throw fault("its field \(field.number), \(plan.name(field)), is not UTF-8")
      }
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
