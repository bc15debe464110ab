internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// Turns records into events by a map. Each thread needs its own decoder, so exclusive access to what it reads for each record is
/// not checked at run time. It does not allocate in the steady state.
///
/// The limits of a field are checked by the same code as in an ``EventDecoder``.
final class MappedDecoder {
  /// The map, which owns the memory of the lists below.
  let map: CompiledMap
  let form: MapDefinition.TextForm
  private let isFramed: Bool
  private let hasPrefix: Bool
  private let hasHeaders: Bool
  /// The number of bytes of display data of the record's gifts so far.
  var shownBytes = 0
  /// The maximum number of bytes of display data of one record, including parts that its gifts repeat.
  static let shownBytesMax = 1 << 20
  /// The number of steps spent on the current record. Trying a rule is one step.
  private var effort = 0
  /// The maximum number of steps, which take some milliseconds. A record beyond it has too many elements.
  private let effortMax: Int
  /// The names that mark records of gifts, for each of the map's `signs`.
  let signs: [SignReader]
  /// The roots, each with its rules; empty if there is only one.
  let envelopes: [Envelope]
  /// Those that are in the record beside the first one of which an event was made, once they are known.
  var present: [Envelope] = []
  var hasPresent = false
  /// The elements on which a rule has decided; whether a rule has decided on the whole record; and the index in `signs` of the
  /// group whose last rule dropped the rest, or -1.
  @exclusivity(unchecked) var decided: [Int32] = []
  var isDecided = false
  var leftOver: Int32 = -1
  /// For each level of arrays but the innermost, the element within which rules have decided on elements, or -1 if there is none,
  /// and whether the last rule has dropped one of these with the rest. If not, they have decided on the whole element.
  @exclusivity(unchecked) private var parted: [(element: Int32, isParted: Bool)]
  /// Whether the map has texts that are read in their places.
  private let hasTexts: Bool
  private let groupCount: Int
  var own = OwnSettings()
  /// The index in `map.rules` of the rule that decided on the last record, or -1 if none has; and the element, counted from 0.
  private(set) var rule = 0
  private var round = 0
  /// The minimum number of arrays of the rules that have made an event of a value around the current element, or `Int.max` if
  /// none has, and the number of the map's root of that rule.
  @exclusivity(unchecked) var outer = (stars: Int.max, base: Int32(0))

  let checks: EventDecoder
  let walk: PointerWalk
  let stt = STTReader()
  let irc = IRCReader()
  let protobuf: ProtobufReader?
  let binary: BinaryRecordReader?
  let nodes: UnsafeMutableBufferPointer<CompiledMap.Node>
  let links: UnsafeMutableBufferPointer<Int32>
  let texts: UnsafeMutableBufferPointer<CompiledMap.Text>
  let bytes: UnsafeMutableBufferPointer<UInt8>
  let rules: UnsafeMutableBufferPointer<CompiledMap.Rule>
  private let groups: UnsafeMutableBufferPointer<CompiledMap.Group>
  let shown: UnsafeMutableBufferPointer<CompiledMap.Shown>
  /// The text of a display object that the record does not have in its final form.
  let object = ByteBuffer()
  /// The beginning of a display object, and the text before a gift's value.
  let idName, worthName: CompiledMap.Text
  /// A record that is rewritten with the contents of its texts.
  let rewriting = ByteBuffer()
  /// The values of the headers that the map names.
  @exclusivity(unchecked) private(set) var headers: [Bytes]
  private(set) var key: Bytes?
  /// The record's tape, which exists once a record has been parsed.
  var text: JSONText { @inline(__always) get { parsed.unsafelyUnwrapped } }
  /// The tape of the current record, or nil if it has not been parsed.
  @exclusivity(unchecked) private(set) var parsed: JSONText?
  /// The expression whose value is being read, for error messages.
  var reading: Int32 = -1
  var limits: WireLimits { checks.limits }

  init(_ map: CompiledMap, limits: WireLimits) {
    self.map = map
    checks = EventDecoder(limits: limits)
    walk = PointerWalk(map.pointers)
    nodes = map.nodes.all
    links = map.links.all
    texts = map.texts.all
    bytes = map.bytes.all
    rules = map.rules.all
    groups = map.groups.all
    shown = map.shown.all
    (idName, worthName) = (map.idName, map.worthName)
    headers = Array(repeating: .none, count: map.headers.count)
    hasHeaders = !map.headers.isEmpty
    hasTexts = !map.unpacked.isEmpty
    protobuf = map.protobuf.map { ProtobufReader($0, limits: limits) }
    binary = map.record.map { [protobuf] in BinaryRecordReader($0, protobuf: protobuf, limits: limits) }
    form = map.form
    isFramed = map.isFramed
    hasPrefix = !map.prefix.isEmpty
    groupCount = map.groups.count
    effortMax = 2 * limits.recordBytes
    parted = Array(repeating: (-1, false), count: max(walk.levels - 1, 0))
    envelopes = Self.envelopes(map)
    signs = map.signs.map { SignReader($0, form: map.form, isLoose: map.pointers.isLoose) }
  }

