internal import ComboCore
internal import ComboWire

/// Proposes a map from samples, by the names of fields and the form of their values. It is a guess, and reports its doubts.
public struct MapInference {
  /// The map as the text of a file, empty if the samples are not enough.
  public private(set) var text = ""
  /// The doubts about the map and what it leaves out, in sentences.
  public private(set) var doubts: [String] = []

  private var samples: Samples
  /// The proposed rules.
  private var rules: [RuleGuess] = []
  /// The marks of gifts, and rules that drop records which repeat the gifts of others.
  private var (marks, drops): ([GiftMark], [String]) = ([], [])

  /// The fields of a gift in a replay: `room`, `id` and `ts`, and those that two gifts with one id must have in common.
  typealias Gift = (record: Int, fields: [String])
  private static let fields = ["room", "id", "ts", "sender.id", "receiver.id", "gift.id", "count", "total", "streak"]

  /// The maximum number of shapes of one kind of records.
  private static let shapesMax = 8

  /// Reads samples: JSON, lines of IRC with tags, or Douyu's text. Others are skipped.
  public init(_ samples: [[UInt8]]) {
    self.samples = Samples(samples)
    let read = self.samples.records.count
    if read > 0 {
      // Only a replay shows all gifts that share an id. The map is then proposed again without that id.
      repeat { propose() } while check()
      text = map(rules)
    }
    if read < max(1, samples.count) {
      doubts.append("samples: \(read) of \(samples.count) were read; they must be JSON, IRC with tags or STT, and at most 5,000")
    }
  }

  private mutating func propose() {
    (doubts, rules, drops) = (samples.paths.filter(\.isShared).map { "id: \($0.pointer) is shared by different gifts" }, [], [])
    let kinds = GiftMark.kinds(samples)
    marks = kinds.compactMap(\.mark)
    if marks.isEmpty { doubts.append("when: no field tells gifts from other records, so all that have a gift's fields count") }
    for kind in kinds { add(kind.mark, kind.records) }
    if rules.isEmpty { rules = [RuleGuess(samples, Array(samples.records.indices), nil)] }
    for rule in rules {
      let kind = rules.count > 1 ? rule.mark.map { quoted($0.value) + ": " } ?? "" : ""
      doubts += rule.doubts.map { kind + $0 }.filter { !doubts.contains($0) }
    }
  }

  /// Adds a rule for each shape of a kind of records. Records that one rule cannot read are examined again.
  private mutating func add(_ mark: GiftMark?, _ records: [Int]) {
    var (rest, found, why) = (records, rules.prefix(0), "")
    while !rest.isEmpty, found.count < Self.shapesMax {
      var rule = RuleGuess(samples, rest, mark)
      let (gifts, bad) = rule.isGift ? replay(map([rule], isWhole: false), rest) : ([], [])
      let read = Set(gifts.map(\.record))
      why = bad.first?.reason ?? "no sender or gift was found; add a rule for them"
      if read.isEmpty { break }
      // The second guess sees only the records that the first one reads.
      if read.count < rest.count { rule = RuleGuess(samples, read.sorted(), mark) }
      rule.gifts = gifts
      found.append(rule)
      rest.removeAll(where: read.contains)
    }
    if !rest.isEmpty {
      doubts.append("\(mark.map { quoted($0.value) } ?? "a record"): \(rest.count) of \(records.count) are not read: \(why)")
    }
    guard found.count == 1, let same = rules.firstIndex(where: { $0.repeats(found[0]) }) else { return rules += found }
    if found[0].worth > rules[same].worth { swap(&found[0], &rules[same]) }
    let (worse, better) = (found[0].mark!, quoted(rules[same].mark!.value))
    drops.append(object([("when", worse.condition), ("drop", quoted("repeats or undoes other gifts"))]))
    doubts.append(
      "\(quoted(worse.value)) seems to repeat the gifts of \(better), or to undo them, so only the latter counts (dropped gifts: \(found[0].gifts.count))"
    )
  }

