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
  struct Piece {
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

  let plan: ProtobufPlan
  // The plan's lists.
  let messages: UnsafePointer<ProtobufPlan.Message>
  let fields: UnsafePointer<ProtobufPlan.Field>
  private let tags: UnsafePointer<UInt8>
  let texts: UnsafeRawPointer
  let limits: WireLimits
  let out = ByteBuffer()
  let decoded = ByteBuffer()
  var bytes = Bytes.none
  /// Whether the values are noted, so that they can be put into the map's order. It becomes true at the first record whose fields
  /// are in another order.
  var notesValues = false
  /// Whether an unnoted field was not in the map's order, so that the record must be read once more.
  var mustRepeat = false
  /// The values of the messages that are being read, the innermost message last.
  private var fragments = UnsafeMutableBufferPointer<Fragment>.allocate(capacity: 256)
  private var fragmentCount = 0
  /// A buffer for a message whose fields are not in the map's order.
  let ordered = ByteBuffer()
  /// Whether a text that is not UTF-8 is a fault, which names the field.
  var checksTexts = false
  /// The place and the form of the message, for error messages.
  var place = ""
  var form = ""
  var code = BadEvent.Code.wrongType

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

  func object(_ whole: Piece, _ message: Int, depth: Int) throws(BadEvent) {
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
  func open(_ field: UnsafePointer<ProtobufPlan.Field>, isFirst: Bool) {
    out.commit(upTo: name(of: field, isFirst, at: out.reserve(field.pointee.name.count + 15)))
    if field.pointee.isList { out.append(UInt8(ascii: field.pointee.isMap ? "{" : "[")) }
  }

  /// Appends a text that is not in a list, with its name: most fields are such. Returns the start of the text.
  @inline(__always)
  func text(_ piece: Piece, _ field: UnsafePointer<ProtobufPlan.Field>, isFirst: Bool) -> Int {
    let text = slice(piece)
    let begin = out.reserve(field.pointee.name.count + 15 + jsonStringMax(text.count))
    let start = name(of: field, isFirst, at: begin)
    let place = out.count + (start - begin)
    out.commit(upTo: write(jsonString: text, at: start))
    return place
  }

  /// Writes the name of a field and returns its end. Up to 15 bytes after it are overwritten.
  @inline(__always)
  func name(
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
  func order(_ first: Int, _ fields: UnsafePointer<ProtobufPlan.Field>, from begin: Int) {
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
  static let number = ProtobufMessage.Wire.varint.rawValue

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
  func value(_ type: UInt64, _ wire: inout ByteCursor) throws(BadEvent) -> Piece {
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
  func slice(_ piece: Piece) -> Bytes {
    Bytes(start: bytes.baseAddress.unsafelyUnwrapped + piece.start, count: piece.end &- piece.start)
  }

  @inline(never)
  func fixed(_ type: UInt64, _ wire: inout ByteCursor) throws(BadEvent) -> Piece {
    switch ProtobufMessage.Wire(rawValue: type) {
    case .eight?, .four?:
      guard let bits = wire.little(type == ProtobufMessage.Wire.four.rawValue ? 4 : 8) else { throw cut(wire) }
      return Piece(bits: bits)
    default: throw fault("the wire type \(type) before byte \(wire.at) is not supported")
    }
  }

  func tooLong(_ start: Int) -> BadEvent { fault("the value at byte \(start) is longer than the rest") }

  @inline(__always)
  func varint(_ wire: inout ByteCursor) throws(BadEvent) -> UInt64 {
    if let value = wire.varint() { return value }
    throw wire.at < wire.end ? fault("the number that ends at byte \(wire.at) has more than 64 bits") : cut(wire)
  }

  private func cut(_ wire: ByteCursor) -> BadEvent { fault("it is cut off at byte \(wire.end)") }
}
