internal import Synchronization

/// Gathers the records of many threads and appends them together, so that one sync of the disk serves all that came meanwhile.
package final class LogAppender: @unchecked Sendable {
  // Sendable: what waits is behind a mutex; the thread alone appends.

  /// Called once its records are durable (nil), or with the reason why none of them was taken.
  package typealias Done = @Sendable (LogFault?) -> Void

  private struct Waiting {
    var batches: [(batch: LogBatch, done: Done)] = []
    var bytes = 0
    var isStopped = false
  }

  private let log: LogFile
  private let queueMax: Int
  private let gapMs: Int64
  private let waiting = Mutex(Waiting())
  private let came = LogBell()
  private let emptied = LogBell()
  private let ended = LogBell()

  /// - Parameters:
  ///   - queueMax: bytes that may wait.
  ///   - gapMs: from one append to the next at least, so that a stream of single records costs few of them.
  package init(_ log: LogFile, queueMax: Int = 16 << 20, gapMs: Int64 = 4) {
    self.log = log
    self.queueMax = queueMax
    self.gapMs = gapMs
    LogThread.start { [self] in run() }
  }

  /// Hands records over; any thread. `batch` belongs to the appender until `done` is called, on the appender's thread.
  /// - Returns: false: the queue is full, or the appender was stopped; no record was taken, and `done` is not called.
  package func offer(_ batch: LogBatch, done: @escaping Done) -> Bool {
    let isTaken = waiting.withLock { waiting in
      // One batch fits always, however large it is.
      if waiting.isStopped || (waiting.bytes > 0 && waiting.bytes + batch.size > queueMax) { return false }
      waiting.batches.append((batch, done))
      waiting.bytes += batch.size
      return true
    }
    if isTaken { came.ring() }
    return isTaken
  }

  /// Hands records over; waits while too much waits already.
  /// - Returns: false: the appender was stopped.
  package func offerPatiently(_ batch: LogBatch, done: @escaping Done) -> Bool {
    while true {
      let rings = emptied.rings
      if offer(batch, done: done) { return true }
      if waiting.withLock({ $0.isStopped }) { return false }
      emptied.wait(after: rings, maxMs: 1000)
    }
  }

  /// Appends what was taken, and ends. Once.
  package func stop() {
    let rings = ended.rings
    waiting.withLock { $0.isStopped = true }
    came.ring()
    ended.wait(after: rings, maxMs: 10_000)
  }

  private func run() {
    let all = LogBatch()
    var last: Int64 = 0
    while true {
      let rings = came.rings
      let pause = last + gapMs - monotonicMs()
      if pause > 0 { sleepMs(pause) }
      let (batches, isStopped) = waiting.withLock { waiting in
        defer {
          waiting.batches = []
          waiting.bytes = 0
        }
        return (waiting.batches, waiting.isStopped)
      }
      if batches.isEmpty {
        if isStopped { break }
        came.wait(after: rings, maxMs: 10_000)
        continue
      }
      emptied.ring()
      last = monotonicMs()
      if batches.count == 1 {
        let (batch, done) = batches[0]
        done(append(batch))
      } else {
        for (batch, _) in batches { all.append(contentsOf: batch) }
        let fault = append(all)
        all.removeAll()
        for (_, done) in batches { done(fault) }
      }
    }
    ended.ring()
  }

  private func append(_ batch: LogBatch) -> LogFault? {
    do throws(LogFault) {
      try log.append(batch)
      return nil
    } catch {
      return error
    }
  }
}
