internal import ComboCore
internal import ComboWire

/// Writes the map of a message from a descriptor set, which `protoc --include_imports --descriptor_set_out=FILE` makes of
/// `.proto` files (https://protobuf.dev/reference/protobuf/google.protobuf/).
public struct ProtoFile {
  /// A fault of a descriptor set, or of the choice of a message, as a sentence.
  public struct Fault: Error, Sendable {
    /// The sentence.
    public let sentence: String
  }

  private struct Declared {
    let file: String
    let token: Int
    /// The indexes of the messages that contain it, followed by its own index in its file or in the innermost of them.
    let indexes: [Int]
    let isEnum: Bool
  }

  private let source: MapText
  /// The messages and enums by full name.
  private var declared: [String: Declared] = [:]
  /// The full names of the messages and enums to write, in order; and their names in the map.
  private var order: [String] = []
  private var names: [String: String] = [:]
  private var text: JSONText { source.text }

  /// The maximum size of a descriptor set, in bytes.
  public static let bytesMax = 4 << 20

  /// Reads a descriptor set.
  public init(_ descriptors: [UInt8]) throws(Fault) {
    var limits = WireLimits()
    limits.recordBytes = 16 * Self.bytesMax
    let reader = ProtobufReader(ProtobufPlan(Self.messages), limits: limits)
    let arena = BumpArena()
    do {
      let json = try descriptors.withUnsafeBytes { try reader.json(ofRecord: $0, 0, into: arena) }
      source = try MapText([UInt8](json), file: "the descriptor set")
    } catch {
      throw Fault(sentence: "it is no descriptor set of Protobuf: \(error)")
    }
    for file in elements(0, "file") {
      let package = string(file, "package")
      let name = string(file, "name")
      for (index, message) in elements(file, "message").enumerated() { declare(message, package, name, [index]) }
      for one in elements(file, "enum") { declare(enum: one, package, name) }
    }
  }

  /// The parts of `google/protobuf/descriptor.proto` that a map needs.
  private static var messages: [ProtobufMessage] {
    func message(_ name: String, _ fields: [(UInt64, String, ProtobufMessage.FieldType, Bool)]) -> ProtobufMessage {
      ProtobufMessage(name: name, fields: fields.map { .init(number: $0.0, name: $0.1, type: $0.2, isRepeated: $0.3) })
    }
    let (file, descriptor, field, value, values, options) = (1, 2, 3, 5, 4, 6)
    return [
      message("FileDescriptorSet", [(1, "file", .message("", file), true)]),
      message(
        "FileDescriptorProto",
        [
          (1, "name", .scalar(.string), false), (2, "package", .scalar(.string), false),
          (4, "message", .message("", descriptor), true),
          (5, "enum", .message("", values), true),
        ]),
      message(
        "DescriptorProto",
        [
          (1, "name", .scalar(.string), false), (2, "field", .message("", field), true),
          (3, "message", .message("", descriptor), true),
          (4, "enum", .message("", values), true), (7, "options", .message("", options), false),
        ]),
      message(
        "FieldDescriptorProto",
        [
          (1, "name", .scalar(.string), false), (3, "number", .scalar(.int32), false), (4, "label", .scalar(.int32), false),
          (5, "type", .scalar(.int32), false), (6, "type_name", .scalar(.string), false),
        ]),
      message("EnumDescriptorProto", [(1, "name", .scalar(.string), false), (2, "value", .message("", value), true)]),
      message("EnumValueDescriptorProto", [(1, "name", .scalar(.string), false), (2, "number", .scalar(.int32), false)]),
      message("MessageOptions", [(7, "map_entry", .scalar(.bool), false)]),
    ]
  }

  private mutating func declare(_ message: Int, _ scope: String, _ file: String, _ indexes: [Int]) {
    let full = Self.full(string(message, "name"), scope)
    declared[full] = Declared(file: file, token: message, indexes: indexes, isEnum: false)
    for (index, inner) in elements(message, "message").enumerated() { declare(inner, full, file, indexes + [index]) }
    for one in elements(message, "enum") { declare(enum: one, full, file) }
  }

  private mutating func declare(enum token: Int, _ scope: String, _ file: String) {
    declared[Self.full(string(token, "name"), scope)] = Declared(file: file, token: token, indexes: [], isEnum: true)
  }

  private static func full(_ name: String, _ scope: String) -> String { scope.isEmpty ? name : "\(scope).\(name)" }

  // MARK: - Writing

