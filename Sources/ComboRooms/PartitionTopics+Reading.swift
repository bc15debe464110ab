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
    package internal(set) var cursor: JournalCursor
    /// Which entries count from there on.
    package var terms: JournalTerms { cursor.terms }
    /// Up to this offset it was read.
    package var end: Int64
    /// The fault of the first broken record.
    package var broken: FormatFault?

    /// That of the last takeover; nil: there is none.
    package var newestDerivation: Derivation? { entries.last { $0.takeover != nil }?.takeover?.derivation }

    fileprivate init(_ cursor: JournalCursor, end: Int64) {
      self.cursor = cursor
      self.end = end
    }

    /// Takes the next record in.
    /// - Returns: its fault, if nothing may be concluded from it.
    fileprivate mutating func take(_ value: Bytes?, at offset: Int64) -> FormatFault? {
      let taken = cursor.take(value, at: offset)
      switch taken {
      case .none, .entry, .overtaken: break
      case .first: entries = []
      case .foreign(_, let fault), .newer(let fault): return fault
      case .broken(let fault): broken = broken ?? fault
      }
      if let entry = taken.counting { entries.append(entry) }
      return nil
    }
  }

  package func readJournal(from: Int64, to: Int64, _ state: State) throws -> Journal {
    var journal = Journal(JournalCursor(topics, after: state.checkpoint), end: to)
    var refused: FormatFault?
    try read(.journal, from: from, to: to) { record in
      refused = journal.take(record.value, at: record.offset)
      return refused == nil
    }
    if let refused { throw Stop.refused(refused.description) }
    return journal
  }

  /// Where the partition stands by the journal, read without running anything. While a member writes entries, there may be newer ones.
  package struct Standing {
    /// The newest entry that counts; nil: there is none, or it was deleted.
    package var entry: JournalEntry?
    /// By what its records become events and instructions since; nil: it has not begun.
    package var derivation: Derivation?
  }

  /// Reads the state topic, and the journal above the checkpoint. May be used by any thread.
  package func standing() throws(EdgeError) -> Standing {
    do {
      return try readStanding()
    } catch Stop.kafka(let error) {
      throw error
    } catch Stop.refused(let reason) {
      throw EdgeError(.other, reason)
    } catch {
      throw EdgeError(.other, "\(error)")
    }
  }

  private func readStanding() throws -> Standing {
    let state = try readState()
    let bounds = try kafka { () throws(EdgeError) in try reader.bounds(.journal, number) }
    var standing = Standing(derivation: state.checkpoint?.derivation)
    if let checkpoint = state.checkpoint { standing.entry = try entries(of: checkpoint, bounds).last }
    let journal = try readJournal(from: max(state.checkpoint?.journal ?? 0, bounds.first), to: bounds.end, state)
    standing.entry = journal.entries.last ?? standing.entry
    standing.derivation = journal.newestDerivation ?? standing.derivation
    return standing
  }

  /// The entries with the number of the one at which a checkpoint was made: where an entry was aborted, another has its number too.
  /// - Parameter bounds: of the journal.
  func entries(of checkpoint: Checkpoint, _ bounds: (first: Int64, end: Int64)) throws -> [JournalEntry] {
    var cursor = JournalCursor(topics)
    var found: [JournalEntry] = []
    let from = max(bounds.first, checkpoint.journal - Self.marksMax)
    try read(.journal, from: from, to: min(checkpoint.journal, bounds.end)) { record in
      if let entry = cursor.take(record.value, at: record.offset).own, entry.n == checkpoint.n { found.append(entry) }
      return true
    }
    return found
  }

  /// So many offsets below the checkpoint's, at most, is its entry: the others are marks of transactions.
  private static let marksMax: Int64 = 64

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
