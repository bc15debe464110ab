internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// The members of an object of a map file.
struct Members {
  let token: Int
  var list: [(name: String, nameToken: Int, value: Int)] = []

  /// The value of a member, or nil if the member is missing.
  subscript(name: String) -> Int? { list.first { $0.name == name }?.value }
}

extension MapReader {
  // MARK: - JSON

  /// Returns the members of an object. Unknown and repeated members are faults. A member whose name is misspelled is read as the
  /// one that is meant, so that its own faults are reported too.
  /// - Parameters:
  ///   - allowed: The known names, or nil to accept any name.
  ///   - isQuiet: Whether the faults have been reported before.
  mutating func object(_ token: Int, _ name: String, _ allowed: [String]?, isQuiet: Bool = false) -> Members? {
    guard text[token].isObject else {
      if !isQuiet { fault(token, "\(name) must be an object, not \(text[token].typeName)") }
      return nil
    }
    var members = Members(token: token)
    var member = token + 1
    let end = text.next(token)
    while member < end {
      let memberName = text.string(member)
      if members[memberName] != nil {
        if !isQuiet { fault(member, "\"\(memberName)\" occurs twice; remove one of them") }
      } else if let allowed, !allowed.contains(memberName) {
        let near = Suggestion.nearest(to: memberName, among: allowed.filter { source.member($0, of: token) == nil })
        if !isQuiet {
          let known = "there \(allowed.count == 1 ? "is" : "are") \(allowed.joined(separator: ", "))"
          fault(member, "\(name) has no member \"\(memberName)\"; \(near.map { "did you mean \($0)?" } ?? known)")
        }
        if let near, members[near] == nil { members.list.append((near, member, member + 1)) }
      } else {
        members.list.append((memberName, member, member + 1))
      }
      member = text.next(member + 1)
    }
    return members
  }

  mutating func array(_ token: Int, _ name: String) -> [Int]? {
    guard text[token].isArray else {
      fault(token, "\(name) must be an array, not \(text[token].typeName)")
      return nil
    }
    return source.elements(token)
  }

  mutating func string(_ token: Int, _ name: String) -> String? {
    if text[token].isString { return text.string(token) }
    fault(token, "\(name) must be a string, not \(text[token].typeName)")
    return nil
  }

