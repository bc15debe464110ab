internal import ComboWire

/// The Avro schemas of a map, by id, as JSON.
extension RecordMap {
  /// The maximum size of a map in a journal, in bytes.
  package static let canonicalMax = 512 << 10

  /// Whether the map reads records by the schema ids that they name, so that schemas can be added.
  package var readsSchemasByID: Bool {
    guard let record = compiled.record, record.framing != .singleObject, case .avroByID = record.content else { return false }
    return true
  }

  /// Whether the map reads records that are a Protobuf message, which it describes itself.
  package var readsMessage: Bool { if case .protobuf? = compiled.record?.content { true } else { false } }

  /// Returns the schemas of a map in a journal, or none if it has none or cannot be read.
  package static func schemas(of canonical: String) -> [String: String] {
    guard let kept = try? MapText(Array(canonical.utf8), file: ""), kept.text[0].isObject else { return [:] }
    var found: [String: String] = [:]
    let schemas = ["map", "record", "schemas"].reduce(0 as Int?) { token, name in token.flatMap { kept.member(name, of: $0) } }
    guard let schemas, kept.text[schemas].isObject else { return [:] }
    kept.forEachMember(schemas) { id, schema in if SchemaID(id) != nil { found[id] = kept.compact(schema) } }
    return found
  }

  /// Whether two different maps in a journal are the same apart from their schemas.
  package static func differInSchemas(_ a: String, _ b: String) -> Bool {
    guard let a = try? MapText(Array(a.utf8), file: ""), let b = try? MapText(Array(b.utf8), file: "") else { return false }
    return a.replacingSchemas(by: "{}") == b.replacingSchemas(by: "{}")
  }

  /// Returns the map with these schemas added. Its own schemas stay unchanged. The order of the schemas makes no difference.
  package func adding(_ schemas: [String: String]) throws(MapFaults) -> RecordMap {
    let kept = try MapText(Array(canonical.utf8), file: "the map")
    let all = Self.schemas(of: canonical).merging(schemas) { own, _ in own }
    let list = all.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
    let text = kept.replacingSchemas(by: "{\(list)}")
    if text.utf8.count > Self.canonicalMax {
      throw MapFaults(faults: [
        kept.fault(0, "with its schemas it would have \(text.utf8.count) bytes; \(Self.canonicalMax) are allowed")
      ])
    }
    return try RecordMap(canonical: text)
  }
}

extension MapText {
  /// Returns the canonical text of a map with other schemas.
  fileprivate func replacingSchemas(by list: String) -> String {
    replacing("map", of: 0) { map in
      replacing("record", of: map) { record in replacing("schemas", of: record) { _ in list } }
    }
  }

  /// Returns an object as text, with another value for one of its members.
  private func replacing(_ wanted: String, of token: Int, by value: (Int) -> String) -> String {
    guard text[token].isObject else { return compact(token) }
    var members: [String] = []
    forEachMember(token) { name, old in
      let key = String(decoding: text.slice(old - 1), as: UTF8.self)
      members.append("\(key):\(name == wanted ? value(old) : compact(old))")
    }
    return "{\(members.joined(separator: ","))}"
  }
}
