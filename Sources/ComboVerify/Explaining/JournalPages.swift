internal import ComboEdge
internal import ComboWire

/// The entries of a partition's journal that count, in order. They are read in pages, so that memory does not grow with the
/// journal.
final class JournalPages {
  private let reader: any ReadEdge
  private let number: Int32
  private let end: Int64
  private var cursor: JournalCursor
  private var position: Int64
  private var page: ArraySlice<JournalReading.Item> = []

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
  func next() throws -> JournalReading.Item? {
    if page.isEmpty { try readPage() }
    return page.popFirst()
  }

  private func readPage() throws {
    if position >= end { return }
    var items: [JournalReading.Item] = []
    var last = position
    try reader.scan(.journal, number, from: position, to: end) { record in
      last = record.offset
      let taken = unsafe cursor.take(record.value, at: record.offset)
      if let entry = taken.counting { items.append(.init(offset: record.offset, entry: entry)) }
      if let fault = taken.fault { throw VerifyFault("partition \(number) of the journal, offset \(last): \(fault)") }
      return items.count < Self.pageMax
    }
    position = items.count < Self.pageMax ? end : last + 1
    page = items[...]
  }
}
