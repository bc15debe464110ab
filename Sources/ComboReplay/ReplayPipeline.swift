package import ComboCore
package import ComboMaps
internal import ComboSystem
internal import ComboWire
internal import Glibc

/// Runs lines of gifts through rooms, on several threads.
///
/// The input is processed in chunks of whole lines, or of a topic's records. A free thread performs the next step: it writes the
/// oldest chunk, or applies a chunk to a lane, or reads and decodes another chunk. A lane is a share of the rooms, and processes
/// chunks in order, one at a time. The output is put back into the order of the input, so that it does not depend on threads and
/// chunks. A chunk is reused once it is written, so that memory does not grow with the input.
// Sendable: what changes is used within `turn`, or by the thread that took a chunk, a lane, the source or the output within it.
package final class ReplayPipeline: @unchecked Sendable {
  package enum Source {
    /// Events as JSON lines, whose time is their `ts`.
    case lines(LineSource)
    /// Records of a topic; their own time counts if they have no `ts`.
    case records(RecordFeed)
  }

  /// The results of a replay.
  package struct Summary: Equatable, Sendable {
    package var lines = 0
    package var badLines = 0
    /// The number of records that the map dropped, by reason.
    package var drops: [String: Int] = [:]
    /// The reason why it ended early, as a sentence.
    package var failure: String?
  }

  /// The minimum number of lines between two sweeps for rested rooms.
  package static let sweepLines = 131_072
  /// The number of room groups. With fewer threads than that, a busy group does not delay the others.
  private static let groupCount = 8
  /// The number of rooms that are finished at once. Each may have a thousand waiting banners, all of which are then emitted.
  private static let endingRooms = 16

  private let source: Source
  private let map: RecordMap?
  private let write: (ReplayChunk) -> Bool
  private let report: ([String]) -> Void
  private let reportsMax: Int
  private let threadCount: Int
  private let progress: (Int) -> Void

  private let groupCount: Int
  private let lanes: [ReplayLane]
  private let endsInOrder: Bool

  private let turn = Monitor(())
  private var chunks: ChunkRing
  /// The number of chunks that each lane has applied.
  private var applied: [Int]
  private var isBusy: [Bool]
  private var written = 0
  private var isReading = false
  private var isWriting = false
  private var hasEnded = false
  /// The remaining rooms at the end, in the order of their first lines, and the number of those in progress or done.
  private var ending: [(place: UInt64, group: Int, room: Int)]?
  private var endingBegun = 0
  /// Whether the output cannot be written, and the reason why the input cannot be read.
  private var failed = false
  private var failure: String?
  private var summary = Summary()

  /// Creates a replay that writes instructions as JSON lines.
  /// - Parameters:
  ///   - explains: Whether it writes the fate of each gift instead.
  ///   - map: The map that turns lines into events, or nil if they are events.
  ///   - maxRestedRooms: The number of rooms above which rested ones are forgotten.
  ///   - threads: The working threads, including the caller's.
  ///   - chunkBytes: The bytes read at once; more than the longest record allowed.
  ///   - sweepLines: The minimum number of lines between two sweeps for rested rooms.
  ///   - write: Receives the output in order, on any thread, one call at a time. Returns false to end the replay.
  ///   - report: Receives one sentence per bad line, likewise.
  ///   - progress: Receives the number of lines that are done.
  package convenience init(
    _ source: LineSource, settings: Settings, explains: Bool = false, map: RecordMap? = nil, maxRestedRooms: Int, threads: Int,
    chunkBytes: Int = 1 << 19, sweepLines: Int = ReplayPipeline.sweepLines,
    write: @escaping (UnsafeRawBufferPointer) -> Bool, report: @escaping ([String]) -> Void,
    progress: @escaping (Int) -> Void = { _ in }
  ) {
    let settings = EngineSettings(settings)
    // Fates are written room by room within a chunk, which requires a single group.
    let groups = explains ? 1 : Self.groupCount
    let lanes: [ReplayLane] = (0..<groups).map { index in
      let roomsMax = maxRestedRooms / groups
      if explains { return RoomGroup(index: index, settings: settings, roomsMax: roomsMax, FateObserver()).lane }
      return RoomGroup(index: index, settings: settings, roomsMax: roomsMax, InstructionObserver()).lane
    }
    let gathered = ByteBuffer(capacity: 1 << 18)
    self.init(
      .lines(source), map, lanes, groups: groups, endsInOrder: true, threads: threads, chunkBytes: chunkBytes,
      sweepLines: sweepLines, report: report, progress: progress,
      write: { chunk in
        gathered.removeAll()
        chunk.gather(into: gathered)
        return gathered.count == 0 || write(gathered.bytes)
      })
  }

  /// - Parameters:
  ///   - lanes: The lanes, with the same number of ``RoomGroup``s for each combination of settings.
  ///   - endsInOrder: Whether the rooms are finished in the order of their first lines.
  ///   - reportsMax: The number of bad lines that are reported individually.
  ///   - write: Receives the chunks that all lanes have applied.
  init(
    _ source: Source, _ map: RecordMap?, _ lanes: [ReplayLane], groups: Int, endsInOrder: Bool, threads: Int,
    chunkBytes: Int, sweepLines: Int, report: @escaping ([String]) -> Void, reportsMax: Int = .max,
    progress: @escaping (Int) -> Void, write: @escaping (ReplayChunk) -> Bool
  ) {
    (self.source, self.map, self.lanes, self.endsInOrder) = (source, map, lanes, endsInOrder)
    (self.report, self.reportsMax, self.progress, self.write) = (report, reportsMax, progress, write)
    threadCount = max(1, threads)
    groupCount = groups
    chunks = ChunkRing(threads: threadCount, groups: groups, textBytes: chunkBytes, sweepLines: sweepLines)
    applied = Array(repeating: 0, count: lanes.count)
    isBusy = Array(repeating: false, count: lanes.count)
  }

  /// Runs the replay to its end, on the caller's and other threads.
  package func run() -> Summary {
    let others = (1..<threadCount).map { index in WorkThread { self.work(index) } }
    work(0)
    for thread in others { thread.join() }
    summary.failure = failure
    if case .records(let feed) = source { summary.failure = feed.failure }
    return summary
  }

  // MARK: - The next step

  private enum Work {
    case read(ReplayChunk)
    case apply(ReplayChunk, lane: Int)
    case write(ReplayChunk)
    case end
  }

  private func work(_ thread: Int) {
    let decoder = ChunkDecoder(map: map, fromTopic: isTopic)
    while true {
      switch turn.wait(for: { _ in next(thread) }) {
      case .read(let chunk):
        let piece = next(into: chunk)
        // Other threads may continue reading meanwhile.
        turn.change { _ in endReading(piece) }
        decode(piece, chunk, decoder)
        turn.change { _ in chunks.markDecoded(chunk) }
      case .apply(let chunk, let lane):
        lanes[lane].apply(chunk)
        turn.change { _ in
          isBusy[lane] = false
          applied[lane] += 1
        }
      case .write(let chunk):
        let isFine = writeOut(chunk)
        turn.change { _ in
          isWriting = false
          written += 1
          if !isFine { failed = true }
        }
      case .end:
        return turn.change { _ in summary.drops.merge(decoder.drops, uniquingKeysWith: +) }
      }
    }
  }

  /// Returns the next step of this thread, or nil if it must wait for others. Called within `turn`, like everything it calls.
  private func next(_ thread: Int) -> Work? {
    if failed { return .end }
    if !isWriting, written < chunks.decoded, applied.min()! > written {
      isWriting = true
      return .write(chunks[written])
    }
    // The lanes that this thread had last are likely to be in its cache.
    if let work = applicable(where: { $0 % threadCount == thread }) { return work }
    if let work = readable() { return work }
    if let work = applicable(where: { _ in true }) { return work }
    if hasEnded, written == chunks.begun, failure != nil || endingBegun == ending?.count { return .end }
    return nil
  }

  private func applicable(where isMine: (Int) -> Bool) -> Work? {
    var best = -1
    for lane in lanes.indices where !isBusy[lane] && applied[lane] < chunks.decoded && isMine(lane) {
      if best < 0 || applied[lane] < applied[best] { best = lane }
    }
    if best < 0 { return nil }
    isBusy[best] = true
    return .apply(chunks[applied[best]], lane: best)
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

  private var isTopic: Bool { if case .records = source { true } else { false } }

  private func next(into chunk: ReplayChunk) -> LineSource.Piece {
    switch source {
    case .lines(let lines): return lines.next(into: chunk.text)
    case .records(let feed):
      guard let records = feed.next(into: chunk.text) else { return .end }
      chunk.records = records
      return .lines(0)
    }
  }

  /// Registers the end of a read. Called within `turn`.
  private func endReading(_ piece: LineSource.Piece) {
    isReading = false
    switch piece {
    case .lines, .tooLong: break
    case .end: hasEnded = true
    case .failed(let error):
      hasEnded = true
      failure = "cannot read the input: \(String(cString: strerror(error)))"
    }
  }

  private func decode(_ piece: LineSource.Piece, _ chunk: ReplayChunk, _ decoder: ChunkDecoder) {
    switch piece {
    case .lines(let count):
      if isTopic {
        decoder.decodeRecords(of: chunk, groups: groupCount)
      } else {
        decoder.decode(
          UnsafeRawBufferPointer(rebasing: chunk.text[..<count]), into: chunk, groups: groupCount, isFirst: chunk.number == 0)
      }
    case .tooLong(let count):
      chunk.lineCount = 1
      chunk.addTooLong(0, bytes: count)
    case .end, .failed: break
    }
  }

  /// Finishes the remaining rooms in parts, once all lines are applied. The parts are processed like lines.
  private func beginEnding() {
    guard failure == nil, chunks.decoded == chunks.begun else { return }
    if ending == nil {
      guard applied.allSatisfy({ $0 == chunks.begun }) else { return }
      guard endsInOrder else {
        ending = []
        return chunks.markDecoded(chunks.begin(.allRooms))
      }
      let rooms = lanes.enumerated().flatMap { index, lane in
        lane.roomsByPlace().map { (place: $0.place, group: index, room: $0.room) }
      }
      ending = rooms.sorted { $0.place < $1.place }
    }
    guard let ending, endingBegun < ending.count else { return }
    let chunk = chunks.begin(.rooms)
    let part = ending[endingBegun..<min(ending.count, endingBegun + Self.endingRooms)]
    for entry in part { chunk.finish(group: entry.group, room: entry.room) }
    endingBegun += part.count
    chunks.markDecoded(chunk)
  }

  private func writeOut(_ chunk: ReplayChunk) -> Bool {
    let reported = chunk.badLines.prefix(max(0, reportsMax - summary.badLines))
    if !reported.isEmpty {
      report(reported.map { "\(isTopic ? "record" : "line") \(summary.lines + $0.line + 1): \($0.sentence)" })
    }
    summary.badLines += chunk.badLines.count
    summary.lines += chunk.lineCount
    progress(summary.lines)
    return write(chunk)
  }
}
