internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// Reads a map file, and collects all its faults and those of the maps that it chooses among.
struct MapReader {
  let source: MapText
  let library: MapLibrary
  /// The chosen values of the switches.
  let chosen: [(name: String, value: String)]
  /// Whether another map chooses this one.
  let isChosen: Bool
  var faults: [MapFault]
  /// The switches of the map.
  var switches: [MapSwitch] = []
  var pointerNumbers = ["": 0]
  /// The pointer below which the current rule's pointers are.
  var root: [String] = []
  /// The maximum number of arrays that the pointers being read may go through, or nil if there is no maximum.
  private(set) var starsMax: Int?
  /// Fields of all gifts whose rules do not set them.
  var shared: Members?
  /// Warnings about what is allowed but perhaps not intended, each once.
  var notes: [MapFault] = []
  /// The fields that are not shared, because each rule names its own amount.
  private static let amounts = ["count", "total", "streak"]
  /// The pointer below which the map's pointers are.
  var base: [String] = []
  /// The texts of the maps that this one chooses among, by name.
  var others: [(name: String, text: String)] = []

  var text: JSONText { source.text }

  init(_ source: MapText, chosen: [(name: String, value: String)], library: MapLibrary, isChosen: Bool) {
    self.source = source
    faults = source.faults
    self.chosen = chosen
    self.library = library
    self.isChosen = isChosen
  }

  /// Adds a fault, except for null or an empty array in place of an unknown definition, which has been reported.
  mutating func fault(_ token: Int, _ sentence: String) {
    if !source.faults.isEmpty, text[token].isNull || text[token].isArray && text.next(token) == token + 1 { return }
    faults.append(source.fault(token, sentence))
  }

  // MARK: - The whole

  private static let members = [
    "map", "name", "about", "text", "frame", "prefix", "names", "record", "protobuf", "unpack", "roots", "fields", "switches",
    "choose", "rules",
    "otherwise", "gifts", "notes",
    // Expanding the file has removed these.
    "include", "define", "$schema",
  ]

  mutating func read() -> MapDefinition {
    var definition = MapDefinition()
    guard let map = object(0, "the map", Self.members) else { return definition }
    if let version = required(map, "map", "the version of the format, 1") {
      if !text[version].isInteger || text.integer(version) != 1 {
        fault(version, "map must be 1, the version of the format, not \(text.shown(version))")
      }
    }
    if let name = required(map, "name", "a short word"), let word = string(name, "name") {
      if word.isEmpty || word.utf8.count > 64 { fault(name, "name must have 1 to 64 bytes") }
      definition.name = word
    }
    if let about = map["about"] { definition.about = string(about, "about") ?? "" }
    // Notes are for people.
    if let notes = map["notes"] { for note in array(notes, "notes") ?? [] { _ = string(note, "a note") } }
    if let form = map["text"], let word = word(form, "text", MapDefinition.TextForm.allCases.map(\.rawValue)) {
      definition.form = .init(rawValue: word)!
    }
    if let frame = map["frame"], word(frame, "frame", ["confluent"]) != nil {
      definition.isFramed = true
      if definition.form != .json { fault(frame, "frame is for \"text\": \"json\" only") }
    }
    if let prefix = map["prefix"], let text = string(prefix, "prefix") {
      definition.prefix = text
      if !(1...64).contains(text.utf8.count) || text.hasPrefix("{") || text.hasPrefix("[") || text.hasSuffix("*") {
        fault(
          prefix, "prefix must be 1 to 64 bytes of text before the JSON, in which * stands for any text up to what follows it")
      }
      if definition.form != .json { fault(prefix, "prefix is for \"text\": \"json\" only") }
    }
    if let names = map["names"] { definition.isLoose = word(names, "names", ["exact", "loose"]) == "loose" }
    readSwitches(map["switches"])
    if let protobuf = map["protobuf"] { definition.messages = self.protobuf(protobuf) }
    if let record = map["record"] {
      definition.record = self.record(record, definition.messages)
      if isChosen { fault(record, "record is for the map that chooses, since it holds for all records") }
      if map["frame"] != nil || map["prefix"] != nil || definition.form != .json {
        fault(record, "beside record there can be no frame, prefix or text")
      }
    }
    if let unpack = map["unpack"] { definition.unpacked = unpacked(unpack, definition.messages) }
    if let fields = map["fields"] {
      shared = object(fields, "fields", Self.fieldNames(.gift).filter { !Self.amounts.contains($0) })
    }
    definition.switches = switches
    if let choose = map["choose"] {
      if isChosen { fault(choose, "a map that another one chooses must not choose itself; name its maps in the first") }
      definition.choice = choice(choose, definition.form)
    }
    if let rules = map["rules"] {
      (definition.roots, definition.rules) = readRules(rules, below: map["roots"])
    } else if definition.choice == nil {
      fault(0, "the map has neither rules nor choose; it needs an array of rules, each with an event, a drop or a bad")
    }
    if let gifts = map["gifts"] { definition.signs = signs(gifts) }
    if let otherwise = map["otherwise"] {
      definition.otherwise = self.otherwise(otherwise)
    }
    return definition
  }

