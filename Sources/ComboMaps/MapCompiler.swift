internal import ComboCore
internal import ComboWire

/// Compiles a map definition. It cannot fail, since the definition has been checked.
struct MapCompiler {
  private var map = CompiledMap()
  private var messages: [ProtobufMessage] = []
  /// The place of the record, or for a chosen map that of the choice's root, and the place from which pointers start.
  private var record = 0
  private var root = 0
  /// The places to which the definition's pointers lead below the record, by the root's place and the pointer's number; -1 if
  /// not known yet.
  private var places: [[Int]] = []
  /// The nodes that read the value at a place, by the place; -1 if there is none yet.
  private var readers: [Int32] = []

  /// The sources that come before those of the rule's own fields.
  private var before = MapEvent()
  private var name = ""
  /// The number of the map's root below which rules are added.
  private var rootNumber: Int32 = 0

  static func compile(_ definition: MapDefinition) -> CompiledMap {
    var compiler = MapCompiler()
    compiler.map.form = definition.form
    compiler.map.isFramed = definition.isFramed
    if !definition.prefix.isEmpty {
      compiler.map.prefix = definition.prefix.split(separator: "*", omittingEmptySubsequences: false).map { Array($0.utf8) }
    }
    compiler.map.pointers.isLoose = definition.isLoose || definition.choice?.entries.contains { $0.map.isLoose } ?? false
    if let choice = definition.choice {
      if let form = choice.entries.lazy.map(\.map.form).first(where: { $0 != .json }) { compiler.map.form = form }
      for (values, chosen) in choice.entries {
        compiler.name = definition.name
        let choiceNode = choice.by.map { compiler.condition(.isOneOf($0, values)) } ?? -1
        compiler.record = compiler.map.pointers.place(choice.root)
        compiler.before = choice.fields
        compiler.group(chosen, choiceNode)
        (compiler.record, compiler.root, compiler.places) = (0, 0, [])
        compiler.before = MapEvent()
      }
    }
    compiler.group(definition, -1)
    compiler.map.pointers.finish()
    compiler.map.idName = compiler.text(Array(#"{"id":"#.utf8))
    compiler.map.worthName = compiler.text(Array(#","value":"#.utf8))
    // Text is copied in blocks, which reads a little beyond its end.
    compiler.map.bytes.append(contentsOf: Array(repeating: 0, count: BumpArena.padding))
    if !compiler.messages.isEmpty { compiler.map.protobuf = ProtobufPlan(compiler.messages) }
    return compiler.map
  }

  private mutating func group(_ definition: MapDefinition, _ choiceNode: Int32) {
    name = definition.name
    root = record
    places = []
    unpack(definition, choiceNode)
    let first = map.rules.count
    // Rules are named by number, not by line: a journal holds its map in one line, and a rule must have one name everywhere.
    for base in definition.roots {
      rootNumber += 1
      for rule in definition.rules { add(rule, below: base, named: "rule \(rule.number)") }
    }
    add(MapRule(condition: nil, outcome: definition.otherwise, number: 0, line: 0), below: [], named: "otherwise")
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
    map.groups.append(.init(choiceNode: choiceNode, rules: first..<map.rules.count))
  }

  private mutating func unpack(_ definition: MapDefinition, _ choiceNode: Int32) {
    let before = messages.count
    map.record = definition.record?.moved(by: before) ?? map.record
    for message in definition.messages {
      var moved = message
      moved.fields = message.fields.map { $0.moved(by: before) }
      messages.append(moved)
    }
    for text in definition.unpacked {
      let place = place(text.pointer)
      var made = CompiledMap.Unpacked(node: map.pointers.places[place].node)
      made.stars = Int(map.pointers.places[place].stars)
      made.each = map.pointers.elements(to: place).first ?? -1
      if made.stars == 1, made.each == made.node { made.array = map.pointers.places[map.pointers.places[place].parent].node }
      made.isBase64 = text.isBase64
      if let message = text.message { made.message = Int32(before + message) }
      made.pointer = map.unpacked.count
      map.unpackedPointers.append(map.pointers.written(place))
      // The choice's condition excludes the records of other maps.
      let conditions = [choiceNode, text.condition.map { condition($0) } ?? -1].filter { $0 >= 0 }
      made.condition = conditions.count == 2 ? add(.init(op: .all, links: link(conditions))) : conditions.first ?? -1
      map.unpacked.append(made)
    }
  }

  /// Adds a rule.
  /// - Parameter base: The map's root.
  private mutating func add(_ rule: MapRule, below base: [String], named label: String) {
    var made = CompiledMap.Rule()
    made.name = "\(name), \(label)"
    made.base = rootNumber
    root = map.pointers.place(base, from: record)
    let own = place(rule.root)
    let isOwn = map.pointers.places[own].stars > map.pointers.places[root].stars
    let tried = isOwn ? own : root
    let elements = map.pointers.elements(to: tried)
    (made.stars, made.each, made.innermost) = (elements.count, elements.first ?? -1, elements.last ?? -1)
    made.around = link(elements.dropLast())
    var condition = rule.condition
    if tried != record {
      made.root = map.pointers.places[tried].node
      condition = .all([.exists(.at(isOwn ? rule.root : MapPointer(), unless: []))] + (condition.map { [$0] } ?? []))
    }
    if let condition { made.condition = self.condition(condition) }
    if own != 0 { made.own = map.pointers.places[own].node }
    root = own
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
    case .verbatim(let pointer):
      let place = place(pointer)
      made.verbatim = map.pointers.places[place].node
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
    case (let before?, let own?): list(.first, [unprefixed(before), self.expression(own)])
    }
  }

  private mutating func unprefixed(_ expression: MapExpression) -> Int32 {
    let kept = (record, root, places)
    (record, root, places) = (0, 0, [])
    defer { (record, root, places) = kept }
    return self.expression(expression)
  }

  private mutating func add(_ node: CompiledMap.Node) -> Int32 {
    map.nodes.append(node)
    return Int32(map.nodes.count - 1)
  }

  private mutating func link(_ nodes: [Int32]) -> CompiledMap.ListRange {
    let range = CompiledMap.ListRange(first: Int32(map.links.count), count: Int32(nodes.count))
    map.links.append(contentsOf: nodes)
    return range
  }

  private mutating func text(_ bytes: [UInt8]) -> CompiledMap.Text {
    let text = CompiledMap.Text(
      start: Int32(map.bytes.count), count: Int32(bytes.count), word: PointerTable.word(bytes))
    map.bytes.append(contentsOf: bytes)
    return text
  }

  private mutating func texts(_ list: [String]) -> CompiledMap.ListRange {
    if list.isEmpty { return .init() }
    let made = list.map { text(Array($0.utf8)) }
    let range = CompiledMap.ListRange(first: Int32(map.texts.count), count: Int32(made.count))
    map.texts.append(contentsOf: made)
    return range
  }

  // MARK: - Expressions

  private mutating func expression(_ expression: MapExpression, unit: TimeUnit = .ms) -> Int32 {
    switch expression {
    case .at(let pointer, let unless): return at(place(pointer), unit: unit, unless: unless)
    case .key: return add(.init(op: .key, unit: unit))
    case .header(let name):
      let known = map.headers.firstIndex(of: name)
      if known == nil { map.headers.append(name) }
      return add(.init(op: .header, unit: unit, place: Int32(known ?? map.headers.count - 1)))
    case .text(let text): return add(.init(op: .text, unit: unit, texts: texts([text])))
    case .number(let number): return add(.init(op: .number, unit: unit, texts: texts([number])))
    case .product(let parts): return list(.product, parts.map { self.expression($0, unit: unit) }, unit: unit)
    case .join(let parts): return list(.join, parts.map { self.expression($0, unit: unit) }, unit: unit)
    case .first(let parts): return list(.first, parts.map { self.expression($0, unit: unit) }, unit: unit)
    case .time(let inner, let unit): return self.expression(inner, unit: unit)
    case .when(let condition, let then, let otherwise):
      let test = self.condition(condition)
      let nodes = ([then] + (otherwise.map { [$0] } ?? [])).map { self.expression($0, unit: unit) }
      return add(.init(op: .when, unit: unit, links: link([test] + nodes), stars: stars(nodes)))
    }
  }

  private mutating func list(_ op: CompiledMap.Node.Op, _ nodes: [Int32], unit: TimeUnit = .ms) -> Int32 {
    add(.init(op: op, unit: unit, links: link(nodes), stars: stars(nodes)))
  }

  /// Returns the place of a pointer.
  private mutating func place(_ pointer: MapPointer) -> Int {
    Self.reach(root, in: &places, [])
    Self.reach(pointer.number, in: &places[root], -1)
    if places[root][pointer.number] >= 0 { return places[root][pointer.number] }
    var at = pointer.isFromRecord ? record : root
    for _ in 0..<pointer.ups where at != record { at = map.pointers.places[at].parent }
    at = map.pointers.place(pointer.steps, from: at)
    places[root][pointer.number] = at
    return at
  }

  /// Lengthens a list until the index is valid.
  private static func reach<Element>(_ index: Int, in list: inout [Element], _ empty: Element) {
    while list.count <= index { list.append(empty) }
  }

  private mutating func at(_ index: Int, unit: TimeUnit = .ms, unless: [String] = []) -> Int32 {
    let isPlain = unit == .ms && unless.isEmpty
    Self.reach(index, in: &readers, -1)
    if isPlain, readers[index] >= 0 { return readers[index] }
    let place = map.pointers.places[index]
    let node = add(
      .init(op: .at, unit: unit, texts: texts(unless), place: place.node, stars: place.stars, written: Int32(index)))
    if isPlain { readers[index] = node }
    return node
  }

  private func stars(_ nodes: [Int32]) -> Int32 { nodes.lazy.map { map.nodes[Int($0)].stars }.max() ?? 0 }

  // MARK: - Conditions

  private mutating func condition(_ condition: MapCondition) -> Int32 {
    switch condition {
    case .all(let parts): return conditions(.all, parts, neutral: true)
    case .any(let parts): return conditions(.any, parts, neutral: false)
    case .not(let inner):
      if let known = Self.decided(inner) { return add(.init(op: known ? .never : .always)) }
      return add(.init(op: .not, links: link([self.condition(inner)])))
    case .isOneOf(let source, let values): return test(.isOneOf, source, values)
    case .isNull(let pointers):
      let places = pointers.map { place($0) }.flatMap { map.pointers.way(from: record, to: $0) }
      return joined(.any, places.map { add(.init(op: .isNull, links: link([at($0)]))) }, neutral: false)
    case .exists(let source): return test(.exists, source)
    case .hasOnly(let pointer, let names):
      let names = map.pointers.isLoose ? names.map(PointerTable.loose) : names
      return add(.init(op: .hasOnly, links: link([at(place(pointer))]), texts: texts(names)))
    case .starts(let source, let start): return test(.starts, source, [start])
    case .contains(let source, let words): return test(.contains, source, words.map { $0.lowercased() })
    case .above(let source, let bound): return test(.above, source, bound: bound)
    case .below(let source, let bound): return test(.below, source, bound: bound)
    case .differ(let source, let other): return add(.init(op: .differ, links: link([expression(source), expression(other)])))
    case .always(let value): return add(.init(op: value ? .always : .never))
    }
  }

  private mutating func test(
    _ op: CompiledMap.Node.Op, _ source: MapExpression, _ constants: [String] = [], bound: Double = 0
  ) -> Int32 {
    add(.init(op: op, links: link([expression(source)]), texts: texts(constants), bound: bound))
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
    return joined(op, left, neutral: neutral)
  }

  private mutating func joined(_ op: CompiledMap.Node.Op, _ nodes: [Int32], neutral: Bool) -> Int32 {
    if nodes.isEmpty { return add(.init(op: neutral ? .always : .never)) }
    return nodes.count == 1 ? nodes[0] : add(.init(op: op, links: link(nodes)))
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
