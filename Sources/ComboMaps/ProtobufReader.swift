internal import ComboCore
internal import ComboWire

/// Converts a Protobuf message, in base64 or as a whole record, to JSON with the fields that a map names,
/// `{"uid":7,"gift_list":[{"num":3}]}`.
///
/// It follows https://protobuf.dev/programming-guides/encoding/ and https://protobuf.dev/programming-guides/json/. Fields that
/// the map does not name are skipped. If a field is not repeated, its last value counts. Repeated numbers may be packed or not. A
/// missing field is missing in the JSON too. The time is proportional to the bytes. It does not allocate in the steady state.
/// Only one thread may use it.
final class ProtobufReader {
  /// A value as it is on the wire.
  private struct Piece {
    /// The number, or the start of a value with a length.
    var bits: UInt64 = 0
    /// The end of a value with a length.
    var end = 0

    var start: Int { Int(truncatingIfNeeded: bits) }
  }

  /// The JSON of a value, without its name.
  private struct Fragment {
    /// The index of its field within the message.
    let field: Int
    let range: Range<Int>
  }

  private let plan: ProtobufPlan
  // The plan's lists.
  private let messages: UnsafePointer<ProtobufPlan.Message>
  private let fields: UnsafePointer<ProtobufPlan.Field>
  private let tags: UnsafePointer<UInt8>
  private let texts: UnsafeRawPointer
  private let limits: WireLimits
  private let out = ByteBuffer()
  private let decoded = ByteBuffer()
  private var bytes = Bytes.none
  /// Whether the values are noted, so that they can be put into the map's order: from the first record on whose fields are not in it.
  private var notesValues = false
  /// Whether an unnoted field was not in the map's order, so that the record must be read once more.
  private var mustRepeat = false
  /// The values of the messages that are being read, the innermost message last.
  private var fragments = UnsafeMutableBufferPointer<Fragment>.allocate(capacity: 256)
  private var fragmentCount = 0
  /// A buffer for a message whose fields are not in the map's order.
  private let ordered = ByteBuffer()
  /// Whether a text that is not UTF-8 is a fault, which names the field.
  var checksTexts = false
  /// The place and the form of the message, for error messages.
  private var place = ""
  private var form = ""
  private var code = BadEvent.Code.wrongType

  init(_ plan: ProtobufPlan, limits: WireLimits) {
    self.plan = plan
    messages = UnsafePointer(plan.messages.all.baseAddress.unsafelyUnwrapped)
    fields = UnsafePointer(plan.fields.all.baseAddress.unsafelyUnwrapped)
    tags = UnsafePointer(plan.tags.all.baseAddress.unsafelyUnwrapped)
    texts = UnsafeRawPointer(plan.bytes.all.baseAddress.unsafelyUnwrapped)
    self.limits = limits
  }

  deinit { fragments.deallocate() }

  /// Returns the message as JSON, in the arena.
  ///
  /// - Parameters:
  ///   - text: The message in base64 (RFC 4648). The padding may be missing.
  ///   - message: The index of the message's type.
  ///   - place: The place of the text, for error messages.
  func json(of text: Bytes, _ message: Int, at place: String, into arena: BumpArena) throws(BadEvent) -> Bytes {
    self.place = place
    (form, code) = ("Protobuf in base64", .wrongType)
    if let fault = Base64.decode(text, into: decoded) { throw self.fault(fault) }
    checksTexts = true
    defer { checksTexts = false }
    return try json(of: decoded.bytes, message, into: arena)
  }

  /// Returns a record that is one message as JSON, in the arena.
  func json(ofRecord record: Bytes, _ message: Int, into arena: BumpArena) throws(BadEvent) -> Bytes {
    place = "the record"
    (form, code) = ("Protobuf", .notJSON)
    return try json(of: record, message, into: arena)
  }

