internal import Synchronization

/// The loop's measurements besides its totals. Only the loop's thread writes them; they outlive a fresh start.
///
/// Updated once per poll, entry or commit, never per gift.
package final class LoopMetrics: Sendable {
  private struct Measured {
    var histograms = LoopHistograms()
    var recentCommits = RecentTimes()
    var recentLateness = RecentTimes()
  }

  private let measured = Mutex(Measured())

  package var histograms: LoopHistograms { measured.withLock { $0.histograms } }

  /// Counts records of one partition that are consumed, the first of which is `ageMs` old.
  func tookIn(_ records: Int, ageMs: Int64) {
    measured.withLock { $0.histograms.inputAgeSeconds.add(Double(max(0, ageMs)) / 1000, times: records) }
  }

  func restored(afterMs ms: Int64) { measured.withLock { $0.histograms.restoreSeconds.add(Double(max(0, ms)) / 1000) } }

  func polled(_ records: Int) { measured.withLock { $0.histograms.batchRecords.add(Double(records)) } }

  package func committed(afterMs ms: Int64, monotonic now: Int64) {
    measured.withLock { measured in
      measured.histograms.commitSeconds.add(Double(ms) / 1000)
      measured.recentCommits.add(ms, monotonic: now)
    }
  }

  /// Counts records whose output is durable.
  package func arrived(_ arrivals: Arrivals, wall: Int64, monotonic now: Int64) {
    measured.withLock { measured in
      for (timestamp, count) in arrivals.batches {
        // The timestamp is the producer's, and may be anything.
        let ms = max(0, wall - max(0, timestamp))
        measured.histograms.latenessSeconds.add(Double(ms) / 1000, times: count)
        measured.recentLateness.add(ms, times: count, monotonic: now)
      }
    }
  }

  package func recentCommits(monotonic now: Int64) -> RecentTimes.Figures? {
    measured.withLock { $0.recentCommits.figures(monotonic: now) }
  }

  package func recentLateness(monotonic now: Int64) -> RecentTimes.Figures? {
    measured.withLock { $0.recentLateness.figures(monotonic: now) }
  }

  package init() {}
}

/// The times at which records of a partition were written to the input, by the first record of each poll: the others have
/// not waited for longer, and reading each would be costly.
package struct Arrivals: Sendable {
  private(set) var batches: [(timestamp: Int64, count: Int)] = []

  package init() {}
  private static let batchesMax = 256

  package mutating func add(_ timestamp: Int64, count: Int) {
    // While commits fail, later polls are merged into the last one.
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

/// The distributions of the loop's measurements since the process started.
package struct LoopHistograms: Sendable {
  /// The time from the start of a commit, or of writing an entry, until its outcome is durable.
  package var commitSeconds = Histogram(bounds: Histogram.seconds)
  /// The time from a record's timestamp until its outcome is durable.
  package var latenessSeconds = Histogram(bounds: Histogram.lateness)
  /// The time from a record's timestamp until it is consumed.
  package var inputAgeSeconds = Histogram(bounds: Histogram.lateness)
  /// The time from the start of restoring a partition until it is taken over.
  package var restoreSeconds = Histogram(bounds: Histogram.seconds)
  package var batchRecords = Histogram(bounds: Histogram.records)
}