  /// Returns the text of a map that reads records of a message.
  ///
  /// - Parameters:
  ///   - message: The message's name, with or without its package.
  ///   - framing: The frame that precedes the bytes of each record.
  ///   - map: The map that reads the JSON.
  public mutating func map(of message: String, framing: String, include map: String) throws(Fault) -> String {
    let found = declared.filter { !$0.value.isEnum && ($0.key == message || $0.key.hasSuffix(".\(message)")) }.keys.sorted()
    guard let full = found.contains(message) ? message : found.first, found.count == 1 || found.contains(message) else {
      let known = declared.filter { !$0.value.isEnum && !isEntry($0.value) && !$0.key.hasPrefix("google.protobuf.") }.keys
        .sorted()
      throw Fault(
        sentence: found.isEmpty
          ? "there is no message \(message); there are \(known.prefix(40).joined(separator: ", "))"
          : "\(message) may be \(found.joined(separator: " or "))")
    }
    order = []
    names = [:]
    name(full)
    var written: [String] = []
    var next = 0
    while next < order.count {
      let one = declared[order[next]]!
      let members = one.isEnum ? symbols(one.token) : try fields(one.token)
      written.append("    \(quoted(names[order[next]]!)): \(members)")
      next += 1
    }
    let indexes = framing == "confluent" ? ", \"indexes\": \(declared[full]!.indexes)" : ""
    return """
      {
        "map": 1,
        "name": \(quoted(names[full]!.lowercased())),
        "about": \(quoted("Records that are the Protobuf message \(full).")),
        "include": \(quoted(map)),
        "record": {"framing": \(quoted(framing)), "message": \(quoted(names[full]!))\(indexes)},
        "protobuf": {
      \(written.joined(separator: ",\n"))
        }
      }

      """
  }

  /// Returns the name of a message or an enum in the map, and adds it to those to write.
  @discardableResult
  private mutating func name(_ full: String) -> String {
    if let known = names[full] { return known }
    let parts = full.split(separator: ".").map(String.init)
    let taken = Set(names.values)
    // The last part, or as many parts as distinguish it from other names and from Protobuf's own types.
    var name = ""
    for count in 1...parts.count {
      name = String(parts.suffix(count).joined(separator: "_").suffix(PointerTable.looseNameMax))
      if !taken.contains(name), ProtobufMessage.Scalar(rawValue: name) == nil, name != "repeated",
        ProtobufMessage.Known(name) == nil
      {
        break
      }
    }
    while taken.contains(name) { name = "\(name.suffix(PointerTable.looseNameMax - 1))_" }
    names[full] = name
    order.append(full)
    return name
  }

  private func symbols(_ token: Int) -> String {
    var seen: Set<Int64> = []
    // The first of several aliases counts.
    let values = elements(token, "value").filter { seen.insert(integer($0, "number")).inserted }
    let list = values.map { "\"\(integer($0, "number"))\": \(quoted(string($0, "name")))" }
    return #"{"enum": {\#(list.joined(separator: ", "))}}"#
  }

  private mutating func fields(_ message: Int) throws(Fault) -> String {
    var lines: [String] = []
    for field in elements(message, "field") {
      let number = integer(field, "number")
      guard var type = try type(field) else { continue }
      if integer(field, "label") == Self.repeated, !type.hasPrefix("map<") { type = "repeated \(type)" }
      lines.append("\n      \"\(number)\": \(quoted("\(type) \(string(field, "name"))"))")
    }
    return "{\(lines.joined(separator: ","))\n    }"
  }

  private static let repeated: Int64 = 3

  /// The scalar types by `FieldDescriptorProto.Type`.
  private static let scalars: [Int64: ProtobufMessage.Scalar] = [
    1: .double, 2: .float, 3: .int64, 4: .uint64, 5: .int32, 6: .fixed64, 7: .fixed32, 8: .bool, 9: .string, 12: .bytes,
    13: .uint32,
    15: .sfixed32, 16: .sfixed64, 17: .sint32, 18: .sint64,
  ]

  private static let known: [String: String] = [
    "Timestamp": "timestamp", "Duration": "duration", "DoubleValue": "optional<double>", "FloatValue": "optional<float>",
    "Int64Value": "optional<int64>", "UInt64Value": "optional<uint64>", "Int32Value": "optional<int32>",
    "UInt32Value": "optional<uint32>", "BoolValue": "optional<bool>", "StringValue": "optional<string>",
    "BytesValue": "optional<bytes>",
  ]

  /// Returns the type of a field in a map's notation, or nil for a group, which a map cannot name.
  private mutating func type(_ field: Int) throws(Fault) -> String? {
    if let scalar = Self.scalars[integer(field, "type")] { return scalar.rawValue }
    if integer(field, "type") == 10 { return nil }
    let full = String(string(field, "type_name").drop { $0 == "." })
    let prefix = "google.protobuf."
    if full.hasPrefix(prefix), let word = Self.known[String(full.dropFirst(prefix.count))] { return word }
    guard let one = declared[full] else {
      throw Fault(sentence: "the type \(full) is not in it: let protoc include imports (--include_imports)")
    }
    guard isEntry(one) else { return name(full) }
    let parts = elements(one.token, "field")
    guard parts.count == 2, let key = try type(parts[0]), let value = try type(parts[1]) else { return nil }
    return "map<\(key),\(value)>"
  }

  private func isEntry(_ one: Declared) -> Bool {
    member(one.token, "options").flatMap { member($0, "map_entry") }.map { text[$0].isTrue } ?? false
  }

  // MARK: - The descriptor set as JSON

  private func member(_ token: Int, _ name: String) -> Int? { source.member(name, of: token) }

  private func elements(_ token: Int, _ name: String) -> [Int] { member(token, name).map(source.elements) ?? [] }

  private func string(_ token: Int, _ name: String) -> String { member(token, name).map { text.string($0) } ?? "" }

  private func integer(_ token: Int, _ name: String) -> Int64 { member(token, name).flatMap { text.integer($0) } ?? 0 }
}
