internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// A place from which a partition can be derived with one of its rooms.
struct DerivationStart {
  let partition: Partition
  let derivation: Derivation
  /// The room by the entry of its snapshot, if that is newer than the checkpoint.
  var silent: [Int64: [Room]] = [:]
  /// The offset of the journal from which entries are run.
  let journal: Int64
  /// The journal's terms at that offset.
  let terms: JournalTerms
  /// Whether the room is known, and whether no room was awake.
  let isKnown: Bool
  let isEmpty: Bool
  /// Whether the group began reading here.
  private(set) var isFirst = false
}

extension DerivationStart {
  /// Creates a start at a checkpoint, or returns nil if nothing can be derived from there.
  /// - Parameter input: The offsets of the input, including its end.
  init?(
    at state: PartitionTopics.State, _ number: Int32, _ topics: TopicIdentity, _ reader: any ReadEdge, journalEnd: Int64,
    input: ClosedRange<Int64>, rules: ClosedRange<Rules>, log: ServiceLog
  ) throws {
    guard let checkpoint = state.checkpoint, rules.contains(checkpoint.derivation.rules), input.contains(checkpoint.input),
      checkpoint.journal <= journalEnd, try checkpoint.journal >= reader.bounds(.journal, number).first
    else { return nil }
    let terms = JournalTerms(after: checkpoint)
    // The settings of a snapshot that is newer than the checkpoint are in the entries in between.
    let pages = JournalPages(number, topics, reader, from: checkpoint.journal, to: journalEnd, after: terms)
    var entries: [JournalEntry] = []
    let newest = try Self.newestSnapshot(in: state)
    while (entries.last?.n ?? checkpoint.n) < max(newest, checkpoint.n + 1), let item = try pages.next() {
      entries.append(item.entry)
    }
    let source = PartitionTopics(number, ServiceConfiguration(topics: topics), reader, log: log)
    do {
      let beginning = try source.beginning(state, entries, isLenient: false)
      partition = beginning.partition
      silent = beginning.silent
    } catch is ReplayFault {
      return nil
    }
    derivation = checkpoint.derivation
    journal = checkpoint.journal
    self.terms = terms
    isKnown = true
    isEmpty = false
  }

  /// Returns the number of the entry that the room's newest snapshot covers.
  private static func newestSnapshot(in state: PartitionTopics.State) throws -> Int64 {
    let (keys, decoder) = (StateKeyDecoder(), StateDecoder())
    var newest: Int64 = 0
    for case (let key, let value?) in state.records {
      try unsafe key.withUnsafeBytes { key in
        guard case .room = try unsafe keys.key(key) else { return }
        newest = unsafe max(newest, try value.withUnsafeBytes { try unsafe decoder.room($0, key: key).n })
      }
    }
    return newest
  }

  /// Creates a start at the first entry of the journal, from `offset` on, whose derivation is known and whose input still exists,
  /// or nil if there is none.
  /// - Parameter n: Only entries above this one are considered.
  init?(
    from offset: Int64, after n: Int64, _ number: Int32, _ topics: TopicIdentity, _ reader: any ReadEdge, journalEnd: Int64,
    input: ClosedRange<Int64>, rules: ClosedRange<Rules>
  ) throws {
    let pages = JournalPages(number, topics, reader, from: offset, to: journalEnd, after: JournalTerms())
    var derivation: Derivation?
    var terms = JournalTerms()
    var last: JournalEntry?
    while let item = try pages.next() {
      let entry = item.entry
      defer { last = entry }
      // After a gap, the derivation in effect is unknown.
      if let last, entry.n != last.n + 1, entry.takeover == nil { derivation = nil }
      if let takeover = entry.takeover {
        derivation = takeover.derivation
        if entry.n > n, rules.contains(takeover.derivation.rules), let batch = entry.batches.first, batch.taken == 0,
          input.contains(batch.endOffset)
        {
          let isFirst = entry.n == 1 && takeover.reset == nil
          let isEmpty = isFirst || last?.rooms == 0
          self.init(
            partition: Partition(
              number, settings: takeover.derivation.engineSettings, ownSettingsMax: 0, n: entry.n - 1,
              clock: entry.clock - takeover.shift, offset: batch.endOffset, shifted: entry.shifted - takeover.shift),
            derivation: takeover.derivation, journal: item.offset, terms: terms, isKnown: isEmpty, isEmpty: isEmpty,
            isFirst: isFirst)
          return
        }
      }
      _ = terms.counts(entry, at: item.offset)
      guard entry.n > n, let derivation, rules.contains(derivation.rules), let end = entry.batches.last?.endOffset,
        input.contains(end)
      else { continue }
      self.init(
        partition: Partition(
          number, settings: derivation.engineSettings, ownSettingsMax: 0, n: entry.n, clock: entry.clock, offset: end,
          shifted: entry.shifted),
        derivation: derivation, journal: item.offset + 1, terms: terms, isKnown: entry.rooms == 0, isEmpty: entry.rooms == 0)
      return
    }
    return nil
  }
}