  private func json(of message: Bytes, _ type: Int, into arena: BumpArena) throws(BadEvent) -> Bytes {
    bytes = message
    out.removeAll()
    (fragmentCount, mustRepeat) = (0, false)
    try object(Piece(end: bytes.count), type, depth: 1)
    if mustRepeat {
      (mustRepeat, notesValues) = (false, true)
      out.removeAll()
      try object(Piece(end: bytes.count), type, depth: 1)
    }
    if out.count > limits.recordBytes { throw tooLarge() }
    return arena.copy(out.bytes)
  }

  // MARK: - The wire

  private func object(_ whole: Piece, _ message: Int, depth: Int) throws(BadEvent) {
    if depth > limits.depth { throw fault("its messages are nested deeper than \(limits.depth) levels") }
    let type = messages + message
    let fields = fields + type.pointee.first
    let tags = tags + 256 * message
    let (begin, first) = (out.count, fragmentCount)
    // The field of the previous value, and whether its list is still empty.
    var (last, isEmpty) = (-1, true)
    var isOrdered = true
    var wire = ByteCursor(bytes, whole.start, whole.end)
    out.append(UInt8(ascii: "{"))
    while wire.at < wire.end {
      if out.count > limits.recordBytes { throw tooLarge() }
      let start = wire.at
      let index: Int
      let piece: Piece
      var isPacked = false
      let quick = tags[Int(bytes[start])]
      if quick != ProtobufPlan.noField {
        index = Int(quick)
        wire.skip(1)
        piece = try value(fields[index].wire, &wire)
      } else {
        let tag = try varint(&wire)
        let number = tag >> 3
        guard number >= 1, number <= ProtobufMessage.numberMax else { throw fault("no field begins at byte \(start)") }
        if tag & 7 == Self.groupBegins {
          try skipGroup(number, &wire, depth: depth + 1)
          continue
        }
        piece = try value(tag & 7, &wire)
        guard let found = plan.place(of: number, in: type) else { continue }
        index = found
        isPacked = tag & 7 != fields[index].wire
        if isPacked, tag & 7 != Self.length || !fields[index].isList {
          let declared = plan.declared[message].fields[index]
          throw fault(
            "its field \(number), \(declared.name), does not have the wire type of \(declared.type.word), its type in the map")
        }
      }
      let field = fields + index
      if index != last || !field.pointee.isList {
        if index <= last { isOrdered = false }
        if last >= 0 { close(fields + last) }
        if field.pointee.isText, !checksTexts {
          let value = text(piece, field, isFirst: last < 0)
          if notesValues { push(Fragment(field: index, range: value..<out.count)) }
          (last, isEmpty) = (index, false)
          continue
        }
        open(field, isFirst: last < 0)
        (last, isEmpty) = (index, true)
      }
      if !isEmpty, !isPacked || piece.start < piece.end { out.append(UInt8(ascii: ",")) }
      let value = out.count
      if isPacked {
        try packed(piece, field.pointee, depth: depth)
      } else {
        try append(piece, field.pointee, depth: depth)
      }
      if notesValues { push(Fragment(field: index, range: value..<out.count)) }
      if out.count > value { isEmpty = false }
    }
    if last >= 0 { close(fields + last) }
    out.append(UInt8(ascii: "}"))
    if isOrdered { return fragmentCount = first }
    if !notesValues { return mustRepeat = true }
    order(first, fields, from: begin)
    fragmentCount = first
  }

  private func tooLarge() -> BadEvent {
    BadEvent(.tooLarge, "\(place) comes to more than \(limits.recordBytes) bytes of JSON, the maximum of a record")
  }

  @inline(__always)
  private func push(_ fragment: Fragment) {
    if fragmentCount == fragments.count { growFragments() }
    fragments[fragmentCount] = fragment
    fragmentCount += 1
  }

