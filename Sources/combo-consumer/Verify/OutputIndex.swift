internal import ComboCore
internal import ComboWire

/// What the output topic says, room by room: of each record 128 bits of hash and where it stands.
///
/// 40 bytes a record. Two records that differ have the same hash with a probability of 2^-128.
final class OutputIndex {
  /// A record that was read.
  struct Entry {
    var hash: UInt64
    var otherHash: UInt64
    var offset: Int64
    var partition: Int32
    /// Whether it stood there before the journal was read, and so must have been derived from it.
    var isOld: Bool
  }

  /// The records of one epoch of a room, by `seq`.
  final class Epoch {
    let epoch: Int64
    var entries: ContiguousArray<Entry> = []
    /// How many of them have been derived.
    var derived = 0
    init(_ epoch: Int64) { self.epoch = epoch }
  }

  /// A room's epochs, rising.
  final class Room {
    var epochs: [Epoch] = []
  }

  private var rooms: [[UInt8]: Room] = [:]
  private(set) var records = 0

  var roomCount: Int { rooms.count }

  func room(_ id: Bytes) -> Room? { rooms[[UInt8](id)] }

  /// Takes a record in, in the order of its partition. Throws what is wrong with its place: each room's `seq` must rise by one.
  func add(_ record: InputRecord, isOld: Bool) throws {
    records += 1
    let place = "partition \(record.partition), offset \(record.offset)"
    guard let key = record.key, let value = record.value, let head = InstructionHead(value) else {
      throw VerifyFault("the output holds something that is no instruction (\(place))")
    }
    let name = [UInt8](key)
    let room = rooms[name] ?? Room()
    if room.epochs.isEmpty { rooms[name] = room }
    if room.epochs.last?.epoch != head.epoch {
      if let last = room.epochs.last, last.epoch > head.epoch {
        throw VerifyFault(
          "room \(text(key)) says something of epoch \(head.epoch) after epoch \(last.epoch) has begun (\(place))")
      }
      room.epochs.append(Epoch(head.epoch))
    }
    let epoch = room.epochs.last!
    let expected = epoch.entries.count + 1
    if head.seq != expected {
      throw VerifyFault(
        "room \(text(key)), epoch \(head.epoch): seq \(head.seq) stands where \(expected) should (\(place)): "
          + (head.seq < expected ? "it was said twice" : "something is missing"))
    }
    epoch.entries.append(
      Entry(
        hash: XXH3.hash(value), otherHash: XXH3.hash(value, seed: 1), offset: record.offset, partition: record.partition,
        isOld: isOld))
  }

  /// What was not derived though it must have been: the first such record, and how many there are.
  func notDerived() -> (first: String, count: Int)? {
    var first: String?
    var count = 0
    for (name, room) in rooms.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      for epoch in room.epochs {
        for (index, entry) in epoch.entries.enumerated() where index >= epoch.derived && entry.isOld {
          count += 1
          first =
            first
            ?? "room \(String(decoding: name, as: UTF8.self)), epoch \(epoch.epoch), seq \(index + 1) (partition \(entry.partition), "
            + "offset \(entry.offset)) cannot be derived from the input and the journal"
        }
      }
    }
    return first.map { ($0, count) }
  }
}

/// What a difference is, in a sentence.
struct VerifyFault: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The epoch and `seq` of an instruction, as they stand at the beginning of its record.
struct InstructionHead {
  let epoch: Int64
  let seq: Int

  /// nil: it does not look like one.
  init?(_ record: Bytes) {
    // {"v":1,"room":"…","epoch":N,"seq":N,
    let prefix: StaticString = #"{"v":1,"room":""#
    guard record.count > prefix.utf8CodeUnitCount,
      record.prefix(prefix.utf8CodeUnitCount).elementsEqual(
        UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
    else { return nil }
    var i = prefix.utf8CodeUnitCount
    while i < record.count, record[i] != UInt8(ascii: "\"") { i += record[i] == UInt8(ascii: "\\") ? 2 : 1 }
    func number(after name: StaticString) -> Int64? {
      let length = name.utf8CodeUnitCount
      guard i + length < record.count else { return nil }
      for k in 0..<length where record[i + k] != name.utf8Start[k] { return nil }
      i += length
      var value: Int64 = 0
      let start = i
      while i < record.count, record[i] >= 0x30, record[i] <= 0x39, i - start < 18 {
        value = value * 10 + Int64(record[i] - 0x30)
        i += 1
      }
      return i > start ? value : nil
    }
    guard let epoch = number(after: #"","epoch":"#), let seq = number(after: #","seq":"#) else { return nil }
    self.epoch = epoch
    self.seq = Int(seq)
  }
}

func text(_ id: Bytes) -> String { String(decoding: id, as: UTF8.self) }
