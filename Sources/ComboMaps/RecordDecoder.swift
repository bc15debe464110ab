public import ComboCore
public import ComboWire

/// Makes events of records: as wire.md has them, or by a map. One a thread; without allocations in the steady state.
public final class RecordDecoder {
  /// Calls `body` with the value of a record's header, if it has one of that name.
  public typealias HeaderLookup = (_ name: String, _ body: (Bytes) -> Void) -> Void

  private let plain: EventDecoder
  let mapped: MappedDecoder?
  /// The map; nil for records as wire.md has them.
  public let map: RecordMap?
  /// The rules by which the next records' events will be taken.
  public var rules: Rules {
    didSet {
      plain.rules = rules
      mapped?.checks.rules = rules
    }
  }

  /// - Parameters:
  ///   - limits: what an event may be.
  ///   - map: nil: records are as wire.md has them.
  ///   - rules: those by which the events will be taken.
  public init(limits: WireLimits = WireLimits(), map: RecordMap? = nil, rules: Rules = .newest) {
    self.map = map
    self.rules = rules
    plain = EventDecoder(limits: limits, rules: rules)
    mapped = map.map { MappedDecoder($0.compiled, limits: limits) }
    mapped?.checks.rules = rules
    counts = RuleCounts(rules: map?.compiled.rules.count ?? 0)
  }

  /// The record's events beyond the first, where a map reads several from one; as long as the first they stay.
  public private(set) var further: [Event] = []

  /// The results so far.
  public private(set) var outcomes = RecordOutcomes()
  private var counts: RuleCounts

  /// The results by rule, the most first.
  public var rows: [RecordOutcomes.Row] { counts.rows(mapped.map { Array($0.map.rules) } ?? []).map(\.row) }

  /// The most frequent reason why records became no event, and the names of the members of one such record.
  public var commonestLoss: (row: RecordOutcomes.Row, keys: String)? {
    counts.rows(mapped.map { Array($0.map.rules) } ?? []).first { $0.row.outcome != "event" }
  }

  /// The id of the schema that the last bad record named and the map does not have; nil: it was bad for another reason, or this was asked
  /// before.
  @usableFromInline package func takeUnknownSchema() -> String? { mapped?.binary?.takeUnknown()?.description }

  /// The limits of an event.
  public var limits: WireLimits { plain.limits }

  /// The settings of the event decoded last, if it was a `room_settings`.
  public var own: OwnSettings { mapped?.own ?? plain.own }

  /// Makes an event of a record's value.
  ///
  /// - Parameters:
  ///   - record: the value; not needed afterwards, unless it is lasting.
  ///   - isLasting: whether it stays as it is for as long as the event is in use, with ``BumpArena/padding`` more bytes that can be read
  ///     after it: then it is not copied (see ``EventDecoder/decodeInPlace(_:key:into:_:)``).
  ///   - key: the record's key; nil if it has none. Not needed afterwards.
  ///   - header: hands out the value of the record's last header of a name, if there is one; asked only for those that the map
  ///     names.
  ///   - arena: where the bytes of the event go. A bad record leaves no bytes in it.
  ///   - event: what is filled.
  /// - Returns: whether it is an event; false: the map drops the record.
  public func decode(
    _ record: Bytes, isLasting: Bool = false, key: Bytes?, header: HeaderLookup = { _, _ in }, into arena: BumpArena,
    _ event: inout Event
  ) throws(BadEvent) -> Bool {
    if let mapped { return try decode(record, isLasting, by: mapped, key: key, header: header, into: arena, &event) }
    do throws(BadEvent) {
      if isLasting {
        try plain.decodeInPlace(record, key: key, into: arena, &event)
      } else {
        try plain.decode(record, key: key, into: arena, &event)
      }
    } catch {
      let fault = Self.named(error, record)
      outcomes.bad += 1
      counts.count(-1, fault.code)
      throw fault
    }
    outcomes.taken += 1
    return true
  }

