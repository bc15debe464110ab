package import ComboCore
package import ComboMaps
internal import ComboSystem
internal import ComboWire

/// Replays one recording under many combinations of settings, on several threads.
///
/// The input is read and decoded once, in chunks of whole lines. Each combination has its own engines, in lanes: a lane is a
/// share of the rooms with one combination, and processes chunk after chunk. A free thread reads and decodes another chunk if
/// there is room for one; otherwise it applies the next chunk to the lane that is furthest behind. A chunk is reused once all
/// lanes have processed it, so that memory does not grow with the input: it holds the chunks, and the rooms times the
/// combinations.
package final class TuneReplay: @unchecked Sendable {
  // Sendable: all mutable state is guarded by `lock`, or belongs to the thread that acquired it under the lock (a chunk that is
  // decoded, a lane that is busy, the source while `isReading`).

  /// The most combinations that can be compared at once.
  package static let combinationsMax = 200
  /// The number of rooms that are reported individually.
  private static let busiestMax = 10
  /// The number of rested rooms of all lanes that are kept by name.
  private static let restedMax = 1_000_000
  /// The number of bad lines that are reported individually.
  private static let reportsMax = 20

  package enum Source {
    /// Events as JSON lines, whose time is their `ts`.
    case lines(LineSource)
    /// Records of a topic; their own time counts if they have no `ts`.
    case records(RecordFeed)
  }

  private let source: Source
  private let map: RecordMap?
  private let threadCount: Int
  private let groupCount: Int
  private let report: ([String]) -> Void
  private let progress: (Int) -> Void
  private let lanes: [TuneLane]
  private let combinationCount: Int

  private let lock = Lock()
  private var chunks: ChunkRing
  /// The number of chunks that each lane has processed, plus one once it has finished.
  private var applied: [Int]
  private var isBusy: [Bool]
  private var isReading = false
  private var hasEnded = false
  private var failed = false
  private var result = TuneResult()

  /// - Parameters:
  ///   - combinations: The combinations to compare, 1 to ``combinationsMax``.
  ///   - map: The map that turns lines into events; nil if they are events.
  ///   - maxRestedRooms: The number of rooms, in all combinations together, above which rested engines are discarded.
  ///   - threads: The working threads, including the caller's.
  ///   - chunkBytes: The bytes read at once; more than the longest record allowed.
  ///   - sweepLines: The fewest lines between two sweeps for rested rooms.
  ///   - report: Receives sentences about bad lines, on any thread, one call at a time.
  ///   - progress: Receives the number of decoded lines, likewise.
  package init(
    _ source: Source, _ combinations: [Settings], map: RecordMap? = nil, maxRestedRooms: Int, threads: Int,
    chunkBytes: Int = 1 << 19, sweepLines: Int = ReplayPipeline.sweepLines, report: @escaping ([String]) -> Void,
    progress: @escaping (Int) -> Void = { _ in }
  ) {
    precondition((1...Self.combinationsMax).contains(combinations.count), "so many combinations cannot be compared")
    self.source = source
    self.map = map
    self.report = report
    self.progress = progress
    threadCount = max(1, threads)
    combinationCount = combinations.count
    // Even with few combinations, there are enough lanes for all threads.
    var groups = 1
    while groups < 32, groups * combinations.count < 4 * threadCount { groups *= 2 }
    groupCount = groups
    let laneCount = groups * combinations.count
    chunks = ChunkRing(threads: threadCount, groups: groups, textBytes: chunkBytes, sweepLines: sweepLines)
    lanes = combinations.flatMap { settings in
      let shared = EngineSettings(settings)
      return (0..<groups).map {
        TuneLane(
          group: $0, settings: shared, roomsMax: maxRestedRooms / laneCount, restedMax: max(1000, Self.restedMax / laneCount))
      }
    }
    applied = Array(repeating: 0, count: laneCount)
    isBusy = Array(repeating: false, count: laneCount)
  }

  /// Runs the replay to its end, on the caller's and other threads.
  package func run() -> TuneResult {
    let others = (1..<threadCount).map { _ in WorkThread { self.work() } }
    work()
    for thread in others { thread.join() }
    if case .records(let feed) = source, result.failure == nil { result.failure = feed.failure }
    if result.failure == nil { gather() }
    return result
  }

  // MARK: - The next task

  private enum Work {
    case read(ReplayChunk)
    case apply(ReplayChunk, lane: Int)
    case finish(lane: Int)
    case none
  }

  private func work() {
    let decoder = ChunkDecoder(map: map, fromTopic: isTopic)
    lock.lock()
    defer { lock.unlock() }
    while let work = next() {
      switch work {
      case .none: lock.wait()
      case .read(let chunk):
        lock.unlock()
        let piece = next(into: chunk)
        lock.lock()
        isReading = false
        take(piece, chunk, decoder)
      case .apply(let chunk, let lane):
        lock.unlock()
        lanes[lane].apply(chunk)
        lock.lock()
        isBusy[lane] = false
        applied[lane] += 1
      case .finish(let lane):
        lock.unlock()
        lanes[lane].finish()
        lock.lock()
        isBusy[lane] = false
        applied[lane] += 1
      }
      lock.wakeAll()
    }
    lock.wakeAll()
  }

  /// Returns the next task of this thread, or nil if all is done. Called under the lock.
  private func next() -> Work? {
    if failed { return nil }
    var (behind, least) = (-1, Int.max)
    for lane in applied.indices {
      least = min(least, applied[lane])
      if !isBusy[lane], behind < 0 || applied[lane] < applied[behind] { behind = lane }
    }
    if !hasEnded, !isReading, chunks.begun - least < chunks.count {
      isReading = true
      return .read(chunks.begin(.lines))
    }
    if behind >= 0, applied[behind] < chunks.decoded {
      isBusy[behind] = true
      return .apply(chunks[applied[behind]], lane: behind)
    }
    guard hasEnded, chunks.decoded == chunks.begun else { return Work.none }
    if behind >= 0, applied[behind] == chunks.begun {
      isBusy[behind] = true
      return .finish(lane: behind)
    }
    return least > chunks.begun ? nil : Work.none
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

  private func decodeRecords(of chunk: ReplayChunk, _ decoder: ChunkDecoder) {
    chunk.lineCount = chunk.records.count
    for (number, record) in chunk.records.enumerated() {
      if record.start < 0 {
        chunk.passOver(number, bytes: record.valueCount)
        continue
      }
      let keyEnd = record.start + max(0, record.keyCount)
      decoder.room = record.keyCount < 0 ? nil : Bytes(rebasing: chunk.text[record.start..<keyEnd])
      let before = chunk.eventCount
      decoder.decode(Bytes(rebasing: chunk.text[keyEnd..<keyEnd + record.valueCount]), number, into: chunk, groups: groupCount)
      if record.time < 0 { continue }
      for event in before..<chunk.eventCount where chunk.events[event].ts < 0 {
        chunk.events[event].ts = record.time
        chunk.earliest = min(chunk.earliest, record.time)
      }
    }
  }

  /// Decodes what was read. Called under the lock, which is released during decoding.
  private func take(_ piece: LineSource.Piece, _ chunk: ReplayChunk, _ decoder: ChunkDecoder) {
    switch piece {
    case .lines(let count):
      lock.wakeAll()
      lock.unlock()
      if isTopic {
        decodeRecords(of: chunk, decoder)
      } else {
        decoder.decode(
          UnsafeRawBufferPointer(rebasing: chunk.text[..<count]), into: chunk, groups: groupCount, isFirst: chunk.number == 0)
      }
      lock.lock()
    case .tooLong(let count): chunk.passOver(bytes: count)
    case .end: hasEnded = true
    case .failed(let error):
      hasEnded = true
      failed = true
      result.failure = "cannot read the input: \(ReplayPipeline.words(of: error))"
    }
    for number in chunks.wasDecoded(chunk) { admit(chunks[number]) }
  }

  /// Counts a decoded chunk. Called in the order of the input, under the lock.
  private func admit(_ chunk: ReplayChunk) {
    if result.badLines < Self.reportsMax, !chunk.badLines.isEmpty {
      let sentences = chunk.badLines.prefix(Self.reportsMax - result.badLines)
      report(sentences.map { "\(isTopic ? "record" : "line") \(result.lines + $0.line + 1): \($0.sentence)" })
    }
    result.badLines += chunk.badLines.count
    result.lines += chunk.lineCount
    for event in 0..<chunk.eventCount {
      let ts = chunk.events[event].ts
      if ts < 0 { continue }
      result.first = min(result.first ?? ts, ts)
      result.last = max(result.last ?? ts, ts)
    }
    progress(result.lines)
  }

  // MARK: - The end

  /// Combines the lanes' results. Sums follow the rooms' order in the input, so that they do not depend on threads.
  private func gather() {
    let first = (0..<groupCount).flatMap { group in lanes[group].rested.map { (name: $0.key, group: group, entry: $0.value) } }
    // The number of a room's gift events does not depend on the settings.
    let busiest = first.sorted {
      ($0.entry.measure.events, $1.entry.place) > ($1.entry.measure.events, $0.entry.place)
    }.prefix(Self.busiestMax)
    result.rooms = first.count + (0..<groupCount).reduce(0) { $0 + lanes[$1].otherCount }
    for combination in 0..<combinationCount {
      let mine = lanes[(combination * groupCount)..<((combination + 1) * groupCount)]
      var total = RoomMeasure(bits: LaneTotals.bits)
      for lane in mine {
        total.waits.add(lane.totals.waits)
        total.stays.add(lane.totals.stays)
        total.addAllButSpreads(lane.others)
      }
      for entry in mine.flatMap(\.rested.values).sorted(by: { $0.place < $1.place }) { total.addAllButSpreads(entry.measure) }
      let rooms = busiest.compactMap { room in
        mine[mine.startIndex + room.group].rested[room.name].map {
          TuneResult.Room(name: String(decoding: room.name, as: UTF8.self), measure: $0.measure)
        }
      }
      result.combinations.append(TuneResult.Combination(total: total, busiest: rooms))
    }
  }
}
