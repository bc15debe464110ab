internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// Expands the `include`, `define` and `use` of a map file. The result is a map without them, as a journal keeps it: it can be
/// read without other files, and by releases that do not know these words.
struct MapExpander {
  /// The maximum number of uses of definitions, and their maximum nesting depth.
  private static let usesMax = 20_000
  private static let depthMax = 32
  /// Members that are not part of the expanded map.
  private static let ownWords = ["$schema", "define", "include", "notes"]

  private let library: MapLibrary
  private let out = ByteBuffer()
  /// The places of the written values and names in their files.
  private var origins: [MapText.Origin] = []
  private var faults: [MapFault] = []
  private var definitions: [String: Value] = [:]
  private var uses = 0
  private var isTooLarge = false

  /// A value of a file, with the arguments that apply in it.
  private struct Value {
    let source: MapText
    let token: Int
    var arguments: [String: Value] = [:]
    /// The number of definitions and arguments that it is nested in.
    var depth = 0
    /// The definitions that it is part of, from the outermost on.
    var way: [String] = []

    func inside(_ token: Int) -> Value {
      Value(source: source, token: token, arguments: arguments, depth: depth, way: way)
    }
  }

  private struct Member {
    let name: String
    let token: Int
    let value: Value
  }

  /// Returns the expanded text, or the file's own text if it uses none of these words.
  static func expanded(_ source: MapText, library: MapLibrary) throws(MapFaults) -> MapText {
    var words: Set<String> = []
    if source.text[0].isObject { source.forEachMember(0) { name, _ in words.insert(name) } }
    if words.isDisjoint(with: ["$schema", "define", "include"]) { return source }
    var expander = MapExpander(library: library)
    expander.expand(source)
    if expander.out.count == 0 { throw MapFaults(faults: expander.faults) }
    return try MapText(expander.out.array, file: source.file, origins: expander.origins, faults: expander.faults)
  }

  private init(library: MapLibrary) { self.library = library }

  private mutating func fault(_ value: Value, _ sentence: String) {
    // A place that is used many times is reported once.
    let fault = value.source.fault(value.token, sentence)
    if !faults.contains(fault) { faults.append(fault) }
  }

  // MARK: - Files

  private mutating func expand(_ source: MapText) {
    var files: [[Member]] = []
    var seen: Set<String> = []
    collect(Value(source: source, token: 0), &files, &seen, around: [source.file])
    for file in files {
      guard let define = file.first(where: { $0.name == "define" })?.value else { continue }
      guard define.source.text[define.token].isObject else {
        fault(define, "define must be an object of names, each with what it stands for")
        continue
      }
      for one in plainMembers(define) where definitions[one.name] == nil { definitions[one.name] = one.value }
    }
    if !faults.isEmpty { return }
    var written: [(Member, [Value])] = []
    for (index, file) in files.enumerated() {
      for member in file where !Self.ownWords.contains(member.name) {
        if let known = written.firstIndex(where: { $0.0.name == member.name }) {
          // Reading the map reports a member that the file itself has twice.
          if index == 0 { written.append((member, [member.value])) }
          if index > 0, Self.isJoined(member.name) { written[known].1.append(member.value) }
        } else if index == 0 || !["map", "name", "about"].contains(member.name) {
          written.append((member, [member.value]))
        }
      }
    }
    out.append("{")
    for (index, (member, values)) in written.enumerated() {
      if index > 0 { out.append(",") }
      name(member)
      together(values.flatMap { resolved($0) })
    }
    out.append("}")
  }

  /// Whether a member of an included file is added to the file's own, rather than replaced by it.
  private static func isJoined(_ name: String) -> Bool {
    ["switches", "fields", "protobuf", "rules", "unpack"].contains(name)
  }

