internal import ComboWire

extension MapReader {
  /// Reads the form of binary records, under `record`.
  mutating func record(_ token: Int, _ messages: [ProtobufMessage]) -> RecordForm? {
    guard let members = object(token, "record", ["framing", "message", "indexes", "schema", "schemas"]) else { return nil }
    let words = RecordForm.Framing.allCases.map(\.rawValue)
    let framing =
      members["framing"].flatMap { word($0, "framing", words) }.flatMap(RecordForm.Framing.init(rawValue:)) ?? .none
    let contents = ["message", "schema", "schemas"].filter { members[$0] != nil }
    if contents.count != 1 {
      fault(token, "record needs one of message (Protobuf), schema and schemas (Avro)")
      return nil
    }
    if let indexes = members["indexes"], members["message"] == nil || framing != .confluent {
      fault(indexes, "indexes are for a message in the frame confluent")
    }
    if let message = members["message"] {
      if framing == .singleObject { fault(message, "the frame single-object is for Avro") }
      guard let name = string(message, "message") else { return nil }
      guard let place = messages.firstIndex(where: { $0.name == name }) else {
        fault(message, "there is no message \"\(name)\"; name it under protobuf, with its fields")
        return nil
      }
      return RecordForm(
        framing: framing, content: .protobuf(message: place, indexes: members["indexes"].flatMap { self.indexes($0) }))
    }
    if let schema = members["schema"] {
      return AvroSchemaReader.read(schema, &self).map { .init(framing: framing, content: .avro(AvroPlan($0))) }
    }
    return schemas(members["schemas"]!, framing).map { .init(framing: framing, content: .avroByID($0)) }
  }

  private mutating func indexes(_ token: Int) -> [UInt64]? {
    let places = (array(token, "indexes") ?? []).map { text[$0].isInteger ? text.integer($0) ?? -1 : -1 }
    if places.isEmpty || places.count > 64 || places.contains(where: { $0 < 0 }) {
      fault(token, "indexes must be the place of the message in its file, such as [0], or [2, 0] for a message within one")
      return nil
    }
    return places.map(UInt64.init)
  }

  private mutating func schemas(_ token: Int, _ framing: RecordForm.Framing) -> [SchemaID: AvroPlan]? {
    if framing == .none {
      fault(token, "schemas by id need a framing that names the id; for records without a frame give one schema")
      return nil
    }
    var found: [SchemaID: AvroPlan] = [:]
    if framing == .singleObject {
      // A schema's fingerprint is its id.
      for element in array(token, "schemas") ?? [] {
        if let schema = AvroSchemaReader.read(element, &self) {
          found[SchemaID(fingerprint: schema.fingerprint)] = AvroPlan(schema)
        }
      }
    } else if let members = object(token, "schemas", nil) {
      for (name, nameToken, value) in members.list {
        guard let id = SchemaID(name) else {
          fault(nameToken, "the name of a schema must be its id, a number or a UUID, not \"\(name)\"")
          continue
        }
        if let schema = AvroSchemaReader.read(value, &self) { found[id] = AvroPlan(schema) }
      }
    }
    return found
  }
}

extension RecordMap {
  /// The names in a map of the frames that may precede a record in Protobuf or Avro.
  public static let framings = RecordForm.Framing.allCases.map(\.rawValue)

  /// Checks the Avro schema of a file.
  ///
  /// - Parameter id: The id by which records name the schema, or nil if its fingerprint is its id.
  /// - Returns: The schema's text without the parts that readers do not need.
  public static func schema(_ text: [UInt8], file: String, id: String?) throws(MapFaults) -> String {
    // A name or a union is not an object.
    let isObject = text.first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) } == UInt8(ascii: "{")
    let whole = isObject ? text : Array(#"{"schema":"#.utf8) + text + [UInt8(ascii: "}")]
    let source = try MapText(whole, file: file, as: "the schema")
    var reader = MapReader(source, chosen: [], library: .builtIn, isChosen: false)
    if let id, SchemaID(id) == nil {
      reader.fault(0, "the file must be named by the schema's id, a number or a UUID, not \"\(id)\"")
    }
    guard let schema = AvroSchemaReader.read(0, &reader), reader.faults.isEmpty else { throw MapFaults(faults: reader.faults) }
    return schema.text(keepsLogicalTypes: true)
  }
}
