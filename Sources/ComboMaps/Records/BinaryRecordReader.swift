internal import CZlib
internal import ComboCore
internal import ComboWire

/// Converts records in Protobuf and Avro to JSON. It does not allocate in the steady state. Only one thread may use it.
final class BinaryRecordReader {
  private let form: RecordForm
  private let protobuf: ProtobufReader?
  private let limits: WireLimits
  private let out = ByteBuffer()
  private let inflated = ByteBuffer()
  private let avro: AvroReader
  /// The id of the schema of the last record, or nil if it names none.
  var schema: SchemaID?
  /// The schema of the last Avro record: the next one mostly has the same.
  private var last: (id: SchemaID, plan: AvroPlan)?
  /// The schema id of the last record whose schema the map does not have.
  private(set) var unknown: SchemaID?
  /// The place of the message in its file, if the frame has it.
  private var indexes: [UInt64] = []
  /// The place of a file's first message.
  private static let first: [UInt64] = [0]

  /// - Parameter protobuf: The reader of the map's messages.
  init(_ form: RecordForm, protobuf: ProtobufReader?, limits: WireLimits) {
    self.form = form
    self.protobuf = protobuf
    self.limits = limits
    avro = AvroReader(limits: limits, to: out)
  }

  /// The header in which a producer may name the schema of framed records.
  static let schemaHeader = "__value_schema_id"

  /// Returns the record as JSON, in the arena. Its texts are not checked for UTF-8, which the reader of the JSON does.
  func json(of record: Bytes, header: RecordDecoder.HeaderLookup, into arena: BumpArena) throws(BadEvent) -> Bytes {
    schema = nil
    var body = ByteCursor(record)
    switch form.framing {
    case .none: break
    case .confluent: try unframeConfluent(&body, header)
    case .apicurio:
      try expect(0, &body, "byte 0 and a schema id of 8 bytes")
      schema = SchemaID(try body.big(8))
      // The message's name, which is a message itself.
      if isProtobuf { _ = try body.part(Int(truncatingIfNeeded: body.number())) }
    case .glue:
      try expect(3, &body, "byte 3, a byte for the compression, and a UUID")
      let compression = try body.part(1)[0]
      schema = SchemaID(uuid: try body.part(16))
      if compression == 5 {
        body = ByteCursor(try inflate(body.rest))
      } else if compression != 0 {
        throw Self.fault("the record's compression is \(compression); 0 (none) and 5 (zlib) are known")
      }
      if isProtobuf { _ = try body.number() }
    case .singleObject:
      try expect(0xc3, &body, "bytes C3 01 and a fingerprint")
      try expect(1, &body, "bytes C3 01 and a fingerprint")
      schema = SchemaID(fingerprint: try body.big(8).byteSwapped)
    }
    switch form.content {
    case .protobuf(let message, _): return try protobuf!.json(ofRecord: body.rest, message, into: arena)
    case .avro(let only): try avro.read(body.rest, by: only)
    case .avroByID(let schemas):
      guard let schema, let known = schema == last?.id ? last?.plan : schemas[schema] else {
        unknown = schema
        throw Self.unknown(schema, schemas)
      }
      last = (schema, known)
      try avro.read(body.rest, by: known)
    }
    return arena.copy(out.bytes)
  }

  /// Throws a fault that names the first text of a record that is not UTF-8, if there is one.
  @inline(never)
  func requireUTF8(_ record: Bytes, header: RecordDecoder.HeaderLookup, into arena: BumpArena) throws(BadEvent) {
    avro.checksTexts = true
    protobuf?.checksTexts = true
    defer {
      avro.checksTexts = false
      protobuf?.checksTexts = false
    }
    _ = try json(of: record, header: header, into: arena)
  }

  /// Returns ``unknown``, and clears it.
  func takeUnknown() -> SchemaID? {
    defer { unknown = nil }
    return unknown
  }

  private var isProtobuf: Bool { if case .protobuf = form.content { true } else { false } }

