package import ComboCore
package import ComboEdge
package import ComboMaps
internal import ComboSystem
package import ComboWire

/// Provides the entries that an ``EntryRunner`` derives again, and receives what happens in them. By default its methods do
/// nothing. One thread.
package protocol EntryObserver: AnyObject {
  /// Whether the input, and the number and digest of the rooms, must match those of each entry.
  var checksEntries: Bool { get }

  /// Returns the next entry of the journal, or nil if there is none yet.
  func nextEntry() throws -> JournalEntry?
  /// Returns whether an event, with the settings that it brings, is consumed.
  func admits(_ event: UnsafePointer<Event>, _ own: OwnSettings?, at now: Int64) -> Bool
  /// Passes an event to its room.
  func take(_ event: UnsafePointer<Event>, _ own: OwnSettings?, by room: Room, at now: Int64, outbox: Outbox)
  /// Called for each gift that is older than the maximum age.
  func wasTooOld(_ event: UnsafePointer<Event>, at now: Int64)
  /// Called for each record that the map drops. The decoder has the reason.
  func wasDropped(_ record: InputRecord, by decoder: RecordDecoder, at now: Int64)
  /// Called for each record that is not an event.
  func wasBad(_ record: InputRecord, _ bad: BadEvent, at now: Int64) throws
  /// Called for each record that a reset in the entries skipped.
  func wasSkipped(_ record: InputRecord, by reset: JournalEntry.Reset)
  /// Called after each entry, with the journal's figures and the derived ones.
  func ended(_ recorded: JournalEntry, _ derived: JournalEntry) throws
}

extension EntryObserver {
  package var checksEntries: Bool { true }
  package func admits(_ event: UnsafePointer<Event>, _ own: OwnSettings?, at now: Int64) -> Bool { true }
  package func take(_ event: UnsafePointer<Event>, _ own: OwnSettings?, by room: Room, at now: Int64, outbox: Outbox) {
    room.take(event, own: own, at: now, outbox: outbox)
  }
  package func wasTooOld(_ event: UnsafePointer<Event>, at now: Int64) {}
  package func wasDropped(_ record: InputRecord, by decoder: RecordDecoder, at now: Int64) {}
  package func wasBad(_ record: InputRecord, _ bad: BadEvent, at now: Int64) throws {}
  package func wasSkipped(_ record: InputRecord, by reset: JournalEntry.Reset) {}
  package func ended(_ recorded: JournalEntry, _ derived: JournalEntry) throws {}
}

extension JournalEntry {
  /// Returns a fault if the last record of `derived`, this entry derived again, is not the one that was consumed.
  package func inputFault(_ derived: JournalEntry) -> ReplayFault? {
    guard let taken = last, let found = derived.last, taken != found else { return nil }
    return ReplayFault(
      "the record at offset \(derived.batches.last!.endOffset - 1), the last of entry \(n), is not the one that was taken in: the"
        + " input was truncated or recreated")
  }

  /// Returns a fault if the rooms after `derived`, this entry derived again, are not those that the journal has.
  package func roomsFault(_ derived: JournalEntry) -> ReplayFault? {
    if derived.rooms == rooms && derived.digest == digest { return nil }
    return ReplayFault(
      "after entry \(n) the derivation has \(Counted.text(derived.rooms, "rooms")) with digest \(String(derived.digest, radix: 16)), but the journal"
        + " says \(rooms) with \(String(digest, radix: 16))")
  }
}
