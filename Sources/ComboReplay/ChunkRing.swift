/// The chunks of an input that are on their way, in its order; each is used again and again. Belongs to the thread that holds the lock of the
/// pipeline.
struct ChunkRing {
  private let chunks: [ReplayChunk]
  /// By place in `chunks`.
  private var isDecoded: [Bool]
  /// Chunks that were begun; the next one's number.
  private(set) var begun = 0
  /// Chunks that are decoded, and all before them.
  private(set) var decoded = 0
  private var sweeps: SweepPace

  /// - Parameters:
  ///   - groups: of rooms.
  ///   - textBytes: of a chunk.
  ///   - sweepLines: at least this many lines from one sweep for rested rooms to the next.
  init(threads: Int, groups: Int, textBytes: Int, sweepLines: Int) {
    chunks = (0..<max(4, 3 * threads)).map { _ in ReplayChunk(groups: groups, textBytes: textBytes) }
    isDecoded = Array(repeating: false, count: chunks.count)
    sweeps = SweepPace(linesMin: sweepLines)
  }

  /// How many can be on their way at a time.
  var count: Int { chunks.count }

  /// The chunk of this number, which must be on its way.
  subscript(number: Int) -> ReplayChunk { chunks[number % chunks.count] }

  /// The next one.
  mutating func begin(_ kind: ReplayChunk.Kind) -> ReplayChunk {
    let chunk = self[begun]
    isDecoded[begun % chunks.count] = false
    chunk.begin(begun, kind)
    begun += 1
    return chunk
  }

  /// A chunk is decoded.
  /// - Returns: the numbers of those that are decoded now with all before them, in order.
  mutating func wasDecoded(_ chunk: ReplayChunk) -> Range<Int> {
    isDecoded[chunk.number % chunks.count] = true
    let first = decoded
    while decoded < begun, isDecoded[decoded % chunks.count] {
      let next = self[decoded]
      if let time = sweeps.add(next) { next.sweepBefore = time }
      decoded += 1
    }
    return first..<decoded
  }
}
