internal import ComboCore
internal import ComboWire

/// Compiles a map definition. It cannot fail, since the definition has been checked.
struct MapCompiler {
  private var map = CompiledMap()
  private var messages: [ProtobufMessage] = []
  /// The steps in front of each pointer.
  private var prefix: [String] = []
  /// The sources that come before those of the rule's own fields.
  private var before = MapEvent()
  private var name = ""

  static func compile(_ definition: MapDefinition) -> CompiledMap {
    var compiler = MapCompiler()
    compiler.map.form = definition.form
    compiler.map.isFramed = definition.isFramed
    compiler.map.prefix =
      definition.prefix.isEmpty
      ? []
      : definition.prefix.split(separator: "*", omittingEmptySubsequences: false).map {
        Array($0.utf8)
      }
    compiler.map.pointers.isLoose = definition.isLoose || definition.choice?.entries.contains { $0.map.isLoose } ?? false
    if let choice = definition.choice {
      if let form = choice.entries.lazy.map(\.map.form).first(where: { $0 != .json }) { compiler.map.form = form }
      for (values, chosen) in choice.entries {
        compiler.name = definition.name
        let guardian = choice.by.map { compiler.condition(.isOneOf($0, values)) } ?? -1
        compiler.prefix = choice.root
        compiler.before = choice.fields
        compiler.group(chosen, guardian, adding: chosen.otherwise)
        compiler.prefix = []
        compiler.before = MapEvent()
      }
    }
    compiler.group(definition, -1, adding: definition.otherwise)
    compiler.map.pointers.finish()
    compiler.map.idName = compiler.text(Array(#"{"id":"#.utf8))
    compiler.map.worthName = compiler.text(Array(#","value":"#.utf8))
    // Text is copied in blocks, which reads a little beyond its end.
    compiler.map.bytes.append(contentsOf: Array(repeating: 0, count: BumpArena.padding))
    if !compiler.messages.isEmpty { compiler.map.protobuf = ProtobufPlan(compiler.messages) }
    return compiler.map
  }

  private mutating func group(_ definition: MapDefinition, _ guardian: Int32, adding otherwise: MapOutcome) {
    name = definition.name
    unpack(definition, guardian)
    let first = map.rules.count
    // Rules are named by number, not by line: a journal holds its map in one line, and a rule must have one name everywhere.
    for rule in definition.rules { add(rule, named: "rule \(rule.number)") }
    add(MapRule(condition: nil, outcome: otherwise, number: 0, line: 0), named: "otherwise")
    for index in (first..<map.rules.count - 1).reversed() {
      let next = index + 1
      map.rules[index].nextRoot =
        map.rules[next].root == map.rules[index].root && map.rules[next].root >= 0 ? map.rules[next].nextRoot : Int32(next)
    }
    for index in first..<map.rules.count {
      map.rules[index].last = map.rules.count - 1
      if definition.signs != nil { map.rules[index].signs = Int32(map.signs.count) }
    }
    if let signs = definition.signs { map.signs.append(signs) }
    map.groups.append(.init(guardian: guardian, rules: first..<map.rules.count))
  }

  private mutating func unpack(_ definition: MapDefinition, _ guardian: Int32) {
    let before = messages.count
    map.record = definition.record?.moved(by: before) ?? map.record
    for message in definition.messages {
      var moved = message
      moved.fields = message.fields.map { $0.moved(by: before) }
      messages.append(moved)
    }
    for text in definition.unpacked {
      let path = prefix + text.path
      var made = CompiledMap.Unpacked(node: map.pointers.node(path))
      made.stars = PointerTable.stars(path)
      if let first = path.firstIndex(of: PointerTable.each) { made.each = map.pointers.node(Array(path[...first])) }
      made.isBase64 = text.isBase64
      if let message = text.message { made.message = Int32(before + message) }
      made.description = expression(.at(text.path, unless: []))
      // The guardian's condition excludes the records of other maps.
      let conditions = [guardian, text.condition.map { condition($0) } ?? -1].filter { $0 >= 0 }
      made.condition = conditions.count == 2 ? add(.init(op: .all, links: link(conditions))) : conditions.first ?? -1
      map.unpacked.append(made)
    }
  }

  private mutating func add(_ rule: MapRule, named place: String) {
    var made = CompiledMap.Rule()
    made.name = "\(name), \(place)"
    made.stars = PointerTable.stars(prefix + rule.root)
    if !rule.root.isEmpty { made.root = map.pointers.node(prefix + rule.root) }
    let root = prefix + rule.root
    if let first = root.firstIndex(of: PointerTable.each) { made.each = map.pointers.node(Array(root[...first])) }
    if let last = root.lastIndex(of: PointerTable.each) { made.innermost = map.pointers.node(Array(root[...last])) }
    if let condition = rule.condition { made.condition = self.condition(condition) }
    switch rule.outcome {
    case .drop(let reason): (made.outcome, made.reason) = (.drop, reason)
    case .bad(let reason): (made.outcome, made.reason) = (.bad, reason)
    case .event(let event):
      made.outcome = .event
      made.kind = event.kind
      made.room = node(event.room, before: before.room)
      made.ts = node(event.ts, before: before.ts)
      made.id = node(event.id)
      if let sender = event.sender { made.sender = party(sender) }
      if let receiver = event.receiver { made.receiver = party(receiver) }
      if let gift = event.gift { made.gift = party(gift) }
      made.count = node(event.count)
      made.total = node(event.total)
      made.streak = node(event.streak)
      made.streakMs = node(event.streakMs)
      made.ends = node(event.ends)
      made.refresh = node(event.refresh)
      made.lingerMs = node(event.lingerMs)
      made.combo = node(event.combo)
      made.isTotalInID = event.id != nil && event.total != nil && !rule.hasNewIDs
      made.settings = node(event.settings)
      made.isBeside = rule.isBeside
      if rule.isBeside { map.hasBeside = true }
    }
    map.rules.append(made)
  }

  private mutating func party(_ party: MapParty) -> CompiledMap.Party {
    var made = CompiledMap.Party()
    made.id = node(party.id)
    made.value = node(party.value)
    switch party.show {
    case .verbatim(let path): made.verbatim = map.pointers.node(prefix + path)
    case .fields(let fields):
      var list: [CompiledMap.Shown] = []
      for field in fields {
        let quoted = ByteBuffer(capacity: 64)
        quoted.append(",")
        quoted.append(jsonString: field.name)
        quoted.append(":")
        let node = expression(field.value)
        let value = map.nodes[Int(node)]
        list.append(
          .init(
            name: text(quoted.array), node: node, place: value.isPointer ? value.place : -1,
            bytesMax: Int32(field.bytesMax ?? Int(Int32.max))))
      }
      made.fields = .init(first: Int32(map.shown.count), count: Int32(list.count))
      map.shown.append(contentsOf: list)
    }
    return made
  }

  private mutating func node(_ expression: MapExpression?, before: MapExpression? = nil) -> Int32 {
    switch (before, expression) {
    case (nil, nil): -1
    // Pointers of the choosing map are not below its root.
    case (let before?, nil): unprefixed(before)
    case (nil, let own?): self.expression(own)
    case (let before?, let own?): first([unprefixed(before), self.expression(own)])
    }
  }

  private mutating func unprefixed(_ expression: MapExpression) -> Int32 {
    let kept = prefix
    prefix = []
    defer { prefix = kept }
    return self.expression(expression)
  }

  private mutating func first(_ parts: [Int32]) -> Int32 {
    add(
      .init(op: .first, links: link(parts), stars: stars(parts)),
      parts.map { map.descriptions[Int($0)] }.joined(separator: " or "))
  }

  private mutating func add(_ node: CompiledMap.Node, _ description: String = "") -> Int32 {
    map.nodes.append(node)
    map.descriptions.append(description)
    return Int32(map.nodes.count - 1)
  }

  private mutating func link(_ nodes: [Int32]) -> CompiledMap.Range16 {
    let range = CompiledMap.Range16(first: Int32(map.links.count), count: Int32(nodes.count))
    map.links.append(contentsOf: nodes)
    return range
  }

  private mutating func text(_ bytes: [UInt8]) -> CompiledMap.Text {
    let text = CompiledMap.Text(
      start: Int32(map.bytes.count), count: Int32(bytes.count), word: PointerTable.word(bytes))
    map.bytes.append(contentsOf: bytes)
    return text
  }

  private mutating func texts(_ list: [String]) -> CompiledMap.Range16 {
    let made = list.map { text(Array($0.utf8)) }
    let range = CompiledMap.Range16(first: Int32(map.texts.count), count: Int32(made.count))
    map.texts.append(contentsOf: made)
    return range
  }

  // MARK: - Expressions

  private mutating func expression(_ expression: MapExpression, unit: TimeUnit = .ms) -> Int32 {
    switch expression {
    case .at(let path, let unless):
      let place = map.pointers.node(prefix + path)
      return add(
        .init(op: .at, unit: unit, texts: texts(unless), place: place, stars: Int32(PointerTable.stars(prefix + path))),
        Self.written(prefix + path))
    case .key: return add(.init(op: .key, unit: unit), "the record's key")
    case .header(let name):
      let known = map.headers.firstIndex(of: name)
      if known == nil { map.headers.append(name) }
      return add(
        .init(op: .header, unit: unit, place: Int32(known ?? map.headers.count - 1)), "the header \"\(name)\"")
    case .text(let text): return add(.init(op: .text, unit: unit, texts: texts([text])), "\"\(text)\"")
    case .number(let number): return add(.init(op: .number, unit: unit, texts: texts([number])), number)
    case .product(let parts): return list(.product, parts, unit, " × ")
    case .join(let parts): return list(.join, parts, unit, " + ")
    case .first(let parts): return list(.first, parts, unit, " or ")
    case .time(let inner, let unit): return self.expression(inner, unit: unit)
    case .when(let condition, let then, let otherwise):
      let test = self.condition(condition)
      let nodes = ([then] + (otherwise.map { [$0] } ?? [])).map { self.expression($0, unit: unit) }
      return add(
        .init(op: .when, unit: unit, links: link([test] + nodes), stars: stars(nodes)),
        nodes.map { map.descriptions[Int($0)] }.joined(separator: " or "))
    }
  }

  private mutating func list(
    _ op: CompiledMap.Node.Op, _ parts: [MapExpression], _ unit: TimeUnit, _ between: String
  ) -> Int32 {
    let nodes = parts.map { expression($0, unit: unit) }
    return add(
      .init(op: op, unit: unit, links: link(nodes), stars: stars(nodes)),
      nodes.map { map.descriptions[Int($0)] }.joined(separator: between))
  }

  private func stars(_ nodes: [Int32]) -> Int32 { nodes.lazy.map { map.nodes[Int($0)].stars }.max() ?? 0 }

  /// Returns a pointer in the notation of RFC 6901.
  static func written(_ path: [String]) -> String {
    if path.isEmpty { return "the whole record" }
    return path.map { step in
      "/" + step.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined()
    }.joined()
  }

  // MARK: - Conditions

  private mutating func condition(_ condition: MapCondition) -> Int32 {
    switch condition {
    case .all(let parts): return conditions(.all, parts, neutral: true)
    case .any(let parts): return conditions(.any, parts, neutral: false)
    case .not(let inner):
      if let known = Self.decided(inner) { return add(.init(op: known ? .never : .always)) }
      let node = self.condition(inner)
      return add(.init(op: .not, links: link([node])))
    case .isOneOf(let source, let values):
      let node = expression(source)
      return add(.init(op: .isOneOf, links: link([node]), texts: texts(values)))
    case .isNull(let path):
      let node = expression(.at(path, unless: []))
      return add(.init(op: .isNull, links: link([node])))
    case .exists(let source):
      let node = expression(source)
      return add(.init(op: .exists, links: link([node])))
    case .starts(let source, let start):
      let node = expression(source)
      return add(.init(op: .starts, links: link([node]), texts: texts([start])))
    case .contains(let source, let words):
      let node = expression(source)
      return add(.init(op: .contains, links: link([node]), texts: texts(words.map { $0.lowercased() })))
    case .above(let source, let bound):
      let node = expression(source)
      return add(.init(op: .above, links: link([node]), bound: bound))
    case .below(let source, let bound):
      let node = expression(source)
      return add(.init(op: .below, links: link([node]), bound: bound))
    case .differ(let source, let other):
      let nodes = [expression(source), expression(other)]
      return add(.init(op: .differ, links: link(nodes)))
    case .always(let value): return add(.init(op: value ? .always : .never))
    }
  }

  private mutating func conditions(_ op: CompiledMap.Node.Op, _ parts: [MapCondition], neutral: Bool) -> Int32 {
    var left: [Int32] = []
    for part in parts {
      if let known = Self.decided(part) {
        if known != neutral { return add(.init(op: known ? .always : .never)) }
      } else {
        left.append(condition(part))
      }
    }
    if left.isEmpty { return add(.init(op: neutral ? .always : .never)) }
    return left.count == 1 ? left[0] : add(.init(op: op, links: link(left)))
  }

  /// Returns the result of a condition that does not depend on the record, or nil if it does depend on it.
  private static func decided(_ condition: MapCondition) -> Bool? {
    switch condition {
    case .always(let value): return value
    case .not(let inner): return decided(inner).map { !$0 }
    case .all(let parts):
      let known = parts.map { decided($0) }
      return known.contains(false) ? false : known.allSatisfy { $0 == true } ? true : nil
    case .any(let parts):
      let known = parts.map { decided($0) }
      return known.contains(true) ? true : known.allSatisfy { $0 == false } ? false : nil
    default: return nil
    }
  }
}
