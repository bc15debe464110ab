internal import ComboSystem
internal import Synchronization

/// Gathers the records of many threads and appends them together, so that one sync of the disk serves all that arrived meanwhile.
///
/// Records of ``Durability/synced`` are appended as soon as possible and acknowledged with the next sync, most often that of the
/// commit of their results, a few milliseconds later. If there is none, the appender syncs by itself. Nobody waits for records of
/// ``Durability/gathered``. If few of them arrive, they are appended 10 times per second: an append and its commit cost the same
/// however many records they hold.
package final class LogAppender: Sendable {
  /// Called with nil once the records are as durable as requested, or with the fault if they could not be appended or synced.
  /// Runs on the appender's thread, or on the one that commits.
  package typealias Done = @Sendable (LogFault?) -> Void

  /// The time at which ``Done`` is called.
  package enum Durability: Sendable {
    /// Once the records are on the disk.
    case synced
    /// Once they are written. They survive the end of the process, and a power failure after the next commit.
    case written
    /// Like ``written``, but the records may wait for others that arrive soon after.
    case gathered
  }

  private struct Offer {
    let batch: LogBatch
    let durability: Durability
    let done: Done
  }

  private struct Waiting {
    var offers: [Offer] = []
    var bytes = 0
    var isUrgent = false
    var isStopped = false
  }

  /// An append that waits for a sync.
  private struct Unsynced {
    let ticket: UInt64
    let at: Int64
    let done: Done
  }

  private let log: LogFile
  private let queueMax: Int
  private let gapMs: Int64
  private let waiting = Mutex(Waiting())
  private let unsynced = Mutex<[Unsynced]>([])
  private let arrived = LogBell()
  private let emptied = LogBell()
  private let ended = LogBell()

  /// The time after which an append is synced if no commit has synced it.
  private static let syncMs: Int64 = 20
  /// The time between two appends, while few records arrive and nobody waits for them.
  package static let quietGapMs: Int64 = 100

  /// - Parameters:
  ///   - queueMax: The maximum number of bytes that may wait.
  ///   - gapMs: The minimum time between two appends, so that a stream of single records costs few of them.
  package init(_ log: LogFile, queueMax: Int = 16 << 20, gapMs: Int64 = 4) {
    self.log = log
    self.queueMax = queueMax
    self.gapMs = gapMs
    log.onSync { [weak self] ticket in self?.acknowledge(ticket, nil) }
    _ = WorkThread { [self] in run() }
  }

  /// Passes records to the appender. Any thread may call it.
  /// - Returns: false if the queue is full or the appender was stopped. Nothing was accepted then, and `done` is not called.
  package func offer(_ batch: LogBatch, _ durability: Durability = .synced, done: @escaping Done) -> Bool {
    let (isAccepted, rings) = waiting.withLock { waiting in
      // One batch always fits, however large it is.
      if waiting.isStopped || (waiting.bytes > 0 && waiting.bytes + batch.size > queueMax) { return (false, false) }
      let isFirst = waiting.offers.isEmpty
      waiting.offers.append(Offer(batch: batch, durability: durability, done: done))
      waiting.bytes += batch.size
      let isNewlyUrgent = durability != .gathered && !waiting.isUrgent
      if durability != .gathered { waiting.isUrgent = true }
      return (true, isFirst || isNewlyUrgent)
    }
    if rings { arrived.ring() }
    return isAccepted
  }

  /// Passes records to the appender, and blocks while its queue is full.
  /// - Returns: false if the appender was stopped.
  package func offerPatiently(_ batch: LogBatch, _ durability: Durability = .synced, done: @escaping Done) -> Bool {
    while true {
      let rings = emptied.rings
      if offer(batch, durability, done: done) { return true }
      if waiting.withLock({ $0.isStopped }) { return false }
      emptied.wait(after: rings, maxMs: 1000)
    }
  }

  /// Appends what was accepted, syncs it, and ends. To be called once.
  package func stop() {
    let rings = ended.rings
    waiting.withLock { $0.isStopped = true }
    arrived.ring()
    ended.wait(after: rings, maxMs: 10_000)
  }

  // MARK: - The thread

  private func run() {
    var rate = QuietRate()
    var last: Int64 = 0
    while true {
      let rings = arrived.rings
      let (isEmpty, isUrgent, isStopped) = waiting.withLock { ($0.offers.isEmpty, $0.isUrgent, $0.isStopped) }
      let now = MonotonicClock.nowMs
      let syncIn = syncIfDue(now)
      if isEmpty {
        if isStopped { break }
        arrived.wait(after: rings, maxMs: syncIn)
        continue
      }
      let pause = last + (rate.isQuiet(at: now) && !isUrgent && !isStopped ? Self.quietGapMs : gapMs) - now
      if pause > gapMs {
        arrived.wait(after: rings, maxMs: min(pause, syncIn))
        continue
      }
      if pause > 0 { MonotonicClock.sleep(ms: pause) }
      let offers = waiting.withLock { waiting in
        defer {
          waiting.offers = []
          waiting.bytes = 0
          waiting.isUrgent = false
        }
        return waiting.offers
      }
      emptied.ring()
      last = MonotonicClock.nowMs
      rate.add(offers.reduce(0) { $0 + $1.batch.count }, at: last)
      append(offers)
    }
    syncAll()
    ended.ring()
  }

  private func append(_ offers: [Offer]) {
    var all = offers[0].batch
    for offer in offers.dropFirst() { all.append(contentsOf: offer.batch) }
    do throws(LogFault) {
      let ticket = try log.append(all, isSynced: false)
      let now = MonotonicClock.nowMs
      unsynced.withLock { unsynced in
        for offer in offers where offer.durability == .synced {
          unsynced.append(Unsynced(ticket: ticket, at: now, done: offer.done))
        }
      }
      for offer in offers where offer.durability != .synced { offer.done(nil) }
      // The commit of the results may have been faster than this.
      let synced = log.synced
      if synced >= ticket { acknowledge(synced, nil) }
    } catch {
      for offer in offers { offer.done(error) }
    }
  }

  /// Completes the appends up to a ticket. Any thread may call it.
  private func acknowledge(_ ticket: UInt64, _ fault: LogFault?) {
    let done = unsynced.withLock { unsynced in
      let count = unsynced.prefix { $0.ticket <= ticket }.count
      defer { unsynced.removeFirst(count) }
      return unsynced.prefix(count)
    }
    for one in done { one.done(fault) }
  }

  /// - Returns: The time until the next check, in milliseconds.
  private func syncIfDue(_ now: Int64) -> Int64 {
    guard let since = unsynced.withLock({ $0.first?.at }) else { return 10_000 }
    let left = since + Self.syncMs - now
    if left > 0 { return left }
    syncAll()
    return 10_000
  }

  private func syncAll() {
    do throws(LogFault) {
      try log.sync()
      acknowledge(log.synced, nil)
    } catch {
      acknowledge(.max, error)
    }
  }
}

/// Determines whether few records arrive.
package struct QuietRate {
  private static let windowMs: Int64 = 100
  private static let recordsMax = 20
  private var since: Int64 = 0
  private var records = 0
  private var wasBusy = false

  package init() {}

  package mutating func add(_ count: Int, at now: Int64) {
    turn(now)
    records += count
  }

  package mutating func isQuiet(at now: Int64) -> Bool {
    turn(now)
    return !wasBusy && records <= Self.recordsMax
  }

  private mutating func turn(_ now: Int64) {
    let elapsed = now - since
    if elapsed < Self.windowMs { return }
    // A longer time counts in proportion.
    wasBusy = Int64(records) * Self.windowMs > Int64(Self.recordsMax) * elapsed
    since = now
    records = 0
  }
}