  private mutating func otherwise(_ token: Int) -> MapOutcome {
    guard let members = object(token, "otherwise", ["drop", "bad"]) else { return .bad("") }
    return outcome(members, token, "otherwise") ?? .bad("")
  }

  /// Reads a `drop` or a `bad`.
  private mutating func outcome(_ members: Members, _ token: Int, _ name: String) -> MapOutcome? {
    switch (members["drop"], members["bad"]) {
    case (let drop?, nil): return .drop(reason(drop, "drop"))
    case (nil, let bad?): return .bad(reason(bad, "bad"))
    case (nil, nil): fault(token, "\(name) needs a drop or a bad, with the reason as a sentence")
    case (_?, let bad?): fault(bad, "\(name) may have drop or bad, not both")
    }
    return nil
  }

  private mutating func reason(_ token: Int, _ name: String) -> String {
    let reason = string(token, name) ?? ""
    if text[token].isString, reason.isEmpty || reason.utf8.count > 200 {
      fault(token, "\(name) must be the reason, a sentence of 1 to 200 bytes")
    }
    return reason
  }

  // MARK: - Switches

  private mutating func readSwitches(_ token: Int?) {
    if let token, let all = object(token, "switches", nil) {
      for (name, _, value) in all.list {
        guard let one = object(value, "the switch \"\(name)\"", ["default", "values", "about"]) else { continue }
        var values: [MapSwitch.Value] = []
        if let list = required(one, "values", "an object of values, each with what it means"),
          let named = object(list, "values", nil)
        {
          values = named.list.map { .init(name: $0.name, about: string($0.value, "what \"\($0.name)\" means") ?? "") }
          if values.isEmpty { fault(list, "values must name at least one value") }
        }
        let names = values.map(\.name)
        var initial = names.first ?? ""
        if let given = required(one, "default", "the value that applies if none is chosen") {
          initial = word(given, "default", names) ?? initial
        }
        switches.append(MapSwitch(name: name, initial: initial, values: values))
      }
    }
    for choice in chosen {
      let place = token ?? 0
      guard let known = switches.first(where: { $0.name == choice.name }) else {
        let names = switches.map(\.name)
        fault(
          place,
          names.isEmpty
            ? "the map has no switches, so \(choice.name)=\(choice.value) cannot be chosen"
            : "there is no switch \"\(choice.name)\"; there \(names.count == 1 ? "is" : "are") \(names.joined(separator: ", "))")
        continue
      }
      let names = known.values.map(\.name)
      if !names.contains(choice.value) {
        fault(place, "the switch \"\(choice.name)\" cannot be \"\(choice.value)\"; it may be \(names.joined(separator: " or "))")
      }
    }
  }

  /// Returns the value of a switch, or nil if there is no switch of that name.
  func value(of name: String) -> String? {
    switches.first { $0.name == name }?.value(of: chosen)
  }

  // MARK: - Rules

  private static let ruleMembers = ["when", "root", "event", "fields", "ids", "beside", "drop", "bad", "about"]

