internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// The signs of gifts that no rule reads, and warnings about what a map leaves open.
extension MapReader {
  /// Reads the signs of a record that names a gift.
  mutating func signs(_ token: Int) -> GiftSigns? {
    guard let members = object(token, "gifts", ["commands", "words", "others", "keys"]) else { return nil }
    var signs = GiftSigns()
    signs.commands = words(members, "commands")
    signs.words = words(members, "words").map { $0.lowercased() }
    signs.others = words(members, "others").map { $0.lowercased() }
    signs.keys = words(members, "keys")
    for name in ["commands", "keys"] where !library.isRecorded { checkNames(members, name) }
    if signs.words.isEmpty, signs.keys.isEmpty { fault(token, "gifts needs words or keys, which mark a record as a gift") }
    if signs.commands.isEmpty, !signs.words.isEmpty {
      fault(token, "gifts needs commands: the members whose text says what a record is, such as [\"cmd\", \"type\"]")
    }
    return signs
  }

  /// Finds pointers where names are expected.
  private mutating func checkNames(_ members: Members, _ list: String) {
    guard let token = members[list], text[token].isArray else { return }
    for element in array(token, list) ?? [] where text[element].isString && text.string(element).hasPrefix("/") {
      let pointer = text.string(element)
      let last = pointer.split(separator: "/").last.map(String.init) ?? ""
      fault(element, "\(list) has names, which are found at any depth, not pointers: \"\(last)\" instead of \"\(pointer)\"")
    }
  }

  private mutating func words(_ members: Members, _ name: String) -> [String] {
    guard let token = members[name] else { return [] }
    let elements = array(token, name) ?? []
    if elements.count > 200 { fault(token, "\(name) may have at most 200 words, not \(elements.count)") }
    return elements.compactMap { element in
      guard let word = string(element, name) else { return nil }
      if !(1...64).contains(word.utf8.count) { fault(element, "\(name) must have words of 1 to 64 bytes") }
      return word
    }
  }

  /// Returns whether the rule states that each record has a new id, and notes it if the rule leaves that open.
  mutating func hasNewIDs(_ members: Members, _ event: MapEvent) -> Bool {
    let isBoth = event.kind == .gift && event.id != nil && event.total != nil
    guard let token = members["ids"] else {
      if isBoth {
        note(
          members.token,
          "the rule has an id and a total, so a record of the same id and another total counts too; if the id is a new one each time, say"
            + " \"ids\": \"new\", and if it stays, \"ids\": \"kept\"")
      }
      return false
    }
    let word = word(token, "ids", ["new", "kept"])
    if !isBoth { fault(token, "ids says whether an id stays the same while a total grows; the rule does not have both") }
    return word == "new"
  }

  /// Notes an array whose name suggests that each answer of a source repeats it: its gifts count again once their ids are
  /// forgotten.
  mutating func noteRepetition(_ token: Int, _ event: MapEvent) {
    guard event.kind == .gift, event.refresh == nil, let name = Self.repeatedArray(root) else { return }
    note(
      token,
      "by its name, \(name) is repeated with each answer of a source that is polled: its gifts count again once their ids are"
        + " forgotten, unless the rule says \"refresh\": {\"const\": true}")
  }

  /// Notes a count beside a total, unless both have their names in wire.md, by which a record has only one of them.
  mutating func noteAmounts(_ token: Int, _ event: MapEvent) {
    func isOwn(_ source: MapExpression?, _ name: String) -> Bool {
      if case .at(let pointer, _)? = source { pointer.path(below: root).last == name } else { false }
    }
    if isOwn(event.count, "count"), isOwn(event.total, "total") { return }
    note(token, "the rule has a count and a total: a record with both is a bad event; leave out the one that is not meant")
  }

  /// Notes a rule that comes after one without a condition for the same elements.
  mutating func noteUnreachable(
    _ rule: Int, _ members: Members, number: Int, below root: [String], _ always: inout [(root: [String], number: Int)]
  ) {
    if members["beside"] == nil, let earlier = always.first(where: { root.starts(with: $0.root) }) {
      note(
        rule,
        "the rule is never reached: rule \(earlier.number), before it, has no when, so it holds for all that this rule is for")
    }
    if members["when"] == nil { always.append((root, number)) }
  }

