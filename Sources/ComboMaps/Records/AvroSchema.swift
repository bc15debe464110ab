internal import ComboWire

/// An Avro schema as a flat list. Types refer to each other by index, so that a type can contain itself.
struct AvroSchema {
  enum Kind {
    case null, boolean, int, long, float, double, bytes, string, record, enumeration, fixed, array, map, union
  }

  struct Node {
    var kind: Kind
    /// The full name of a named type, or the type's keyword.
    var name: String
    /// The types of a record's fields, of a union's branches, or of an array's or a map's values.
    var types: [Int] = []
    /// The names of a record's fields, or the symbols of an enum.
    var names: [String] = []
    /// The text before the value of each field or branch, or in place of each symbol.
    var texts: [[UInt8]] = []
    /// The number of bytes of a `fixed`.
    var size = 0
    /// The number of decimal places of a `decimal`, or nil for other types.
    var scale: Int?
    var isUUID = false

    init(_ kind: Kind, _ name: String) {
      self.kind = kind
      self.name = name
    }
  }

  var nodes: [Node] = []
  var root = 0

  /// The maximum number of types in a schema, and of fields, symbols or branches of a type.
  static let typesMax = 4000
  static let partsMax = 2000

  // MARK: - Fingerprint

  /// The fingerprint by which single-object encoding names a schema: CRC-64-AVRO of the Parsing Canonical Form
  /// (https://avro.apache.org/docs/1.11.1/specification/#parsing-canonical-form-for-schemas).
  var fingerprint: UInt64 {
    let empty: UInt64 = 0xc15d_213a_a4d7_a795
    var result = empty
    for byte in text(keepsLogicalTypes: false).utf8 {
      var low = (result ^ UInt64(byte)) & 0xff
      for _ in 0..<8 { low = low >> 1 ^ (low & 1 == 1 ? empty : 0) }
      result = result >> 8 ^ low
    }
    return result
  }

  /// Returns the Parsing Canonical Form, optionally with the logical types that change what is written.
  func text(keepsLogicalTypes: Bool) -> String {
    var named: Set<Int> = []
    func logical(_ node: Node) -> String {
      guard keepsLogicalTypes else { return "" }
      return node.isUUID ? #","logicalType":"uuid""# : node.scale.map { #","logicalType":"decimal","scale":\#($0)"# } ?? ""
    }
    func text(_ place: Int) -> String {
      let node = nodes[place]
      func quoted(_ text: String) -> String { "\"\(text)\"" }
      switch node.kind {
      case .array: return #"{"type":"array","items":\#(text(node.types[0]))}"#
      case .map: return #"{"type":"map","values":\#(text(node.types[0]))}"#
      case .union: return "[\(node.types.map(text).joined(separator: ","))]"
      case .record, .enumeration, .fixed: break
      case .bytes where logical(node) != "": return #"{"type":"bytes"\#(logical(node))}"#
      default: return quoted(node.name)
      }
      guard named.insert(place).inserted else { return quoted(node.name) }
      let start = #"{"name":"# + quoted(node.name) + #","type":"#
      switch node.kind {
      case .record:
        let fields = zip(node.names, node.types).map { #"{"name":"# + quoted($0) + #","type":"# + text($1) + "}" }
        return start + #""record","fields":["# + fields.joined(separator: ",") + "]}"
      case .enumeration: return start + #""enum","symbols":["# + node.names.map(quoted).joined(separator: ",") + "]}"
      default: return start + #""fixed","size":\#(node.size)\#(logical(node))}"#
      }
    }
    return text(root)
  }
}

/// Reads Avro schemas in a map (https://avro.apache.org/docs/1.11.1/specification/).
struct AvroSchemaReader {
  private var schema = AvroSchema()
  private var named: [String: Int] = [:]
  private static let primitives: [String: AvroSchema.Kind] = [
    "null": .null, "boolean": .boolean, "int": .int, "long": .long, "float": .float, "double": .double, "bytes": .bytes,
    "string": .string,
  ]

