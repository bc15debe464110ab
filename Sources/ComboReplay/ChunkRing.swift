/// The chunks in progress, in the order of the input; their memory is reused. Used under the pipeline's lock.
struct ChunkRing {
  private let chunks: [ReplayChunk]
  /// Whether the chunk at each place of `chunks` is decoded.
  private var isDecoded: [Bool]
  /// The number of chunks begun, which is the next one's number.
  private(set) var begun = 0
  /// The number of chunks that are decoded, together with all before them.
  private(set) var decoded = 0
  private var sweeps: SweepPace

  /// - Parameters:
  ///   - groups: The number of room groups.
  ///   - textBytes: The size of a chunk's text.
  ///   - sweepLines: The fewest lines between two sweeps for rested rooms.
  init(threads: Int, groups: Int, textBytes: Int, sweepLines: Int) {
    chunks = (0..<max(4, 3 * threads)).map { _ in ReplayChunk(groups: groups, textBytes: textBytes) }
    isDecoded = Array(repeating: false, count: chunks.count)
    sweeps = SweepPace(linesMin: sweepLines)
  }

  /// The number of chunks that can be in progress.
  var count: Int { chunks.count }

  /// The chunk of this number, which must be in progress.
  subscript(number: Int) -> ReplayChunk { chunks[number % chunks.count] }

  /// Begins the next chunk.
  mutating func begin(_ kind: ReplayChunk.Kind) -> ReplayChunk {
    let chunk = self[begun]
    isDecoded[begun % chunks.count] = false
    chunk.begin(begun, kind)
    begun += 1
    return chunk
  }

  /// Marks a chunk as decoded.
  /// - Returns: The numbers of the chunks that are now decoded together with all before them, in order.
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
