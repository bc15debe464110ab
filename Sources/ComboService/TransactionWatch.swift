package import ComboEdge
internal import ComboRooms
package import ComboSystem
internal import ComboWire

/// Transactions of any producer that stay open in the service's topics or on the group's offsets. Nothing behind them is consumed
/// from the input or read from the output; in journal and state, and on the offsets, they may hold up a takeover.
package struct TransactionWatch {
  struct Held {
    var transaction: OpenTransaction
    /// When it was first found, by the monotonic clock.
    var foundAt: Int64
    var isSaid = false
  }

  /// The result of a check.
  package struct Answer: Sendable {
    let open: [OpenTransaction]
    /// The partitions whose takeover waits for a transaction on the group's offsets; nil if the coordinator did not answer.
    let pending: [Int32]?
    let ends: [(topic: Topic, ends: [(partition: Int32, end: Int64)])]

    package init(
      open: [OpenTransaction], pending: [Int32]? = [], ends: [(topic: Topic, ends: [(partition: Int32, end: Int64)])] = []
    ) {
      (self.open, self.pending, self.ends) = (open, pending, ends)
    }

    /// Whether the partition was checked. Another member may have taken it over since.
    func covers(_ transaction: OpenTransaction) -> Bool {
      ends.isEmpty
        || ends.contains { $0.topic == transaction.topic && $0.ends.contains { $0.partition == transaction.partition } }
    }
  }

  /// The interval of checks.
  package static let everyMs: Int64 = 5000
  /// The transactions that the last check found.
  private(set) var held: [Held] = []
  /// When each partition was first found to wait for a transaction on the group's offsets, by the monotonic clock.
  private var pending: [Int32: Int64] = [:]

  /// The time after which a transaction hangs. A transaction of the service is over sooner.
  static let heldMs: Int64 = 15_000

  package init() {}

  /// The transactions that the last check found.
  package var known: [OpenTransaction] { held.map(\.transaction) }

  /// Returns the transactions that are open now.
  /// - Parameter known: Those that the last check found.
  package static func find(
    _ reader: any ReadEdge, _ topic: Topic, _ partitions: [Int32], known: [OpenTransaction]
  ) throws(EdgeError) -> [OpenTransaction] {
    // The time since when it is open takes a request, so it is read only for those that stay open.
    try reader.openTransactions(topic, partitions).map { transaction in
      guard let before = known.first(where: { $0.isSame(as: transaction) }) else { return transaction }
      if before.since == nil { return reader.withTime(transaction) }
      var same = transaction
      same.since = before.since
      return same
    }
  }

  /// Returns the transactions that have been open for too long.
  func hanging(at now: Int64) -> [Held] { held.filter { isHanging($0, at: now) } }

  /// Whether it hangs. A takeover that waits for the group's offset does not read the partition's journal and state yet.
  private func isHanging(_ held: Held, at now: Int64) -> Bool {
    let (topic, partition) = (held.transaction.topic, held.transaction.partition)
    return now - held.foundAt >= Self.heldMs && (topic == .input || topic == .output || pending[partition] == nil)
  }

  /// Returns the partitions that have waited for too long for a transaction on the group's offsets, and for how long, in
  /// milliseconds.
  func waiting(at now: Int64) -> [(partition: Int32, ms: Int64)] {
    pending.sorted { $0.key < $1.key }.map { ($0.key, now - $0.value) }.filter { $0.1 >= Self.heldMs }
  }

  /// Processes the findings of a check.
  /// - Returns: Those that have ended, and were logged as hanging.
  mutating func take(_ found: Answer, at now: Int64) -> [Held] {
    let before = held
    if let waiting = found.pending { pending = Dictionary(uniqueKeysWithValues: waiting.map { ($0, pending[$0] ?? now) }) }
    held = found.open.map { transaction in
      guard var known = before.first(where: { $0.transaction.isSame(as: transaction) }) else {
        return Held(transaction: transaction, foundAt: now)
      }
      known.transaction = transaction
      return known
    }
    return before.filter { one in
      one.isSaid && found.covers(one.transaction) && !held.contains { $0.transaction.isSame(as: one.transaction) }
    }
  }

  /// Forgets everything, as another member watches the partitions now.
  mutating func forget() { (held, pending) = ([], [:]) }

  /// Returns the transactions to log now, and marks them as logged.
  mutating func takeUnsaid(at now: Int64) -> [Held] {
    var unsaid: [Held] = []
    for index in held.indices where !held[index].isSaid && isHanging(held[index], at: now) {
      held[index].isSaid = true
      unsaid.append(held[index])
    }
    return unsaid
  }
}

/// Log lines and reports about transactions that hang.
extension TransactionWatch {
  /// Processes the findings of a check, and logs the end of those that were logged.
  package mutating func take(_ found: Answer, _ names: TopicNames, at now: Int64, _ time: any TimeSource, _ log: ServiceLog) {
    for over in take(found, at: now) {
      log.info(
        """
        the transaction that was open in partition \(.partition, over.transaction.partition) of \(.topic, names[over.transaction.topic]) \
        from offset \(.offset, over.transaction.offset) on has ended: it held its readers up for \
        \(.seconds, over.ms(now, wall: time.wallMs()) / 1000) s or more
        """)
    }
  }

  /// Logs those that hang and were not logged.
  package mutating func tell(_ names: TopicNames, brokers: String, at now: Int64, _ log: ServiceLog) {
    for held in takeUnsaid(at: now) {
      let open = held.transaction
      let remedy = OpenTransaction.remedy(brokers, names[open.topic], open.partition, offset: open.offset)
      log.warning(
        """
        a transaction stays open in partition \(.partition, open.partition) of the \(.role, open.topic.word) \(.topic, names[open.topic]), from \
        offset \(.offset, open.offset) on, \(.since, held.since(now)): \(.reason, open.topic.effectOfOpenTransaction). \(.text, remedy)
        """)
    }
  }

