package import ComboEdge
internal import ComboSystem
package import ComboWire

extension PartitionTopics {
  /// The partition's records in the state topic.
  package struct State {
    package var checkpoint: Checkpoint?
    /// The newest value of each key but the checkpoint's; nil if it was deleted. In the order in which the keys first appeared,
    /// so that the same topic always leads to the same order of work.
    package private(set) var records: [(key: [UInt8], value: [UInt8]?)] = []
    private var places: [[UInt8]: Int] = [:]
    /// The keys that are not the service's, each with the offset of its newest record. No room has data in them.
    fileprivate var strange: [[UInt8]: Int64] = [:]

    /// The number of such keys, and their first offset; nil if none.
    package var strangers: Strangers? {
      strange.values.min().map { Strangers(count: strange.count, offset: $0) }
    }

    package init() {}

    /// Whether there is at most a checkpoint.
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

  /// Records of the state topic with keys that are not the service's.
  package struct Strangers {
    package let count: Int
    /// The offset of the first one.
    package let offset: Int64
  }

  package func readState() throws -> State {
    let bounds = try kafka { () throws(EdgeError) in try reader.bounds(.state, number) }
    return try readState(from: bounds.first, to: bounds.end)
  }

  func readState(from: Int64, to: Int64) throws -> State {
    var state = State()
    var checkpoint: (key: [UInt8], value: [UInt8])?
    let keys = StateKeyDecoder()
    try read(.state, from: from, to: to) { record in
      guard let key = record.key else { return true }
      do throws(FormatFault) {
        if case .checkpoint = try keys.key(key) {
          checkpoint = record.value.map { ([UInt8](key), [UInt8]($0)) }
        } else {
          state[[UInt8](key)] = record.value.map { [UInt8]($0) }
        }
      } catch {
        // Another program's record, or a damaged one of a room: the digest then shows that the room is missing.
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
        // Without it everything still there is replayed; the digest proves the result or does not.
        log.error("partition \(.partition, number): its checkpoint is lost: \(.reason, fault)")
      }
      if let checkpoint = state.checkpoint, checkpoint.topics != topics {
        throw Stop.refused(topics.foreign("the state topic", of: checkpoint.topics))
      }
    }
    return state
  }

  /// Logs a warning if the state topic holds records that are not the service's.
  func warn(of strangers: Strangers?) {
    guard let strangers else { return }
    log.warning(
      """
      partition \(.partition, number) of the state topic holds records that are not this service's: \(.count, strangers.count), the first \
      at offset \(.offset, strangers.offset). They are ignored. Find out who writes to it
      """)
  }

  /// The journal's entries above the checkpoint, or all entries.
  package struct Journal {
    /// The entries that count.
    package var entries: [JournalEntry] = []
    package internal(set) var cursor: JournalCursor
    /// The terms that decide which of the later entries count.
    package var terms: JournalTerms { cursor.terms }
    /// The offset up to which it was read.
    package var end: Int64
    /// The fault of the first broken record.
    package var broken: FormatFault?

    /// The derivation of the last takeover; nil if none.
    package var newestDerivation: Derivation? { entries.last { $0.takeover != nil }?.takeover?.derivation }

    fileprivate init(_ cursor: JournalCursor, end: Int64) {
      self.cursor = cursor
      self.end = end
    }

    /// Processes the next record.
    /// - Returns: Its fault, if nothing may be concluded from it.
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

  /// The position of the partition according to the journal, read without a replay. While a member writes entries, there may be
  /// newer ones.
  package struct Standing {
    /// The newest entry that counts; nil if none, or it was deleted.
    package var entry: JournalEntry?
    /// The current derivation of events and instructions; nil if the partition has not begun.
    package var derivation: Derivation?
  }

  /// Reads the state topic, and the journal above the checkpoint. May be called on any thread.
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

  /// Returns the entries with the number of the entry at which a checkpoint was made. If an entry was aborted, another one has
  /// its number too.
  /// - Parameter bounds: The bounds of the journal.
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

  /// The maximum distance from the checkpoint's offset down to its entry: all offsets between are transaction markers.
  private static let marksMax: Int64 = 64

  /// Reads records. The first error of `take` ends the reading, and is thrown.
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
