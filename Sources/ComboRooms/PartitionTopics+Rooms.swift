package import ComboCore
internal import ComboEdge
internal import ComboSystem
package import ComboWire

/// Restoring rooms from snapshots.
extension PartitionTopics {
  /// The state with which a replay begins.
  package struct Beginning {
    package let partition: Partition
    package let records: RoomRecords
    package let derivation: Derivation
    package let silent: [Int64: [Room]]
  }

  /// Returns the rooms of the snapshots, at the checkpoint.
  package func beginning(_ state: State, _ entries: [JournalEntry], isLenient: Bool) throws -> Beginning {
    let checkpoint = state.checkpoint
    if !isLenient, let first = entries.first?.n, first != (checkpoint?.n ?? 0) + 1 {
      throw ReplayFault(
        "the journal begins with entry \(first), "
          + (checkpoint.map { "but the checkpoint is at \($0.n): the entries between were deleted" }
            ?? "and there is no checkpoint: the entries before it were deleted")
      )
    }
    guard let derivation = checkpoint?.derivation ?? entries.first?.takeover?.derivation else {
      throw ReplayFault("the journal does not begin with a takeover, and there is no checkpoint")
    }
    let records = RoomRecords(topics, partBytes: configuration.partBytes)
    records.isRunThrough = !isLenient
    let partition = Partition(
      number, settings: derivation.engineSettings, ownSettingsMax: configuration.ownSettingsMax,
      n: checkpoint?.n ?? 0, clock: checkpoint?.clock ?? entries[0].clock - (entries[0].takeover?.shift ?? 0),
      offset: checkpoint?.input ?? entries[0].batches.first?.endOffset ?? 0, last: checkpoint?.last,
      shifted: checkpoint?.shifted ?? 0, epochLead: checkpoint?.epochLead ?? 0,
      records: records)
    var silent: [Int64: [Room]] = [:]
    let timeline = SettingsTimeline(derivation, entries)
    let keys = StateKeyDecoder()
    let decoder = StateDecoder()
    for case (let key, let value?) in state.records {
      var named: [UInt8] = []
      do {
        try key.withUnsafeBytes { key in
          guard case .room(let name) = try keys.key(key) else { return }
          named = [UInt8](name)
          try value.withUnsafeBytes { value in
            guard let room = try room(name, decoder.room(value, key: key), decoder, state, timeline, partition) else { return }
            if room.silentUpTo > partition.n { silent[room.silentUpTo, default: []].append(room) }
            partition.restore(room)
          }
        }
      } catch let fault as FormatFault where isLenient && fault.code == .broken {
        log.error("partition \(.partition, number): a room's snapshot is lost: \(.reason, fault)")
        if named.isEmpty { continue }
        // It begins anew like the others, so that its screen is cleared; the next sweep overwrites its record.
        let room = named.withUnsafeBytes {
          Room(
            $0, Engine(at: partition.clock, epoch: partition.clock + partition.epochLead, settings: partition.settings))
        }
        room.hasRecord = true
        room.parts = partCount(key, value, decoder)
        partition.restore(room)
      }
    }
    return Beginning(partition: partition, records: records, derivation: derivation, silent: silent)
  }

  /// Returns the room of a record of the state topic, or nil if it had rested by the checkpoint.
  /// - Parameter decoder: The decoder that has just read the record.
  private func room(
    _ name: Bytes, _ record: RoomRecord, _ decoder: StateDecoder, _ state: State, _ timeline: SettingsTimeline,
    _ partition: Partition
  ) throws -> Room? {
    try topics.check(record.of, "the state topic")
    let room: Room
    switch record.content {
    case .rested:
      partition.records?.foundMarker([UInt8](name), n: record.n)
      if record.n <= partition.n { return nil }
      room = Room(name, Engine(at: partition.clock, settings: partition.settings))
      room.isGhost = true
    case .state:
      room = Room(name, try decoder.engine(settings: timeline.settings(at: record.n)))
    case .parts(let count, _, _):
      let parts = try parts(count, of: name, state)
      room = Room(
        name, try withBytes(of: parts) { try decoder.engine(of: record, parts: $0, settings: timeline.settings(at: record.n)) })
      room.parts = count
    }
    room.hash = RunningHash(record.hash)
    room.hasOwn = !room.engine.own.isEmpty
    room.hasRecord = !room.isGhost
    room.changedAt = record.n
    room.snapshotAt = record.n
    if record.n > partition.n {
      room.silentUpTo = record.n
    } else {
      room.engine.shift(by: partition.shifted - record.shifted)
    }
    return room
  }

