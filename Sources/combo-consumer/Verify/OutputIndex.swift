internal import ComboCore
internal import ComboWire

/// A room's name in 128 bits of hash: what rooms are found by.
struct RoomKey: Hashable, Sendable {
  private let one: UInt64
  private let other: UInt64

  @inline(__always)
  init(_ name: Bytes) {
    one = XXH3.hash(name)
    other = XXH3.hash(name, seed: 1)
  }
}

/// What the output topic says, room by room: of each record 128 bits of hash and where it stands. Checks on the way in what
/// any reader can: that nothing is missing or said twice, and that what is drawn is what the room says of its screen.
///
/// 32 bytes a record, and some 300 a room and epoch. Two records that differ have the same hash with a probability of 2^-128.
final class OutputIndex {
  /// A record that was read; all zero where one is missing.
  struct Entry {
    var hash: UInt64
    var otherHash: UInt64
    var offset: Int64
    var partition: Int32
    /// It stood there before the journal was read, and so must have been derived from it.
    var isOld: Bool
    /// It belongs to the time that is to be compared.
    var isCompared: Bool
    var isMissing = false
  }

  /// A record that stood there again.
  struct Repetition {
    var seq: Int
    var place: Place
    var at: Int64
  }

  /// The records of one epoch of a room, by `seq`.
  final class Epoch {
    let room: Room
    let epoch: Int64
    /// The `seq` of the first one: above 1 if those before were deleted.
    fileprivate(set) var firstSeq: Int
    fileprivate(set) var entries: ContiguousArray<Entry> = []
    fileprivate(set) var client: ScreenClient
    /// Where it went on after a later epoch had begun, if it did.
    fileprivate(set) var late: Place?
    fileprivate(set) var repetitions: [Repetition] = []
    fileprivate(set) var firstAt: Int64

    fileprivate init(_ room: Room, _ epoch: Int64, firstSeq: Int, at: Int64) {
      self.room = room
      self.epoch = epoch
      self.firstSeq = firstSeq
      firstAt = at
      client = ScreenClient(isWhole: firstSeq == 1)
    }

    var lastAt: Int64 { max(firstAt, client.lastAt) }
    /// The `seq` behind the last one.
    var end: Int { firstSeq + entries.count }
    /// The record of that `seq`, if it is there.
    func entry(_ seq: Int) -> Entry? {
      guard seq >= firstSeq, seq < end else { return nil }
      let entry = entries[seq - firstSeq]
      return entry.isMissing ? nil : entry
    }
  }

  /// A room's epochs, rising.
  final class Room {
    let name: [UInt8]
    /// Of the output; where its first record stood.
    let partition: Int32
    fileprivate(set) var epochs: [Epoch] = []

    fileprivate init(_ name: [UInt8], _ partition: Int32) {
      self.name = name
      self.partition = partition
    }

    func epoch(_ epoch: Int64) -> Epoch? {
      // Usually the last one, or the one before.
      for candidate in epochs.reversed() where candidate.epoch <= epoch { return candidate.epoch == epoch ? candidate : nil }
      return nil
    }

    var text: String { String(decoding: name, as: UTF8.self) }
  }

  private(set) var rooms: [RoomKey: Room] = [:]
  private(set) var findings = Findings()
  private(set) var records = 0
  /// Records before this time are not compared.
  private let from: Int64

  /// - Parameter from: only records from this time on count, in milliseconds since the Unix epoch.
  init(from: Int64 = .min) { self.from = from }

  func room(_ id: Bytes) -> Room? { rooms[RoomKey(id)] }

  /// Holes larger than this are not kept as such.
  private static let holeMax = 1 << 20

