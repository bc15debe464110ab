/// The loop's measurements besides its totals. Only the loop's thread writes; it outlives a fresh start.
///
/// Updated once per poll, entry or commit, never per gift.
package final class LoopMetrics: @unchecked Sendable {
  // The proof: of the services of a process one runs at a time, on one thread, and it is not shared.

  /// From the beginning of a commit, or of writing an entry, until its outcome is durable.
  package private(set) var commitSeconds = Histogram(bounds: Histogram.seconds)
  /// From a record's timestamp until its outcome is durable.
  package private(set) var latenessSeconds = Histogram(bounds: Histogram.lateness)
  /// From a record's timestamp until it is taken in.
  package private(set) var inputAgeSeconds = Histogram(bounds: Histogram.lateness)
  /// From the time at which restoring a partition began until it is taken over.
  package private(set) var restoreSeconds = Histogram(bounds: Histogram.seconds)
  /// Records that one poll brought.
  package private(set) var batchRecords = Histogram(bounds: Histogram.records)
  private var recentCommits = RecentTimes()
  private var recentLateness = RecentTimes()

  /// So many records of one partition are taken in, the first of which is so old.
  func tookIn(_ records: Int, ageMs: Int64) { inputAgeSeconds.add(Double(max(0, ageMs)) / 1000, times: records) }

  func restored(afterMs ms: Int64) { restoreSeconds.add(Double(max(0, ms)) / 1000) }

  func polled(_ records: Int) { batchRecords.add(Double(records)) }

  package func committed(afterMs ms: Int64, monotonic now: Int64) {
    commitSeconds.add(Double(ms) / 1000)
    recentCommits.add(ms, monotonic: now)
  }

  /// The output of these records is durable.
  package func arrived(_ arrivals: Arrivals, wall: Int64, monotonic now: Int64) {
    for (timestamp, count) in arrivals.batches {
      // The timestamp is the producer's, and may be anything.
      let ms = max(0, wall - max(0, timestamp))
      latenessSeconds.add(Double(ms) / 1000, times: count)
      recentLateness.add(ms, times: count, monotonic: now)
    }
  }

  package func recentCommits(monotonic now: Int64) -> RecentTimes.Figures? { recentCommits.figures(monotonic: now) }
  package func recentLateness(monotonic now: Int64) -> RecentTimes.Figures? { recentLateness.figures(monotonic: now) }

  package init() {}
}

/// When records of a partition were written to the input, as the first of each poll says: the lateness of the others is not
/// larger, and asking each would cost.
package struct Arrivals: Sendable {
  private(set) var batches: [(timestamp: Int64, count: Int)] = []

  package init() {}
  private static let batchesMax = 256

  package mutating func add(_ timestamp: Int64, count: Int) {
    // While commits fail, later work counts as one.
    if batches.count == Self.batchesMax {
      batches[batches.count - 1].count += count
    } else {
      batches.append((timestamp, count))
    }
  }

  package mutating func add(_ other: Arrivals) {
    for (timestamp, count) in other.batches { add(timestamp, count: count) }
  }

  package mutating func removeAll() { batches.removeAll(keepingCapacity: true) }
}
