package import ComboSystem
internal import Synchronization

/// A query about rooms.
package enum Query: Sendable {
  /// The room's screen and, if the room is to be watched, all its instructions after that.
  /// - Parameters:
  ///   - id: The id of the answer; 0 for a screen for all watchers.
  ///   - until: The monotonic time, in milliseconds, after which the answer is not needed. There may then be none, and the room
  ///     is not watched.
  case screen(room: [UInt8], id: UInt64, watches: Bool, until: Int64 = .max)
  /// The room no longer has watchers.
  case unwatch(room: [UInt8])
  /// The first rooms in some order whose ids begin with a prefix.
  /// - Parameter until: The time, as above, after which the search is dropped.
  case survey(prefix: [UInt8], limit: Int, order: RoomOrder, id: UInt64, until: Int64 = .max)
}

/// The order of a list of rooms, descending.
package enum RoomOrder: String, CaseIterable, Sendable {
  /// Gifts per second.
  case rate
  /// The wait of the longest-waiting banner.
  case wait
  /// Gifts skipped since the room woke.
  case skipped

  /// Returns the first of several instances' or inputs' rooms.
  package func first(_ limit: Int, of lines: [RoomLine]) -> [RoomLine] {
    func rank(_ line: RoomLine) -> Double {
      switch self {
      case .rate: line.rate
      case .wait: Double(line.waitMs ?? 0)
      case .skipped: Double(line.skipped ?? 0)
      }
    }
    let sorted = lines.sorted { one, other in
      if rank(one) != rank(other) { return rank(one) > rank(other) }
      if one.gifts != other.gifts { return one.gifts > other.gifts }
      return one.room.lexicographicallyPrecedes(other.room)
    }
    return Array(sorted.prefix(limit))
  }
}

/// A room in a list.
package struct RoomLine: Sendable {
  package var room: [UInt8]
  package var epoch: Int64
  package var seq: Int
  /// Banners on screen; nil if the screen is unknown.
  package var banners: Int?
  /// Waiting banners; nil if only instructions are known, which do not contain them.
  package var queued: Int?
  /// Gifts consumed since it woke here; if ``queued`` is nil, only those that were shown.
  package var gifts: Int
  /// Gifts per second, over about ten seconds.
  package var rate: Double
  /// The wait of the longest-waiting banner, in milliseconds; 0 if none waits; nil if unknown.
  package var waitMs: Int64?
  /// Gifts skipped since it woke here; nil if unknown.
  package var skipped: Int?
}

/// The loop's answers. Those about one room are in order: a screen, then the instructions after it.
package enum News: Sendable {
  /// An instruction that was committed, or acknowledged. `record` is the record's value.
  case said(room: [UInt8], record: [UInt8])
  /// The screen after all earlier instructions.
  case screen(id: UInt64, room: [UInt8], record: [UInt8])
  /// The room is this instance's, but not awake.
  case asleep(id: UInt64, room: [UInt8])
  /// The room's screen is unknown until its next `screen`; its instructions are sent.
  case unknown(id: UInt64, room: [UInt8])
  /// The room's partition is another instance's.
  case elsewhere(id: UInt64, room: [UInt8])
  /// This instance does not know yet which partitions are its own.
  case notYet(id: UInt64, room: [UInt8])
  case survey(id: UInt64, [RoomLine])
  /// Another service started in this process; it does not know the watched rooms.
  case restarted
  /// Earlier news was discarded, because it was not read for too long.
  case overrun

  package var bytes: Int {
    switch self {
    case .said(let room, let record), .screen(_, let room, let record): 64 + room.count + record.count
    case .survey(_, let lines): 64 + lines.count * 128
    case .asleep, .unknown, .elsewhere, .notYet, .restarted, .overrun: 64
    }
  }
}

