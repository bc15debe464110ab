package import ComboCore
package import ComboMaps
internal import ComboSystem
internal import ComboWire
internal import Glibc

/// Runs a replay on several threads.
///
/// The input is processed in chunks of whole lines. A free thread performs the next step: it writes the oldest chunk; or applies
/// a chunk's share to a group of rooms (each group processes chunks in order, one at a time); or reads and decodes another chunk.
/// The output is put back into the order of the input, so that it does not depend on threads and chunks.
package final class ReplayPipeline: @unchecked Sendable {
  // Sendable: all mutable state is guarded by `lock`, or belongs to the thread that acquired it under the lock (a chunk that is
  // decoded or written, a group that is busy, the source while `isReading`, the output while `isWriting`).

  /// The results of a replay.
  package struct Summary: Equatable, Sendable {
    package var lines = 0
    package var badLines = 0
    /// The number of records that the map dropped, by reason.
    package var drops: [String: Int] = [:]
    /// The reason why it ended early, as a sentence.
    package var failure: String?

    package init(lines: Int = 0, badLines: Int = 0) {
      self.lines = lines
      self.badLines = badLines
    }
  }

  /// The number of lines between two sweeps for rested rooms.
  package static let sweepLines = 131_072
  /// Room groups: more than threads, so that a busy one does not delay the others.
  private static let groupCount = 8
  /// The number of rooms that are finished at once. Each may have a thousand waiting banners, all of which are then emitted.
  private static let endingRooms = 16

  private let source: LineSource
  private let map: RecordMap?
  private let write: (UnsafeRawBufferPointer) -> Bool
  private let report: ([String]) -> Void
  private let threadCount: Int
  private let progress: (Int) -> Void

  private let groups: [RoomGroup]
  private var gathered = ByteBuffer(capacity: 1 << 18)

  private let lock = Lock()
  private var chunks: ChunkRing
  /// The number of chunks that each group has applied.
  private var applied: [Int]
  private var isBusy: [Bool]
  private var written = 0
  private var isReading = false
  private var isWriting = false
  private var hasEnded = false
  /// The rooms that were left at the end, in the order of their first lines, and below it the number of those in progress or
  /// done.
  private var ending: [(place: UInt64, group: Int, room: Int)]?
  private var endingBegun = 0
  private var failed = false
  private var summary = Summary()

  /// - Parameters:
  ///   - map: The map that turns lines into events; nil if they are events.
  ///   - maxRestedRooms: The number of rooms above which rested ones are forgotten.
  ///   - threads: The working threads, including the caller's.
  ///   - chunkBytes: The bytes read at once; more than the longest record allowed.
  ///   - sweepLines: The fewest lines between two sweeps for rested rooms.
  ///   - write: Receives the output in order, on any thread, one call at a time. Returns false to end the replay.
  ///   - report: Receives one sentence per bad line, likewise.
  ///   - progress: Receives the number of lines that are done.
  package init(
    _ source: LineSource, settings: Settings, map: RecordMap? = nil, maxRestedRooms: Int, threads: Int, chunkBytes: Int = 1 << 19,
    sweepLines: Int = ReplayPipeline.sweepLines,
    write: @escaping (UnsafeRawBufferPointer) -> Bool, report: @escaping ([String]) -> Void,
    progress: @escaping (Int) -> Void = { _ in }
  ) {
    self.source = source
    self.map = map
    self.write = write
    self.report = report
    self.progress = progress
    threadCount = max(1, threads)
    chunks = ChunkRing(threads: threadCount, groups: Self.groupCount, textBytes: chunkBytes, sweepLines: sweepLines)
    let engineSettings = EngineSettings(settings)
    groups = (0..<Self.groupCount).map {
      RoomGroup(index: $0, settings: engineSettings, roomsMax: maxRestedRooms / Self.groupCount)
    }
    applied = Array(repeating: 0, count: Self.groupCount)
    isBusy = Array(repeating: false, count: Self.groupCount)
  }

  /// Runs the replay to its end, on the caller's and other threads.
  package func run() -> Summary {
    let others = (1..<threadCount).map { index in WorkThread { self.work(index) } }
    work(0)
    for thread in others { thread.join() }
    return summary
  }

  // MARK: - The next step

  private enum Work {
    case read(ReplayChunk)
    case apply(ReplayChunk, group: Int)
    case write(ReplayChunk)
    case none
  }

  private func work(_ thread: Int) {
    let decoder = ChunkDecoder(map: map)
    lock.lock()
    defer {
      summary.drops.merge(decoder.drops, uniquingKeysWith: +)
      lock.unlock()
    }
    while let work = next(thread) {
      switch work {
      case .none:
        lock.wait()
      case .read(let chunk):
        lock.unlock()
        let piece = source.next(into: chunk.text)
        lock.lock()
        isReading = false
        take(piece, chunk, decoder)
      case .apply(let chunk, let group):
        lock.unlock()
        groups[group].apply(chunk)
        lock.lock()
        isBusy[group] = false
        applied[group] += 1
      case .write(let chunk):
        lock.unlock()
        let isFine = writeOut(chunk)
        lock.lock()
        isWriting = false
        written += 1
        if !isFine { failed = true }
      }
      lock.wakeAll()
    }
    lock.wakeAll()
  }

  /// Returns the next step of this thread, or nil if all is done. Called under the lock.
  private func next(_ thread: Int) -> Work? {
    if failed { return nil }
    if !isWriting, written < chunks.decoded, applied.min()! > written {
      isWriting = true
      return .write(chunks[written])
    }
    // The groups that this thread had before are likely to be in its cache.
    if let work = applicable(where: { $0 % threadCount == thread }) { return work }
    if let work = readable() { return work }
    if let work = applicable(where: { _ in true }) { return work }
    if hasEnded, written == chunks.begun, let ending, endingBegun == ending.count { return nil }
    return Work.none
  }

  private func applicable(where isMine: (Int) -> Bool) -> Work? {
    var best = -1
    for group in 0..<Self.groupCount where !isBusy[group] && applied[group] < chunks.decoded && isMine(group) {
      if best < 0 || applied[group] < applied[best] { best = group }
    }
    if best < 0 { return nil }
    isBusy[best] = true
    return .apply(chunks[applied[best]], group: best)
  }

  private func readable() -> Work? {
    guard !isReading, chunks.begun - written < chunks.count else { return nil }
    if hasEnded {
      beginEnding()
      return nil
    }
    isReading = true
    return .read(chunks.begin(.lines))
  }

  // MARK: - Steps

  /// Decodes what was read. Called under the lock, which is released during decoding.
  private func take(
    _ piece: LineSource.Piece, _ chunk: ReplayChunk, _ decoder: ChunkDecoder
  ) {
    switch piece {
    case .lines(let count):
      // Other threads may continue reading meanwhile.
      lock.wakeAll()
      lock.unlock()
      decoder.decode(
        UnsafeRawBufferPointer(rebasing: chunk.text[..<count]), into: chunk, groups: Self.groupCount, isFirst: chunk.number == 0)
      lock.lock()
    case .tooLong(let count):
      chunk.passOver(bytes: count)
    case .end:
      hasEnded = true
    case .failed(let error):
      hasEnded = true
      failed = true
      summary.failure = "cannot read the input: \(Self.words(of: error))"
    }
    _ = chunks.wasDecoded(chunk)
  }

  /// The system's description of an error.
  static func words(of error: Int32) -> String { String(cString: strerror(error)) }

  /// Once all lines are applied, finishes the remaining rooms in parts, which are processed like lines. Called under the lock.
  private func beginEnding() {
    guard chunks.decoded == chunks.begun else { return }
    if ending == nil {
      guard applied.allSatisfy({ $0 == chunks.begun }) else { return }
      var rooms: [(place: UInt64, group: Int, room: Int)] = []
      for (index, group) in groups.enumerated() {
        rooms += group.roomsByPlace.map { ($0.place, index, $0.room) }
      }
      rooms.sort { $0.place < $1.place }
      ending = rooms
    }
    guard let ending, endingBegun < ending.count else { return }
    let chunk = chunks.begin(.end)
    let part = ending[endingBegun..<min(ending.count, endingBegun + Self.endingRooms)]
    for entry in part { chunk.finish(group: entry.group, room: entry.room) }
    endingBegun += part.count
    _ = chunks.wasDecoded(chunk)
    lock.wakeAll()
  }

  private func writeOut(_ chunk: ReplayChunk) -> Bool {
    if !chunk.badLines.isEmpty {
      report(chunk.badLines.map { "line \(summary.lines + $0.line + 1): \($0.sentence)" })
      summary.badLines += chunk.badLines.count
    }
    summary.lines += chunk.lineCount
    gathered.removeAll()
    chunk.gather(into: gathered)
    progress(summary.lines)
    if gathered.count == 0 { return true }
    return write(gathered.bytes)
  }
}
