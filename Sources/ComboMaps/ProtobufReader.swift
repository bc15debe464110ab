internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// A message of Protobuf, in base64, as JSON: by the fields that a map names, `{"uid":7,"gift_list":[{"num":3}]}`.
///
/// After https://protobuf.dev/programming-guides/encoding/. Fields that the map does not name are skipped; of one that is not
/// repeated the last counts; of repeated numbers both forms are read, packed or not. Groups are refused. What is not there is not in
/// the JSON either. The time taken goes by the bytes; without allocations in the steady state. One thread.
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
  /// The kind of text, for sentences.
  private var place = ""

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
    out.removeAll()
    pieces.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    if let fault = Base64.decode(text, into: decoded) { throw self.fault(fault) }
    bytes = decoded.bytes
    try object(0..<bytes.count, message, depth: 1)
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
      if field.isRepeated {
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

  private func append(_ piece: Piece, _ field: ProtobufMessage.Field, depth: Int) throws(BadEvent) {
    let bits = piece.bits
    switch field.type {
    case .message(_, let message): try object(piece.start..<piece.end, message, depth: depth + 1)
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
    BadEvent(.wrongType, "\(place) is not the Protobuf in base64 that the map describes: \(what)")
  }
}
