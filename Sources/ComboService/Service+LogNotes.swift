internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// The service's log messages about its own waiting, and about its input.
extension Service {
  /// The messages that were logged, and those that are pending.
  struct LogNotes {
    /// When it began to wait for its assignment, by the monotonic clock.
    var waitsSince: Int64?
    var hasSaidWaiting = false
    var bad = BadRecords()
    var checkedAt: Int64 = 0
    let output = OutputMemory()
    var transactions = TransactionWatch()
    var input = InputMemory()
    var outputCheckedAt: Int64 = 0
    /// The query of the topic watch: a lost topic, or nil.
    var lostTopic = BackgroundQuery<LostTopic?>()
  }

  /// How long joining may take before it is logged. The group waits for a member that died until its session times out.
  private static let joinSaidMs: Int64 = 3000
  private static let checkEveryMs: Int64 = 1000

  /// Called in each turn.
  func logConditions() {
    let now = edges.time.monotonicMs()
    logJoining(now)
    logBadRecords(now)
    if now - notes.checkedAt >= Self.checkEveryMs {
      notes.checkedAt = now
      watchArrivals(now)
      watchTransactions(now)
      watchDenied(now)
      watchTopics(now)
      watchInput(now)
    }
    if partitions.hasJoined, now - notes.outputCheckedAt >= Self.outputEveryMs {
      notes.outputCheckedAt = now
      checkOutput()
    }
  }

  private static let outputEveryMs: Int64 = 15_000
  private static let topicsEveryMs: Int64 = 4000

  /// Detects a deleted topic even if nothing is written to it at the moment.
  private func watchTopics(_ now: Int64) {
    if let answer = notes.lostTopic.takeAnswer(), let lost = answer { isLost(lost) }
    guard let watch = edges.topicWatch, partitions.hasJoined, notes.lostTopic.isDue(everyMs: Self.topicsEveryMs, at: now) else {
      return
    }
    // Brokers that do not answer are reported elsewhere.
    notes.lostTopic.ask(at: now, edges.inBackground) { (try? watch.check()) ?? nil }
  }

  private func checkOutput() {
    let (reader, memory, log, comparesTimes) = (edges.reader, notes.output, log, configuration.comparesOutputTimes)
    edges.inBackground(.query) {
      // Brokers that do not answer are reported elsewhere.
      guard let reason = try? memory.loss(reader, comparesTimes: comparesTimes) else { return }
      log.error(
        """
        the output was deleted and recreated, or has lost records: \(.reason, reason). Lost instructions are not written again; \
        each room writes its whole screen within screen-ms
        """)
    }
  }

  private func logJoining(_ now: Int64) {
    if partitions.hasJoined {
      notes.waitsSince = nil
      notes.hasSaidWaiting = false
      return
    }
    let since = notes.waitsSince ?? now
    notes.waitsSince = since
    if notes.hasSaidWaiting || now - since < Self.joinSaidMs { return }
    // If the brokers do not answer, the service waits for them instead.
    if watched.observatory != nil, arrivals.heardAt < since { return }
    notes.hasSaidWaiting = true
    log.info(
      """
      waiting to join the group, which first waits for members that are stopping or were killed, until their sessions time out \
      (session.timeout.ms, 10 s by default)
      """)
  }

  private func logBadRecords(_ now: Int64) {
    if let told = notes.bad.take(at: now) { log(told) }
  }

  /// Logs what was counted and not reported yet, when the service ends.
  func logRest() {
    if let told = notes.bad.takeRest() { log(told) }
  }

  private func log(_ told: BadRecords.Told) {
    log.warning(
      """
      bad records went to the dead-letter topic: \(.count, told.count) since the last report, the newest from partition \
      \(.partition, told.partition), offset \(.offset, told.offset): \(.code, told.code)
      """)
  }
}

/// Counts bad records, so that a flood of them is one line per minute.
struct BadRecords {
  struct Told: Equatable {
    var count: Int
    var code: String
    var partition: Int32
    var offset: Int64
  }

  static let everyMs: Int64 = 60_000
  private var waiting: Told?
  private var saidAt: Int64?

  mutating func add(_ code: String, partition: Int32, offset: Int64) {
    waiting = Told(count: (waiting?.count ?? 0) + 1, code: code, partition: partition, offset: offset)
  }

  /// Returns the report that is due: the first record at once, later ones together.
  mutating func take(at now: Int64) -> Told? {
    guard let told = waiting, saidAt.map({ now - $0 >= Self.everyMs }) ?? true else { return nil }
    waiting = nil
    saidAt = now
    return told
  }

  /// Returns the rest, whether it is due or not.
  mutating func takeRest() -> Told? {
    defer { waiting = nil }
    return waiting
  }
}
