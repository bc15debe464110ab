internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Transactions of any producer that stay open in the service's topics or on the group's offsets. Nothing behind them is consumed
/// from the input or read from the output; in journal and state, and on the offsets, they may hold up a takeover.
struct TransactionWatch {
  struct Held {
    var transaction: OpenTransaction
    /// When it was first found, by the monotonic clock.
    var foundAt: Int64
    var isSaid = false
  }

  /// The result of a check.
  struct Answer: Sendable {
    let open: [OpenTransaction]
    /// The partitions whose takeover waits for a transaction on the group's offsets; nil if the coordinator did not answer.
    let pending: [Int32]?
    let ends: [(topic: Topic, ends: [(partition: Int32, end: Int64)])]
  }

  let answers = Mailbox<Answer?>()
  var isAsking = false
  var askedAt = Int64.min / 2
  /// The transactions that the last check found.
  private(set) var held: [Held] = []
  /// When each partition was first found to wait for a transaction on the group's offsets, by the monotonic clock.
  private var pending: [Int32: Int64] = [:]

  /// The time after which a transaction hangs. A transaction of the service is over sooner.
  static let heldMs: Int64 = 15_000

  /// Returns the transactions that have been open for too long.
  func hanging(at now: Int64) -> [Held] { held.filter { now - $0.foundAt >= Self.heldMs } }

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
    return before.filter { one in one.isSaid && !held.contains { $0.transaction.isSame(as: one.transaction) } }
  }

  /// Returns the transactions to log now, and marks them as logged.
  mutating func takeUnsaid(at now: Int64) -> [Held] {
    var unsaid: [Held] = []
    for index in held.indices where !held[index].isSaid && now - held[index].foundAt >= Self.heldMs {
      held[index].isSaid = true
      unsaid.append(held[index])
    }
    return unsaid
  }
}

extension Service {
  private static let transactionsEveryMs: Int64 = 5000
  /// A short interval, before a partition that became shorter has grown again.
  private static let lookAgainMs: Int64 = 1000

  /// Called about once a second.
  func watchTransactions(_ now: Int64) {
    for answer in notes.transactions.answers.takeAll() {
      notes.transactions.isAsking = false
      // Brokers that do not answer are reported elsewhere.
      guard let found = answer else { continue }
      for (topic, ends) in found.ends { for fall in partitions.memory.ends(topic, ends) { say(fall) } }
      for over in notes.transactions.take(found, at: now) {
        log.info(
          """
          the transaction that was open in partition \(.partition, over.transaction.partition) of \(.topic, name(over.transaction.topic)) \
          from offset \(.offset, over.transaction.offset) on has ended: it held its readers up for \
          \(.seconds, (now - over.foundAt) / 1000) s or more
          """)
      }
    }
    for one in notes.transactions.takeUnsaid(at: now) { say(one, now) }
    askForTransactions(now)
  }

  private func say(_ fall: GroupMemory.Fall) {
    let effect =
      switch fall.topic {
      case .input: "What was taken in is not taken in again"
      case .output: "Lost instructions are not written again; each room writes its whole screen within screen-ms"
      case .journal, .state, .deadLetter: "If the partition's state cannot be proven any more, all its rooms begin a new epoch"
      }
    log.error(
      """
      the \(.text, fall.topic.word) \(.topic, name(fall.topic)) was deleted and recreated, or has lost records: its partition \
      \(.partition, fall.partition) ended at offset \(.limit, fall.from) and ends at \(.offset, fall.to) now. \(.text, effect)
      """)
  }

  private func say(_ held: TransactionWatch.Held, _ now: Int64) {
    let open = held.transaction
    let remedy = OpenTransaction.remedy(configuration.brokers, name(open.topic), open.partition, offset: open.offset)
    log.warning(
      """
      a transaction stays open in partition \(.partition, open.partition) of the \(.text, open.topic.word) \(.topic, name(open.topic)), from \
      offset \(.offset, open.offset) on, \(.text, Self.since(held, now)): \(.reason, open.topic.effectOfOpenTransaction). \(.text, remedy)
      """)
  }

  /// Returns since when it has been open, as far as known.
  private static func since(_ held: TransactionWatch.Held, _ now: Int64) -> String {
    held.transaction.since.map { "since \(Timestamp.text($0))" } ?? "for more than \((now - held.foundAt) / 1000) s"
  }

  private func name(_ topic: Topic) -> String {
    TopicNames(input: configuration.topics.input, output: configuration.topics.output, group: configuration.topics.group)[topic]
  }

  /// Requests the open transactions. Each partition of the output is checked by one member.
  private func askForTransactions(_ now: Int64) {
    let everyMs = partitions.memory.doubts ? Self.lookAgainMs : Self.transactionsEveryMs
    if notes.transactions.isAsking || !hasJoined || now - notes.transactions.askedAt < everyMs { return }
    let owned = Set(partitions.owned.keys)
    guard let most = owned.max(), configuration.purpose == .service else { return }
    notes.transactions.askedAt = now
    notes.transactions.isAsking = true
    let (reader, group) = (edges.reader, edges.group)
    let (answers, known) = (notes.transactions.answers, notes.transactions.held.map(\.transaction))
    // A partition that is consumed waits for none, and its own commits would be found.
    let waiting = owned.filter { !partitions.isActive($0) }.sorted()
    edges.inBackground(.query) {
      do throws(EdgeError) {
        // The input may have gained partitions since.
        let inputs = max(try reader.partitions(.input).count, Int(most) + 1)
        let outputs = try reader.partitions(.output).filter { owned.contains($0 % Int32(inputs)) }
        let numbers = owned.sorted()
        var found: [OpenTransaction] = []
        var ends: [(topic: Topic, ends: [(partition: Int32, end: Int64)])] = []
        for (topic, numbers) in [(Topic.input, numbers), (.output, outputs), (.journal, numbers), (.state, numbers)] {
          ends.append((topic, try reader.ends(topic, numbers)))
          found += try reader.openTransactions(topic, numbers)
        }
        // Only for those that stay open: it takes a request.
        let open = found.map { transaction in
          guard let before = known.first(where: { $0.isSame(as: transaction) }) else { return transaction }
          if before.since == nil { return reader.withTime(transaction) }
          var same = transaction
          same.since = before.since
          return same
        }
        answers.put(.init(open: open, pending: try? group.pendingOffsets(waiting), ends: ends))
      } catch {
        answers.put(nil)
      }
    }
  }

  /// Returns what holds readers up, for observers.
  func heldUp(_ now: Int64) -> [ServiceReport.HeldUp] {
    let inTopics = notes.transactions.hanging(at: now).map { held in
      let open = held.transaction
      let sentence =
        "a transaction is open in partition \(open.partition) of the \(open.topic.word) \"\(name(open.topic))\", from offset \(open.offset) on, "
        + "\(Self.since(held, now)): \(open.topic.effectOfOpenTransaction)"
      return ServiceReport.HeldUp(topic: open.topic.word, partition: open.partition, ms: now - held.foundAt, sentence: sentence)
    }
    let onOffsets = notes.transactions.waiting(at: now).compactMap { partition, ms -> ServiceReport.HeldUp? in
      // The last look may have been seconds ago.
      if partitions.owned[partition] == nil || partitions.isActive(partition) { return nil }
      return ServiceReport.HeldUp(
        topic: "offsets", partition: partition, ms: ms,
        sentence:
          "a transaction that is to change the group's offset of partition \(partition) of the input has been open for more than"
          + " \(ms / 1000) s: its takeover waits for the end")
    }
    return inTopics + onOffsets
  }
}