  /// Returns those that hang, for observers.
  package func heldUp(_ names: TopicNames, at now: Int64, _ time: any TimeSource) -> [ServiceReport.HeldUp] {
    hanging(at: now).map { held in
      let open = held.transaction
      return ServiceReport.HeldUp(
        topic: open.topic.word, partition: open.partition, ms: held.ms(now, wall: time.wallMs()), seenMs: now - held.foundAt,
        sentence:
          "a transaction is open in partition \(open.partition) of the \(open.topic.word) \"\(names[open.topic])\", from offset \(open.offset) on, "
          + "\(held.since(now)): \(open.topic.effectOfOpenTransaction)")
    }
  }
}

extension TransactionWatch.Held {
  /// Returns for how long it has been open, as far as known, in milliseconds. A process that was started later knows it, too.
  func ms(_ now: Int64, wall: Int64) -> Int64 { max(now - foundAt, transaction.since.map { wall - $0 } ?? 0) }

  /// Returns since when it has been open, as far as known.
  func since(_ now: Int64) -> String {
    transaction.since.map { "since \(Timestamp.text($0))" } ?? "for more than \((now - foundAt) / 1000) s"
  }
}

/// Finds transactions that hold up the service's partitions, and partitions that have become shorter.
final class TransactionProbe: QueryProbe<TransactionWatch.Answer?> {
  private(set) var watch = TransactionWatch()

  /// While a partition seems shorter, the next question comes before it has grown again.
  override var askEveryMs: Int64 { parts.partitions.memory.doubts ? 1000 : TransactionWatch.everyMs }

  /// - Parameter answer: nil if the brokers did not answer, which is reported elsewhere.
  override func take(_ answer: TransactionWatch.Answer?, at now: Int64) -> Finding? {
    guard let answer else { return nil }
    let falls = answer.ends.flatMap { parts.partitions.memory.ends($0.topic, $0.ends) }
    for fall in falls { say(fall) }
    watch.take(answer, names, at: now, parts.edges.time, parts.log)
    // Brokers that recreated it may have given it other settings.
    guard parts.edges.topicWatch != nil, let topic = falls.map(\.topic).first(where: { $0 == .journal || $0 == .state }) else {
      return nil
    }
    return .lost(LostTopic(topic, "has become shorter"))
  }

  override func check(at now: Int64) -> Finding? {
    watch.tell(names, brokers: parts.configuration.brokers, at: now, parts.log)
    if parts.partitions.owned.isEmpty { watch.forget() }
    return nil
  }

  private func say(_ fall: GroupMemory.Fall) {
    let effect =
      switch fall.topic {
      case .input: "Records that were consumed are not consumed again"
      case .output: "Lost instructions are not written again; each room writes its whole screen within screen-ms"
      case .journal, .state, .deadLetter: "If the partition's state can no longer be verified, all its rooms begin a new epoch"
      }
    parts.log.error(
      """
      the \(.role, fall.topic.word) \(.topic, names[fall.topic]) was deleted and recreated, or has lost records: its partition \
      \(.partition, fall.partition) ended at offset \(.before, fall.from) and ends at \(.offset, fall.to) now. \(.text, effect)
      """)
  }

  private var names: TopicNames {
    let topics = parts.configuration.topics
    return TopicNames(input: topics.input, output: topics.output, group: topics.group)
  }

  /// Requests the open transactions. Each partition of the output is checked by one member.
  override func question(at now: Int64) -> (@Sendable () -> TransactionWatch.Answer?)? {
    let numbers = parts.partitions.owned
    guard let most = numbers.last, parts.partitions.hasJoined, parts.configuration.purpose == .service else { return nil }
    let (reader, offsets, known) = (parts.edges.reader, parts.edges.group.offsets, watch.known)
    // A partition that is consumed waits for none, and its own commits would be found.
    let waiting = numbers.filter { !parts.partitions.isActive($0) }
    return {
      do throws(EdgeError) {
        // The input may have gained partitions since.
        let inputs = max(try reader.partitions(.input).count, Int(most) + 1)
        let owned = Set(numbers)
        let outputs = try reader.partitions(.output).filter { owned.contains($0 % Int32(inputs)) }
        var found: [OpenTransaction] = []
        var ends: [(topic: Topic, ends: [(partition: Int32, end: Int64)])] = []
        for (topic, numbers) in [(Topic.input, numbers), (.output, outputs), (.journal, numbers), (.state, numbers)] {
          ends.append((topic, try reader.ends(topic, numbers)))
          found += try TransactionWatch.find(reader, topic, numbers, known: known)
        }
        return TransactionWatch.Answer(open: found, pending: try? offsets.pendingOffsets(waiting), ends: ends)
      } catch {
        return nil
      }
    }
  }

  /// Returns what holds readers up, for observers.
  func heldUp(_ now: Int64) -> [ServiceReport.HeldUp] {
    let onOffsets = watch.waiting(at: now).compactMap { partition, ms -> ServiceReport.HeldUp? in
      // The last look may have been seconds ago.
      if parts.partitions.state(of: partition).isUnassigned || parts.partitions.isActive(partition) { return nil }
      return ServiceReport.HeldUp(
        topic: "offsets", partition: partition, ms: ms, seenMs: ms,
        sentence:
          "a transaction that is to change the group's offset of partition \(partition) of the input has been open for more than"
          + " \(ms / 1000) s: its takeover waits for the end")
    }
    return onOffsets + watch.heldUp(names, at: now, parts.edges.time)
  }
}
