internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// The reason why no rule reads a record that names a gift.
extension MappedDecoder {
  /// The maximum number of array elements that are compared with the rules.
  private static let obstacleRounds = 8
  /// The maximum length of a list of pointers. Longer ones are cut.
  private static let pointersMax = 100

  /// Returns what the nearest rule lacks, as a sentence. Without such a rule, the sentence states whether a root leads to the
  /// object that names the gift.
  func obstacle(at token: Int) -> String {
    var nearest: (score: Int, rule: Int, lacks: [String])?
    var isRoot = false
    let arena = BumpArena(chunkSize: 4096)
    walk.walk(text, of: checks.parser)
    var round = 0
    repeat {
      for (index, rule) in map.rules.enumerated() where rule.outcome == .event && rule.kind == .gift && rule.condition >= 0 {
        // An empty array is present although it has no element.
        var root = rule.root < 0 ? 0 : Int(walk.found[Int(rule.root)])
        if root < 0, rule.each >= 0, let element = map.pointers.places.first(where: { $0.node == rule.each }) {
          root = Int(walk.found[Int(map.pointers.places[element.parent].node)])
        }
        if root < 0 { continue }
        if root == token || rule.own >= 0 && Int(walk.found[Int(rule.own)]) == token { isRoot = true }
        var (met, lacks) = (0, [String]())
        weigh(rule.condition, below: rule.root, arena, &met, &lacks)
        if lacks.contains(Self.neverHolds) { continue }
        // A rule whose condition the record meets in no part is named only if there is no other.
        let score = met - lacks.count - (met > 0 ? 0 : text[root].isObject ? 100 : 200)
        if !lacks.isEmpty, nearest.map({ score >= $0.score }) ?? true { nearest = (score, index, lacks) }
      }
      round += 1
    } while round < Self.obstacleRounds && walk.advance(text)
    if let nearest, nearest.score > -50 || isRoot {
      return "\(map.rules[nearest.rule].name) would, but \(nearest.lacks.prefix(3).joined(separator: ", and "))"
    }
    if !isRoot { return "no root of the map leads to the object that names the gift" }
    return "a field that a gift needs is missing, or its shape is unknown"
  }

  /// Counts the parts of a condition that the record meets, and collects what it lacks for the others.
  private func weigh(_ index: Int32, below root: Int32, _ arena: BumpArena, _ met: inout Int, _ lacks: inout [String]) {
    let node = nodes[Int(index)]
    if node.op == .all {
      for place in node.links.range { weigh(links[place], below: root, arena, &met, &lacks) }
      return
    }
    guard (try? holds(index, arena)) != true else {
      // The presence of the root, or the absence of a value, does not make a rule nearer.
      if node.op == .any || node.op == .above { met += 1 }
      // A command says more about a record than a field that many kinds of records have.
      if node.op == .isOneOf || node.op == .starts || node.op == .contains { met += 2 }
      if node.op == .exists, nodes[Int(links[node.links.range.lowerBound])].place != root { met += 1 }
      return
    }
    let lack = lack(index, arena)
    // A value that must be absent is present: the rule is for records of another kind.
    if node.op == .not { met -= 2 }
    // The record has the field, but null in its place.
    if lack.hasSuffix(Self.isNull) { met += 2 }
    if !lacks.contains(lack) { lacks.append(lack) }
  }

  private func lack(_ index: Int32, _ arena: BumpArena) -> String {
    let node = nodes[Int(index)]
    guard let first = node.links.range.first.map({ links[$0] }) else { return Self.neverHolds }
    switch node.op {
    case .all:
      let failing = node.links.range.map { links[$0] }.first { (try? holds($0, arena)) != true }
      return lack(failing ?? first, arena)
    case .any: return lack(first, arena)
    case .not:
      let inner = nodes[Int(first)]
      guard inner.op != .any, inner.op != .all, let source = inner.links.range.first else {
        return "it is left out by a condition"
      }
      let words = inner.op == .exists ? "is there" : "is what leaves it out"
      return "\(pointers(links[source])) \(words)"
    default: break
    }
    let source = pointers(first)
    guard let value = try? value(first, into: arena), value.kind != .missing else {
      return obstruction(first) ?? "\(source) is missing"
    }
    let bound = node.bound == node.bound.rounded() && abs(node.bound) < 1e15 ? "\(Int64(node.bound))" : "\(node.bound)"
    let texts = node.texts.range.prefix(3).map { "\"\(Excerpt(constant($0)))\"" }.joined(separator: " or ")
    switch node.op {
    case .isOneOf: return "\(source) is not \(texts)"
    case .starts: return "\(source) does not begin with \(texts)"
    case .contains: return "\(source) has no \(texts) in it"
    case .above where (try? double(value, "a condition", into: arena)) == nil: return "\(source) is no number above \(bound)"
    case .above: return "\(source) is not above \(bound)"
    case .below: return "\(source) is not below \(bound)"
    case .hasOnly where text[Int(value.token)].isObject: return "\(source) has members other than \(texts)"
    case .hasOnly: return "\(source) is not an object with only \(texts)"
    case .isNull: return "\(source) is not null"
    case .differ: return "\(source) does not differ from \(pointers(links[node.links.range.lowerBound + 1]))"
    default: return "a condition on \(source) does not hold"
    }
  }

  private static let isNull = " is null"
  /// The description of a condition that the map's switches exclude.
  private static let neverHolds = "it never holds"

  /// Returns a description of the value at an expression's pointers, or on the way to it: null, or a text that is not unpacked.
  private func obstruction(_ index: Int32) -> String? {
    let node = nodes[Int(index)]
    if node.op == .first { return node.links.range.lazy.compactMap { self.obstruction(self.links[$0]) }.first }
    guard node.op == .at else { return nil }
    let places = map.pointers.places
    var place = Int(node.written)
    while place > 0, walk.found[Int(places[place].node)] < 0 { place = places[place].parent }
    if place == 0 { return nil }
    let (token, pointer) = (Int(walk.found[Int(places[place].node)]), map.pointers.written(place))
    if text[token].isNull { return pointer + Self.isNull }
    return text[token].isString && place != node.written ? "\(pointer) is a text that is not read as JSON" : nil
  }

  private func pointers(_ node: Int32) -> String {
    var known: Set<Substring> = []
    let all = map.description(of: node).split(separator: " or ").filter { known.insert($0).inserted }.joined(separator: " or ")
    return all.count > Self.pointersMax ? "\(all.prefix(Self.pointersMax))…" : all
  }
}