  /// Forgets the last record and its rule, for callers that read them.
  func forgetRecord() { (rule, parsed) = (-1, nil) }

  // MARK: - A record

  /// Whether the last decoded record has several elements for `*`, each of which may become an event.
  var isSeveral: Bool { walk.isSeveral }

  /// Whether a record is rewritten as JSON.
  func rewrites(_ record: Bytes) -> Bool {
    if form == .json { return binary != nil }
    let first = record.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    return first != 0x7B && first != 0x5B
  }

  /// Whether a rule is the last of its group, which applies where no other rule does.
  func isLast(_ rule: Int) -> Bool { rule < 0 || rules[rule].last == rule }

  /// Sets the element and the rule of the first event.
  func settle(_ round: Int, rule: Int) { (self.round, self.rule) = (round, rule) }

  /// Returns to the element of the first event, for callers that read its values.
  func returnToFirst() {
    walk.walk(text, of: checks.parser)
    for _ in 0..<round where !walk.advance(text) { return }
  }

  /// Moves to the record's next element, if there is one, which ``decodeElement(into:_:)`` then decodes.
  func advance() -> Bool {
    guard walk.advance(text) else { return false }
    if outer.stars >= walk.level { outer.stars = .max }
    if walk.level <= parted.count { closeParts(from: walk.level) }
    return true
  }

  /// - Returns: Whether it is an event; false if the map drops it.
  func decodeElement(into arena: BumpArena, _ event: inout Event) throws(BadEvent) -> Bool {
    do throws(BadEvent) {
      try spend(2)
      rule = try choose(arena)
      if rule < 0 { return false }
      let isEvent = try apply(rules.baseAddress.unsafelyUnwrapped + rule, into: arena, &event)
      if isEvent, !envelopes.isEmpty { try compareEnvelopes(event, into: arena) }
      return isEvent
    } catch {
      throw .ofElement(walk.place, error)
    }
  }

  /// Decodes the current element by a further `beside` rule after the one that has decided, or returns nil if there is none.
  func decodeBeside(into arena: BumpArena, _ event: inout Event) throws(BadEvent) -> Bool? {
    guard map.hasBeside, rule >= 0, rules[rule].outcome == .event, rule < rules[rule].last else { return nil }
    let each = rules[rule].each
    for index in rule + 1..<rules[rule].last where rules[index].isBeside && rules[index].each != each {
      try spend(1)
      guard rules[index].stars >= walk.level, try holds(rules[index].condition, arena) else { continue }
      rule = index
      markDecided(index)
      do throws(BadEvent) {
        return try apply(rules.baseAddress.unsafelyUnwrapped + index, into: arena, &event)
      } catch {
        throw .ofElement(walk.place, error)
      }
    }
    return nil
  }

  /// Decodes a record in place. The record must be padded.
  /// - Returns: Whether its first element is an event; false if the map drops it.
  func decode(
    _ record: Bytes, key: Bytes?, header: RecordDecoder.HeaderLookup, into arena: BumpArena, _ event: inout Event
  ) throws(BadEvent) -> Bool {
    forgetRecord()
    try parse(record, header, into: arena)
    self.key = key
    if hasHeaders {
      for index in headers.indices {
        headers[index] = .none
        header(map.headers[index]) { headers[index] = arena.copy($0) }
      }
    }
    (shownBytes, effort, leftOver, isDecided) = (0, 0, -1, false)
    for index in parted.indices { parted[index] = (-1, false) }
    if !decided.isEmpty { decided.removeAll(keepingCapacity: true) }
    walk.walk(text, of: checks.parser)
    if hasTexts { try unpack(into: arena) }
    round = 0
    outer.stars = .max
    hasPresent = false
    rule = try choose(arena)
    let isEvent = try apply(rules.baseAddress.unsafelyUnwrapped + rule, into: arena, &event)
    if isEvent, !envelopes.isEmpty { try compareEnvelopes(event, into: arena) }
    return isEvent
  }

  @inline(__always)
  private func parse(_ record: Bytes, _ header: RecordDecoder.HeaderLookup, into arena: BumpArena) throws(BadEvent) {
    let given = record
    var record = record
    if let binary {
      record = try binary.json(of: given, header: header, into: arena)
    } else if rewrites(record) {
      record = try rewritten(record, 0, into: arena)
    } else if isFramed, record.count > 5, record[0] == 0 {
      record = Bytes(rebasing: record[5...])
    }
    if hasPrefix { record = withoutPrefix(record, into: arena) }
    do throws(BadEvent) {
      try check(record)
    } catch {
      try binary?.requireUTF8(given, header: header, into: arena)
      if binary == nil, rewrites(given), let start = given.baseAddress,
        csj_is_utf8(start.assumingMemoryBound(to: UInt8.self), given.count) == 0
      {
        throw BadEvent(.notJSON, "the record is not UTF-8; \(form.rawValue.uppercased()) in UTF-8 is expected")
      }
      throw error
    }
  }

