internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// The service's reports about itself while it waits, and about its input.
extension Service {
  /// The reports made, and the pending ones.
  struct LogNotes {
    /// Since when it waits for its assignment, by the monotonic clock.
    var waitsSince: Int64?
    var hasSaidWaiting = false
    var bad = BadRecords()
    var heldPartitions: [Int32: HeldPartition] = [:]
    /// The partitions whose ends were asked for, and the answers: where the first open transaction begins, and where the partition ends.
    var asked: Set<Int32> = []
    let ends = Mailbox<(partition: Int32, found: (stable: Int64, end: Int64)?)>()
    var checkedAt: Int64 = 0
    let output = OutputMemory()
    var transactions = TransactionWatch()
    var input = InputMemory()
    var outputCheckedAt: Int64 = 0
    var topicsCheckedAt: Int64 = 0
    /// What the topic watch found; nil: nothing.
    let lostTopics = Mailbox<LostTopic?>()
    var isWatchingTopics = false
  }

  /// Of a partition that stands still.
  struct HeldPartition {
    var offset: Int64
    /// The end of the input for which it was asked why.
    var askedFor: Int64 = -1
    /// The open transaction that was found: where it begins, since when it is known, and whether it was reported.
    var open: (from: Int64, since: Int64, isSaid: Bool)?
  }

  /// A member that died is waited for until its session is over.
  private static let joinSaidMs: Int64 = 3000
  private static let heldMs: Int64 = 10_000
  private static let checkEveryMs: Int64 = 1000

  /// Called in each turn.
  func logConditions() {
    let now = edges.time.monotonicMs()
    logJoining(now)
    logBadRecords(now)
    if now - notes.checkedAt >= Self.checkEveryMs {
      notes.checkedAt = now
      logHeldPartitions(now)
      watchArrivals(now)
      watchTransactions(now)
      watchTopics(now)
      watchInput(now)
    }
    if hasJoined, now - notes.outputCheckedAt >= Self.outputEveryMs {
      notes.outputCheckedAt = now
      checkOutput()
    }
  }

  private static let outputEveryMs: Int64 = 15_000
  private static let topicsEveryMs: Int64 = 4000

  /// A topic that was deleted is noticed although nothing is written to it at the moment.
  private func watchTopics(_ now: Int64) {
    for lost in notes.lostTopics.takeAll() {
      notes.isWatchingTopics = false
      if let lost { isLost(lost) }
    }
    guard let watch = edges.topicWatch, hasJoined, !notes.isWatchingTopics, now - notes.topicsCheckedAt >= Self.topicsEveryMs
    else {
      return
    }
    notes.topicsCheckedAt = now
    notes.isWatchingTopics = true
    let (found, owned) = (notes.lostTopics, partitions.active.compactMap { $0?.number })
    edges.inBackground(.query) {
      // Brokers that do not answer are reported elsewhere.
      found.put((try? watch.look(owned)) ?? nil)
    }
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
    if hasJoined {
      notes.waitsSince = nil
      notes.hasSaidWaiting = false
      return
    }
    let since = notes.waitsSince ?? now
    notes.waitsSince = since
    if notes.hasSaidWaiting || now - since < Self.joinSaidMs { return }
    // If the brokers do not answer, it is them that it waits for.
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

  /// What was counted and not reported yet, as the service ends.
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

  /// Looks for transactions that producers have left open in the input: records after them are not delivered.
  private func logHeldPartitions(_ now: Int64) {
    for (number, found) in notes.ends.takeAll() {
      notes.asked.remove(number)
      if let found { logOpenTransaction(number, found.stable, found.end, now) }
    }
    notes.heldPartitions = notes.heldPartitions.filter { partitions.isActive($0.key) }
    for case let active? in partitions.active {
      let (number, offset) = (active.number, active.partition.offset)
      guard let held = notes.heldPartitions[number], held.offset == offset || held.open?.isSaid == true else {
        notes.heldPartitions[number] = HeldPartition(offset: offset)
        continue
      }
      // The end may be that of aborted records, or the mark of a transaction: then nothing waits, and nothing changes.
      let end = edges.group.end(of: number) ?? 0
      guard held.open != nil || (end > offset && held.askedFor != end), notes.asked.insert(number).inserted else { continue }
      notes.heldPartitions[number]?.askedFor = end
      let (reader, ends) = (edges.reader, notes.ends)
      edges.inBackground(.query) {
        // Brokers that do not answer are reported elsewhere.
        let end = try? reader.bounds(.input, number).end
        let stable = try? reader.stableEnd(.input, number)
        ends.put((number, stable.flatMap { stable in end.map { (stable, $0) } }))
      }
    }
  }

  private func logOpenTransaction(_ number: Int32, _ stable: Int64, _ end: Int64, _ now: Int64) {
    guard let open = notes.heldPartitions[number]?.open else {
      if stable < end { notes.heldPartitions[number]?.open = (stable, now, false) }
      return
    }
    let seconds = (now - open.since) / 1000
    if stable > open.from {
      notes.heldPartitions[number]?.open = nil
      if !open.isSaid { return }
      log.info(
        """
        partition \(.partition, number) continues: the transaction that was open from offset \(.offset, open.from) on has ended. It held the \
        partition up for \(.seconds, seconds) s or more
        """)
    } else if !open.isSaid, now - open.since >= Self.heldMs {
      notes.heldPartitions[number]?.open?.isSaid = true
      let (topic, since) = (configuration.topics.input, Timestamp.text(edges.time.wallMs() - (now - open.since)))
      log.warning(
        """
        a transaction of a producer of the input is open in partition \(.partition, number) of \(.topic, topic), from offset \
        \(.offset, stable) on, since \(.text, since) or before: \(.records, end - stable) records wait behind it. \
        \(.text, OpenTransaction.remedy(configuration.brokers, topic, number, offset: stable))
        """)
    }
  }
}

/// Counts bad records, so that a flood of them is one line a minute.
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

  /// The messages that are due: the first at once, later ones together.
  mutating func take(at now: Int64) -> Told? {
    guard let told = waiting, saidAt.map({ now - $0 >= Self.everyMs }) ?? true else { return nil }
    waiting = nil
    saidAt = now
    return told
  }

  /// The rest, whether it is due or not.
  mutating func takeRest() -> Told? {
    defer { waiting = nil }
    return waiting
  }
}
