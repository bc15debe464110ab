internal import ComboEdge
internal import ComboRooms
internal import ComboWire

/// The entries of a partition's journal that count, in order. They are read in pages, so that memory does not grow with the
/// journal.
final class JournalPages {
  typealias Item = JournalReading.Item

  private let reader: any ReadEdge
  private let number: Int32
  private let end: Int64
  private var cursor: JournalCursor
  private var position: Int64
  private var page: ArraySlice<Item> = []

  /// The number of entries per page; each further page costs a request to the broker.
  private static let pageMax = 20_000

  /// - Parameters:
  ///   - terms: The terms of the journal before `position`.
  ///   - end: The offset after the last record to read.
  init(
    _ number: Int32, _ topics: TopicIdentity, _ reader: any ReadEdge, from position: Int64, to end: Int64,
    after terms: JournalTerms
  ) {
    self.reader = reader
    self.number = number
    cursor = JournalCursor(topics, after: terms)
    self.position = position
    self.end = end
  }

  /// Returns the next entry, or nil if there is none. Throws a ``VerifyFault`` if a record belongs to another group or cannot be
  /// read.
  func next() throws -> Item? {
    if page.isEmpty { try readPage() }
    return page.popFirst()
  }

  private func readPage() throws {
    if position >= end { return }
    var items: [Item] = []
    var fault: FormatFault?
    var last = position
    try reader.read(.journal, number, from: position, to: end, unless: { false }) { record in
      last = record.offset
      let taken = unsafe cursor.take(record.value, at: record.offset)
      if let entry = taken.counting { items.append(Item(offset: record.offset, entry: entry)) }
      fault = taken.fault
      return fault == nil && items.count < Self.pageMax
    }
    if let fault { throw VerifyFault("partition \(number) of the journal, offset \(last): \(fault)") }
    position = items.count < Self.pageMax ? end : last + 1
    page = items[...]
  }
}
