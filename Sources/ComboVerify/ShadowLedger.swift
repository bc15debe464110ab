package import ComboCore
internal import ComboEdge
package import ComboRooms

/// The instructions of a shadow and of the output that wait for their counterparts. Used by one thread.
///
/// If every byte must be the same, the counterpart has the same room, epoch and `seq`. If the options differ, so do the numbers;
/// then the counterpart has the same room, and its other bytes are the same.
package final class ShadowLedger: InstructionTarget {
  private struct Key: Hashable {
    let room: RoomKey
    let one: Int64
    let other: Int64
  }

  private struct Derived {
    let record: [UInt8]
    let partition: Int32
    let n: Int64
  }

  private struct Written {
    let record: [UInt8]
    let place: Place
    let round: Int
  }

  /// The entry that is being run, or nil if what is derived is not compared.
  var entry: (partition: Int32, n: Int64)?
  /// Whether every byte must be the same.
  var isStrict = true
  var report = ShadowReport()
  /// Receives the first differences, as sentences.
  private let notify: (String) -> Void
  private var derived: [Key: [Derived]] = [:]
  private var written: [Key: [Written]] = [:]
  /// The size of all records that wait for their counterparts.
  private(set) var bytes = 0

  init(notify: @escaping (String) -> Void) { self.notify = notify }

  // MARK: - Derived instructions

  package func said(_ record: Bytes, _ instruction: Instruction, by room: Room) {
    guard let entry else { return }
    unsafe count(record, \.here)
    let key = unsafe key(room.id, record, instruction.epoch, Int64(instruction.seq))
    if let other = removeFirst(&written, key, size: \.record.count) {
      if unsafe !isStrict || record.elementsEqual(other.record) {
        report.equal += 1
      } else {
        unsafe changed(room.id, instruction.epoch, Int64(instruction.seq), other.record, [UInt8](record), "\(other.place)")
      }
      return
    }
    unsafe derived[key, default: []].append(Derived(record: [UInt8](record), partition: entry.partition, n: entry.n))
    bytes += record.count
  }

  /// Discards the derived instructions of a partition, as its derivation starts again.
  func discard(_ partition: Int32) {
    remove(&derived) { own in
      if own.partition != partition { return false }
      bytes -= own.record.count
      report.uncompared += 1
      return true
    }
  }

  func discardAll() {
    report.uncompared += derived.values.reduce(0) { $0 + $1.count } + written.values.reduce(0) { $0 + $1.count }
    derived = [:]
    written = [:]
    bytes = 0
  }

  // MARK: - Instructions of the output

  /// Processes the next record of the output.
  func read(_ record: InputRecord, round: Int) {
    let place = Place(record)
    guard let room = unsafe record.key, let value = unsafe record.value, let text = unsafe InstructionText(value) else {
      report.onlyInGroup += 1
      differs("the output holds a record that is not an instruction of this version (\(place))")
      return
    }
    unsafe count(value, \.group)
    let key = unsafe key(room, value, text.epoch, text.seq)
    if let own = removeFirst(&derived, key, size: \.record.count) {
      if unsafe !isStrict || value.elementsEqual(own.record) {
        report.equal += 1
      } else {
        unsafe changed(room, text.epoch, text.seq, [UInt8](value), own.record, "\(place)")
      }
      return
    }
    unsafe written[key, default: []].append(Written(record: [UInt8](value), place: place, round: round))
    bytes += value.count
  }

  /// Ends a round. Each instruction that must have its counterpart by now, but has none, is a difference.
  /// - Parameters:
  ///   - isSaid: Whether all output of an entry is in the topic.
  ///   - isOurs: Whether a record of the output must have been derived.
  func settle(round: Int, isSaid: (_ partition: Int32, _ n: Int64) -> Bool, isOurs: (Place) -> Bool, isAtLeastOnce: Bool) {
    remove(&derived) { own in
      if !isSaid(own.partition, own.n) { return false }
      bytes -= own.record.count
      report.onlyHere += 1
      differs(
        "derived in input partition \(own.partition), entry \(own.n), but the output does not have it: \(Self.text(own.record))")
      return true
    }
    remove(&written) { other in
      if other.round >= round { return false }
      bytes -= other.record.count
      if !isOurs(other.place) {
        report.uncompared += 1
      } else if isAtLeastOnce, isStrict {
        report.repeated += 1
      } else {
        report.onlyInGroup += 1
        differs("\(other.place) holds what was not derived: \(Self.text(other.record))")
      }
      return true
    }
  }

  /// Removes the instructions that `isDone` has counted.
  private func remove<Item>(_ items: inout [Key: [Item]], _ isDone: (Item) -> Bool) {
    for (key, all) in items {
      let kept = all.filter { !isDone($0) }
      if kept.count < all.count { items[key] = kept.isEmpty ? nil : kept }
    }
  }

  // MARK: - Keys

  private func key(_ room: Bytes, _ record: Bytes, _ epoch: Int64, _ seq: Int64) -> Key {
    if isStrict { return unsafe Key(room: RoomKey(room), one: epoch, other: seq) }
    let (before, after) = unsafe Self.withoutNumber(record)
    func mixed(_ hash: (Bytes) -> UInt64) -> Int64 {
      unsafe Int64(bitPattern: hash(before) &* 0x9e37_79b9_7f4a_7c15 ^ hash(after))
    }
    return unsafe Key(room: RoomKey(room), one: mixed(VerifyHash.one), other: mixed(VerifyHash.other))
  }

  /// Returns an instruction's bytes before and after its `seq`. The name cannot be part of a string, where quotes have
  /// backslashes.
  private static func withoutNumber(_ record: Bytes) -> (before: Bytes, after: Bytes) {
    let name = Array(#","seq":"#.utf8)
    var start = 0
    while start + name.count <= record.count, unsafe !record[start..<start + name.count].elementsEqual(name) { start += 1 }
    var end = min(record.count, start + name.count)
    while end < record.count, unsafe record[end] != UInt8(ascii: ",") { end += 1 }
    return unsafe (Bytes(rebasing: record[..<min(start, record.count)]), Bytes(rebasing: record[end...]))
  }

  private func removeFirst<Item>(_ items: inout [Key: [Item]], _ key: Key, size: (Item) -> Int) -> Item? {
    guard var all = items[key] else { return nil }
    let item = all.removeFirst()
    items[key] = all.isEmpty ? nil : all
    bytes -= size(item)
    return item
  }

  // MARK: - Words

  private func count(_ record: Bytes, _ side: WritableKeyPath<ShadowReport.Count, Int>) {
    if !isStrict {
      unsafe report.operations[String(decoding: OutputHeader.operation(record), as: UTF8.self), default: .init()][
        keyPath: side] += 1
    }
  }

  private func changed(_ room: Bytes, _ epoch: Int64, _ seq: Int64, _ output: [UInt8], _ own: [UInt8], _ place: String) {
    report.changed += 1
    differs(
      unsafe "room \(String(decoding: room, as: UTF8.self)), epoch \(epoch), seq \(seq): the output says \(Self.text(output)) (\(place)), here it is"
        + " \(Self.text(own))")
  }

  func differs(_ sentence: @autoclosure () -> String) {
    guard isStrict, let new = report.add(sentence()) else { return }
    notify(new)
  }

  private static func text(_ record: [UInt8]) -> String { String(decoding: record.prefix(400), as: UTF8.self) }
}
