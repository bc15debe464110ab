/// The chunks in progress, in the order of the input; their memory is reused. Used under the pipeline's lock.
struct ChunkRing {
  private let chunks: [ReplayChunk]
  /// Whether the chunk at each place of `chunks` is decoded.
  private var isDecoded: [Bool]
  /// The number of chunks begun, which is the number of the next one.
  private(set) var begun = 0
  /// The number of chunks that are decoded, together with all before them.
  private(set) var decoded = 0
  private let sweepLines: Int
  /// The number of lines since the last sweep, and the earliest time of their events.
  private var lines = 0
  private var earliest = Int64.max

  /// - Parameters:
  ///   - groups: The number of room groups.
  ///   - textBytes: The size of a chunk's text.
  ///   - sweepLines: The minimum number of lines between two sweeps for rested rooms.
  init(threads: Int, groups: Int, textBytes: Int, sweepLines: Int) {
    chunks = (0..<max(4, 3 * threads)).map { _ in ReplayChunk(groups: groups, textBytes: textBytes) }
    isDecoded = Array(repeating: false, count: chunks.count)
    self.sweepLines = sweepLines
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

  /// Marks a chunk as decoded, and schedules sweeps for rested rooms. The schedule depends only on the input, not on threads.
  mutating func markDecoded(_ chunk: ReplayChunk) {
    isDecoded[chunk.number % chunks.count] = true
    while decoded < begun, isDecoded[decoded % chunks.count] {
      let next = self[decoded]
      lines += next.lineCount
      earliest = min(earliest, next.earliest)
      if lines >= sweepLines { (next.sweepBefore, lines, earliest) = (earliest, 0, .max) }
      decoded += 1
    }
  }
}
