internal import ComboCore
internal import ComboEdge
internal import ComboMaps
internal import ComboRooms
internal import ComboWire

/// One run of entries from a start on, for a ``PartitionExplainer``.
final class ExplainingPass: EntryObserver {
  private let explainer: PartitionExplainer
  private let pages: JournalPages
  /// The checkpoint at which it ends, if the room is not known by then, or nil if there is none.
  private let unknownUpTo: Int64?
  private let mayBeTooLate: Bool
  /// The number of the entry in progress, and its offset in the journal.
  private(set) var current: (n: Int64, journal: Int64)
  private(set) var isAtCheckpoint = false
  /// Whether the room became known only after the beginning of the requested span.
  private(set) var isTooLate = false
  /// Whether the input has no more records, so that entries are needed only for gifts in progress.
  var isAtEnd = false

  init(
    _ explainer: PartitionExplainer, _ pages: JournalPages, _ start: DerivationStart, unknownUpTo: Int64?, mayBeTooLate: Bool
  ) {
    self.explainer = explainer
    self.pages = pages
    self.unknownUpTo = unknownUpTo
    self.mayBeTooLate = mayBeTooLate
    current = (start.partition.n, start.journal)
  }

  /// Whether no more records are needed.
  var isOver: Bool { isAtCheckpoint || isTooLate || explainer.isStopped }

  var checksEntries: Bool { false }

  func nextEntry() throws -> JournalEntry? {
    if isOver || (isAtEnd && explainer.trail.isEmpty) { return nil }
    guard let item = try pages.next() else { return nil }
    if let unknownUpTo, item.entry.n > unknownUpTo, !explainer.knowledge.isKnown {
      isAtCheckpoint = true
      return nil
    }
    current = (item.entry.n, item.offset)
    if let takeover = item.entry.takeover { explainer.processTakeover(takeover, at: item.entry.clock) }
    return item.entry
  }

  func admits(_ event: UnsafePointer<Event>, _ own: OwnSettings?, at now: Int64) -> Bool {
    unsafe explainer.admits(event, own, at: now)
  }

  func take(_ event: UnsafePointer<Event>, _ own: OwnSettings?, by room: Room, at now: Int64, outbox: Outbox) {
    unsafe explainer.process(event, own, by: room, at: now, outbox: outbox)
  }

  func wasTooOld(_ event: UnsafePointer<Event>, at now: Int64) { unsafe explainer.processOld(event, at: now) }

  func wasDropped(_ record: InputRecord, by decoder: RecordDecoder, at now: Int64) {
    explainer.missedUnread(record, .dropped, decoder.dropReason, at: now)
  }

  func wasBad(_ record: InputRecord, _ bad: BadEvent, at now: Int64) {
    explainer.missedUnread(record, .deadLetter, "\(bad)", at: now)
  }

  func wasSkipped(_ record: InputRecord, by reset: JournalEntry.Reset) { explainer.passedOver(record, reset) }

  func ended(_ recorded: JournalEntry, _ derived: JournalEntry) throws {
    if try explainer.ended(recorded, derived), mayBeTooLate { isTooLate = recorded.clock > explainer.question.since }
  }
}
