package import ComboCore
package import ComboEdge
internal import ComboWire
internal import Synchronization

/// Records that are not produced yet: what an entry led to, until the journal holds it; what a transaction begins with.
///
/// Rooms of several threads add to it at once, each keeping its own order. Used again and again: in the steady state nothing is
/// allocated.
package final class HeldBack: @unchecked Sendable {
  // The proof: `bytes` and what belongs to it are added to under `lock`. Otherwise there are no additions meanwhile: no room works, or whoever owns
  // this holds a lock of its own around both (``ProducingTarget``).

  private struct Record {
    var topic: Topic
    var keyCount: Int32
    var valueCount: Int32
    var timestamp: Int64?
    /// The place of its headers; -1: it has none.
    var headers: Int32
  }

  private let lock = Mutex<Void>(())
  private let bytes = ByteBuffer(capacity: 4096)
  private var records: ContiguousArray<Record> = []
  private var headers: [[RecordHeader]] = []
  /// The instructions among them.
  package private(set) var said = InstructionCounts()

  package init() {}

  package var count: Int { records.count }
  package var isEmpty: Bool { records.isEmpty }
  /// Of all keys and values.
  package var byteCount: Int { bytes.count }

  /// Copies a record. Any thread.
  package func add(
    _ topic: Topic, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader] = [],
    saying instruction: Instruction? = nil
  ) {
    lock.withLock { _ in
      if let instruction { said.count(instruction) }
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

  /// The same for an instruction, which is counted.
  package func add(_ instruction: Instruction, key: Bytes, value: Bytes) {
    add(.output, key: key, value: value, timestamp: instruction.at, saying: instruction)
  }

  /// Passes all on, in the order in which they came; the bytes are borrowed. No additions are allowed meanwhile.
  package func handOut(
    _ body: (_ topic: Topic, _ key: Bytes?, _ value: Bytes?, _ timestamp: Int64?, _ headers: [RecordHeader]) -> Void
  ) {
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

  /// Empties it; the memory stays.
  package func removeAll() {
    bytes.removeAll()
    records.removeAll(keepingCapacity: true)
    if !headers.isEmpty { headers.removeAll() }
    said = InstructionCounts()
  }
}

/// The instructions of rooms are held back, by partition.
package final class HoldingTarget: SaidTarget, @unchecked Sendable {
  // The proof: `places` changes only while no room works. The setter of a place keeps the object.
  private var places: [Unmanaged<HeldBack>?] = []

  package init() {}

  package func set(_ partition: Int32, _ held: HeldBack?) {
    while places.count <= Int(partition) { places.append(nil) }
    places[Int(partition)] = held.map { Unmanaged.passUnretained($0) }
  }

  package func said(_ record: Bytes, _ instruction: Instruction, by room: Room) {
    places[Int(room.partition)]?._withUnsafeGuaranteedRef {
      $0.add(instruction, key: room.id, value: record)
    }
  }
}

/// Records the instructions while entries are run through again, from where they may be missing in the output.
package final class UnsaidTarget: SaidTarget, @unchecked Sendable {
  // The proof: used by one thread.
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