  /// Collects the members of a file, then those of the files that it includes.
  /// - Parameter around: The names of the file and of those that include it.
  private mutating func collect(
    _ file: Value, _ files: inout [[Member]], _ seen: inout Set<String>, around: [String]
  ) {
    guard file.source.text[file.token].isObject else { return fault(file, "a map must be an object") }
    let members = plainMembers(file)
    files.append(members)
    guard let include = members.first(where: { $0.name == "include" })?.value else { return }
    let list = include.source.text[include.token].isArray ? include.source.elements(include.token) : [include.token]
    for token in list {
      let place = include.inside(token)
      guard place.source.text[token].isString else {
        fault(place, "include must be the name of a built-in map or a file, or an array of such")
        continue
      }
      let name = place.source.text.string(token)
      guard let found = library.find(name) else {
        fault(
          place,
          library.whyUnreadable(name)
            ?? "there is no map \"\(name)\" to include; it may be the name of a built-in map, common, or a file beside this one")
        continue
      }
      if around.contains(found.file) {
        let way = around.last == found.file ? "" : " by way of \(around.last!)"
        fault(place, "\(name) includes itself\(way); remove one include")
        continue
      }
      if !seen.insert(found.file).inserted { continue }
      do throws(MapFaults) {
        let text = try MapText(found.text, file: found.file)
        collect(Value(source: text, token: 0), &files, &seen, around: around + [found.file])
      } catch {
        faults += error.faults
      }
    }
  }

  // MARK: - Values

  private func plainMembers(_ value: Value) -> [Member] {
    var members: [Member] = []
    value.source.forEachMember(value.token) { members.append(Member(name: $0, token: $1 - 1, value: value.inside($1))) }
    return members
  }

  /// Returns the value itself or, for an object that only uses definitions, the values that these stand for.
  private mutating func resolved(_ value: Value) -> [Value] {
    guard value.source.text[value.token].isObject else { return [value] }
    let members = plainMembers(value)
    guard members.contains(where: { $0.name == "use" }), members.allSatisfy({ $0.name == "use" || $0.name == "with" }) else {
      return [value]
    }
    return used(members)
  }

  /// Returns the values that `use` stands for, with the arguments of `with`.
  private mutating func used(_ members: [Member]) -> [Value] {
    let use = members.first { $0.name == "use" }!.value
    let text = use.source.text
    var sets: [[String: Value]] = [[:]]
    if let with = members.first(where: { $0.name == "with" })?.value {
      let tokens = text[with.token].isArray ? with.source.elements(with.token) : [with.token]
      sets = tokens.map { token in
        guard text[token].isObject else {
          fault(with, "with must be an object of arguments, or an array of such, one for each use")
          return [:]
        }
        return Dictionary(plainMembers(with.inside(token)).map { ($0.name, $0.value) }) { first, _ in first }
      }
    }
    var values: [Value] = []
    for arguments in sets {
      for token in text[use.token].isArray ? use.source.elements(use.token) : [use.token] {
        guard text[token].isString else {
          fault(use, "use must be the name of a definition, or an array of such")
          continue
        }
        if let value = named(text.string(token), use.inside(token), arguments) { values += resolved(value) }
      }
    }
    return values
  }

  /// Returns an argument, or a definition with the arguments that apply where it is used.
  private mutating func named(_ name: String, _ place: Value, _ arguments: [String: Value]) -> Value? {
    uses += 1
    guard out.count < MapLibrary.bytesMax else {
      if !isTooLarge { fault(place, "the map is larger than \(MapLibrary.bytesMax >> 10) KiB with all that it uses") }
      isTooLarge = true
      return nil
    }
    guard uses < Self.usesMax, place.depth < Self.depthMax else {
      fault(place, "definitions are used too often, or too deep: does \"\(name)\" use itself?")
      return nil
    }
    if var argument = place.arguments[name] {
      argument.depth = max(argument.depth, place.depth) + 1
      return argument
    }
    guard let definition = definitions[name] else {
      fault(place, "there is no definition \"\(name)\": write it under define, or include the file that has it")
      return nil
    }
    if let start = place.way.firstIndex(of: name) {
      let loop = (place.way[start...] + [name]).map { "\"\($0)\"" }.joined(separator: " uses ")
      fault(place, "a definition must not use itself, nor by way of others: \(loop)")
      return nil
    }
    return Value(
      source: definition.source, token: definition.token, arguments: place.arguments.merging(arguments) { _, new in new },
      depth: place.depth + 1, way: place.way + [name])
  }

