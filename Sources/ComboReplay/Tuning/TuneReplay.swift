package import ComboCore
package import ComboMaps
internal import ComboWire

/// Replays one recording under many combinations of settings, on several threads.
///
/// The input is read and decoded once. Each combination has its own engines, in lanes: a lane is a share of the rooms with one
/// combination. Memory holds the chunks in progress, and the rooms times the combinations.
package struct TuneReplay {
  /// The maximum number of combinations that can be compared at once.
  package static let combinationsMax = 200
  /// The number of rooms that are reported individually.
  private static let busiestMax = 10
  /// The maximum number of rested rooms of all lanes that a sweep keeps by name.
  private static let restedMax = 1_000_000
  /// The number of bad lines that are reported individually.
  private static let reportsMax = 20

  /// The times of the events. Belongs to the thread that writes a chunk.
  private final class Span {
    var first: Int64?
    var last: Int64?

    func add(_ chunk: ReplayChunk) {
      for event in 0..<chunk.eventCount {
        let ts = chunk.events[event].ts
        if ts < 0 { continue }
        first = min(first ?? ts, ts)
        last = max(last ?? ts, ts)
      }
    }
  }

  private let pipeline: ReplayPipeline
  private let lanes: [RoomGroup<TuneObserver>]
  private let groupCount: Int
  private let span = Span()

  /// - Parameters:
  ///   - combinations: The combinations to compare, 1 to ``combinationsMax``.
  ///   - map: The map that turns lines into events, or nil if they are events.
  ///   - maxRestedRooms: The number of rooms, in all combinations together, above which rested engines are discarded.
  ///   - threads: The working threads, including the caller's.
  ///   - chunkBytes: The bytes read at once; more than the longest record allowed.
  ///   - sweepLines: The minimum number of lines between two sweeps for rested rooms.
  ///   - report: Receives sentences about bad lines, on any thread, one call at a time.
  ///   - progress: Receives the number of lines that are done, likewise.
  package init(
    _ source: ReplayPipeline.Source, _ combinations: [Settings], map: RecordMap? = nil, maxRestedRooms: Int, threads: Int,
    chunkBytes: Int = 1 << 19, sweepLines: Int = ReplayPipeline.sweepLines, report: @escaping ([String]) -> Void,
    progress: @escaping (Int) -> Void = { _ in }
  ) {
    precondition((1...Self.combinationsMax).contains(combinations.count), "so many combinations cannot be compared")
    // Even with few combinations, there are enough lanes for all threads.
    var groups = 1
    while groups < 32, groups * combinations.count < 4 * max(1, threads) { groups *= 2 }
    let laneCount = groups * combinations.count
    groupCount = groups
    lanes = combinations.flatMap { settings in
      let shared = EngineSettings(settings)
      return (0..<groups).map {
        RoomGroup(
          index: $0, settings: shared, roomsMax: maxRestedRooms / laneCount,
          TuneObserver(restedMax: max(1000, Self.restedMax / laneCount)))
      }
    }
    pipeline = ReplayPipeline(
      source, map, lanes.map { $0.lane }, groups: groups, endsInOrder: false, threads: threads, chunkBytes: chunkBytes,
      sweepLines: sweepLines, report: report, reportsMax: Self.reportsMax, progress: progress,
      write: { [span] chunk in
        span.add(chunk)
        return true
      })
  }

  /// Runs the replay to its end, on the caller's and other threads.
  package func run() -> TuneResult {
    let summary = pipeline.run()
    var result = TuneResult()
    (result.lines, result.badLines, result.failure) = (summary.lines, summary.badLines, summary.failure)
    (result.first, result.last) = (span.first, span.last)
    if result.failure == nil { gather(into: &result) }
    return result
  }

  /// Combines the lanes' results. Sums follow the rooms' order in the input, so that they do not depend on threads.
  private func gather(into result: inout TuneResult) {
    let first = (0..<groupCount).flatMap { group in
      lanes[group].observer.rested.map { (name: $0.key, group: group, entry: $0.value) }
    }
    // The number of a room's gift events does not depend on the settings.
    let busiest = first.sorted {
      ($0.entry.measure.events, $1.entry.place) > ($1.entry.measure.events, $0.entry.place)
    }.prefix(Self.busiestMax)
    result.rooms = first.count + (0..<groupCount).reduce(0) { $0 + lanes[$1].observer.otherCount }
    for start in stride(from: 0, to: lanes.count, by: groupCount) {
      let mine = lanes[start..<(start + groupCount)].map(\.observer)
      var total = RoomMeasure(bits: LaneTotals.bits)
      for lane in mine {
        total.waits.add(lane.totals.waits)
        total.stays.add(lane.totals.stays)
        total.addAllButSpreads(lane.others)
      }
      for entry in mine.flatMap(\.rested.values).sorted(by: { $0.place < $1.place }) { total.addAllButSpreads(entry.measure) }
      let rooms = busiest.compactMap { room in
        mine[room.group].rested[room.name].map {
          TuneResult.Room(name: String(decoding: room.name, as: UTF8.self), measure: $0.measure)
        }
      }
      result.combinations.append(TuneResult.Combination(total: total, busiest: rooms))
    }
  }
}
