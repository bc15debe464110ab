internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// From where a partition, with one of its rooms, can be derived.
struct DerivationStart {
  let partition: Partition
  let derivation: Derivation
  /// The room, if its snapshot is newer.
  var silent: [Int64: [Room]] = [:]
  /// The entries from this offset of the journal on are run.
  let journal: Int64
  /// Where the journal stands there.
  let terms: JournalTerms
  /// Whether the room is known, and whether no room was awake.
  let isKnown: Bool
  let isEmpty: Bool
  /// Whether the group began to read there.
  private(set) var isFirst = false

  /// At a checkpoint; nil: nothing can be derived from there on.
  /// - Parameter input: the offsets that the input has, and its end.
  init?(
    at state: PartitionTopics.State, _ number: Int32, _ topics: TopicIdentity, _ reader: any ReadEdge, journalEnd: Int64,
    input: ClosedRange<Int64>, rules: ClosedRange<Rules>, log: ServiceLog
  ) throws {
    guard let checkpoint = state.checkpoint, rules.contains(checkpoint.derivation.rules), input.contains(checkpoint.input),
      checkpoint.journal <= journalEnd, try checkpoint.journal >= reader.bounds(.journal, number).first
    else { return nil }
    let terms = JournalTerms(after: checkpoint)
    // Under what settings a snapshot was taken that is newer than the checkpoint, the entries between say.
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

  /// The entry up to which the room's snapshot holds.
  private static func newestSnapshot(in state: PartitionTopics.State) throws -> Int64 {
    let (keys, decoder) = (StateKeyDecoder(), StateDecoder())
    var newest: Int64 = 0
    for case (let key, let value?) in state.records {
      try key.withUnsafeBytes { key in
        guard case .room = try keys.key(key) else { return }
        newest = max(newest, try value.withUnsafeBytes { try decoder.room($0, key: key).n })
      }
    }
    return newest
  }

  /// At the first entry of the journal, from an offset on, that says by what is derived and whose input is still there; nil: there is
  /// none.
  /// - Parameter n: only entries above this one.
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
      // A gap: what lay between is not known.
      if let last, entry.n != last.n + 1, entry.takeover == nil { derivation = nil }
      if let takeover = entry.takeover {
        derivation = takeover.derivation
        if entry.n > n, rules.contains(takeover.derivation.rules), let batch = entry.batches.first, batch.taken == 0,
          input.contains(batch.endOffset)
        {
          self.init(
            Partition(
              number, settings: takeover.derivation.engineSettings, ownSettingsMax: 0, n: entry.n - 1,
              clock: entry.clock - takeover.shift, offset: batch.endOffset, shifted: entry.shifted - takeover.shift),
            takeover.derivation, item.offset, terms, isEmpty: entry.n == 1 && takeover.reset == nil || last?.rooms == 0)
          isFirst = entry.n == 1 && takeover.reset == nil
          return
        }
      }
      _ = terms.counts(entry, at: item.offset)
      guard entry.n > n, let derivation, rules.contains(derivation.rules), let end = entry.batches.last?.endOffset,
        input.contains(end)
      else { continue }
      self.init(
        Partition(
          number, settings: derivation.engineSettings, ownSettingsMax: 0, n: entry.n, clock: entry.clock, offset: end,
          shifted: entry.shifted),
        derivation, item.offset + 1, terms, isEmpty: entry.rooms == 0)
      return
    }
    return nil
  }

  private init(
    _ partition: Partition, _ derivation: Derivation, _ journal: Int64, _ terms: JournalTerms, isEmpty: Bool
  ) {
    self.partition = partition
    self.derivation = derivation
    self.journal = journal
    self.terms = terms
    self.isEmpty = isEmpty
    isKnown = isEmpty
  }
}