  /// Returns the members of an object with those of the objects that it uses. Its own members take precedence over used ones.
  private mutating func members(_ value: Value) -> [Member] {
    let all = plainMembers(value)
    guard all.contains(where: { $0.name == "use" }) else { return all }
    let own = Set(all.map(\.name))
    var members: [Member] = []
    for member in all where member.name != "with" {
      if member.name != "use" {
        members.append(member)
        continue
      }
      for used in used(all) {
        guard used.source.text[used.token].isObject else {
          fault(member.value, "beside other members only an object can be used, not \(used.source.text[used.token].typeName)")
          continue
        }
        for one in self.members(used) where !own.contains(one.name) && !members.contains(where: { $0.name == one.name }) {
          members.append(one)
        }
      }
    }
    return members
  }

  /// Returns the texts that a string stands for, one for each value of an argument that is an array.
  private mutating func texts(_ value: Value) -> [String] {
    var texts = [""]
    var rest = value.source.text.string(value.token)[...]
    while let start = rest.firstRange(of: "${") {
      texts = texts.map { $0 + rest[..<start.lowerBound] }
      rest = rest[start.upperBound...]
      guard let end = rest.firstIndex(of: "}") else {
        fault(value, "${ begins the name of an argument, which } must end")
        return []
      }
      guard let found = named(String(rest[..<end]), value, [:]) else { return [] }
      let values = resolved(found).flatMap { words($0, in: value) }
      texts = texts.flatMap { text in values.map { text + $0 } }
      rest = rest[rest.index(after: end)...]
    }
    return texts.map { $0 + rest }
  }

  /// Returns a string, a number, or an array of these, as texts.
  private mutating func words(_ value: Value, in place: Value) -> [String] {
    let token = value.source.text[value.token]
    if token.isString { return texts(value) }
    if token.isNumber { return [value.source.compact(value.token)] }
    if token.isArray {
      return value.source.elements(value.token).flatMap { resolved(value.inside($0)) }.flatMap { words($0, in: place) }
    }
    fault(place, "in a string only a string, a number or an array of such can be used, not \(token.typeName)")
    return []
  }

  // MARK: - Writing

  private mutating func note(_ source: MapText, _ token: Int) {
    origins.append(.init(start: out.count, source: source, token: token))
  }

  private mutating func name(_ member: Member) {
    note(member.value.source, member.token)
    out.append(member.value.source.text.slice(member.token))
    out.append(":")
  }

  /// Writes one value, or several as one: arrays are concatenated, and objects are merged.
  private mutating func together(_ values: [Value]) {
    guard let first = values.first else { return out.append("null") }
    let text = first.source.text
    note(first.source, first.token)
    if text[first.token].isArray, values.allSatisfy({ $0.source.text[$0.token].isArray }) {
      var isFirst = true
      out.append("[")
      for value in values { elements(value, &isFirst) }
      return out.append("]")
    }
    if text[first.token].isObject, values.allSatisfy({ $0.source.text[$0.token].isObject }) {
      var all: [Member] = []
      for value in values {
        // Reading the map reports a name that one value has twice.
        for member in members(value) where values.count == 1 || !all.contains(where: { $0.name == member.name }) {
          all.append(member)
        }
      }
      out.append("{")
      for (index, member) in all.enumerated() {
        if index > 0 { out.append(",") }
        name(member)
        together(resolved(member.value))
      }
      return out.append("}")
    }
    if values.count > 1 { fault(first, "only arrays can be used together, or objects") }
    guard text[first.token].isString else { return out.append(text.slice(first.token)) }
    let texts = texts(first)
    if texts.count > 1 { fault(first, "the string becomes \(texts.count) strings, which only an array can hold") }
    string(first, texts.first ?? "")
  }

  private mutating func elements(_ array: Value, _ isFirst: inout Bool) {
    func separate() {
      if !isFirst { out.append(",") }
      isFirst = false
    }
    for token in array.source.elements(array.token) {
      let element = array.inside(token)
      if array.source.text[token].isString {
        for text in texts(element) {
          separate()
          note(element.source, token)
          string(element, text)
        }
        continue
      }
      let values = resolved(element)
      if values.count == 1, values[0].source === element.source, values[0].token == token {
        separate()
        together(values)
        continue
      }
      for value in values {
        if value.source.text[value.token].isArray {
          elements(value, &isFirst)
        } else {
          separate()
          together([value])
        }
      }
    }
  }

  /// Writes a string as it is in its file, unless arguments changed it.
  private mutating func string(_ value: Value, _ text: String) {
    let written = value.source.text
    if text == written.string(value.token) { return out.append(written.slice(value.token)) }
    out.append(jsonString: text)
  }
}