  /// Reads a string that must be one of `words`.
  mutating func word(_ token: Int, _ name: String, _ words: [String]) -> String? {
    guard let word = string(token, name) else { return nil }
    if words.contains(word) { return word }
    fault(token, "\(name) must be \(words.map { "\"\($0)\"" }.joined(separator: " or ")), not \"\(word)\"")
    return nil
  }

  mutating func required(_ members: Members, _ name: String, _ what: String) -> Int? {
    if let value = members[name] { return value }
    fault(members.token, "\"\(name)\" is missing: \(what)")
    return nil
  }

  // MARK: - Pointers

  /// Reads a JSON Pointer, and returns its steps from the record.
  mutating func path(_ token: Int, _ name: String) -> [String]? { pointer(token, name)?.path(below: root) }

  mutating func pointer(_ token: Int, _ name: String) -> MapPointer? {
    guard let written = string(token, name) else { return nil }
    var rest = written[...]
    var pointer = MapPointer()
    pointer.number = pointerNumbers[written, default: pointerNumbers.count]
    pointerNumbers[written] = pointer.number
    if rest.first == "^" {
      rest.removeFirst()
      pointer.isFromRecord = true
    }
    // Each .. goes one step up, as in a file path, but not above the record's root.
    while rest.hasPrefix("..") {
      rest.removeFirst(2)
      pointer.ups += 1
      if rest.hasPrefix("/..") { rest.removeFirst() } else { break }
    }
    if rest.isEmpty { return pointer }
    if rest.first != "/" {
      fault(
        token,
        "\(name) must be a JSON Pointer such as \"/user/id\" (or \"^/user/id\" from the record's root), not \"\(written)\"")
      return nil
    }
    rest.removeFirst()
    for step in rest.split(separator: "/", omittingEmptySubsequences: false) {
      guard let plain = Self.unescaped(step) else {
        fault(token, "\(name) is \"\(written)\": in a JSON Pointer ~ must be written ~0, and / in a name ~1")
        return nil
      }
      if plain == "-" {
        fault(token, "\(name) is \"\(written)\": - stands for the element behind an array's last one, which is never there")
      }
      pointer.steps.append(plain)
    }
    let path = pointer.path(below: root)
    if path.count > WireLimits().depth {
      fault(token, "\(name) goes \(path.count) levels deep; a record has at most \(WireLimits().depth)")
    }
    if let starsMax, PointerTable.stars(path) > starsMax {
      fault(token, "\(name) is \"\(written)\": the rule is for each element (*) only where its root has the * too")
    }
    return pointer
  }

  private static func unescaped(_ step: Substring) -> String? {
    var plain = ""
    var characters = step.unicodeScalars.makeIterator()
    while let character = characters.next() {
      if character != "~" {
        plain.unicodeScalars.append(character)
        continue
      }
      switch characters.next() {
      case "0": plain += "~"
      case "1": plain += "/"
      default: return nil
      }
    }
    return plain
  }

  // MARK: - Expressions

  private static let sources = ["at", "header", "key", "const", "product", "join", "first", "switch", "when"]

  /// Reads the source of a field.
  /// - Parameters:
  ///   - isTime: Whether the field is a time, so that a unit is allowed. The default is milliseconds.
  ///   - unit: The unit of a time that names none.
  mutating func expression(
    _ token: Int, _ name: String, isTime: Bool = false, isShown: Bool = false, unit inherited: TimeUnit = .ms
  ) -> MapExpression? {
    if text[token].isString {
      guard let pointer = pointer(token, name) else { return nil }
      return timed(.at(pointer, unless: []), inherited, isTime)
    }
    if text[token].isArray {
      guard let parts = parts(token, name, isTime: isTime, isShown: isShown, unit: inherited) else { return nil }
      return parts.count == 1 ? parts[0] : .first(parts)
    }
    guard text[token].isObject else {
      fault(
        token,
        "\(name) must be a pointer, an array of such, or an object with one of \(Self.sources.joined(separator: ", "))")
      return nil
    }
    var allowed = Self.sources + ["unless", "cases", "then", "else"]
    if isTime { allowed.append("unit") }
    if isShown { allowed.append("max") }
    guard let members = object(token, name, allowed) else { return nil }
    let named = Self.sources.filter { members[$0] != nil }
    guard named.count == 1 else {
      let given = named.isEmpty ? "" : ", not \(named.joined(separator: " and "))"
      fault(token, "\(name) must have one of \(Self.sources.joined(separator: ", "))\(given)")
      return nil
    }
    if let cases = members["cases"], named[0] != "switch" { fault(cases, "cases belong to a switch") }
    var unit = inherited
    if let given = members["unit"], let word = word(given, "unit", TimeUnit.allCases.map(\.rawValue)) {
      unit = .init(rawValue: word)!
    }
    for part in ["then", "else"] where named[0] != "when" {
      if let token = members[part] { fault(token, "\(part) belongs to a when") }
    }
    if named[0] == "when" { return conditional(members, name, isTime: isTime, isShown: isShown, unit: unit) }
    if named[0] == "switch" { return switched(members, name, isTime: isTime, isShown: isShown, unit: unit) }
    if named[0] == "first" {
      return parts(members["first"]!, name, isTime: isTime, isShown: isShown, unit: unit).map { .first($0) }
    }
    return source(members, named[0]).map { timed($0, unit, isTime) }
  }

  private func timed(_ expression: MapExpression, _ unit: TimeUnit, _ isTime: Bool) -> MapExpression {
    isTime ? .time(expression, unit) : expression
  }

  /// Reads a pointer, a header, the key, a constant, a product or a join.
  mutating func source(_ members: Members, _ kind: String) -> MapExpression? {
    let value = members[kind]!
    if let unless = members["unless"], kind != "at" { fault(unless, "unless belongs to at") }
    switch kind {
    case "at":
      return pointed(value, "at", unless: members["unless"].map { constants($0, "unless") } ?? [])
    case "header":
      guard let name = string(value, "header") else { return nil }
      if name.isEmpty || name.utf8.contains(0) { fault(value, "header must be the name of a record header") }
      return .header(name)
    case "key":
      if source.compact(value) != "true" { fault(value, "key must be true: it stands for the record's key") }
      return .key
    case "const":
      if text[value].isString { return .text(text.string(value)) }
      if text[value].isNumber { return .number(source.compact(value)) }
      let written = source.compact(value)
      if written == "true" || written == "false" { return .text(written) }
      fault(value, "const must be a string, a number, true or false, not \(text[value].typeName)")
      return nil
    case "product": return parts(value, "product").map { .product($0) }
    default: return joined(value)
    }
  }

  /// Reads a pointer, or several of which the first that is present counts.
  mutating func pointed(_ token: Int, _ name: String, unless: [String]) -> MapExpression? {
    guard text[token].isArray else { return pointer(token, name).map { .at($0, unless: unless) } }
    var all: [MapExpression] = []
    for element in array(token, name) ?? [] {
      if let pointer = pointer(element, name) { all.append(.at(pointer, unless: unless)) }
    }
    if all.isEmpty { fault(token, "\(name) must name at least one pointer") }
    return all.count == 1 ? all[0] : .first(all)
  }

  private mutating func joined(_ token: Int) -> MapExpression? {
    guard let elements = array(token, "join") else { return nil }
    var parts: [MapExpression] = []
    for element in elements {
      // A string that is not a pointer is literal text.
      let written = text[element].isString ? text.string(element) : "/"
      if let first = written.first, first != "/", first != "^", !written.hasPrefix("../") {
        parts.append(.text(written))
      } else if let part = expression(element, "join") {
        parts.append(part)
      }
    }
    if elements.count < 2 || elements.count > 16 { fault(token, "join must have 2 to 16 parts, not \(elements.count)") }
    return .join(parts)
  }

  private mutating func parts(
    _ token: Int, _ name: String, isTime: Bool = false, isShown: Bool = false, unit: TimeUnit = .ms
  ) -> [MapExpression]? {
    guard let elements = array(token, name) else { return nil }
    if elements.isEmpty || elements.count > 16 {
      fault(token, "\(name) must have 1 to 16 parts, not \(elements.count)")
      return nil
    }
    return elements.compactMap { expression($0, name, isTime: isTime, isShown: isShown, unit: unit) }
  }

  private mutating func switched(
    _ members: Members, _ name: String, isTime: Bool, isShown: Bool, unit: TimeUnit
  ) -> MapExpression? {
    guard let known = knownSwitch(members["switch"]!) else { return nil }
    guard let cases = required(members, "cases", "an object from the switch's values to where the field comes from"),
      let named = object(cases, "cases", known.values.map(\.name))
    else { return nil }
    var result: MapExpression?
    for value in known.values {
      guard let token = named[value.name] else {
        fault(cases, "cases must have one for \"\(value.name)\" too")
        continue
      }
      let read = expression(token, name, isTime: isTime, isShown: isShown, unit: unit)
      if value.name == self.value(of: known.name) { result = read }
    }
    return result
  }

  /// Reads a `when` with its `then` and `else`.
  private mutating func conditional(
    _ members: Members, _ name: String, isTime: Bool, isShown: Bool, unit: TimeUnit
  ) -> MapExpression? {
    let condition = condition(members["when"]!)
    let then = required(members, "then", "where the field comes from if the condition holds")
      .flatMap { expression($0, name, isTime: isTime, isShown: isShown, unit: unit) }
    let otherwise = members["else"].flatMap { expression($0, name, isTime: isTime, isShown: isShown, unit: unit) }
    guard let condition, let then else { return nil }
    return .when(condition, then, otherwise)
  }

  mutating func knownSwitch(_ token: Int) -> MapSwitch? {
    guard let name = string(token, "switch") else { return nil }
    if let known = switches.first(where: { $0.name == name }) { return known }
    fault(token, "there is no switch \"\(name)\"; name it under switches, with its values")
    return nil
  }

  /// Returns the values to compare with, as they are written.
  mutating func constants(_ token: Int, _ name: String, orNull: Bool = false) -> [String] {
    let elements = text[token].isArray ? array(token, name) ?? [] : [token]
    if elements.isEmpty { fault(token, "\(name) must name at least one value") }
    var list: [String] = []
    for element in elements {
      if text[element].isString {
        list.append(text.string(element))
      } else if orNull, text[element].isNull {
        continue
      } else if text[element].isObject || text[element].isArray || text[element].isNull {
        fault(element, "\(name) must be a string, a number, true or false, not \(text[element].typeName)")
      } else {
        list.append(source.compact(element))
      }
    }
    return list
  }
}

extension MapExpression {
  /// The pointers that the expression may follow.
  var pointers: [MapPointer] {
    switch self {
    case .at(let pointer, _): [pointer]
    case .first(let parts): parts.flatMap(\.pointers)
    default: []
    }
  }
}
