package import ComboCore
package import ComboEdge
internal import ComboWire
internal import Synchronization

/// Records that are not produced yet: the output of an entry until the journal holds it, or the first records of a transaction.
///
/// Rooms of several threads add to it concurrently, each keeping its own order. It is reused, so that the steady state has no
/// allocations.
// Sendable: all of its state is used under `lock`.
package final class HeldBack: @unchecked Sendable {
  private struct Record {
    var topic: Topic
    var keyCount: Int32
    var valueCount: Int32
    var timestamp: Int64?
    /// The index of its headers; -1 if it has none.
    var headers: Int32
  }

  private let lock = Mutex<Void>(())
  private let bytes = ByteBuffer(capacity: 4096)
  private var records: ContiguousArray<Record> = []
  private var headers: [[RecordHeader]] = []
  private var counts = InstructionCounts()

  package init() {}

  /// Counts of the instructions among the records.
  package var said: InstructionCounts { lock.withLock { _ in counts } }
  package var count: Int { lock.withLock { _ in records.count } }
  package var isEmpty: Bool { count == 0 }
  /// The size of all keys and values.
  package var byteCount: Int { lock.withLock { _ in bytes.count } }

  /// Copies a record. Any thread.
  package func add(
    _ topic: Topic, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader] = [],
    saying instruction: Instruction? = nil
  ) {
    lock.withLock { _ in
      if let instruction { counts.count(instruction) }
      var place: Int32 = -1
      if !headers.isEmpty {
        place = Int32(self.headers.count)
        self.headers.append(headers)
      }
      if let key { bytes.append(key) }
      if let value { bytes.append(value) }
      records.append(
        Record(
          topic: topic, keyCount: key.map { Int32($0.count) } ?? -1, valueCount: value.map { Int32($0.count) } ?? -1,
          timestamp: timestamp, headers: place))
    }
  }

  /// Copies and counts an instruction.
  package func add(_ instruction: Instruction, key: Bytes, value: Bytes) {
    add(.output, key: key, value: value, timestamp: instruction.at, saying: instruction)
  }

  /// Passes on all records, in the order in which they were added; the bytes are borrowed. Additions wait meanwhile.
  package func handOut(
    _ body: (_ topic: Topic, _ key: Bytes?, _ value: Bytes?, _ timestamp: Int64?, _ headers: [RecordHeader]) -> Void
  ) {
    lock.withLock { _ in
      let all = bytes.bytes
      var start = 0
      func next(_ count: Int32) -> Bytes? {
        if count < 0 { return nil }
        defer { start += Int(count) }
        return Bytes(rebasing: all[start..<start + Int(count)])
      }
      for record in records {
        let key = next(record.keyCount)
        let value = next(record.valueCount)
        body(record.topic, key, value, record.timestamp, record.headers < 0 ? [] : headers[Int(record.headers)])
      }
    }
  }

  /// Removes all records, but keeps the memory.
  package func removeAll() {
    lock.withLock { _ in
      bytes.removeAll()
      records.removeAll(keepingCapacity: true)
      if !headers.isEmpty { headers.removeAll() }
      counts = InstructionCounts()
    }
  }
}

// Sendable: `places` changes only while no room is running, by a proof. The caller that sets a place keeps the object.
package final class HoldingTarget: InstructionTarget, @unchecked Sendable {
  private var places: [Unmanaged<HeldBack>?] = []

  package init() {}

  package func set(_ partition: Int32, _ held: HeldBack?, _ quiet: borrowing Quiescence) {
    while places.count <= Int(partition) { places.append(nil) }
    places[Int(partition)] = held.map { Unmanaged.passUnretained($0) }
  }

  package func said(_ record: Bytes, _ instruction: Instruction, by room: Room) {
    places[Int(room.partition)]?._withUnsafeGuaranteedRef {
      $0.add(instruction, key: room.id, value: record)
    }
  }
}

/// Records the instructions that may be missing in the output, while entries are replayed. Used by one thread.
package final class UnsaidTarget: InstructionTarget {
  package let held: HeldBack
  var isOn: Bool

  package init(_ held: HeldBack, isOn: Bool = true) {
    self.held = held
    self.isOn = isOn
  }

  package func said(_ record: Bytes, _ instruction: Instruction, by room: Room) {
    if isOn { held.add(instruction, key: room.id, value: record) }
  }
}