  /// Throws if the rooms at the checkpoint are not those of the entry at which it was made. If no entry came after it, nothing
  /// else would show that a room is missing. If that entry was deleted, nothing can be known.
  func checkRooms(_ partition: Partition, at checkpoint: Checkpoint) throws {
    let bounds = try kafka { () throws(EdgeError) in try reader.bounds(.journal, number) }
    let entries = try entries(of: checkpoint, bounds)
    if let found = entries.last, !entries.contains(where: { $0.rooms == partition.awake && $0.digest == partition.digest }) {
      throw ReplayFault(
        "the state topic has \(Counted.text(partition.awake, "rooms")) with digest \(String(partition.digest, radix: 16)) at the checkpoint, but"
          + " entry \(found.n) of the journal says \(found.rooms) with \(String(found.digest, radix: 16))")
    }
  }

  package func parts(_ count: Int, of name: Bytes, _ state: State) throws -> [[UInt8]] {
    let key = ByteBuffer(capacity: 512)
    return try (0..<count).map { index in
      key.removeAll()
      StateKey.part(room: name, index: index).write(to: key)
      guard let part = state[[UInt8](key.bytes)] else {
        throw FormatFault.broken("a snapshot in parts", "part \(index) of \(count) is missing")
      }
      return part
    }
  }

  func withBytes<R>(of parts: [[UInt8]], _ body: ([Bytes]) throws -> R) throws -> R {
    let joined = parts.flatMap { $0 }
    return try joined.withUnsafeBytes { all in
      var start = 0
      return try body(
        parts.map { part in
          defer { start += part.count }
          return Bytes(rebasing: all[start..<start + part.count])
        })
    }
  }

  /// Returns the known state of a partition that could not be restored: all its rooms will begin a new epoch.
  func salvage(
    _ state: State, _ journal: Journal, _ last: JournalStanding, _ bounds: (first: Int64, end: Int64), reason: String,
    offsets: Int64
  ) throws -> RestoredPartition {
    let records: RoomRecords
    let partition: Partition
    var n = last.n
    do {
      let beginning = try beginning(state, journal.entries, isLenient: true)
      partition = beginning.partition
      records = beginning.records
      n = max(n, beginning.silent.keys.max() ?? 0)
    } catch let fault as ReplayFault {
      log.error("partition \(.partition, number): its rooms are unknown: \(.reason, fault)")
      records = RoomRecords(topics, partBytes: configuration.partBytes)
      forgetRooms(of: state, records)
      partition = Partition(
        number, settings: configuration.derivation(after: nil).engineSettings, ownSettingsMax: configuration.ownSettingsMax,
        clock: last.clock, offset: 0, records: records)
    }
    let offset = last.offset ?? partition.offset
    partition.stand(
      at: n, clock: last.clock, offset: max(offset, bounds.first),
      last: offset == last.offset && offset >= bounds.first ? last.last : nil, shifted: last.shifted,
      broughtBack: journal.entries.reduce(0) { $0 + $1.broughtBack })
    warn(of: state.strangers)
    // Records before its position were consumed.
    let neverTaken = max(0, bounds.first - offset)
    return RestoredPartition(
      partition: partition, records: records, unsaid: HeldBack(), terms: journal.terms, journalEnd: journal.end,
      reset: JournalEntry.Reset(reason: reason, offsetsLost: max(offsets, neverTaken)), neverTaken: neverTaken,
      derivation: journal.newestDerivation ?? state.checkpoint?.derivation,
      summary: Self.resetSummary(number, reason: reason, neverTaken: neverTaken))
  }

  /// Returns a sentence for the log.
  static func resetSummary(_ number: Int32, reason: String, neverTaken: Int64) -> LogMessage {
    """
    RESET: partition \(.partition, number) could not be restored; all its rooms begin a new epoch, and \
    \(.records, neverTaken) records of the input were never taken in: \(.reason, reason)
    """
  }

  /// Forgets the rooms of the state topic: the next sweep overwrites their records.
  private func forgetRooms(of state: State, _ records: RoomRecords) {
    let keys = StateKeyDecoder()
    let decoder = StateDecoder()
    for case (let key, let value?) in state.records {
      key.withUnsafeBytes { bytes in
        guard case .room(let name)? = try? keys.key(bytes) else { return }
        records.foundGone([UInt8](name), parts: partCount(key, value, decoder))
      }
    }
  }

  /// Returns the number of parts of a room's snapshot that cannot be restored, so that the next sweep deletes them.
  private func partCount(_ key: [UInt8], _ value: [UInt8], _ decoder: StateDecoder) -> Int {
    let record = key.withUnsafeBytes { key in value.withUnsafeBytes { try? decoder.room($0, key: key) } }
    if case .parts(let count, _, _)? = record?.content { return count }
    return 0
  }
}

/// The service's settings that the rooms had after each entry.
private struct SettingsTimeline {
  private var changes: [(n: Int64, settings: EngineSettings)]

  init(_ first: Derivation, _ entries: [JournalEntry]) {
    changes = [(0, first.engineSettings)]
    for entry in entries {
      if let takeover = entry.takeover { changes.append((entry.n, takeover.derivation.engineSettings)) }
    }
  }

  func settings(at n: Int64) -> EngineSettings { changes.last { $0.n <= n }!.settings }
}
