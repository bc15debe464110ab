internal import CSimdJSON
public import ComboCore
public import ComboWire

/// The result of a map for one record, with its reason. It is for people and scripts, and not optimized for speed.
public struct MapExplanation: Sendable {
  /// The result for a record.
  public enum Outcome: Equatable, Sendable {
    /// An event of this type, as wire.md names it.
    case event(String)
    /// No event, for this reason.
    case dropped(String)
    /// A bad event.
    case bad(BadEvent)
  }

  /// A field of the event.
  public struct Field: Equatable, Sendable {
    /// The field's name in wire.md, for example `sender.id`.
    public let name: String
    /// The source of the value: a pointer, or a description.
    public let source: String
    /// The value at the source, as JSON, or nil if there is none.
    public let found: String?
    /// The resulting value, or nil if it is unknown because the record is bad.
    public let value: String?
  }

  /// The result.
  public let outcome: Outcome
  /// The rule that decided, or nil if the record could not be read at all.
  public let rule: String?
  /// The fields that the rule names, in the order of wire.md. Missing ones have no `found`.
  public let fields: [Field]
  /// The values of each further gift in the record by the names of wire.md; the rule and the fields are those of the first.
  public let further: [[(name: String, value: String)]]
  /// The id of the schema that the record names, or nil if it names none.
  public let schema: String?
}

/// Explains the results of a map for records. Only one thread may use it.
public final class MapExplainer {
  private let decoder: RecordDecoder
  private let mapped: MappedDecoder
  private let arena = BumpArena()

  /// Creates an explainer for a map.
  public init(_ map: RecordMap, limits: WireLimits) {
    decoder = RecordDecoder(limits: limits, map: map)
    mapped = decoder.mapped!
  }

  /// The last explained record as one line of JSON with its newline, empty if the record could not be read.
  public var record: String {
    guard let text = mapped.parsed else { return "" }
    // The record's arena may have released the record's memory, and would overwrite it here.
    let copy = BumpArena(chunkSize: 4096)
    return String(decoding: mapped.checks.parser.compact(text, 0, into: copy), as: UTF8.self) + "\n"
  }

  /// Returns the result for a record, with its reason.
  public func explain(_ record: Bytes, key: Bytes?, header: RecordDecoder.HeaderLookup = { _, _ in }) -> MapExplanation {
    arena.reset()
    var event = Event()
    mapped.forgetRecord()
    mapped.binary?.schema = nil
    let outcome: MapExplanation.Outcome
    var isEvent = false
    do throws(BadEvent) {
      isEvent = try decoder.decode(record, key: key, header: header, into: arena, &event)
      outcome = isEvent ? .event(event.kind.word) : .dropped(decoder.dropReason)
    } catch {
      outcome = .bad(error)
    }
    let further = (isEvent ? decoder.further : []).map { event in
      CompiledMap.Rule.fieldNames.compactMap { name in event.text(of: name).map { (name: name, value: $0) } }
    }
    if isEvent { mapped.returnToFirst() }
    let schema = mapped.binary?.schema?.description
    guard mapped.rule >= 0 else {
      return MapExplanation(outcome: outcome, rule: nil, fields: [], further: further, schema: schema)
    }
    let rule = mapped.map.rules[mapped.rule]
    var fields: [MapExplanation.Field] = []
    if rule.outcome == .event {
      for (name, node) in rule.fields {
        fields.append(field(name, node, isEvent ? event.text(of: name) : nil, isShown: false))
      }
      for (name, party, object) in [
        ("sender", rule.sender, event.gift.display.sender), ("receiver", rule.receiver, event.gift.display.receiver),
        ("gift", rule.gift, event.gift.display.gift),
      ] where rule.kind == .gift && party.isNamed {
        for shown in party.fields.range {
          let field = mapped.map.shown[shown]
          let label = mapped.map.bytes[Int(field.name.start) + 2..<Int(field.name.start + field.name.count) - 2]
          fields.append(self.field("\(name).\(String(decoding: label, as: UTF8.self))", field.node, nil, isShown: true))
        }
        if isEvent, party.verbatim >= 0, !object.isEmpty {
          let shown = String(decoding: object, as: UTF8.self)
          fields.append(.init(name: "\(name), shown", source: "the whole object", found: nil, value: shown))
        }
      }
    }
    return MapExplanation(outcome: outcome, rule: rule.name, fields: fields, further: further, schema: schema)
  }

  private func field(_ name: String, _ node: Int32, _ value: String?, isShown: Bool) -> MapExplanation.Field {
    let all = mapped.map.description(of: node)
    guard let found = try? mapped.value(node, into: arena), found.kind != .missing else {
      return .init(name: name, source: all, found: nil, value: nil)
    }
    let shown: String
    switch found.kind {
    case .token: shown = String(decoding: mapped.text.slice(Int(found.token)), as: UTF8.self)
    case .product: shown = all
    default: shown = "\"\(Excerpt(found.bytes))\""
    }
    return .init(name: name, source: mapped.map.description(of: mapped.reading), found: shown, value: isShown ? shown : value)
  }
}

extension CompiledMap.Rule {
  /// The fields that the rule names, in the order of wire.md.
  fileprivate var fields: [(String, Int32)] { all.filter { $0.1 >= 0 } }

  /// The names of all fields, in the order of wire.md.
  fileprivate static let fieldNames = CompiledMap.Rule().all.map(\.0)

  private var all: [(String, Int32)] {
    [
      ("room", room), ("ts", ts), ("id", id), ("sender.id", sender.id), ("receiver.id", receiver.id), ("gift.id", gift.id),
      ("gift.value", gift.value), ("count", count), ("total", total), ("streak", streak), ("streak_ms", streakMs), ("ends", ends),
      ("refresh", refresh), ("linger_ms", lingerMs),
      ("combo", combo), ("settings", settings),
    ]
  }
}

extension Event.Kind {
  /// The type's name in wire.md.
  public var word: String {
    switch self {
    case .gift: "gift"
    case .roomClosed: "room_closed"
    case .retract: "retract"
    case .roomSettings: "room_settings"
    }
  }
}

extension Event {
  /// Returns the value of a field, or nil if it has none, or none with a short text.
  func text(of field: String) -> String? {
    func text(_ bytes: Bytes) -> String? { bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self) }
    switch field {
    case "room": return text(room)
    case "ts": return ts < 0 ? nil : "\(ts)"
    case "id": return text(gift.id)
    case "sender.id": return text(gift.senderID)
    case "receiver.id": return text(gift.receiverID)
    case "gift.id": return text(gift.giftID)
    case "gift.value":
      let value = gift.value
      return value == value.rounded() && value < 1e15 ? "\(Int64(value))" : "\(value)"
    case "count":
      if case .count(let count) = gift.amount { return "\(count)" }
    case "total":
      if case .total(let total, _) = gift.amount { return "\(total)" }
    case "streak":
      if case .total(_, let streak) = gift.amount { return text(streak) }
    case "streak_ms": return gift.streakMs.map { "\($0)" }
    case "ends": return gift.ends ? "true" : nil
    case "refresh": return gift.refreshes ? "true" : nil
    case "linger_ms": return gift.lingerMs > 0 ? "\(gift.lingerMs)" : nil
    case "combo": return text(gift.combo)
    default: break
    }
    return nil
  }
}