  /// Returns the schema, or nil if it is invalid, in which case the map's reader has the faults.
  static func read(_ token: Int, _ map: inout MapReader) -> AvroSchema? {
    var reader = AvroSchemaReader()
    let faults = map.faults.count
    guard let root = reader.whole(token, &map), map.faults.count == faults else { return nil }
    reader.schema.root = root
    if reader.schema.nodes.count > AvroSchema.typesMax {
      map.fault(token, "a schema may have at most \(AvroSchema.typesMax) types, not \(reader.schema.nodes.count)")
      return nil
    }
    return reader.schema
  }

  /// Reads a schema, or `{"schema": …, "references": […]}`, in which schemas come before those that refer to them.
  private mutating func whole(_ token: Int, _ map: inout MapReader) -> Int? {
    var (schema, references): (Int?, Int?)
    if map.text[token].isObject {
      var isType = false
      map.source.forEachMember(token) { name, value in
        switch name {
        case "type": isType = true
        case "schema": schema = value
        case "references": references = value
        default: break
        }
      }
      if isType { schema = nil }
    }
    guard let schema else { return type(token, in: "", &map) }
    for reference in references.map({ map.array($0, "references") ?? [] }) ?? [] {
      guard type(reference, in: "", &map) != nil else { return nil }
    }
    return type(schema, in: "", &map)
  }

  private mutating func add(_ node: AvroSchema.Node) -> Int {
    schema.nodes.append(node)
    return schema.nodes.count - 1
  }

  private mutating func type(_ token: Int, in namespace: String, _ map: inout MapReader) -> Int? {
    let text = map.text
    if text[token].isString { return type(named: text.string(token), token, in: namespace, &map) }
    if text[token].isArray { return union(token, in: namespace, &map) }
    guard let members = map.object(token, "an Avro type", nil),
      let typeToken = map.required(members, "type", "the type's name")
    else { return nil }
    // {"type": {"type": "long", …}} stands for the inner type.
    guard text[typeToken].isString else { return type(typeToken, in: namespace, &map) }
    let word = text.string(typeToken)
    switch word {
    case "record", "error", "enum", "fixed": return definition(word, members, in: namespace, &map)
    case "array", "map":
      guard
        let items = map.required(members, word == "array" ? "items" : "values", "the type of its values"),
        let item = type(items, in: namespace, &map)
      else { return nil }
      var node = AvroSchema.Node(word == "array" ? .array : .map, word)
      node.types = [item]
      return add(node)
    default:
      guard let kind = Self.primitives[word] else { return type(named: word, typeToken, in: namespace, &map) }
      var node = AvroSchema.Node(kind, word)
      logical(members, &node, &map)
      return add(node)
    }
  }

  private mutating func type(named word: String, _ token: Int, in namespace: String, _ map: inout MapReader) -> Int? {
    if let kind = Self.primitives[word] { return add(AvroSchema.Node(kind, word)) }
    if let known = named[Self.full(word, namespace)] ?? named[word] { return known }
    map.fault(
      token, "there is no Avro type \"\(word)\"; a type that a schema refers to must be defined before, in the same schema")
    return nil
  }

  private mutating func union(_ token: Int, in namespace: String, _ map: inout MapReader) -> Int? {
    let branches = map.array(token, "a union") ?? []
    if branches.isEmpty || branches.count > AvroSchema.partsMax {
      map.fault(token, "a union must have 1 to \(AvroSchema.partsMax) types, not \(branches.count)")
    }
    var node = AvroSchema.Node(.union, "union")
    for branch in branches {
      guard let type = type(branch, in: namespace, &map) else { return nil }
      node.types.append(type)
    }
    // A union of null and one other type needs no name to distinguish them.
    let others = node.types.filter { schema.nodes[$0].kind != .null }
    node.texts = node.types.map { type in
      others.count > 1 && schema.nodes[type].kind != .null ? Array("{\"\(schema.nodes[type].name)\":".utf8) : []
    }
    return add(node)
  }