  /// Removes the prefix. A text that begins neither with it nor like JSON counts as an empty object, for `otherwise` to decide.
  @inline(never)
  private func withoutPrefix(_ record: Bytes, into arena: BumpArena) -> Bytes {
    guard let first = record.first, first != 0x7B, first != 0x5B else { return record }
    var rest = record[...]
    for (index, part) in map.prefix.enumerated() {
      let place = part.withUnsafeBytes { part in
        index == 0
          ? rest.starts(with: part) ? rest.startIndex : nil
          : rest.indices.first { $0 + part.count <= rest.endIndex && Bytes(rebasing: rest[$0..<$0 + part.count]) == part }
      }
      guard let place else { return ("{}" as StaticString).withUTF8Buffer { arena.copy(Bytes($0)) } }
      rest = rest[(place + part.count)...]
    }
    return Bytes(rebasing: rest)
  }

  func check(_ record: Bytes) throws(BadEvent) {
    parsed = nil
    let fault = checks.parser.checkAlike(record, depth: limits.depth)
    if fault != CSJ_FINE { throw .notJSON(fault, at: checks.parser.faultPosition, limits) }
    parsed = checks.parser.text(of: record)
  }

  /// Returns the first rule whose condition holds. A record's first elements always have one. For a further element only the
  /// rules for each such element apply, and those that drop everything around it; -1 if none of them does.
  private func choose(_ arena: BumpArena) throws(BadEvent) -> Int {
    let index = try find(arena)
    if !signs.isEmpty, index >= 0 { markDecided(index) }
    return index
  }

  /// Counts steps for the record, and throws beyond the maximum: the map alone must not determine the cost of a record.
  func spend(_ steps: Int) throws(BadEvent) {
    effort &+= steps
    if effort > effortMax {
      throw BadEvent(.tooLarge, "the record's arrays have too many elements for the map's rules; split the record")
    }
  }

  /// Marks the part on which a rule has decided, so that only the other parts are searched for names of gifts.
  private func markDecided(_ index: Int) {
    let rule = rules.baseAddress.unsafelyUnwrapped + index
    if index == rule.pointee.last, rule.pointee.outcome == .drop {
      leftOver = rule.pointee.signs
      for index in parted.indices { parted[index].isParted = true }
    } else if rule.pointee.each < 0 {
      isDecided = true
    } else {
      decided.append(walk.found[Int(rule.pointee.innermost)])
      for (index, place) in rule.pointee.around.range.enumerated() { parted[index].element = walk.found[Int(links[place])] }
    }
  }

  /// Marks the elements of arrays of this level and of those within them, on all parts of which rules have decided.
  func closeParts(from level: Int = 1) {
    for index in level - 1..<parted.count {
      let (element, isParted) = parted[index]
      if element >= 0, checks.rules.decidesOnArrays ? !isParted : index == 0 { decided.append(element) }
      parted[index] = (-1, false)
    }
  }

  private func find(_ arena: BumpArena) throws(BadEvent) -> Int {
    let level = walk.level
    let (rules, found) = (rules.baseAddress.unsafelyUnwrapped, walk.found)
    let isInner = outer.stars < level && checks.rules.decidesOnArrays
    for group in 0..<groupCount {
      if groups[group].choiceNode >= 0, try !holds(groups[group].choiceNode, arena) { continue }
      var next = groups[group].rules.lowerBound
      var isRules = false
      while next < groups[group].rules.upperBound {
        let index = next
        next += 1
        try spend(1)
        if rules[index].root >= 0, found[Int(rules[index].root)] < 0 {
          // Its array is read nonetheless, if only in other elements.
          if level > 0, checks.rules.decidesOnArrays, rules[index].stars >= level, found[Int(rules[index].each)] >= 0 {
            isRules = true
          }
          next = Int(rules[index].nextRoot)
          continue
        }
        if isInner, !rules[index].isBeside, rules[index].stars < level || rules[index].base == outer.base { continue }
        if rules[index].stars >= level {
          isRules = true
        } else if index == groups[group].rules.upperBound - 1 {
          // The last rule is for all other elements, except those of an array within an event, or of an array that no rule reads.
          if !isRules || outer.stars < level { return -1 }
        } else if rules[index].outcome != .drop {
          continue
        }
        let condition = rules[index].condition
        if condition < 0 { return index }
        if try holds(condition, arena) { return index }
      }
    }
    precondition(isInner, "a map's last rule has no condition")
    return -1
  }
}
