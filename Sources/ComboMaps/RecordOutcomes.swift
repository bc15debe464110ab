internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// The results of a decoder for the records read so far, for metrics and for detecting a wrong map. They are counted in memory. A
/// record counts each time that it is read.
public struct RecordOutcomes: Sendable {
  /// The number of records that became one or more events, that the map dropped, and that were bad events.
  public internal(set) var taken = 0, dropped = 0, bad = 0

  /// Creates counts of zero.
  public init() {}

  /// The number of all records.
  public var records: Int { taken + dropped + bad }

  /// The number of records with one rule and one reason.
  public struct Row: Equatable, Sendable {
    /// The rule's name, or "none" if the record could not be read at all.
    public var rule: String
    /// `event`, `dropped` or `bad`.
    public var outcome: String
    /// The map's reason for dropping the record, the code of a bad event, or the type of an event.
    public var reason: String
    /// The number of records.
    public var count: Int

    /// The reason, for messages, with the rule in brackets if there is one.
    package var cause: String { rule == Self.noRule ? reason : "\(reason) (\(rule))" }
    /// The text in place of a rule's name.
    static let noRule = "none"
  }

  /// The maximum number of rows. Further ones are added up to one row for each outcome.
  public static let rowsMax = 64
}

/// Counts by rule. Only the decoding thread uses them.
struct RuleCounts {
  private var byRule: [Int]
  /// Counts of bad events by rule and code. The first rule stands for no rule.
  private var bad: [Int]
  /// The member names of one record without an event, by the place of its outcome.
  private var keys: [Int: String] = [:]
  private static let codes = BadEvent.Code.allCases

  init(rules: Int) {
    byRule = Array(repeating: 0, count: max(rules, 1))
    bad = Array(repeating: 0, count: (rules + 1) * Self.codes.count)
  }

  @inline(__always)
  mutating func count(_ rule: Int) { byRule[rule] &+= 1 }

  mutating func count(_ rule: Int, _ code: BadEvent.Code) { bad[place(rule, code)] += 1 }

  mutating func uncount(_ rule: Int, _ code: BadEvent.Code) { bad[place(rule, code)] -= 1 }

  func lacksKeys(_ rule: Int, _ code: BadEvent.Code?) -> Bool {
    keys.count < RecordOutcomes.rowsMax && keys[place(rule, code)] == nil
  }

  mutating func note(_ rule: Int, _ code: BadEvent.Code?, _ text: String) { keys[place(rule, code)] = text }

  private func place(_ rule: Int, _ code: BadEvent.Code?) -> Int {
    guard let code else { return -1 - rule }
    return (rule + 1) * Self.codes.count + Self.codes.firstIndex(of: code)!
  }

  /// Returns all rows, the most frequent first. Those beyond the maximum are added up to one row for each outcome.
  func rows(_ rules: [CompiledMap.Rule]) -> [(row: RecordOutcomes.Row, keys: String)] {
    var found: [String: (row: RecordOutcomes.Row, keys: String)] = [:]
    func add(_ row: RecordOutcomes.Row, _ place: Int) {
      let known = found["\(row.rule)\u{0}\(row.outcome)\u{0}\(row.reason)"]
      var all = row
      all.count += known?.row.count ?? 0
      found["\(row.rule)\u{0}\(row.outcome)\u{0}\(row.reason)"] = (
        all, known?.keys.isEmpty == false ? known!.keys : keys[place] ?? ""
      )
    }
    for (index, count) in byRule.enumerated() where count > 0 && index < rules.count {
      let rule = rules[index]
      let reason = rule.outcome == .event ? rule.kind.word : rule.reason
      add(
        .init(rule: rule.name, outcome: rule.outcome == .event ? "event" : "dropped", reason: reason, count: count),
        place(index, nil))
    }
    for (index, count) in bad.enumerated() where count > 0 {
      let rule = index / Self.codes.count - 1
      let name = rules.indices.contains(rule) ? rules[rule].name : RecordOutcomes.Row.noRule
      add(.init(rule: name, outcome: "bad", reason: Self.codes[index % Self.codes.count].rawValue, count: count), index)
    }
    let sorted = found.values.sorted { ($1.row.count, $0.row.rule, $0.row.reason) < ($0.row.count, $1.row.rule, $1.row.reason) }
    var kept = Array(sorted.prefix(RecordOutcomes.rowsMax))
    for outcome in ["event", "dropped", "bad"] {
      let rest = sorted.dropFirst(RecordOutcomes.rowsMax).filter { $0.row.outcome == outcome }.reduce(0) { $0 + $1.row.count }
      if rest > 0 { kept.append((.init(rule: "others", outcome: outcome, reason: "others", count: rest), "")) }
    }
    return kept
  }
}

extension MappedDecoder {
  /// The names of the record's members, without values: the first 24, at most three levels deep.
  var keys: String {
    guard let text = parsed else { return "" }
    checks.parser.writeNames()
    var names: [String] = []
    func visit(_ token: Int, _ path: String, _ depth: Int) {
      if names.count >= 24 { return }
      if text[token].isArray {
        let first = token + 1
        if first < text.next(token), text[first].isObject || text[first].isArray { visit(first, path + "/*", depth) }
        return
      }
      guard text[token].isObject else { return }
      var member = token + 1
      while member < text.next(token), names.count < 24 {
        let name = String(decoding: text.inside(member).prefix(40).map { Self.isPlain($0) ? $0 : 0x3F }, as: UTF8.self)
        let value = member + 1
        if depth < 3, text[value].isObject || text[value].isArray {
          visit(value, "\(path)/\(name)", depth + 1)
        } else {
          names.append("\(path)/\(name)")
        }
        member = text.next(value)
      }
    }
    visit(0, "", 1)
    return names.joined(separator: ", ")
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    PointerTable.lowercased(byte) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x5F || byte == 0x2D || byte == 0x2E
  }
}
