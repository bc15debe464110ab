public import ComboCore
public import ComboWire

/// Turns records into events, as in wire.md or by a map. Each thread needs its own. It does not allocate in the steady state.
public final class RecordDecoder {
  /// Calls `body` with the value of a record's header, if it has one of that name.
  public typealias HeaderLookup = (_ name: String, _ body: (Bytes) -> Void) -> Void

  private let plain: EventDecoder
  let mapped: MappedDecoder?
  /// The map, or nil if records are events as in wire.md.
  public let map: RecordMap?
  /// The rules that apply to the events of the next records.
  public var rules: Rules {
    didSet {
      plain.rules = rules
      mapped?.checks.rules = rules
    }
  }

  /// - Parameters:
  ///   - limits: The limits of an event.
  ///   - map: The map, or nil if records are events as in wire.md.
  ///   - rules: The rules that apply to the events.
  public init(limits: WireLimits = WireLimits(), map: RecordMap? = nil, rules: Rules = .newest) {
    self.map = map
    self.rules = rules
    plain = EventDecoder(limits: limits, rules: rules)
    mapped = map.map { MappedDecoder($0.compiled, limits: limits) }
    mapped?.checks.rules = rules
    counts = RuleCounts(rules: map?.compiled.rules.count ?? 0)
  }

  /// The events beyond the first, if a map reads several from one record. They remain valid as long as the first.
  @exclusivity(unchecked) public private(set) var further: [Event] = []

  /// The results so far.
  @exclusivity(unchecked) public private(set) var outcomes = RecordOutcomes()
  @exclusivity(unchecked) private var counts: RuleCounts

  /// The results by rule, the most frequent first.
  public var rows: [RecordOutcomes.Row] { counts.rows(mapped.map { Array($0.map.rules) } ?? []).map(\.row) }

  /// The most frequent reason why records became no event, with the member names of one such record.
  public var commonestLoss: (row: RecordOutcomes.Row, keys: String)? {
    counts.rows(mapped.map { Array($0.map.rules) } ?? []).first { $0.row.outcome != "event" }
  }

  /// Returns the id of the schema that the last bad record named and the map lacks, and clears it, or returns nil if the record
  /// was bad for another reason.
  @usableFromInline package func takeUnknownSchema() -> String? { mapped?.binary?.takeUnknown()?.description }

  /// Removes the last record, which was bad, from the counts, because it will be decoded again.
  @usableFromInline package func uncount(_ bad: BadEvent) {
    outcomes.bad -= 1
    counts.uncount(mapped?.rule ?? -1, bad.code)
  }

  /// The limits of an event.
  public var limits: WireLimits { plain.limits }

  /// The settings of the last decoded event, if it was a `room_settings`.
  public var own: OwnSettings { mapped?.own ?? plain.own }

  /// Decodes a record's value to an event.
  ///
  /// - Parameters:
  ///   - record: The value. It is not needed afterwards, unless it is lasting.
  ///   - isLasting: Whether the value stays unchanged while the event is in use, with ``BumpArena/padding`` readable bytes after
  ///     it. If so, it is not copied (see ``EventDecoder/decodeInPlace(_:key:into:_:)``).
  ///   - key: The record's key, or nil if it has none. It is not needed afterwards.
  ///   - header: Looks up the value of the record's last header of a name. It is called only for the names in the map.
  ///   - arena: The arena for the bytes of the event. A bad record leaves no bytes in it.
  ///   - event: The event to fill.
  /// - Returns: Whether the record is an event; false if the map drops it.
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
    if !further.isEmpty { further.removeAll(keepingCapacity: true) }
    let mark = arena.mark
    do throws(BadEvent) {
      if record.count > limits.recordBytes {
        mapped.forgetRecord()
        throw .recordTooLarge(record.count, limits)
      }
      let lasting = isLasting || mapped.rewrites(record) ? record : arena.copy(record)
      var isEvent = try mapped.decode(lasting, key: key, header: header, into: arena, &event)
      if mapped.isSeveral || mapped.map.hasBeside { isEvent = try decodeFurther(mapped, isEvent, into: arena, &event) }
      if mapped.leftOver >= 0 { try mapped.searchForGifts() }
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

  /// The maximum number of gifts of one record. All of them stay in memory until the last one is read.
  static let giftsMax = 1000

  /// Decodes the events of the record's further elements: all of them, or none if one is bad.
  @inline(never)
  private func decodeFurther(
    _ mapped: MappedDecoder, _ isFirstEvent: Bool, into arena: BumpArena, _ event: inout Event
  ) throws(BadEvent) -> Bool {
    var isEvent = isFirstEvent
    var first = (round: 0, rule: mapped.rule)
    var round = 0
    var next = Event()
    /// Adds gifts of other arrays besides the element that an event was made of.
    func addBeside() throws(BadEvent) {
      while let isEvent = try mapped.decodeBeside(into: arena, &next) {
        if isEvent { try add(next) }
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
      guard try mapped.decodeElement(into: arena, &next) else {
        arena.rewind(to: mark)
        // A rule's own reason for dropping the record is more specific than that of the rule for all others.
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

  /// The map's reason for dropping the last record.
  public var dropReason: String { mapped.map { "\($0.map.rules[$0.rule].reason) (\($0.map.rules[$0.rule].name))" } ?? "" }

  /// Returns a fault that explains the frame of a schema registry's serializer, if that is why a record is not JSON.
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
