internal import CSimdJSON
internal import ComboCore
internal import ComboWire

extension MapReader {
  static let tests = ["is", "exists", "starts", "contains", "above", "below", "differs", "only"]

  mutating func condition(_ token: Int) -> MapCondition? {
    if text[token].isArray {
      return conditions(token, "when").map { .all($0) }
    }
    guard
      let members = object(
        token, "a condition", ["all", "any", "not", "switch", "at", "header", "key", "unless", "missing"] + Self.tests)
    else { return nil }
    let named = ["all", "any", "not", "switch", "at", "header", "key"].filter { members[$0] != nil }
    guard named.count == 1 else {
      let given = named.isEmpty ? "" : ", not \(named.joined(separator: " and "))"
      fault(token, "a condition must have one of all, any, not, switch, at, header, key\(given)")
      return nil
    }
    let value = members[named[0]]!
    switch named[0] {
    case "all": return conditions(value, "all").map { .all($0) }
    case "any": return conditions(value, "any").map { .any($0) }
    case "not": return condition(value).map { .not($0) }
    case "switch":
      guard let known = knownSwitch(value) else { return nil }
      guard let wanted = required(members, "is", "a value of the switch, or several") else { return nil }
      let values = constants(wanted, "is")
      for value in values where !known.values.contains(where: { $0.name == value }) {
        let allowed = known.values.map(\.name).joined(separator: " or ")
        fault(wanted, "the switch \"\(known.name)\" is never \"\(value)\"; it may be \(allowed)")
      }
      return .always(values.contains(self.value(of: known.name)!))
    default:
      // A wrong source does not hide the faults of the tests.
      let source = source(members, named[0])
      return test(members, source ?? .key)
    }
  }

  mutating func conditions(_ token: Int, _ name: String) -> [MapCondition]? {
    guard let elements = array(token, name) else { return nil }
    if elements.isEmpty { fault(token, "\(name) must have at least one condition") }
    return elements.compactMap { condition($0) }
  }

  /// Returns the condition that a field is one of some values, or is null. It is null if it has no value and there is null at its
  /// pointer or on the way to it.
  mutating func isOneOf(_ source: MapExpression, _ token: Int) -> MapCondition {
    let values = constants(token, "is", orNull: true)
    guard (text[token].isArray ? self.source.elements(token) : [token]).contains(where: { text[$0].isNull }) else {
      return .isOneOf(source, values)
    }
    let pointers = source.pointers
    if pointers.isEmpty { fault(token, "only a field of the record can be null") }
    let isNull = MapCondition.all([.not(.exists(source)), .isNull(pointers)])
    return values.isEmpty ? isNull : .any([.isOneOf(source, values), isNull])
  }

  mutating func test(_ members: Members, _ source: MapExpression) -> MapCondition? {
    var tests: [MapCondition] = []
    if let value = members["is"] { tests.append(isOneOf(source, value)) }
    if let value = members["exists"] {
      switch self.source.compact(value) {
      case "true": tests.append(.exists(source))
      case "false": tests.append(.not(.exists(source)))
      default: fault(value, "exists must be true or false, not \(text.shown(value))")
      }
    }
    if let value = members["starts"], let start = string(value, "starts") { tests.append(.starts(source, start)) }
    for (name, isAbove) in [("above", true), ("below", false)] {
      guard let value = members[name] else { continue }
      if text[value].isNumber {
        tests.append(isAbove ? .above(source, text.double(value)) : .below(source, text.double(value)))
      } else {
        fault(value, "\(name) must be a number, not \(text[value].typeName)")
      }
    }
    if let value = members["differs"], let other = pointed(value, "differs", unless: []) { tests.append(.differ(source, other)) }
    if let value = members["contains"] { tests.append(.contains(source, constants(value, "contains"))) }
    if let value = members["only"] {
      if case .at(let pointer, []) = source {
        tests.append(.hasOnly(pointer, constants(value, "only")))
      } else {
        fault(value, "only needs one pointer, to an object of the record")
      }
    }
    if let value = members["missing"] {
      if members["exists"] != nil { fault(value, "remove missing: exists already decides about a missing value") }
      switch self.source.compact(value) {
      case "true": return .any([.not(.exists(source))] + (tests.count == 1 ? tests : [.all(tests)]))
      case "false": break
      default: fault(value, "missing must be true or false, not \(text.shown(value))")
      }
    }
    if tests.isEmpty, !Self.tests.contains(where: { members[$0] != nil }) {
      fault(members.token, "a condition on a field must have at least one of \(Self.tests.joined(separator: ", "))")
    }
    return tests.count == 1 ? tests[0] : .all(tests)
  }
}