  @inline(never)
  private func growFragments() {
    let larger = UnsafeMutableBufferPointer<Fragment>.allocate(capacity: 2 * fragments.count)
    _ = larger.moveInitialize(fromContentsOf: fragments)
    fragments.deallocate()
    fragments = larger
  }

  @inline(__always)
  private func open(_ field: UnsafePointer<ProtobufPlan.Field>, isFirst: Bool) {
    out.commit(upTo: name(of: field, isFirst, at: out.reserve(field.pointee.name.count + 15)))
    if field.pointee.isList { out.append(UInt8(ascii: field.pointee.isMap ? "{" : "[")) }
  }

  /// Appends a text that is not in a list, with its name: most fields are such. Returns the start of the text.
  @inline(__always)
  private func text(_ piece: Piece, _ field: UnsafePointer<ProtobufPlan.Field>, isFirst: Bool) -> Int {
    let text = slice(piece)
    let begin = out.reserve(field.pointee.name.count + 15 + jsonStringMax(text.count))
    let start = name(of: field, isFirst, at: begin)
    let place = out.count + (start - begin)
    out.commit(upTo: write(jsonString: text, at: start))
    return place
  }

  /// Writes the name of a field and returns its end. Up to 15 bytes behind it are overwritten.
  @inline(__always)
  private func name(
    of field: UnsafePointer<ProtobufPlan.Field>, _ isFirst: Bool, at start: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    // The first name has no comma before it.
    let skipped = isFirst ? 1 : 0
    let (from, count) = (texts + (field.pointee.name.start &+ skipped), field.pointee.name.count &- skipped)
    let to = UnsafeMutableRawPointer(start)
    var at = 0
    repeat {
      to.storeBytes(of: from.loadUnaligned(fromByteOffset: at, as: SIMD16<UInt8>.self), toByteOffset: at, as: SIMD16<UInt8>.self)
      at &+= 16
    } while at < count
    return start + count
  }

  @inline(__always)
  private func close(_ field: UnsafePointer<ProtobufPlan.Field>) {
    if field.pointee.isList { out.append(UInt8(ascii: field.pointee.isMap ? "}" : "]")) }
  }

  /// Rewrites an object with its fields in the map's order. Only the last value of a field that is not repeated counts.
  @inline(never)
  private func order(_ first: Int, _ fields: UnsafePointer<ProtobufPlan.Field>, from begin: Int) {
    ordered.removeAll()
    ordered.append(out.bytes(begin..<out.count))
    out.truncate(to: begin)
    var values = UnsafeMutableBufferPointer(rebasing: fragments[first..<fragmentCount])
    values.sort { ($0.field, $0.range.lowerBound) < ($1.field, $1.range.lowerBound) }
    var (last, isEmpty) = (-1, true)
    out.append(UInt8(ascii: "{"))
    for (index, value) in values.enumerated() {
      let field = fields + value.field
      if !field.pointee.isList, index + 1 < values.count, values[index + 1].field == value.field { continue }
      if value.field != last {
        if last >= 0 { close(fields + last) }
        open(field, isFirst: last < 0)
        (last, isEmpty) = (value.field, true)
      }
      if value.range.isEmpty { continue }
      if !isEmpty { out.append(UInt8(ascii: ",")) }
      isEmpty = false
      out.append(ordered.bytes(value.range.lowerBound - begin..<value.range.upperBound - begin))
    }
    if last >= 0 { close(fields + last) }
    out.append(UInt8(ascii: "}"))
  }