  /// Takes a record in, in the order of its partition.
  func add(_ record: InputRecord, isOld: Bool) {
    records += 1
    let place = Place(record)
    guard let key = record.key, let value = record.value, let text = InstructionText(value) else {
      findings.add(.foreign, "the output holds something that is no instruction of this version (\(place))", at: .max)
      return
    }
    let seq = Int(text.seq)
    let isCompared = text.at >= from
    func fault(_ kind: Findings.Kind, _ what: String) {
      if isCompared { findings.add(kind, "\(Self.name(key, text)): \(what) (\(place))", at: text.at) }
    }
    if !Self.isRoom(key, text.room) {
      fault(.foreign, "the record's key is \(Sentence.quoted(String(decoding: key, as: UTF8.self))), not the room")
    }
    let room = self.room(key, record.partition)
    let epoch = self.epoch(of: room, text, place, seq)
    let entry = Entry(
      hash: XXH3.hash(value), otherHash: XXH3.hash(value, seed: 1), offset: record.offset, partition: record.partition,
      isOld: isOld, isCompared: isCompared)
    if seq < epoch.end {
      repeated(entry, of: epoch, seq, text, place)
      return
    }
    let missing = seq - epoch.end
    if missing > 0 {
      fault(.sequence, "seq \(seq) stands where \(epoch.end) should: \(missing == 1 ? "one is" : "\(missing) are") missing")
      epoch.client.loseTrack()
      if missing > Self.holeMax { return }
      for _ in 0..<missing {
        epoch.entries.append(
          Entry(hash: 0, otherHash: 0, offset: -1, partition: -1, isOld: false, isCompared: false, isMissing: true))
      }
    }
    epoch.entries.append(entry)
    if let what = epoch.client.draw(text) { fault(.screen, what) }
    if epoch !== room.epochs.last, epoch.late == nil { epoch.late = place }
  }

  private func room(_ key: Bytes, _ partition: Int32) -> Room {
    let hash = RoomKey(key)
    if let room = rooms[hash] { return room }
    let room = Room([UInt8](key), partition)
    rooms[hash] = room
    return room
  }

  private func epoch(of room: Room, _ text: InstructionText, _ place: Place, _ seq: Int) -> Epoch {
    if let known = room.epoch(text.epoch) { return known }
    let new = Epoch(room, text.epoch, firstSeq: seq, at: text.at)
    let index = room.epochs.lastIndex { $0.epoch < new.epoch }.map { $0 + 1 } ?? 0
    room.epochs.insert(new, at: index)
    return new
  }

  private func repeated(
    _ entry: Entry, of epoch: Epoch, _ seq: Int, _ text: InstructionText, _ place: Place
  ) {
    guard let first = epoch.entry(seq) else { return }  // the first one was deleted, or is missing and was told
    if first.hash != entry.hash || first.otherHash != entry.otherHash {
      if entry.isCompared {
        findings.add(
          .sequence,
          "room \(epoch.room.text), epoch \(epoch.epoch): seq \(seq) stands twice, and says something else the second time"
            + " (\(Place(first)), then \(place))", at: text.at)
      }
      return
    }
    if entry.isCompared { epoch.repetitions.append(Repetition(seq: seq, place: place, at: text.at)) }
  }

  /// Takes over all that another one holds, of other partitions.
  func merge(_ other: OutputIndex) {
    records += other.records
    findings.merge(other.findings)
    for (key, theirs) in other.rooms {
      guard let ours = rooms[key] else {
        rooms[key] = theirs
        continue
      }
      // The output has gained partitions, and the room has moved.
      for epoch in theirs.epochs { merge(epoch, into: ours) }
    }
  }

  private func merge(_ epoch: Epoch, into room: Room) {
    guard let known = room.epoch(epoch.epoch) else {
      let index = room.epochs.lastIndex { $0.epoch < epoch.epoch }.map { $0 + 1 } ?? 0
      room.epochs.insert(epoch, at: index)
      return
    }
    let (one, two) = known.firstSeq <= epoch.firstSeq ? (known, epoch) : (epoch, known)
    let entries = one.entries + two.entries.dropFirst(max(0, one.end - two.firstSeq))
    (known.firstSeq, known.entries) = (one.firstSeq, entries)
    known.repetitions += epoch.repetitions
    known.client.loseTrack()
  }

  private static func name(_ key: Bytes, _ text: InstructionText) -> String {
    "room \(String(decoding: key, as: UTF8.self)), epoch \(text.epoch), seq \(text.seq)"
  }

  private static func isRoom(_ key: Bytes, _ name: Bytes) -> Bool {
    if !name.contains(UInt8(ascii: "\\")) { return name.elementsEqual(key) }
    return TextCursor.meaning(name).elementsEqual(key)
  }
}

/// Where a record stands.
struct Place: CustomStringConvertible, Sendable {
  var partition: Int32
  var offset: Int64

  init(_ record: InputRecord) { (partition, offset) = (record.partition, record.offset) }
  init(_ entry: OutputIndex.Entry) { (partition, offset) = (entry.partition, entry.offset) }

  var description: String { "output partition \(partition), offset \(offset)" }
}

func text(_ id: Bytes) -> String { String(decoding: id, as: UTF8.self) }