  private func decode(
    _ record: Bytes, _ isLasting: Bool, by mapped: MappedDecoder, key: Bytes?, header: HeaderLookup, into arena: BumpArena,
    _ event: inout Event
  ) throws(BadEvent) -> Bool {
    if record.count > limits.recordBytes { throw .recordTooLarge(record.count, limits) }
    if !further.isEmpty { further.removeAll(keepingCapacity: true) }
    let mark = arena.mark
    do throws(BadEvent) {
      let lasting = isLasting || mapped.rewrites(record) ? record : arena.copy(record)
      var isEvent = try mapped.decode(lasting, key: key, header: header, into: arena, &event) == .event
      if mapped.isSeveral || mapped.map.hasBeside { isEvent = try decodeFurther(mapped, isEvent, into: arena, &event) }
      if mapped.leftOver >= 0 { try mapped.lookForGifts() }
      if mapped.rule >= 0 { counts.count(mapped.rule) }
      if isEvent {
        outcomes.taken &+= 1
        return true
      }
      outcomes.dropped += 1
      if counts.lacksKeys(mapped.rule, nil) { counts.note(mapped.rule, nil, mapped.keys) }
      arena.rewind(to: mark)
      return false
    } catch {
      further.removeAll(keepingCapacity: true)
      let fault = mapped.binary == nil ? Self.named(error, record) : error
      outcomes.bad += 1
      counts.count(mapped.rule, fault.code)
      if counts.lacksKeys(mapped.rule, fault.code) { counts.note(mapped.rule, fault.code, mapped.keys) }
      arena.rewind(to: mark)
      throw fault
    }
  }

  /// More gifts are read from no record: all of them stay until the last one is read.
  static let giftsMax = 1000

  /// The events of the record's further elements: all of them, or, if one is bad, none.
  @inline(never)
  private func decodeFurther(
    _ mapped: MappedDecoder, _ isFirstEvent: Bool, into arena: BumpArena, _ event: inout Event
  ) throws(BadEvent) -> Bool {
    var isEvent = isFirstEvent
    var first = (round: 0, rule: mapped.rule)
    var round = 0
    var next = Event()
    /// Gifts of other arrays beside the element that an event was made of.
    func addBeside() throws(BadEvent) {
      while let outcome = try mapped.decodeBeside(into: arena, &next) {
        if outcome == .event { try add(next) }
      }
    }
    func add(_ event: Event) throws(BadEvent) {
      if further.count + 1 >= Self.giftsMax {
        throw BadEvent(.tooLarge, "the record holds more than \(Self.giftsMax) gifts; no more are read")
      }
      further.append(event)
    }
    if isEvent { try addBeside() }
    while mapped.advance() {
      round += 1
      let mark = arena.mark
      guard try mapped.decodeElement(into: arena, &next) == .event else {
        arena.rewind(to: mark)
        // Of the reasons why a record is dropped, a rule's own one says more than what holds for all others.
        if !isEvent, mapped.isLast(first.rule), mapped.rule >= 0, !mapped.isLast(mapped.rule) { first = (round, mapped.rule) }
        continue
      }
      if !isEvent {
        event = next
        isEvent = true
        first = (round, mapped.rule)
      } else {
        try add(next)
      }
      try addBeside()
    }
    mapped.settle(first.round, rule: first.rule)
    return isEvent
  }

  /// The reason why the map last dropped a record.
  public var dropReason: String { mapped.map { "\($0.map.rules[$0.rule].reason) (\($0.map.rules[$0.rule].name))" } ?? "" }

  /// Records that are no JSON because a schema registry's serializer wrote them are called what they are.
  @inline(never)
  private static func named(_ fault: BadEvent, _ record: Bytes) -> BadEvent {
    guard fault.code == .notJSON, record.count >= 5, record[0] == 0 else { return fault }
    let schema = record[1..<5].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let advice =
      record.count > 5 && record[5] == 0x7B
      ? "if JSON follows, as it seems, a map with \"frame\": \"confluent\" reads it"
      : "a map with record reads Avro and Protobuf (docs/binary.md)"
    return BadEvent(
      .notJSON, "the record begins with byte 0 and schema id \(schema), the frame of a schema registry's serializer; \(advice)")
  }
}
