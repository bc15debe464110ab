package import ComboCore
internal import ComboSystem
internal import ComboWire

/// A queue of a topic's records for a replay: one thread reads them, another one receives them in pieces. It has at most a few
/// pieces.
package final class RecordFeed: @unchecked Sendable {
  // Sendable: `filling` belongs to the reading thread; everything else is guarded by `lock`.

  /// A record within a piece.
  struct Record {
    /// The start of its key, which its value follows; -1 if the record is too large and was left out.
    var start: Int
    /// The length of its key; -1 if it has none.
    var keyCount: Int
    var valueCount: Int
    /// The time in milliseconds since the Unix epoch; -1 if it has none.
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

  /// - Parameter pieceBytes: The maximum number of bytes of records in a piece.
  package init(pieceBytes: Int = 1 << 19) {
    self.pieceBytes = pieceBytes
    filling = Piece(capacity: pieceBytes)
  }

  /// The reason why reading ended early, as a sentence, or nil if it did not.
  package var failure: String? {
    lock.lock()
    defer { lock.unlock() }
    return ended
  }

  /// Copies a record. Waits while too many are queued. Called by the reading thread only.
  /// - Parameter time: The time in milliseconds since the Unix epoch, or nil if it has none.
  package func add(key: Bytes?, value: Bytes, time: Int64?) {
    let count = (key?.count ?? 0) + value.count
    var record = Record(start: -1, keyCount: key?.count ?? -1, valueCount: value.count, time: max(-1, time ?? -1))
    if value.count <= WireLimits.replay.recordBytes, count <= pieceBytes {
      if filling.bytes.count + count > pieceBytes { enqueue() }
      record.start = filling.bytes.count
      if let key { filling.bytes.append(key) }
      filling.bytes.append(value)
    }
    filling.records.append(record)
  }

  /// Marks the end of the records. Called by the reading thread only.
  package func end(_ failure: String? = nil) {
    enqueue()
    lock.lock()
    hasEnded = true
    ended = failure
    lock.wakeAll()
    lock.unlock()
  }

  private func enqueue() {
    lock.lock()
    while full.count >= Self.piecesMax { lock.wait() }
    full.append(filling)
    let next = empty.popLast()
    lock.wakeAll()
    lock.unlock()
    filling = next ?? Piece(capacity: pieceBytes)
  }

  /// Copies the next piece to `memory`, which must be large enough, or returns nil at the end. Waits for a piece. Used by one
  /// thread at a time.
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