  /// Returns the name of the array below which a root is, if the name suggests that each answer of a source repeats it.
  private static func repeatedArray(_ root: [String]) -> String? {
    guard let star = root.firstIndex(of: PointerTable.each), star > 0 else { return nil }
    let name = root[star - 1].lowercased()
    return ["recent", "latest", "history"].contains { name.hasPrefix($0) } ? root[star - 1] : nil
  }

  /// Returns the `refresh` of gifts below a root, as JSON, if each answer of their source repeats them.
  static func refresh(below root: [String]) -> String? { repeatedArray(root).map { _ in #"{"const": true}"# } }

  /// Notes a `drop` that tests the first element of an array, and drops the record with all of them. If another of the rules
  /// reads the array's elements, it tests each of these.
  mutating func noteFirstElement(_ when: Int, _ rules: [Int]) {
    guard let steps = stepsIntoArray(when) else { return }
    let first = "/" + steps.joined(separator: "/")
    let root = "/" + steps[...steps.lastIndex(of: "*")!].joined(separator: "/")
    let roots = rules.compactMap { source.member("root", of: $0) }.filter { text[$0].isString }
    if roots.contains(where: { text.string($0).hasPrefix(root) }) { return }
    note(
      when,
      "the rule tests \(first) in the first element only, and drops the whole record; with \"root\": \"\(root)\" it drops each"
        + " element for which it holds")
  }

  /// Returns the steps of a condition's first pointer into an array for whose elements the rules are not tried, or nil. A pointer
  /// with `exists` is ignored, since it may be meant for the whole record.
  private mutating func stepsIntoArray(_ condition: Int) -> [Substring]? {
    if text[condition].isArray {
      for part in array(condition, "when") ?? [] {
        if let found = stepsIntoArray(part) { return found }
      }
      return nil
    }
    guard let members = object(condition, "a condition", nil, isQuiet: true) else { return nil }
    for name in ["all", "any", "not"] {
      if let inner = members[name], let found = stepsIntoArray(inner) { return found }
    }
    guard let at = members["at"], members["exists"] == nil else { return nil }
    let pointers = source.compact(at).split(separator: "\"").filter { $0.hasPrefix("/") }.map { $0.split(separator: "/") }
    return pointers.first { $0.count { $0 == "*" } > PointerTable.stars(base) }
  }

  /// Notes fields of the map that another event than a gift does not get.
  mutating func noteShared(_ token: Int, _ own: Members) {
    let missing = ["room", "ts"].filter { shared?[$0] != nil && own[$0] == nil }
    if missing.isEmpty { return }
    note(
      token,
      "the map's fields are those of gifts: this event has no \(missing.joined(separator: " and no ")), unless it names its own")
  }

  mutating func note(_ token: Int, _ sentence: String) { notes.append(source.fault(token, sentence)) }

  /// Notes the values that a rule without an event tests without stating what holds where they are missing. Such a rule may drop
  /// or count gifts unintentionally.
  mutating func noteMissing(_ when: Int) {
    var tests: [(token: Int, at: String)] = []
    var known: Set<String> = []
    collect(when, isOneOfSeveral: false, &tests, &known)
    for test in tests where !known.contains(test.at) {
      note(
        test.token,
        "the condition needs a value of \(test.at), but does not say what holds where it is missing; add \"missing\": true or false"
      )
    }
  }

  private mutating func collect(
    _ token: Int, isOneOfSeveral: Bool, _ tests: inout [(token: Int, at: String)], _ known: inout Set<String>
  ) {
    if text[token].isArray {
      let parts = array(token, "when") ?? []
      for part in parts { collect(part, isOneOfSeveral: parts.count > 1, &tests, &known) }
      return
    }
    guard let members = object(token, "a condition", nil, isQuiet: true) else { return }
    if let parts = members["all"] { collect(parts, isOneOfSeveral: isOneOfSeveral, &tests, &known) }
    if let inner = members["not"] { collect(inner, isOneOfSeveral: true, &tests, &known) }
    guard let source = members["at"] ?? members["header"] else { return }
    let at = self.source.compact(source)
    if members["exists"] != nil {
      known.insert(at)
    } else if members["missing"] == nil, isOneOfSeveral {
      tests.append((token, at))
    }
  }
}
