extension OutputIndex {
  /// A record of the output.
  package struct Entry {
    package var hash: UInt64
    var otherHash: UInt64
    package var offset: Int64
    package var partition: Int32
    /// Whether it existed before the journal was read, so that the journal must have its entry.
    var isOld: Bool
    /// Whether it belongs to the time to compare.
    var isCompared: Bool
  }

  /// A record that occurs again, or out of order.
  struct Repetition {
    var seq: Int
    var place: Place
    var at: Int64
    /// Whether only later ones precede it: it was repeated and its first occurrence is gone, or it is out of order.
    var isLate: Bool
  }

  /// Records with consecutive `seq`.
  package struct Run {
    let firstSeq: Int
    /// The time of the first record.
    package let at: Int64
    package var entries: ContiguousArray<Entry> = []

    /// The `seq` after the last one.
    package var end: Int { firstSeq + entries.count }
  }

  /// The records of one epoch of a room, by `seq`.
  package final class Epoch {
    package let room: Room
    package let epoch: Int64
    /// The `seq` of the first record in the partition.
    let begunAt: Int
    /// All runs but the last, ascending. There are some only if records are missing.
    package private(set) var earlier: [Run] = []
    private var last: Run
    private(set) var firstAt: Int64
    private(set) var lastAt: Int64
    package var client: ScreenClient
    /// The place where the epoch continued after later ones had begun, and the newest that had, if it did.
    package private(set) var late: (place: Place, newest: Int64)?
    /// The repetitions, sorted by `seq` once the index is finished.
    var repetitions: [Repetition] = []

    package init(_ room: Room, _ epoch: Int64, firstSeq: Int, at: Int64) {
      self.room = room
      self.epoch = epoch
      begunAt = firstSeq
      last = Run(firstSeq: firstSeq, at: at)
      firstAt = at
      lastAt = at
      client = ScreenClient(isWhole: firstSeq == 1)
    }

    var runs: [Run] { earlier + [last] }
    /// The `seq` of the first record; above 1 if those before are missing.
    var firstSeq: Int { (earlier.first ?? last).firstSeq }
    /// The `seq` after the last one.
    package var end: Int { last.end }

    /// Returns the record with this `seq`, if it exists.
    @inline(__always)
    package func entry(_ seq: Int) -> Entry? {
      if seq >= last.firstSeq { return seq < last.end ? last.entries[seq - last.firstSeq] : nil }
      return earlier.isEmpty ? nil : earlierEntry(seq)
    }

    private func earlierEntry(_ seq: Int) -> Entry? {
      let index = firstEarlier(behind: seq) - 1
      guard index >= 0, seq < earlier[index].end else { return nil }
      return earlier[index].entries[seq - earlier[index].firstSeq]
    }

    /// Returns the index of the first earlier run that begins after a `seq`.
    private func firstEarlier(behind seq: Int) -> Int {
      var (low, high) = (0, earlier.count)
      while low < high {
        let middle = (low + high) / 2
        if earlier[middle].firstSeq <= seq { low = middle + 1 } else { high = middle }
      }
      return low
    }

    /// Returns the repetition of this `seq`, if there is one.
    func repetition(_ seq: Int) -> Repetition? {
      var (low, high) = (0, repetitions.count)
      while low < high {
        let middle = (low + high) / 2
        if repetitions[middle].seq < seq { low = middle + 1 } else { high = middle }
      }
      return low < repetitions.count && repetitions[low].seq == seq ? repetitions[low] : nil
    }

    /// Appends a record that follows all others.
    /// - Returns: Whether records before it are missing.
    package func append(_ entry: Entry, _ seq: Int, at: Int64) -> Bool {
      let isGap = seq > last.end
      if isGap {
        earlier.append(last)
        last = Run(firstSeq: seq, at: at)
      }
      last.entries.append(entry)
      lastAt = max(lastAt, at)
      return isGap
    }

    /// Registers a record that comes after the beginning of a later epoch.
    package func continued(at place: Place, after newest: Int64) {
      if late.map({ $0.newest < newest }) ?? true { late = (place, newest) }
    }

    /// Inserts a record that was missing before the last run.
    func insert(_ entry: Entry, _ seq: Int, at: Int64) {
      let index = firstEarlier(behind: seq)
      if index > 0, earlier[index - 1].end == seq {
        earlier[index - 1].entries.append(entry)
      } else {
        earlier.insert(Run(firstSeq: seq, at: at, entries: [entry]), at: index)
      }
      lastAt = max(lastAt, at)
    }

    /// Adds the records of the same epoch in another partition.
    /// - Parameter twice: Called for each record that both have, with the one, the other, their `seq`, and an approximate time.
    package func join(_ other: Epoch, twice: (Entry, Entry, Int, Int64) -> Void) {
      var joined: [Run] = []
      for run in (runs + other.runs).sorted(by: { $0.firstSeq < $1.firstSeq }) {
        guard let before = joined.last, run.firstSeq <= before.end else {
          joined.append(run)
          continue
        }
        let overlap = min(before.end - run.firstSeq, run.entries.count)
        for index in 0..<overlap {
          twice(before.entries[run.firstSeq - before.firstSeq + index], run.entries[index], run.firstSeq + index, run.at)
        }
        joined[joined.count - 1].entries += run.entries.dropFirst(overlap)
      }
      last = joined.removeLast()
      earlier = joined
      repetitions += other.repetitions
      if let other = other.late { continued(at: other.place, after: other.newest) }
      firstAt = min(firstAt, other.firstAt)
      lastAt = max(lastAt, other.lastAt)
      client.loseTrack()
    }
  }

  /// A room with its epochs, ascending.
  package final class Room {
    package let name: [UInt8]
    /// The partition of the output that has the room's first record.
    package let partition: Int32
    /// Whether that partition is not one of the room's.
    let isMisplaced: Bool
    private(set) var epochs: [Epoch] = []

    package init(_ name: [UInt8], _ partition: Int32, isMisplaced: Bool) {
      self.isMisplaced = isMisplaced
      self.name = name
      self.partition = partition
    }

    package func epoch(_ epoch: Int64) -> Epoch? {
      // Usually the last one, or the one before.
      for candidate in epochs.reversed() where candidate.epoch <= epoch { return candidate.epoch == epoch ? candidate : nil }
      return nil
    }

    func insert(_ epoch: Epoch) {
      let index = epochs.lastIndex { $0.epoch < epoch.epoch }.map { $0 + 1 } ?? 0
      epochs.insert(epoch, at: index)
    }

    package var text: String { String(decoding: name, as: UTF8.self) }
  }
}
