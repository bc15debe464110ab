/// A batch of records that are appended together. It copies them.
package struct LogBatch: Sendable {
  struct Entry {
    var stream: Int
    /// Milliseconds since the Unix epoch, or nil if unknown.
    var timestamp: Int64?
    var key: Range<Int>?
    var value: Range<Int>?
    var headers: Range<Int>?
  }

  private(set) var entries: [Entry] = []
  private(set) var bytes: [UInt8] = []

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }
  package var count: Int { entries.count }
  /// The size of keys, values and headers, in bytes.
  package var size: Int { bytes.count }

  /// - Parameters:
  ///   - stream: The stream, as ``LogFile/stream(_:_:)`` returns it.
  ///   - headers: The headers, as ``LogHeaders`` writes them, empty if none.
  package mutating func append(
    _ stream: Int, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?, timestamp: Int64?, headers: [UInt8] = []
  ) {
    var entry = Entry(stream: stream, timestamp: timestamp)
    entry.key = key.map { store($0) }
    entry.value = value.map { store($0) }
    if !headers.isEmpty { entry.headers = headers.withUnsafeBytes { store($0) } }
    entries.append(entry)
  }

  private mutating func store(_ piece: UnsafeRawBufferPointer) -> Range<Int> {
    let start = bytes.count
    bytes.append(contentsOf: piece)
    return start..<bytes.count
  }

  /// Adds all records of another batch.
  package mutating func append(contentsOf other: LogBatch) {
    let shift = bytes.count
    bytes.append(contentsOf: other.bytes)
    entries.reserveCapacity(entries.count + other.entries.count)
    for entry in other.entries {
      var moved = entry
      moved.key = entry.key.map { $0.lowerBound + shift..<$0.upperBound + shift }
      moved.value = entry.value.map { $0.lowerBound + shift..<$0.upperBound + shift }
      moved.headers = entry.headers.map { $0.lowerBound + shift..<$0.upperBound + shift }
      entries.append(moved)
    }
  }

  package func eachRecord(_ body: (_ key: UnsafeRawBufferPointer?, _ value: UnsafeRawBufferPointer?) -> Void) {
    bytes.withUnsafeBytes { bytes in
      for entry in entries {
        body(
          entry.key.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) },
          entry.value.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
      }
    }
  }

  package mutating func removeAll() {
    // The memory of one large transaction is not kept.
    let isLarge = bytes.capacity > 4 << 20
    entries.removeAll(keepingCapacity: !isLarge)
    bytes.removeAll(keepingCapacity: !isLarge)
  }
}

/// A page of records that were read. It owns their memory.
package final class LogPage {
  package struct Record {
    package var offset: Int64
    package var timestamp: Int64?
    var key: Range<Int>?
    var value: Range<Int>?
    var headers: Range<Int>?
  }

  package private(set) var records: [Record] = []
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
  private var used = 0

  package init() {}

  deinit { memory.deallocate() }

  package var isEmpty: Bool { records.isEmpty }

  package func removeAll() {
    records.removeAll(keepingCapacity: true)
    used = 0
    if memory.count > 8 << 20 {
      memory.deallocate()
      memory = .allocate(byteCount: 4096, alignment: 16)
    }
  }

  /// The number of bytes that can be read after each value, whatever they contain.
  package static let padding = 64

  package func key(_ record: Record) -> UnsafeRawBufferPointer? { record.key.map(piece) }
  package func value(_ record: Record) -> UnsafeRawBufferPointer? { record.value.map(piece) }
  package func headers(_ record: Record) -> UnsafeRawBufferPointer? { record.headers.map(piece) }

  /// The number of bytes in use.
  var size: Int { used }

  func append(
    _ offset: Int64, key: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?, timestamp: Int64?,
    headers: UnsafeRawBufferPointer?
  ) {
    records.append(
      Record(
        offset: offset, timestamp: timestamp, key: key.map(store), value: value.map(store), headers: headers.map(store)))
  }

  private func piece(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[range]) }

  private func store(_ piece: UnsafeRawBufferPointer) -> Range<Int> {
    let end = used + piece.count
    if end + Self.padding > memory.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(2 * memory.count, end + Self.padding), alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<used]))
      memory.deallocate()
      memory = larger
    }
    if !piece.isEmpty { UnsafeMutableRawBufferPointer(rebasing: memory[used..<end]).copyMemory(from: piece) }
    defer { used = end }
    return used..<end
  }
}

/// The headers of a record as bytes: for each, the name's length in two bytes, the name, the value's length in four (-1 if there
/// is none), the value. Little-endian.
package enum LogHeaders {
  package static func write(_ name: String, _ value: UnsafeRawBufferPointer?, to bytes: inout [UInt8]) {
    let name = Array(name.utf8.prefix(Int(UInt16.max)))
    withUnsafeBytes(of: UInt16(name.count).littleEndian) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: name)
    withUnsafeBytes(of: Int32(value.map { $0.count } ?? -1).littleEndian) { bytes.append(contentsOf: $0) }
    if let value { bytes.append(contentsOf: value) }
  }

  /// Calls `body` with each header, in order. Stops at a damaged one.
  package static func forEach(
    _ bytes: UnsafeRawBufferPointer, _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) -> Void
  ) {
    var place = 0
    while place + 2 <= bytes.count {
      let length = Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self)))
      let name = place + 2..<place + 2 + length
      guard name.upperBound + 4 <= bytes.count else { return }
      let size = Int(Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: name.upperBound, as: Int32.self)))
      let value = name.upperBound + 4..<name.upperBound + 4 + max(0, size)
      guard value.upperBound <= bytes.count else { return }
      body(
        UnsafeRawBufferPointer(rebasing: bytes[name]), size < 0 ? nil : UnsafeRawBufferPointer(rebasing: bytes[value]))
      place = value.upperBound
    }
  }
}
