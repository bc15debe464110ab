public import ComboCore
internal import ComboWire

/// A field mapping, which turns JSON records of any shape into events. See docs/mapping.md for the file format.
///
/// It does not change once it has been read, nor do the lists that it is compiled to, so any thread may use it.
public final class RecordMap: @unchecked Sendable {
  /// The map's name.
  public let name: String
  /// The map's purpose, in a sentence.
  public let about: String
  /// The map's switches.
  public let switches: [MapSwitch]
  /// The expanded map with the chosen values of its switches and the maps that it chooses among, as one text.
  ///
  /// ``init(canonical:)`` restores the map from it. A journal keeps it to record which map made its events.
  public let canonical: String
  /// The map's name with the values of its switches: `bilibili (free=zero, guard=paid)`.
  public let title: String
  /// Warnings about what is allowed but perhaps not intended, each a sentence with its place.
  public let notes: [MapFault]
  let compiled: CompiledMap

  /// Reads a map file.
  /// - Parameters:
  ///   - text: The map, as JSON in UTF-8.
  ///   - file: The map's name in error messages.
  ///   - switches: The chosen values of switches.
  ///   - library: The library that has the maps that this one chooses among.
  public convenience init(
    _ text: [UInt8], file: String, switches: [(name: String, value: String)] = [], library: MapLibrary = .builtIn
  ) throws(MapFaults) {
    let source = try MapExpander.expanded(try MapText(text, file: file), library: library)
    var reader = MapReader(source, chosen: switches, library: library, isChosen: false)
    let definition = reader.read()
    if !reader.faults.isEmpty {
      throw MapFaults(
        faults: reader.faults.sorted {
          ($0.file == file ? 0 : 1, $0.line, $0.column) < ($1.file == file ? 0 : 1, $1.line, $1.column)
        })
    }
    self.init(
      definition, canonical: Self.canonical(source.compact(0), switches, reader.others), notes: reader.notes, chosen: switches)
  }

  private init(_ definition: MapDefinition, canonical: String, notes: [MapFault], chosen: [(name: String, value: String)]) {
    name = definition.name
    about = definition.about
    switches = definition.switches
    self.canonical = canonical
    self.notes = notes
    let all = definition.switches.map { one in "\(one.name)=\(one.value(of: chosen))" }
    title = all.isEmpty ? definition.name : "\(definition.name) (\(all.joined(separator: ", ")))"
    compiled = MapCompiler.compile(definition)
  }

  /// Restores a map from its ``canonical`` text.
  public convenience init(canonical: String) throws(MapFaults) {
    let kept = try MapText(Array(canonical.utf8), file: "the recorded map")
    let text = kept.text
    var map = 0
    var switches: [(name: String, value: String)] = []
    var others: [String: [UInt8]] = [:]
    if text[0].isObject {
      kept.forEachMember(0) { name, value in
        switch name {
        case "map": map = value
        case "switches" where text[value].isObject:
          kept.forEachMember(value) { name, value in if text[value].isString { switches.append((name, text.string(value))) } }
        case "maps" where text[value].isObject:
          kept.forEachMember(value) { name, value in others[name] = Array(kept.compact(value).utf8) }
        default: break
        }
      }
    }
    if map == 0 { throw MapFaults(faults: [kept.fault(0, "it holds no map")]) }
    var library = MapLibrary { [others] name in others[name].map { ($0, name) } }
    library.isRecorded = true
    try self.init(Array(kept.compact(map).utf8), file: "the recorded map", switches: switches, library: library)
  }

  /// Returns the canonical text for a journal with these rules, which releases that know only these rules can read.
  ///
  /// It lacks the fields that have no effect under the rules, and treats null as a missing value, which it is under them.
  public func canonical(for rules: Rules) -> String {
    rules.hasRefresh && rules.hasOwnLinger && rules.hasNull ? canonical : Self.inOldWords(canonical)
  }

  private static func inOldWords(_ canonical: String) -> String {
    let new = ["refresh", "linger_ms"]
    guard (new.map { "\"\($0)\"" } + ["null"]).contains(where: { canonical.contains($0) }),
      let kept = try? MapText(Array(canonical.utf8), file: "")
    else {
      return canonical
    }
    /// Returns the values other than null, or nil if null is not among them.
    func values(_ token: Int) -> [Int]? {
      let all = kept.text[token].isArray ? kept.elements(token) : [token]
      let others = all.filter { !kept.text[$0].isNull }
      return others.count < all.count ? others : nil
    }
    let out = ByteBuffer()
    func write(_ token: Int, isFields: Bool) {
      guard kept.text[token].isObject || kept.text[token].isArray else { return out.append(kept.text.slice(token)) }
      let isObject = kept.text[token].isObject
      out.append(isObject ? "{" : "[")
      let start = out.count
      var oldTest = ""
      if isObject {
        kept.forEachMember(token) { name, value in
          guard name == "is", let values = values(value) else { return }
          let written = values.map { kept.compact($0) }.joined(separator: ",")
          oldTest = written.isEmpty ? #""exists":false"# : #""is":[\#(written)],"missing":true"#
        }
      }
      out.append(oldTest)
      var child = token + 1
      while child < kept.text.next(token) {
        let name = isObject ? kept.text.string(child) : ""
        let value = isObject ? child + 1 : child
        if !oldTest.isEmpty ? name != "is" && name != "missing" : !isFields || !new.contains(name) {
          if out.count > start { out.append(",") }
          if isObject {
            out.append(kept.text.slice(child))
            out.append(":")
          }
          write(value, isFields: name == "fields")
        }
        child = kept.text.next(value)
      }
      out.append(isObject ? "}" : "]")
    }
    write(0, isFields: false)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  private static func canonical(
    _ map: String, _ switches: [(name: String, value: String)], _ others: [(name: String, text: String)]
  ) -> String {
    let buffer = ByteBuffer()
    func append<Value>(_ name: StaticString, _ members: [(String, Value)], _ appendValue: (Value) -> Void) {
      if members.isEmpty { return }
      buffer.append(name)
      for (index, member) in members.sorted(by: { $0.0 < $1.0 }).enumerated() {
        if index > 0 { buffer.append(",") }
        buffer.append(jsonString: member.0)
        buffer.append(":")
        appendValue(member.1)
      }
      buffer.append("}")
    }
    buffer.append(#"{"map":"#)
    buffer.append(map)
    append(#","switches":{"#, switches.map { ($0.name, $0.value) }) { buffer.append(jsonString: $0) }
    append(#","maps":{"#, others.map { ($0.name, $0.text) }) { buffer.append($0) }
    buffer.append("}")
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}

extension RecordMap: Equatable {
  /// Whether both maps have the same result for every record.
  public static func == (a: RecordMap, b: RecordMap) -> Bool { a.canonical == b.canonical }
}