  /// Reads the rules below the first root: below the others they are the same, and so are their faults.
  private mutating func readRules(_ token: Int, below roots: Int?) -> (roots: [[String]], rules: [MapRule]) {
    guard let roots else { return ([[]], readRules(token, hasRoots: false)) }
    let elements = array(roots, "roots") ?? []
    if elements.isEmpty || elements.count > 32 { fault(roots, "roots must have 1 to 32 pointers, not \(elements.count)") }
    let paths = elements.map { path($0, "roots") }
    guard let first = paths.first ?? nil else { return ([], []) }
    (base, root) = (first, first)
    defer { (base, root) = ([], []) }
    let rules = readRules(token, hasRoots: true)
    for (element, path) in zip(elements, paths) where path?.contains(PointerTable.each) ?? false {
      guard let rule = rules.first(where: { $0.kind ?? .gift != .gift }) else { break }
      fault(
        element,
        "\(text.string(element)) may have several elements, so only gifts are allowed in it, but line \(rule.line) has another event"
      )
    }
    return (paths.compactMap { $0 }, rules)
  }

  private mutating func readRules(_ token: Int, hasRoots: Bool) -> [MapRule] {
    var rules: [MapRule] = []
    var always: [(root: [String], number: Int)] = []
    guard let elements = array(token, "rules") else { return [] }
    if elements.isEmpty { fault(token, "rules must have at least one rule") }
    if elements.count > 200 { fault(token, "rules may have at most 200 rules, not \(elements.count)") }
    for (index, element) in elements.enumerated() {
      guard let members = object(element, "a rule", Self.ruleMembers) else { continue }
      var rule = MapRule(condition: nil, outcome: .bad(""), number: index + 1, line: source.line(element))
      if let when = members["when"] { rule.condition = condition(when) }
      // Pointers in conditions start at the map's root, those in fields at the rule's root.
      if let own = members["root"].flatMap({ pointer($0, "root") }) { rule.root = own }
      root = rule.root.path(below: base)
      let stars = PointerTable.stars(root)
      // With several roots, a pointer may be meant for another root.
      starsMax = hasRoots ? nil : stars
      noteUnreachable(element, members, number: index + 1, below: stars > PointerTable.stars(base) ? root : base, &always)
      if let event = members["event"] {
        for other in ["drop", "bad"] {
          if let token = members[other] { fault(token, "a rule with an event may not have \(other)") }
        }
        let kinds: [Event.Kind] = [.gift, .retract, .roomClosed, .roomSettings]
        var read = MapEvent()
        if let word = word(event, "event", kinds.map(\.word)) { read.kind = kinds.first { $0.word == word }! }
        if let fields = members["fields"] {
          readFields(fields, &read)
        } else if read.kind == .roomClosed {
          noteShared(event, Members(token: event))
        } else {
          fault(element, "a rule with this event needs fields")
        }
        rule.outcome = .event(read)
        rule.hasNewIDs = hasNewIDs(members, read)
        if let own = members["root"] ?? members["event"] { noteRepetition(own, read) }
        if let beside = members["beside"] {
          rule.isBeside = source.compact(beside) == "true"
          if !rule.isBeside { fault(beside, "beside must be true: the rule is also tried where another rule has made a gift") }
          if stars == 0 { fault(beside, "beside is for a rule whose root goes through an array") }
        }
        if let own = members["root"], stars > PointerTable.stars(base), read.kind != .gift {
          fault(own, "\(text.string(own)) may have several elements, so only gifts are allowed in it")
        }
      } else {
        for name in ["fields", "ids", "beside"] {
          if let token = members[name] { fault(token, "\(name) \(name == "fields" ? "are" : "is") for a rule with an event") }
        }
        if members["drop"] == nil, members["bad"] == nil {
          fault(element, "a rule needs an event (with fields), or a drop or bad with the reason")
        } else if let outcome = outcome(members, element, "a rule") {
          rule.outcome = outcome
          if let when = members["when"] {
            noteMissing(when)
            if members["drop"] != nil, members["root"] == nil { noteFirstElement(when, elements) }
          }
        }
      }
      rules.append(rule)
      root = base
      starsMax = nil
    }
    return rules
  }

  private static func fieldNames(_ kind: Event.Kind) -> [String] {
    switch kind {
    case .gift:
      [
        "room", "ts", "id", "sender", "receiver", "gift", "count", "total", "streak", "streak_ms", "ends", "refresh", "linger_ms",
        "combo",
      ]
    case .retract: ["room", "ts", "sender", "receiver", "gift"]
    case .roomClosed: ["room", "ts"]
    case .roomSettings: ["room", "ts", "settings"]
    }
  }