  private mutating func definition(
    _ word: String, _ members: Members, in namespace: String, _ map: inout MapReader
  ) -> Int? {
    guard let nameToken = map.required(members, "name", "the name of the type"), let name = map.string(nameToken, "name")
    else { return nil }
    let space = members["namespace"].flatMap { map.string($0, "namespace") } ?? namespace
    let full = Self.full(name, space)
    let inner = full.lastIndex(of: ".").map { String(full[..<$0]) } ?? ""
    if !full.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ Self.isName(String($0)) }) {
      map.fault(nameToken, "a name in Avro has letters, digits and _, and begins with no digit, unlike \"\(full)\"")
    }
    if named[full] != nil { map.fault(nameToken, "the schema defines \"\(full)\" twice") }
    var node = AvroSchema.Node(word == "enum" ? .enumeration : word == "fixed" ? .fixed : .record, full)
    switch node.kind {
    case .enumeration:
      guard let symbols = map.required(members, "symbols", "an array of names") else { return nil }
      node.names = (map.array(symbols, "symbols") ?? []).compactMap { map.string($0, "a symbol") }
      if node.names.isEmpty || node.names.count > AvroSchema.partsMax || !node.names.allSatisfy(Self.isName) {
        map.fault(symbols, "symbols must be 1 to \(AvroSchema.partsMax) names of letters, digits and _")
      }
      node.texts = node.names.map { Array("\"\($0)\"".utf8) }
    case .fixed:
      guard let size = map.required(members, "size", "its number of bytes") else { return nil }
      let bytes = map.text[size].isInteger ? map.text.integer(size) : nil
      if let bytes, (0...65_536).contains(bytes) {
        node.size = Int(bytes)
      } else {
        map.fault(size, "size must be 0 to 65536 bytes")
      }
      logical(members, &node, &map)
    default: break
    }
    let place = add(node)
    named[full] = place
    if node.kind == .record { record(place, members, in: inner, &map) }
    return place
  }

  private mutating func record(_ place: Int, _ members: Members, in namespace: String, _ map: inout MapReader) {
    guard let list = map.required(members, "fields", "an array of fields") else { return }
    let fields = map.array(list, "fields") ?? []
    if fields.count > AvroSchema.partsMax {
      map.fault(list, "a record may have at most \(AvroSchema.partsMax) fields, not \(fields.count)")
    }
    for field in fields {
      guard let field = map.object(field, "a field", nil), let nameToken = map.required(field, "name", "the field's name"),
        let name = map.string(nameToken, "name"), let typeToken = map.required(field, "type", "the field's type"),
        let type = type(typeToken, in: namespace, &map)
      else { return }
      if !Self.isName(name) { map.fault(nameToken, "a field's name has letters, digits and _, unlike \"\(name)\"") }
      if schema.nodes[place].names.contains(name) { map.fault(nameToken, "a record has the field \"\(name)\" twice") }
      let comma = schema.nodes[place].names.isEmpty ? "" : ","
      schema.nodes[place].names.append(name)
      schema.nodes[place].types.append(type)
      schema.nodes[place].texts.append(Array("\(comma)\"\(name)\":".utf8))
    }
  }

  /// Reads the logical types that change how a value is written. Others, or those of a wrong type, have no effect, as in Avro.
  private func logical(_ members: Members, _ node: inout AvroSchema.Node, _ map: inout MapReader) {
    guard let token = members["logicalType"], map.text[token].isString else { return }
    let word = map.text.string(token)
    if word == "uuid", node.kind == .fixed, node.size == 16 { node.isUUID = true }
    if word == "decimal", node.kind == .bytes || node.kind == .fixed {
      let scale = members["scale"].flatMap { map.text[$0].isInteger ? map.text.integer($0) : nil } ?? 0
      if (0...100).contains(scale) { node.scale = Int(scale) }
    }
  }

  private static func full(_ name: String, _ namespace: String) -> String {
    name.contains(".") || namespace.isEmpty ? name : "\(namespace).\(name)"
  }

  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= 200 else { return false }
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) || byte == 0x5f }
    return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || $0 &- 0x30 < 10 }
  }
}