/// The exchange between the loop and observers of the service. Neither ever waits for the other:
/// each holds the lock for a moment only.
package final class Observatory: Sendable {
  private struct State {
    var report: ServiceReport?
    var queries: [Query] = []
    var news: [News] = []
    var newsBytes = 0
    var before = ServiceTotals()
    var freshStarts = 0
    var hindrance: String?
    var wake: (@Sendable () -> Void)?
    var queryCame: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())
  private let hasQueriesFlag = Atomic<Bool>(false)
  private let beatAt = Atomic<Int64>(0)
  package let metrics = LoopMetrics()
  package let stop: StopFlag
  /// The time of the start, by the monotonic clock.
  package let began: Int64

  /// The maximum number of queries that wait for the loop; more are refused. The end of watching a room is always accepted, since
  /// the room would otherwise be watched forever; there are no more of those than there were watchers.
  static let queriesMax = 10_000
  /// The maximum size of unread news, in bytes.
  static let newsBytesMax = 32 << 20

  package init(stop: StopFlag) {
    self.stop = stop
    began = MonotonicClock.nowMs
    beatAt.store(began, ordering: .relaxed)
  }

  // MARK: - For observers

  /// The loop's last report; nil if no service has started yet.
  package var report: ServiceReport? { state.withLock { $0.report } }
  /// The totals of earlier services of this process.
  package var before: ServiceTotals { state.withLock { $0.before } }
  /// Why no service has started yet, nil if it can only be the brokers; or why no records are accepted, nil if they are.
  package var hindrance: String? {
    get { state.withLock { $0.hindrance } }
    set { state.withLock { $0.hindrance = newValue } }
  }
  package var freshStarts: Int { state.withLock { $0.freshStarts } }
  /// When, by the monotonic clock, the loop last showed that it is not stuck.
  package var lastBeat: Int64 { beatAt.load(ordering: .relaxed) }

  /// Queues a query for the loop.
  /// - Returns: Whether it was accepted.
  package func ask(_ query: Query) -> Bool {
    let (isTaken, queryCame) = state.withLock { state in
      if state.queries.count >= Self.queriesMax {
        guard case .unwatch = query else { return (false, state.queryCame) }
      }
      state.queries.append(query)
      return (true, state.queryCame)
    }
    hasQueriesFlag.store(true, ordering: .releasing)
    queryCame?()
    return isTaken
  }

  package func takeNews() -> [News] {
    state.withLock { state in
      if state.news.isEmpty { return [] }
      defer {
        state.news = []
        state.newsBytes = 0
      }
      return state.news
    }
  }

  /// Sets the function that is called when there is news, on any thread.
  package func onNews(_ wake: (@Sendable () -> Void)?) { state.withLock { $0.wake = wake } }

  // MARK: - For the loop

  /// Sets the function that is called when there is a query, on any thread. A loop that checks ``hasQueries`` often needs none.
  package func onQuery(_ wake: (@Sendable () -> Void)?) { state.withLock { $0.queryCame = wake } }

  /// Records that the loop is not stuck.
  package func beat() { beatAt.store(MonotonicClock.nowMs, ordering: .relaxed) }

  @inline(__always)
  package var hasQueries: Bool { hasQueriesFlag.load(ordering: .acquiring) }

  package func takeQueries() -> [Query] {
    hasQueriesFlag.store(false, ordering: .relaxed)
    return state.withLock { state in
      defer { state.queries = [] }
      return state.queries
    }
  }

  package func publish(_ report: ServiceReport) {
    // The old report is freed outside of the lock.
    _ = state.withLock { state in
      let old = state.report
      state.report = report
      return old
    }
  }

  package func tell(_ news: [News]) {
    if news.isEmpty { return }
    let bytes = news.reduce(0) { $0 + $1.bytes }
    let wake = state.withLock { state in
      if state.newsBytes + bytes > Self.newsBytesMax {
        state.news = [.overrun]
        state.newsBytes = 0
      } else {
        state.news += news
        state.newsBytes += bytes
      }
      return state.wake
    }
    wake?()
  }

  /// Records that a service has ended, and another starts in its place.
  /// - Parameter isWanted: Whether it was requested, so that it is not counted.
  package func startsAfresh(after totals: ServiceTotals, isWanted: Bool = false) {
    state.withLock { state in
      state.before.add(totals)
      state.report = nil
      if !isWanted { state.freshStarts += 1 }
    }
    tell([.restarted])
  }
}
