import ComboCore
import ComboEdge
import ComboRooms
import ComboWire

/// The output that a group's journal and input lead to, derived by the test itself.
struct DerivedOutput {
  /// The instructions of each room, in order.
  private(set) var said: [String: [[UInt8]]] = [:]

  init(_ group: TestGroup) throws {
    let journals = try group.journal()
    let input = Dictionary(grouping: try group.records(of: group.names.input)) { $0.partition! }
    let topics = TopicIdentity(group: group.group, input: group.names.input, output: group.names.output)
    let target = Target()
    for (number, entries) in journals.enumerated() where !entries.isEmpty {
      let takeover = entries[0].takeover!
      let partition = Partition(
        Int32(number), settings: takeover.derivation.engineSettings, ownSettingsMax: 10_000,
        clock: entries[0].clock - takeover.shift, offset: entries[0].batches[0].endOffset)
      let runner = try EntryRunner(
        partition, derivation: takeover.derivation, topics: topics, outbox: Outbox(target), observer: Entries(entries))
      for record in input[Int32(number)] ?? [] where record.offset >= partition.offset {
        try record.value!.withUnsafeBytes { value in
          try (record.key ?? []).withUnsafeBytes { key in
            try runner.take(
              InputRecord(partition: Int32(number), offset: record.offset, key: record.key == nil ? nil : key, value: value))
          }
        }
      }
      try runner.finish()
    }
    said = target.said
  }

  /// Returns the difference from an output, ignoring repeats, or nil if there is none.
  func difference(from records: [TestRecord]) -> String? {
    var found: [String: [[UInt8]]] = [:]
    var seen: [String: Set<[UInt8]>] = [:]
    for record in records {
      let room = String(decoding: record.key!, as: UTF8.self)
      // No two instructions of a room are equal, as they are numbered.
      if seen[room, default: []].insert(record.value!).inserted { found[room, default: []].append(record.value!) }
    }
    for room in Set(found.keys).union(said.keys).sorted() where found[room] != said[room] {
      let (one, other) = (said[room] ?? [], found[room] ?? [])
      let index = zip(one, other).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(one.count, other.count)
      return "room \(room): \(one.count) derived, \(other.count) found, different from number \(index) on"
    }
    return nil
  }

  private final class Entries: EntryObserver {
    private var rest: IndexingIterator<[JournalEntry]>
    init(_ entries: [JournalEntry]) { rest = entries.makeIterator() }
    func nextEntry() -> JournalEntry? { rest.next() }
  }

  private final class Target: InstructionTarget {
    var said: [String: [[UInt8]]] = [:]

    func said(_ record: Bytes, _ instruction: Instruction, by room: Room) {
      said[String(decoding: room.id, as: UTF8.self), default: []].append([UInt8](record))
    }
  }
}
