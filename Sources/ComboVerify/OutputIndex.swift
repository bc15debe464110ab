package import ComboEdge
internal import ComboSystem
internal import ComboWire

/// The hashes of this process. Their seeds are random, so that collisions cannot be constructed.
enum VerifyHash {
  private static let seeds = (one: UInt64.random(in: .min ... .max), other: UInt64.random(in: .min ... .max))

  static func one(_ bytes: Bytes) -> UInt64 { unsafe XXH3.hash(bytes, seed: seeds.one) }
  static func other(_ bytes: Bytes) -> UInt64 { unsafe XXH3.hash(bytes, seed: seeds.other) }
}

/// A room's name as 128 bits of hash, by which rooms are found.
package struct RoomKey: Hashable, Sendable {
  private let one: UInt64
  private let other: UInt64

  @inline(__always)
  package init(_ name: Bytes) {
    one = unsafe VerifyHash.one(name)
    other = unsafe VerifyHash.other(name)
  }
}

/// An index of the output topic by room, with 128 bits of hash and the position of each record. It makes the checks that any
/// reader can make: that no instruction occurs twice, that each record has the right partition and time, and that the drawing
/// equals the room's screen.
///
/// It takes 32 bytes per record, and some 300 per room and epoch. Two different records have the same hash with a probability of
/// 2^-128.
package final class OutputIndex {
  package private(set) var rooms: [RoomKey: Room] = [:]
  package private(set) var findings = Findings()
  package private(set) var records = 0
  /// The number of records with the broker's timestamp, which is not compared.
  private(set) var untimed = 0
  private let places: OutputPlaces?
  /// Records before this time are not compared.
  private let from: Int64

  /// - Parameters:
  ///   - places: The partitions in which records must be, or nil for any.
  ///   - from: The time before which records do not count, in milliseconds since the Unix epoch.
  package init(_ places: OutputPlaces? = nil, from: Int64 = .min) {
    self.places = places
    self.from = from
  }

  package func room(_ id: Bytes) -> Room? { unsafe rooms[RoomKey(id)] }

  /// Adds a record, in the order of its partition.
  /// - Parameter time: The producer's timestamp, in milliseconds since the Unix epoch, or nil if it is the broker's.
  package func add(_ record: InputRecord, time: Int64?, isOld: Bool) {
    records += 1
    let place = Place(record)
    guard let key = unsafe record.key, let value = unsafe record.value, let text = unsafe InstructionText(value) else {
      findings.add(.foreign, "the output holds a record that is not an instruction of this version (\(place))", at: .max)
      return
    }
    let seq = Int(text.seq)
    let isCompared = text.at >= from
    func fault(_ kind: Findings.Kind, _ what: String) {
      if isCompared { findings.add(kind, unsafe "\(Self.name(key, text)): \(what) (\(place))", at: text.at) }
    }
    if unsafe !Self.isRoom(key, text.room) {
      fault(.foreign, unsafe "the record's key is \(Sentence.quoted(String(decoding: key, as: UTF8.self))), not the room")
    }
    let room = unsafe self.room(key, record.partition)
    if room.isMisplaced { fault(.place, "it stands in a partition that is not its room's") }
    if time == nil { untimed += 1 }
    if let time, time != text.at { fault(.place, "its record's time is \(time), not \(text.at)") }
    let epoch = self.epoch(of: room, text, seq)
    let entry = unsafe Entry(
      hash: VerifyHash.one(value), otherHash: VerifyHash.other(value), offset: record.offset, partition: record.partition,
      isOld: isOld, isCompared: isCompared)
    if seq >= epoch.end {
      if epoch.append(entry, seq, at: text.at) { epoch.client.loseTrack() }
      if let what = epoch.client.draw(text) { fault(.screen, what) }
      if let newest = room.epochs.last, newest !== epoch { epoch.continued(at: place, after: newest.epoch) }
    } else if let first = epoch.entry(seq) {
      addRepetition(entry, after: first, of: epoch, seq, at: text.at)
    } else {
      // It is compared like any other. Before the first record seen, it may repeat one that was deleted.
      if seq >= epoch.begunAt {
        fault(.sequence, "it stands behind seq \(epoch.end - 1)")
      } else if isCompared {
        epoch.repetitions.append(Repetition(seq: seq, place: place, at: text.at, isLate: true))
      }
      epoch.insert(entry, seq, at: text.at)
    }
  }

  private func room(_ key: Bytes, _ partition: Int32) -> Room {
    let hash = unsafe RoomKey(key)
    if let room = rooms[hash] { return room }
    let room = unsafe Room([UInt8](key), partition, isMisplaced: places?.mayHold(partition, key) == false)
    rooms[hash] = room
    return room
  }

  private func epoch(of room: Room, _ text: InstructionText, _ seq: Int) -> Epoch {
    if let known = room.epoch(text.epoch) { return known }
    let new = Epoch(room, text.epoch, firstSeq: seq, at: text.at)
    room.insert(new)
    return new
  }

  /// Registers a `seq` that occurs again.
  private func addRepetition(_ entry: Entry, after first: Entry, of epoch: Epoch, _ seq: Int, at: Int64) {
    if !entry.isCompared { return }
    if first.hash == entry.hash, first.otherHash == entry.otherHash {
      epoch.repetitions.append(Repetition(seq: seq, place: Place(entry), at: at, isLate: false))
      return
    }
    findings.add(
      .sequence,
      "room \(epoch.room.text), epoch \(epoch.epoch): seq \(seq) occurs twice, and says something else the second time"
        + " (\(Place(first)), then \(Place(entry)))", at: at)
  }

  /// Adds the contents of the index of other partitions.
  func merge(_ other: OutputIndex) {
    records += other.records
    untimed += other.untimed
    findings.merge(other.findings)
    for (key, theirs) in other.rooms {
      guard let ours = rooms[key] else {
        rooms[key] = theirs
        continue
      }
      // The output has more partitions now, and the room has moved.
      for epoch in theirs.epochs {
        guard let known = ours.epoch(epoch.epoch) else {
          ours.insert(epoch)
          continue
        }
        known.join(epoch) { first, entry, seq, at in addRepetition(entry, after: first, of: known, seq, at: at) }
      }
    }
  }

  /// Completes the index after the last record.
  package func finish() {
    for room in rooms.values {
      for epoch in room.epochs where epoch.repetitions.count > 1 { epoch.repetitions.sort { $0.seq < $1.seq } }
    }
  }

  private static func name(_ key: Bytes, _ text: InstructionText) -> String {
    unsafe "room \(String(decoding: key, as: UTF8.self)), epoch \(text.epoch), seq \(text.seq)"
  }

  private static func isRoom(_ key: Bytes, _ name: Bytes) -> Bool {
    if unsafe !name.contains(UInt8(ascii: "\\")) { return unsafe name.elementsEqual(key) }
    return unsafe InstructionCursor.meaning(name).elementsEqual(key)
  }
}

package struct Place: CustomStringConvertible, Sendable {
  package var partition: Int32
  package var offset: Int64

  package init(_ record: InputRecord) { (partition, offset) = (record.partition, record.offset) }
  package init(_ entry: OutputIndex.Entry) { (partition, offset) = (entry.partition, entry.offset) }

  package var description: String { "output \(text)" }
  package var text: String { "partition \(partition), offset \(offset)" }
}