  /// Returns the results of a map for records: the fields of their gifts, and the reasons of bad events.
  private func replay(_ text: String, _ records: [Int]) -> (gifts: [Gift], bad: [(record: Int, reason: String)]) {
    guard let map = try? RecordMap(Array(text.utf8), file: "the proposal") else { return ([], []) }
    var limits = WireLimits()
    limits.roomFromBody = true
    let (decoder, arena) = (RecordDecoder(limits: limits, map: map), BumpArena())
    var (gifts, bad, event): ([Gift], [(record: Int, reason: String)], Event) = ([], [], Event())
    for record in records {
      arena.reset()
      do {
        // The key is the room of records that name none.
        let isEvent = try samples.records[record].bytes.withUnsafeBytes { bytes in
          try Array("-".utf8).withUnsafeBytes { try decoder.decode(bytes, key: $0, into: arena, &event) }
        }
        for event in isEvent ? [event] + decoder.further : [] {
          gifts.append((record, Self.fields.map { event.text(of: $0) ?? "" }))
        }
      } catch {
        bad.append((record, "\(error)"))
      }
    }
    return (gifts, bad)
  }

  /// Replays the samples with the proposed map, and adds doubts about the result.
  /// - Returns: Whether different gifts share an id. The next proposal does not use it.
  private mutating func check() -> Bool {
    let (gifts, bad) = replay(map(rules), Array(samples.records.indices))
    if let first = bad.first {
      doubts.append("samples: \(bad.count) become bad events; the first is sample \(first.record + 1): \(first.reason)")
    }
    let byID = Dictionary(grouping: gifts.filter { !$0.fields[1].isEmpty }) { $0.fields[1] }
    let again = byID.values.reduce(0) { $0 + $1.count - 1 }
    if again > 0 {
      doubts.append("samples: \(again) have id and all else of another gift, as a refund may: after --dedupe-ms they count again")
    }
    let same = (gifts.count < 3 ? 0..<0 : Self.fields.indices).filter { index in
      !["", "-"].contains(gifts[0].fields[index]) && gifts.allSatisfy { $0.fields[index] == gifts[0].fields[index] }
    }.map { "\(Self.fields[$0]) is always \(quoted(gifts[0].fields[$0]))" }
    if !same.isEmpty { doubts.append("samples: in all gifts " + same.joined(separator: ", ")) }
    let shared = byID.filter { Set($0.value.map { $0.fields[3...] }).count > 1 }.keys
    let ids = rules.flatMap { $0["id"].prefix(1) }.filter { column in
      // In an array, the gift's place may follow the id.
      column.values.values.contains { id in shared.contains { $0.hasPrefix(id) } }
    }
    for column in ids { samples.paths[samples.paths.firstIndex { $0.path == column.path }!].isShared = true }
    return !ids.isEmpty
  }

  /// Returns a map with these rules. For one rule of several nothing else is marked as a gift, since others may read it.
  private func map(_ rules: [RuleGuess], isWhole: Bool = true) -> String {
    func list(_ elements: [String]) -> String? { elements.isEmpty ? nil : "[\(elements.joined(separator: ", "))]" }
    func lines(_ elements: [String]) -> String { "[\n\(elements.map { "    \($0)" }.joined(separator: ",\n"))\n  ]" }
    func once(_ texts: [String]) -> [String] {
      texts.reduce(into: []) { if !$0.contains(quoted($1)) { $0.append(quoted($1)) } }
    }
    let types = once((isWhole ? marks : []).map { Column.name($0.path) })
    // Members that only gifts have.
    let keys = rules.compactMap { $0["gift.id"].first }.filter { FieldPattern.has($0.last, ["gift", "gf", "present"]) }
    let signs = object([
      ("keys", list(once((isWhole ? keys : []).map { Column.name($0.path) }))),
      // The map that is included has the names of known commands, and of events that are not gifts.
      ("commands", types.isEmpty ? nil : list([#"{"use": "commands"}"#] + types)),
      ("words", types.isEmpty ? nil : list(once(["gift"] + marks.flatMap { GiftMark.words(in: $0.value) }))),
      ("others", types.isEmpty ? nil : #"{"use": "other-events"}"#),
    ])
    // If nothing else marks a record that names a gift, each one should be read.
    let isBad = isWhole && rules.count == 1 && rules[0].root.isEmpty && signs == "{}"
    return object(
      [
        ("map", "1"), ("name", quoted("mine")),
        ("about", quoted("Proposed from samples; see notes for what is uncertain.")),
        ("notes", lines(doubts.map(quoted))), ("include", types.isEmpty ? nil : quoted("common")),
        ("gifts", signs == "{}" ? nil : signs), ("text", samples.form == .json ? nil : quoted(samples.form.rawValue)),
        ("unpack", list(once(samples.texts.map(PointerTable.written)))), ("rules", lines(rules.map(\.rule) + drops)),
        ("otherwise", isBad ? #"{"bad": "no rule reads it"}"# : #"{"drop": "not a gift"}"#),
      ], indent: "") + "\n"
  }
}
