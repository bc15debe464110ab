package import ComboCore
internal import ComboSystem
internal import ComboWire
internal import Synchronization

/// A queue of a topic's records for a replay: one thread reads them, another one receives them in pieces. It has at most a few
/// pieces.
package final class RecordFeed: Sendable {
  /// A record within a piece.
  struct Record: Sendable {
    /// The start of its key, which its value follows; -1 if the record is too large and was left out.
    var start: Int
    /// The length of its key; -1 if it has none.
    var keyCount: Int
    var valueCount: Int
    /// The time in milliseconds since the Unix epoch; -1 if it has none.
    var time: Int64
  }

  private struct Piece {
    var bytes: [UInt8] = []
    var records: [Record] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }
  }

  private struct Queue {
    var full: [Piece] = []
    var empty: [Piece] = []
    var hasEnded = false
    var failure: String?
  }

  private static let piecesMax = 4
  /// The maximum number of records in a piece: those without a key and a value take no bytes of it.
  private static let recordsMax = 1 << 16

  private let pieceBytes: Int
  private let queue = Monitor(Queue())
  /// The piece of the reading thread.
  private let filling: Mutex<Piece>

  /// - Parameter pieceBytes: The maximum number of bytes of records in a piece.
  package init(pieceBytes: Int = 1 << 19) {
    precondition(pieceBytes > WireLimits.replay.recordBytes + 256, "a record does not fit into a piece")
    self.pieceBytes = pieceBytes
    filling = Mutex(Piece(capacity: pieceBytes))
  }

  /// The reason why reading ended early, as a sentence, or nil if it did not.
  package var failure: String? { queue.withLock { $0.failure } }

  /// Copies a record. Waits while too many are queued. Called by the reading thread only.
  /// - Parameter time: The time in milliseconds since the Unix epoch, or nil if it has none.
  package func add(key: Bytes?, value: Bytes, time: Int64?) {
    // A key that makes a record larger than a piece is no room's name, and its beginning shows that too.
    let key = key.map { Bytes(rebasing: $0.prefix(pieceBytes - WireLimits.replay.recordBytes)) }
    let count = (key?.count ?? 0) + value.count
    var record = Record(start: -1, keyCount: key?.count ?? -1, valueCount: value.count, time: max(-1, time ?? -1))
    filling.withLock { filling in
      let isKept = value.count <= WireLimits.replay.recordBytes
      if filling.records.count == Self.recordsMax || isKept && filling.bytes.count + count > pieceBytes { enqueue(&filling) }
      if isKept {
        record.start = filling.bytes.count
        if let key { filling.bytes.append(contentsOf: key) }
        filling.bytes.append(contentsOf: value)
      }
      filling.records.append(record)
    }
  }

  /// Marks the end of the records, with the reason if reading failed, or nil. Called by the reading thread only.
  package func end(_ failure: String? = nil) {
    filling.withLock { enqueue(&$0) }
    queue.change { queue in
      queue.hasEnded = true
      queue.failure = failure
    }
  }

  /// Queues a piece, and replaces it by an empty one.
  private func enqueue(_ piece: inout Piece) {
    piece = queue.wait { [piece] queue in
      if queue.full.count >= Self.piecesMax { return nil }
      queue.full.append(piece)
      return queue.empty.popLast() ?? Piece(capacity: pieceBytes)
    }
  }

  /// Copies the next piece to `memory`, which must be large enough, or returns nil at the end. Waits for a piece. Used by one
  /// thread at a time.
  func next(into memory: UnsafeMutableRawBufferPointer) -> [Record]? {
    precondition(memory.count >= pieceBytes, "a piece does not fit into the memory")
    return queue.wait { queue -> [Record]?? in
      if queue.full.isEmpty { return queue.hasEnded ? .some(nil) : nil }
      var piece = queue.full.removeFirst()
      piece.bytes.withUnsafeBytes { memory.copyMemory(from: $0) }
      let records = piece.records
      piece.bytes.removeAll(keepingCapacity: true)
      piece.records.removeAll(keepingCapacity: true)
      queue.empty.append(piece)
      return records
    }
  }
}