  private func unframeConfluent(_ body: inout ByteCursor, _ header: RecordDecoder.HeaderLookup) throws(BadEvent) {
    var named: Result<SchemaID, BadEvent>?
    func read(_ frame: inout ByteCursor) throws(BadEvent) -> SchemaID {
      let id = try Self.schemaID(&frame)
      if isProtobuf { try readIndexes(&frame) }
      return id
    }
    // No Protobuf message begins with 0 or 1, so that is a frame. Looking for a header costs more than reading the frame.
    if !isProtobuf || (body.rest.first ?? 2) > 1 {
      header(Self.schemaHeader) { value in
        var value = ByteCursor(value)
        named = Result { () throws(BadEvent) in try read(&value) }
      }
    }
    if let named { schema = try named.get() } else { schema = try read(&body) }
    guard case .protobuf(_, let wanted?) = form.content, wanted != indexes else { return }
    func text(_ indexes: [UInt64]) -> String { indexes.map(String.init).joined(separator: ".") }
    throw Self.fault("the record is the message \(text(indexes)) of its file, but the map reads message \(text(wanted))")
  }

  private static func schemaID(_ body: inout ByteCursor) throws(BadEvent) -> SchemaID {
    switch body.rest.first {
    case 0:
      _ = try body.part(1)
      return SchemaID(try body.big(4))
    case 1:
      _ = try body.part(1)
      return SchemaID(uuid: try body.part(16))
    default:
      throw fault("the record does not begin with the frame that the map names: byte 0 and a schema id, or byte 1 and a GUID")
    }
  }

  /// Reads the place of a message in its file: its index, then that of a message within it, and so on. A single 0 stands for the
  /// first message.
  private func readIndexes(_ body: inout ByteCursor) throws(BadEvent) {
    func zigzag(_ body: inout ByteCursor) throws(BadEvent) -> UInt64 {
      let number = try body.number()
      if number & 1 == 1 { throw Self.fault("the record names a message by a negative number") }
      return number >> 1
    }
    let count = try zigzag(&body)
    if count == 0 { return indexes = Self.first }
    if count > 64 { throw Self.fault("the record names a message that is nested \(count) levels deep, more than 64") }
    indexes.removeAll(keepingCapacity: true)
    for _ in 0..<count { indexes.append(try zigzag(&body)) }
  }

  private func expect(_ byte: UInt8, _ body: inout ByteCursor, _ frame: String) throws(BadEvent) {
    guard body.rest.first == byte else {
      throw Self.fault("the record does not begin with the frame that the map names: \(frame)")
    }
    _ = try body.part(1)
  }

  /// Returns the contents of a zlib stream, which may not be longer than a record.
  private func inflate(_ packed: Bytes) throws(BadEvent) -> Bytes {
    let limit = limits.recordBytes
    inflated.removeAll()
    let place = inflated.reserve(limit + 1)
    var length = uLongf(limit + 1)
    let code = uncompress(place, &length, packed.baseAddress?.assumingMemoryBound(to: UInt8.self), uLong(packed.count))
    if code == Z_BUF_ERROR || length > limit {
      throw BadEvent(.tooLarge, "the record is cut off, or comes to more than \(limit) bytes when it is unpacked")
    }
    if code != Z_OK { throw Self.fault("the contents are not the zlib stream that the frame of the record announces") }
    inflated.commit(upTo: place + Int(length))
    return inflated.bytes
  }

  @inline(never)
  private static func unknown(_ schema: SchemaID?, _ known: [SchemaID: AvroPlan]) -> BadEvent {
    let ids = known.keys.map(\.description).sorted()
    let list = ids.count > 8 ? "\(ids.prefix(8).joined(separator: ", ")) and \(ids.count - 8) more" : ids.joined(separator: ", ")
    return fault(
      "the record's schema is \(schema.map(\.description) ?? "not named"), which the map does not have; it has \(ids.isEmpty ? "none" : list)"
    )
  }

  static func fault(_ sentence: String) -> BadEvent { BadEvent(.notJSON, sentence) }
}

/// The parts of a frame.
extension ByteCursor {
  mutating func part(_ count: Int) throws(BadEvent) -> Bytes {
    if let part = next(count) { return part }
    throw BinaryRecordReader.fault("the record is cut off within its frame")
  }

  /// Returns a number, the highest byte first.
  mutating func big(_ count: Int) throws(BadEvent) -> UInt64 { try part(count).reduce(0) { $0 << 8 | UInt64($1) } }

  mutating func number() throws(BadEvent) -> UInt64 {
    if let number = varint() { return number }
    throw BinaryRecordReader.fault(
      at == end ? "the record is cut off within its frame" : "a number in the record's frame does not end")
  }
}
