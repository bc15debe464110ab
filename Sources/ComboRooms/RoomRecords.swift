internal import ComboCore
package import ComboWire

/// The records of a partition's rooms in the state topic, and the sweep that updates them.
///
/// A sweep begins right after a commit, at the entry `start.n`. Bit by bit it writes every room whose state then differed from
/// its last snapshot, each as it is at the time of writing; a room that has rested meanwhile is written as *rested*. With the
/// last of them it writes the checkpoint, and deletes what was written as rested up to `start.n`. An abort discards all of this
/// with the partition; the topic is then read again.
package final class RoomRecords {
  /// The beginning of a sweep.
  package struct Start {
    package var n: Int64
    package var clock: Int64
    package var shifted: Int64
    package var offset: Int64
    package var last: UInt64?
    /// The offset from which on the journal holds the entries above `n`.
    package var journalOffset: Int64
    /// The owner's term, in at-least-once delivery.
    package var term: Int64?
    package var derivation: Derivation
  }

  private struct Sweep {
    var start: Start
    /// The place in the table up to which rooms have been read, and the number of places at the start.
    var cursor = 0
    var places: Int
    /// Names of rooms that have rested, each with the number of parts of its snapshot.
    var rested: [(name: [UInt8], parts: Int)]
  }

  private var sweep: Sweep?
  /// Rooms that have rested though their record is a snapshot, with its number of parts.
  private var gone: [(name: [UInt8], parts: Int)] = []
  /// Rooms whose record is *rested*, with the entry in which that was written.
  private var markers: [[UInt8]: Int64] = [:]
  /// The names of these rooms, in the order in which they were marked; some may have lost their marker since.
  private var marked: [[UInt8]] = []
  private let encoder: StateEncoder
  private let keyBuffer = ByteBuffer(capacity: 512)
  /// Whether entries are being replayed. The topic may then hold a snapshot of any room that was awake, though none was seen, for
  /// example if the topic is read without its end. It must not come back to life once the room has rested, now or later.
  var isRunThrough = false
  /// Whether nobody sweeps, so that rested rooms need not be remembered.
  package var isOnlyRead = false
  /// Records consumed since the start of the last sweep.
  package var takenSince = 0
  /// Their bytes, except those of a restore.
  package var bytesSince = 0
  /// Bytes written by the call in progress.
  private var bytes = 0

  private let topics: TopicIdentity

  package init(_ topics: TopicIdentity, partBytes: Int) {
    self.topics = topics
    encoder = StateEncoder(topics: topics, partBytes: partBytes)
  }

  package var isSweeping: Bool { sweep != nil }

  // MARK: - Events of the partition

  /// Called when a room has rested and is removed.
  package func rested(_ room: Room) {
    if isOnlyRead { return }
    if let sweep, Int(room.index) >= sweep.cursor, Int(room.index) < sweep.places {
      self.sweep!.rested.append(([UInt8](room.id), room.parts))
    } else if room.hasRecord || isRunThrough {
      gone.append(([UInt8](room.id), room.parts))
    }
  }

  /// Records, while restoring, that the topic holds a snapshot of a room that is not awake.
  func foundGone(_ name: [UInt8], parts: Int) { gone.append((name, parts)) }

  /// Records, while restoring, that the topic has a room as rested in entry `n`.
  func foundMarker(_ name: [UInt8], n: Int64) { mark(name, n) }

  // MARK: - Sweeping

  /// Begins a sweep at the entry that was just committed.
  package func begin(_ partition: Partition, journalOffset: Int64, term: Int64?, derivation: Derivation) {
    precondition(sweep == nil, "a sweep is under way")
    precondition(!partition.hasNews, "a checkpoint is that of an entry")
    sweep = Sweep(
      start: Start(
        n: partition.n, clock: partition.clock, shifted: partition.shifted, offset: partition.offset,
        last: partition.last, journalOffset: journalOffset, term: term, derivation: derivation),
      places: partition.table.placeCount, rested: gone)
    gone = []
    takenSince = 0
    bytesSince = 0
  }

  /// Writes the next part of the sweep, about `budget` bytes, in the transaction of entry `partition.n`.
  /// - Returns: The number of bytes, and whether the sweep is complete, the checkpoint included.
  package func write(
    _ partition: Partition, budget: Int, to writer: StateTopicWriter, _ quiet: borrowing Quiescence
  ) -> (bytes: Int, isDone: Bool) {
    guard var sweep else { return (0, true) }
    precondition(
      !partition.hasNews && partition.n >= sweep.start.n, "a snapshot is that of an entry, and not before its checkpoint")
    self.sweep = nil  // so that what is written here changes it in one place
    bytes = 0
    while bytes < budget, sweep.cursor < sweep.places {
      if sweep.cursor < partition.table.placeCount, let room = partition.table.room(at: sweep.cursor),
        room.changedAt > room.snapshotAt
      {
        write(room, partition, to: writer)
      }
      sweep.cursor += 1
    }
    while bytes < budget, let (name, parts) = sweep.rested.popLast() {
      let room = name.withUnsafeBytes { partition.table.find($0) }
      if let room {
        room.parts = max(room.parts, parts)
        if room.snapshotAt < sweep.start.n { write(room, partition, to: writer) }
      } else {
        writeRested(name, parts: parts, partition, to: writer)
      }
    }
    let isDone = sweep.cursor >= sweep.places && sweep.rested.isEmpty
    if isDone {
      writeCheckpoint(sweep.start, partition, to: writer)
    } else {
      self.sweep = sweep
    }
    return (bytes, isDone)
  }

  private func write(_ room: Room, _ partition: Partition, to writer: StateTopicWriter) {
    let parts = encoder.room(
      room.id, room.engine, n: partition.n, shifted: partition.shifted, hash: room.hash.value
    ) { put($0, $1, writer) }
    deleteParts(from: parts, to: room.parts, room.id, writer)
    room.parts = parts
    room.hasRecord = true
    room.snapshotAt = partition.n
    if !markers.isEmpty { markers[[UInt8](room.id)] = nil }
  }

  private func writeRested(_ name: [UInt8], parts: Int, _ partition: Partition, to writer: StateTopicWriter) {
    name.withUnsafeBytes { name in
      encoder.rested(name, n: partition.n, shifted: partition.shifted) { put($0, $1, writer) }
      deleteParts(from: 0, to: parts, name, writer)
    }
    mark(name, partition.n)
  }

  private func writeCheckpoint(_ start: Start, _ partition: Partition, to writer: StateTopicWriter) {
    let checkpoint = Checkpoint(
      n: start.n, clock: start.clock, shifted: start.shifted, input: start.offset, last: start.last,
      journal: start.journalOffset, term: start.term, epochLead: partition.epochLead,
      derivation: start.derivation, topics: topics)
    encoder.checkpoint(checkpoint) { put($0, $1, writer) }
    // A room that had rested before the sweep began is known to have rested by now.
    var later: [[UInt8]] = []
    for name in marked {
      guard let n = markers[name] else { continue }
      if n > start.n {
        later.append(name)
        continue
      }
      name.withUnsafeBytes { name in
        keyBuffer.removeAll()
        StateKey.room(name).write(to: keyBuffer)
        put(keyBuffer.bytes, nil, writer)
      }
      markers[name] = nil
    }
    marked = later
  }

  private func mark(_ name: [UInt8], _ n: Int64) {
    if markers.updateValue(n, forKey: name) == nil { marked.append(name) }
  }

  private func deleteParts(from first: Int, to end: Int, _ name: Bytes, _ writer: StateTopicWriter) {
    if first >= end { return }
    for index in first..<end {
      keyBuffer.removeAll()
      StateKey.part(room: name, index: index).write(to: keyBuffer)
      put(keyBuffer.bytes, nil, writer)
    }
  }

  private func put(_ key: Bytes, _ value: Bytes?, _ writer: StateTopicWriter) {
    writer.write(key: key, value: value)
    bytes += key.count + (value?.count ?? 0)
  }
}
