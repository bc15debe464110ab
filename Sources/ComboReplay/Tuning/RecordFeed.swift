package import ComboCore
internal import ComboSystem
internal import ComboWire

/// Records of a topic on their way to a replay: one thread reads them, another one takes them in pieces. Holds a few pieces at most.
package final class RecordFeed: @unchecked Sendable {
  // Sendable: `filling` belongs to the thread that reads; all else is guarded by `lock`.

  /// A record within a piece.
  struct Record {
    /// The beginnings of its key and its value; -1: it is too large, and missing.
    var start: Int
    /// -1: it has none.
    var keyCount: Int
    var valueCount: Int
    /// In milliseconds since the Unix epoch; -1: it has none.
    var time: Int64
  }

  private final class Piece {
    let bytes: ByteBuffer
    var records: [Record] = []

    init(capacity: Int) { bytes = ByteBuffer(capacity: capacity) }
  }

  private static let piecesMax = 4

  private let pieceBytes: Int
  private let lock = Lock()
  private var full: [Piece] = []
  private var empty: [Piece] = []
  private var hasEnded = false
  private var ended: String?
  private var filling: Piece

  /// - Parameter pieceBytes: at most so many bytes of records are handed over at once.
  package init(pieceBytes: Int = 1 << 19) {
    self.pieceBytes = pieceBytes
    filling = Piece(capacity: pieceBytes)
  }

  /// Why the reading ended early, as a sentence; nil: it did not.
  package var failure: String? {
    lock.lock()
    defer { lock.unlock() }
    return ended
  }

  /// Copies a record. Waits while too many are on their way. The reading thread alone.
  /// - Parameter time: in milliseconds since the Unix epoch; nil: it has none.
  package func add(key: Bytes?, value: Bytes, time: Int64?) {
    let count = (key?.count ?? 0) + value.count
    var record = Record(start: -1, keyCount: key?.count ?? -1, valueCount: value.count, time: max(-1, time ?? -1))
    if value.count <= WireLimits.replay.recordBytes, count <= pieceBytes {
      if filling.bytes.count + count > pieceBytes { handOver() }
      record.start = filling.bytes.count
      if let key { filling.bytes.append(key) }
      filling.bytes.append(value)
    }
    filling.records.append(record)
  }

  /// Nothing more comes. The reading thread alone.
  package func end(_ failure: String? = nil) {
    handOver()
    lock.lock()
    hasEnded = true
    ended = failure
    lock.wakeAll()
    lock.unlock()
  }

  private func handOver() {
    lock.lock()
    while full.count >= Self.piecesMax { lock.wait() }
    full.append(filling)
    let next = empty.popLast()
    lock.wakeAll()
    lock.unlock()
    filling = next ?? Piece(capacity: pieceBytes)
  }

  /// Copies the next piece to `memory`, which must hold as much; nil: there is none any more. Waits for one. One thread at a time.
  func next(into memory: UnsafeMutableRawBufferPointer) -> [Record]? {
    precondition(memory.count >= pieceBytes, "a piece does not fit into the memory")
    lock.lock()
    defer { lock.unlock() }
    while full.isEmpty, !hasEnded { lock.wait() }
    if full.isEmpty { return nil }
    let piece = full.removeFirst()
    memory.copyMemory(from: piece.bytes.bytes)
    let records = piece.records
    piece.bytes.removeAll()
    piece.records.removeAll(keepingCapacity: true)
    empty.append(piece)
    lock.wakeAll()
    return records
  }
}
