package import ComboEdge
internal import ComboSystem
package import ComboWire

/// The records of a partition in its topics.
extension PartitionTopics {
  /// The partition's records in the state topic.
  package struct State {
    package var checkpoint: Checkpoint?
    /// The newest value of each key but the checkpoint's; nil: it was deleted. In the order in which the keys first came, so
    /// that the same topic always leads to the same order of work.
    package private(set) var records: [(key: [UInt8], value: [UInt8]?)] = []
    private var places: [[UInt8]: Int] = [:]
    /// The keys that are none of the service's, each with the offset of its newest record. A room has nothing in them.
    fileprivate var strange: [[UInt8]: Int64] = [:]

    /// How many such keys there are, and their first offset; nil: none.
    package var strangers: Strangers? {
      strange.values.min().map { Strangers(count: strange.count, offset: $0) }
    }

    package init() {}

    /// Whether there is nothing but a checkpoint, if at all.
    package var isEmpty: Bool { !records.contains { $0.value != nil } }

    package subscript(key: [UInt8]) -> [UInt8]? {
      get { places[key].flatMap { records[$0].value } }
      set {
        if let place = places[key] {
          records[place].value = newValue
        } else {
          places[key] = records.count
          records.append((key, newValue))
        }
      }
    }
  }

  /// Records of the state topic with keys that are none of the service's.
  package struct Strangers {
    package let count: Int
    /// Of the first.
    package let offset: Int64
  }

  /// - Parameter end: nil: all of it.
  package func readState(upTo end: Int64? = nil) throws -> State {
    var bounds = try kafka { () throws(EdgeError) in try reader.bounds(.state, number) }
    bounds.end = end ?? bounds.end
    var state = State()
    var checkpoint: (key: [UInt8], value: [UInt8])?
    let keys = StateKeyDecoder()
    try read(.state, from: bounds.first, to: bounds.end) { record in
      guard let key = record.key else { return true }
      do throws(FormatFault) {
        if case .checkpoint = try keys.key(key) {
          checkpoint = record.value.map { ([UInt8](key), [UInt8]($0)) }
        } else {
          state[[UInt8](key)] = record.value.map { [UInt8]($0) }
        }
      } catch {
        // Somebody else's record, or a damaged one of a room: that the room is missing then shows in the digest.
        state.strange[[UInt8](key)] = record.value == nil ? nil : record.offset
      }
      return true
    }
    if let checkpoint {
      do {
        state.checkpoint = try checkpoint.value.withUnsafeBytes { value in
          try checkpoint.key.withUnsafeBytes { key in try StateDecoder().checkpoint(value, key: key) }
        }
      } catch let fault as FormatFault {
        guard fault.code == .broken else { throw Stop.refused(fault.description) }
        // Without it everything is run through again, as far as it is still there; the digest proves it or does not.
        log.error("partition \(.partition, number): its checkpoint is lost: \(.reason, fault)")
      }
      if let checkpoint = state.checkpoint, checkpoint.topics != topics {
        throw Stop.refused(topics.foreign("the state topic", of: checkpoint.topics))
      }
    }
    return state
  }

  /// Says once of what is in the state topic that it is not the service's.
  func warn(of strangers: Strangers?) {
    guard let strangers else { return }
    log.warning(
      """
      partition \(.partition, number) of the state topic holds records that are not this service's: \(.count, strangers.count), the first \
      at offset \(.offset, strangers.offset). They are ignored. Find out who writes to it
      """)
  }

  /// The journal's entries above the checkpoint, or all.
  package struct Journal {
    /// The entries that count.
    package var entries: [JournalEntry] = []
    package var terms: JournalTerms
    /// Up to this offset it was read.
    package var end: Int64
    /// The fault of the first broken record.
    package var broken: FormatFault?

    /// That of the last takeover; nil: there is none.
    package var newestDerivation: Derivation? { entries.last { $0.takeover != nil }?.takeover?.derivation }

    package init(terms: JournalTerms, end: Int64) {
      self.terms = terms
      self.end = end
    }
  }

  package func readJournal(from: Int64, to: Int64, _ state: State) throws -> Journal {
    let decoder = JournalDecoder()
    var journal = Journal(terms: JournalTerms(after: state.checkpoint), end: to)
    var refused: FormatFault?
    try read(.journal, from: from, to: to) { record in
      guard let value = record.value else { return true }
      do throws(FormatFault) {
        let entry = try decoder.entry(value)
        try topics.check(entry.of, "the journal", of: entry.takeover?.topics)
        if journal.terms.counts(entry, at: record.offset) { journal.entries.append(entry) }
      } catch {
        // Records of a newer version, or of another group, must not be thrown away; broken records are no state.
        switch error.code {
        case .newer, .foreign: refused = error
        case .broken: journal.broken = journal.broken ?? error
        }
      }
      return refused == nil
    }
    if let refused { throw Stop.refused(refused.description) }
    return journal
  }

  /// The first error of `take` ends the reading, and is thrown.
  package func read(
    _ topic: Topic, _ other: Int32? = nil, from: Int64, to: Int64, _ take: (InputRecord) throws -> Bool
  ) throws {
    var fault: (any Error)?
    try kafka { () throws(EdgeError) in
      try reader.read(topic, other ?? number, from: from, to: to, unless: { cancellation.isCancelled }) { record in
        do {
          return try take(record)
        } catch {
          fault = error
          return false
        }
      }
    }
    if cancellation.isCancelled { throw Stop.cancelled }
    if let fault { throw fault }
  }

  package func kafka<R>(_ body: () throws(EdgeError) -> R) throws -> R {
    do throws(EdgeError) { return try body() } catch { throw Stop.kafka(error) }
  }
}
