public import ComboCore
public import ComboEdge
public import ComboMaps
public import ComboWire

/// Receives the contents of the input's records. The loop, a restore and an audit each have one: they differ in who runs the
/// rooms, and in where bad records go.
@usableFromInline
package protocol RecordReceiver {
  associatedtype Fault: Error = Never

  /// The arena for the bytes of events.
  var arena: BumpArena { get }
  /// The slot for the next event.
  func slot() -> UnsafeMutablePointer<Event>
  /// Called for a gift that is older than the maximum age: the partition does not see it.
  func wasTooOld(_ event: UnsafePointer<Event>)
  /// Whether the partition is to see an event at all.
  func isAdmitted(_ event: UnsafePointer<Event>, own: OwnSettings?) -> Bool
  /// Called when a room is to process the event in the slot that was requested last.
  func take(_ event: UnsafeMutablePointer<Event>, own: OwnSettings?, by room: Unmanaged<Room>) throws(Fault)
  /// Called for an event without effect: it closes or retracts in a room that is not awake, or the room's snapshot contains it
  /// already.
  func wasPassedOver(_ event: UnsafePointer<Event>)
  /// Called for a record that the map drops. The decoder has the reason.
  func wasDropped(_ record: InputRecord, by decoder: RecordDecoder)
  func hadNoValue()
  /// Called for a record that names a schema which the map does not have.
  /// - Returns: What is bad about the record; nil if it is not consumed, and will be delivered again.
  func lacksSchema(_ id: String, of record: InputRecord, _ bad: BadEvent) -> BadEvent?
  /// Called if the record, or an event that it holds, is to go to the dead-letter topic.
  func wasBad(_ record: InputRecord, _ bad: BadEvent) throws(Fault)
}

extension RecordReceiver {
  @inlinable @inline(__always) package func isAdmitted(_ event: UnsafePointer<Event>, own: OwnSettings?) -> Bool { true }
  @inlinable @inline(__always) package func wasPassedOver(_ event: UnsafePointer<Event>) {}
  @inlinable package func wasDropped(_ record: InputRecord, by decoder: RecordDecoder) {}
  @inlinable package func hadNoValue() {}
  @inlinable package func lacksSchema(_ id: String, of record: InputRecord, _ bad: BadEvent) -> BadEvent? { bad }
}

/// Passes a record to the rooms of its partition: it is decoded, and the room of each event is found or made. The service,
/// restores and audits all use it, and so derive the same from a record at the same time. One thread.
@usableFromInline
package struct RecordIntake {
  @usableFromInline package let decoder: RecordDecoder

  package init(_ decoder: RecordDecoder) { self.decoder = decoder }

  /// - Parameter now: The time at which the record is consumed, by the partition's clock, as the journal keeps it.
  // Inlinable, or the loop would call it unspecialised, through witness tables: 8 % of the CPU of a backlog.
  @inlinable @inline(__always)
  package func take<Receiver: RecordReceiver>(
    _ record: InputRecord, into partition: Partition, at now: Int64, to receiver: Receiver
  ) throws(Receiver.Fault) {
    guard let value = record.value else {
      receiver.hadNoValue()
      return
    }
    // During an upgrade not all partitions of an instance are under the same rules.
    if decoder.rules != partition.settings.rules { decoder.rules = partition.settings.rules }
    let fate = try decoder.forEachEvent(
      of: value, isLasting: record.isLasting, key: record.key, header: { record.withLastHeader($0, $1) }, into: receiver.arena,
      slot: { receiver.slot() }
    ) { (event, own) throws(Receiver.Fault) in
      if decoder.limits.isTooOld(event, at: now, recordTime: { record.time?.ms }) {
        receiver.wasTooOld(event)
        return
      }
      if !receiver.isAdmitted(event, own: own) { return }
      switch partition.route(event, own: own, offset: record.offset, at: now) {
      case .room(let room): try receiver.take(event, own: own, by: room)
      case .nowhere: receiver.wasPassedOver(event)
      case .tooManyOwnSettings:
        partition.deadLettered()
        try receiver.wasBad(record, .tooManyOwnSettings(partition.ownSettingsMax))
      }
    }
    switch fate {
    case .events: break
    case .dropped: receiver.wasDropped(record, by: decoder)
    case .bad(var bad):
      if let id = decoder.takeUnknownSchema() {
        guard let known = receiver.lacksSchema(id, of: record, bad) else {
          decoder.uncount(bad)
          return
        }
        bad = known
      }
      partition.deadLettered()
      try receiver.wasBad(record, bad)
    }
  }
}