  /// The wire types of groups, an old form of messages, which a map cannot name as fields.
  private static let groupBegins: UInt64 = 3
  private static let groupEnds: UInt64 = 4
  private static let length = ProtobufMessage.Wire.length.rawValue
  private static let number = ProtobufMessage.Wire.varint.rawValue

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
    if type == Self.number { return Piece(bits: try varint(&wire)) }
    if type != Self.length { return try fixed(type, &wire) }
    let length = try varint(&wire)
    let start = wire.at
    guard length <= UInt64(truncatingIfNeeded: wire.end &- start) else { throw tooLong(start) }
    wire.skip(Int(truncatingIfNeeded: length))
    return Piece(bits: UInt64(truncatingIfNeeded: start), end: wire.at)
  }

  /// The bytes of a value with a length.
  @inline(__always)
  private func slice(_ piece: Piece) -> Bytes {
    Bytes(start: bytes.baseAddress.unsafelyUnwrapped + piece.start, count: piece.end &- piece.start)
  }

  @inline(never)
  private func fixed(_ type: UInt64, _ wire: inout ByteCursor) throws(BadEvent) -> Piece {
    switch ProtobufMessage.Wire(rawValue: type) {
    case .eight?, .four?:
      guard let bits = wire.little(type == ProtobufMessage.Wire.four.rawValue ? 4 : 8) else { throw cut(wire) }
      return Piece(bits: bits)
    default: throw fault("the wire type \(type) before byte \(wire.at) is not supported")
    }
  }

  private func tooLong(_ start: Int) -> BadEvent { fault("the value at byte \(start) is longer than the rest") }

  @inline(__always)
  private func varint(_ wire: inout ByteCursor) throws(BadEvent) -> UInt64 {
    if let value = wire.varint() { return value }
    throw wire.at < wire.end ? fault("the number that ends at byte \(wire.at) has more than 64 bits") : cut(wire)
  }

  private func cut(_ wire: ByteCursor) -> BadEvent { fault("it is cut off at byte \(wire.end)") }

  // MARK: - JSON

  /// Appends the numbers of a list that one value holds.
  private func packed(_ piece: Piece, _ field: ProtobufPlan.Field, depth: Int) throws(BadEvent) {
    var wire = ByteCursor(bytes, piece.start, piece.end)
    while wire.at < wire.end {
      if wire.at > piece.start { out.append(UInt8(ascii: ",")) }
      try append(value(field.wire, &wire), field, depth: depth)
    }
  }

  /// Appends an entry of a map: a message with a key and a value, either of which may be missing.
  private func entry(_ entry: Piece, _ key: ProtobufPlan.Field, _ value: ProtobufPlan.Field, depth: Int) throws(BadEvent) {
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

  /// Returns the last value with a number in a message of at most two fields, which is empty if there is none.
  private func last(
    of message: Piece, _ number: UInt64, _ type: UInt64, _ field: ProtobufPlan.Field
  ) throws(BadEvent) -> Piece {
    var found = Piece()
    var wire = ByteCursor(bytes, message.start, message.end)
    while wire.at < wire.end {
      let tag = try varint(&wire)
      let piece = try value(tag & 7, &wire)
      guard tag >> 3 == number else { continue }
      if tag & 7 != type { throw fault("an entry of \(plan.name(field)) does not have the wire types of its type in the map") }
      found = piece
    }
    return found
  }

  private func time(_ message: Piece, _ field: ProtobufPlan.Field, _ word: String, _ write: (Int64, Int64) -> String?)
    throws(BadEvent)
  {
    let seconds = Int64(bitPattern: try last(of: message, 1, Self.number, field).bits)
    let nanos = Int64(Int32(truncatingIfNeeded: try last(of: message, 2, Self.number, field).bits))
    guard let text = write(seconds, nanos) else {
      throw fault("its field \(field.number), \(plan.name(field)), is no \(word): \(seconds) s and \(nanos) ns")
    }
    out.append(jsonString: text)
  }

  private func base64(_ value: Bytes) {
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

  private func append(_ piece: Piece, _ field: ProtobufPlan.Field, depth: Int) throws(BadEvent) {
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
  private func append(_ value: Double) { value.isFinite ? out.append(value) : out.append("null") }

  @inline(never)
  private func fault(_ what: String) -> BadEvent {
    BadEvent(code, "\(place) is not the \(form) that the map describes: \(what)")
  }
}