  private mutating func readFields(_ token: Int, _ event: inout MapEvent) {
    guard var fields = object(token, "fields", Self.fieldNames(event.kind)) else { return }
    if event.kind == .gift, let shared {
      fields.list += shared.list.filter { fields[$0.name] == nil }
    }
    if event.kind != .gift { noteShared(token, fields) }
    event.room = fields["room"].flatMap { expression($0, "room") }
    event.ts = fields["ts"].flatMap { expression($0, "ts", isTime: true) }
    event.id = fields["id"].flatMap { expression($0, "id") }
    event.sender = fields["sender"].flatMap { party($0, "sender", event.kind) }
    event.receiver = fields["receiver"].flatMap { party($0, "receiver", event.kind) }
    event.gift = fields["gift"].flatMap { party($0, "gift", event.kind) }
    event.count = fields["count"].flatMap { expression($0, "count") }
    event.total = fields["total"].flatMap { expression($0, "total") }
    event.streak = fields["streak"].flatMap { expression($0, "streak") }
    event.streakMs = fields["streak_ms"].flatMap { expression($0, "streak_ms") }
    event.ends = fields["ends"].flatMap { expression($0, "ends") }
    event.refresh = fields["refresh"].flatMap { expression($0, "refresh") }
    event.lingerMs = fields["linger_ms"].flatMap { expression($0, "linger_ms") }
    event.combo = fields["combo"].flatMap { expression($0, "combo") }
    if let settings = fields["settings"] {
      event.settings = expression(settings, "settings")
      if let read = event.settings, case .at = read {} else { fault(settings, "settings must be a pointer to an object") }
    }
    switch event.kind {
    case .gift:
      _ = required(fields, "sender", "an object with an id")
      _ = required(fields, "gift", "an object with an id")
      for name in ["streak", "streak_ms", "ends"] where fields["total"] == nil {
        guard let token = fields[name], shared?[name] == nil else { continue }
        fault(token, "\(name) is for a total, the number so far; beside a count it has no effect")
      }
      if let count = fields["count"], fields["total"] != nil { noteAmounts(count, event) }
    case .retract: _ = required(fields, "sender", "an object with an id")
    case .roomSettings: _ = required(fields, "settings", "a pointer to an object")
    case .roomClosed: break
    }
  }

  private mutating func party(_ token: Int, _ name: String, _ kind: Event.Kind) -> MapParty? {
    let isShown = kind == .gift
    let allowed = ["id"] + (isShown ? ["show"] : []) + (isShown && name == "gift" ? ["value"] : [])
    guard let members = object(token, name, allowed) else { return nil }
    var party = MapParty()
    if let id = required(members, "id", "the source of the id, such as a pointer") { party.id = expression(id, "\(name).id") }
    if let value = members["value"] { party.value = expression(value, "gift.value") }
    guard let show = members["show"] else { return party }
    if text[show].isString {
      if let pointer = pointer(show, "show") { party.show = .verbatim(pointer) }
      return party
    }
    guard let fields = object(show, "show", nil) else { return party }
    var list: [MapParty.Field] = []
    for (name, nameToken, value) in fields.list {
      if name == "id" || (name == "value" && party.value != nil) {
        fault(nameToken, "show need not name \"\(name)\": it is always shown")
        continue
      }
      var bytesMax: Int?
      if text[value].isObject, let members = object(value, "\"\(name)\"", nil, isQuiet: true), let max = members["max"] {
        if text[max].isInteger, let number = text.integer(max), (1...65_536).contains(number) {
          bytesMax = Int(number)
        } else {
          fault(max, "max must be 1 to 65536 bytes: a longer value is left out")
        }
      }
      if let read = expression(value, "\"\(name)\"", isShown: true) {
        list.append(.init(name: name, value: read, bytesMax: bytesMax))
      }
    }
    if list.count > 64 { fault(show, "show may have at most 64 fields, not \(list.count)") }
    party.show = .fields(list)
    return party
  }
}
