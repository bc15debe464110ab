internal import ComboCore
package import ComboEdge
internal import ComboRooms
package import ComboSystem
package import ComboWire

/// Determines the fates of gifts from a group's input and journal.
///
/// It only reads, does not join the group, and may run beside a live service; later commits are ignored. It derives only one room
/// of the partition, so its memory does not grow with input or journal. It derives on one thread. If nothing is found, it
/// searches all partitions, on all cores.
@safe package struct Explainer {
  /// The results except for the gifts that were passed to the caller.
  package struct Outcome {
    /// The partitions in the order in which they were read.
    package var partitions: [ExplainedPartition] = []
    package var gifts = 0
    /// The first misses of each partition, and the number of all.
    package var misses: [GiftMiss] = []
    package var missCount = 0
    /// The number of misses that are only guesses.
    package var guessCount = 0
    /// The gifts nearest to the question, in this room or others, sorted by time; only if nothing certain was found.
    package var nearest: [GiftMiss] = []
    /// The number of partitions that were searched.
    package var searched = 0

    /// Whether anything was found that is, or may be, what the question requests. The nearest gifts do not count.
    package var hasFound: Bool { gifts > 0 || missCount > 0 }
    /// Whether anything was found that certainly is what the question requests.
    package var isSure: Bool { gifts > 0 || missCount > guessCount }
  }

  private let reader: WatchedReading
  private let topics: TopicIdentity
  private let log: ServiceLog
  /// The rules whose entries can be derived; only tests set others.
  var rules = Rules.known
  /// Returns the partition to which a producer sends a room, from the room and the number of partitions.
  var placement: (Bytes, Int) -> Int = unsafe KeyPartitioner.partition
  private let notice: @Sendable (String) -> Void
  /// Receives a number of processed offsets from time to time, on any thread.
  package var progress: @Sendable (Int) -> Void = { _ in }

  /// - Parameters:
  ///   - brokers: The brokers' addresses, for the commands that end an open transaction, or nil if there are none.
  ///   - notice: Receives sentences about waits, and about where the search continues.
  package init(
    _ reader: any ReadEdge, topics: TopicIdentity, brokers: String? = nil, log: ServiceLog = ServiceLog(.error),
    notice: @escaping @Sendable (String) -> Void
  ) {
    self.reader = WatchedReading(reader, topics: topics, brokers: brokers, notice: notice)
    self.topics = topics
    self.log = log
    self.notice = notice
  }

  /// Answers a question. Throws a ``VerifyFault`` or an `EdgeError` if there can be no answer.
  /// - Parameter receive: Receives each gift and each miss except the nearest ones, in the order of each partition's input, and
  ///   the part of the partition that was read. Returns false to stop.
  package func run(_ question: GiftQuestion, _ receive: @escaping (Finding, ExplainedPartition) -> Bool) throws -> Outcome {
    let partitions = try reader.partitions(.input)
    if let asked = question.partition, !partitions.contains(asked) {
      throw VerifyFault("\(topics.input) has no partition \(asked): it has \(partitions.count)")
    }
    // Records have the room without the prefix of its input.
    var limits = WireLimits()
    limits.roomPrefix = Derivation.roomPrefix(of: topics.input)
    let own =
      unsafe question.partition
      ?? Int32(limits.withoutPrefix(question.room).withUnsafeBytes { unsafe placement($0, partitions.count) })
    var outcome = Outcome()
    var needsMore = true
    let task = PartitionExplainer.Task(
      question: question, topics: topics, reader: reader, rules: rules, log: log,
      receive: { finding, report in
        if case .gift = finding { outcome.gifts += 1 }
        needsMore = receive(finding, report)
        return needsMore
      }, progress: progress)
    var near: [NearGifts] = []
    var derivation: Derivation?
    func explain(_ number: Int32) throws {
      let explainer = PartitionExplainer(number, task)
      try explainer.run()
      outcome.partitions.append(explainer.report)
      outcome.misses += explainer.misses
      outcome.missCount += explainer.missCount
      outcome.guessCount += explainer.guessCount
      near.append(explainer.near)
      derivation = derivation ?? explainer.derivation
    }
    try explain(own)
    if outcome.gifts == 0, let prefix = derivation?.limits.roomPrefix, !question.room.starts(with: prefix.utf8) {
      notice(
        "this group's rooms have the prefix \"\(prefix)\": ask for --room \(prefix)\(String(decoding: question.room, as: UTF8.self))"
      )
    }
    for miss in outcome.misses where outcome.gifts == 0 && !question.namesGift && miss.kind == .dropped && needsMore {
      needsMore = receive(.miss(miss), outcome.partitions[0])
    }
    if outcome.isSure { return outcome }
    let hasRoom = outcome.partitions[0].hasRoom
    var found: [PartitionSearch.Found] = []
    if !near[0].hasID, !hasRoom || question.namesGift {
      let searched = question.partition.map { [$0] } ?? Array(partitions)
      outcome.searched = searched.count
      noticeSearch(question, own, hasRoom, searched.count)
      found = try search(searched, question, [own: derivation])
      // A producer with another partitioner sends the room elsewhere.
      for other in found where other.number != own && needsMore && (!other.own.isEmpty || !question.namesGift && other.hasRoom) {
        try explain(other.number)
      }
      if !outcome.isSure {
        for miss in unsettled(found, outcome) + unread(found, outcome).filter({ !$0.isGuess }) where needsMore {
          outcome.misses.append(miss)
          outcome.missCount += 1
          needsMore = receive(.miss(miss), outcome.partitions.first { $0.number == miss.partition } ?? outcome.partitions[0])
        }
      }
    }
    if !outcome.isSure {
      outcome.nearest = (near.flatMap(\.found) + unread(found, outcome) + found.flatMap(\.elsewhere))
        .sorted { ($0.time ?? .max, $0.partition, $0.offset) < ($1.time ?? .max, $1.partition, $1.offset) }
    }
    return outcome
  }

  private func noticeSearch(_ question: GiftQuestion, _ own: Int32, _ hasRoom: Bool, _ count: Int) {
    if question.partition != nil || count == 1 {
      notice("partition \(own) does not have it: searching it for other rooms, and for transactions that did not end")
    } else if hasRoom {
      notice("the room's partition \(own) does not have it: searching all \(count) partitions for it, other rooms too")
    } else {
      notice(
        "partition \(own), where Kafka's default partitioner puts the room, has nothing of it\(question.namesTime ? " in that time" : ""):"
          + " searching all \(count) partitions; --partition N reads one")
    }
  }

  /// Returns gifts of the room that readers of committed records do not receive, because their producer's transaction is open or
  /// was aborted.
  private func unsettled(_ found: [PartitionSearch.Found], _ outcome: Outcome) -> [GiftMiss] {
    found.flatMap(\.own).compactMap { miss in
      var miss = miss
      guard let report = outcome.partitions.first(where: { $0.number == miss.partition }) else { return nil }
      if miss.offset >= report.end {
        miss.detail = report.isHeldUp ? "it lies in or behind a transaction of a producer that is still open" : ""
      } else if miss.offset >= report.from, miss.offset < report.seenTo {
        miss.kind = .aborted
      } else {
        return nil
      }
      return miss
    }
  }

  /// Returns records that did not become gifts, and are not among the misses.
  private func unread(_ found: [PartitionSearch.Found], _ outcome: Outcome) -> [GiftMiss] {
    found.flatMap(\.unread).filter { record in
      !outcome.misses.contains { $0.partition == record.partition && $0.offset == record.offset }
    }
  }

  /// Searches partitions without deriving them.
  /// - Parameter known: The newest derivations of partitions, as far as they are known.
  private func search(
    _ partitions: [Int32], _ question: GiftQuestion, _ known: [Int32: Derivation?]
  ) throws -> [PartitionSearch.Found] {
    let any = try known.values.compactMap { $0 }.first ?? anyDerivation(question)
    return try inParallel(partitions.count, stopsAtError: true) { i in
      let number = partitions[i]
      // Partitions change their settings one by one, each at its own takeover.
      let own = try known[number] ?? newestDerivation(number, question)
      return try PartitionSearch(number, question, reader, own ?? any).run(progress)
    }
  }

  /// Returns the derivation of a partition's newest takeover, or nil if that is not known.
  private func newestDerivation(_ number: Int32, _ question: GiftQuestion) throws -> Derivation? {
    guard try reader.partitions(.journal).contains(number) else { return nil }
    let checkpoint = try RoomCheckpoints(number, of: question.room, since: .min, topics, reader).newest?.checkpoint
    let first = try reader.bounds(.journal, number).first
    let pages = JournalPages(
      number, topics, reader, from: max(first, checkpoint?.journal ?? first), to: try reader.stableEnd(.journal, number),
      after: checkpoint.map { JournalTerms(after: $0) } ?? JournalTerms())
    var derivation = checkpoint?.derivation
    do {
      while let item = try pages.next() { derivation = item.entry.takeover?.derivation ?? derivation }
    } catch is VerifyFault {
      // A search needs no journal: what could be read of it decides.
    }
    return derivation
  }

  /// Returns the derivation of any partition, from its journal or a checkpoint, or nil if there is none.
  private func anyDerivation(_ question: GiftQuestion) throws -> Derivation? {
    for number in try reader.partitions(.journal) {
      let (first, end) = (try reader.bounds(.journal, number).first, try reader.stableEnd(.journal, number))
      if let start = try DerivationStart(
        from: first, after: 0, number, topics, reader, journalEnd: end, input: 0...Int64.max, rules: rules)
      {
        return start.derivation
      }
      if let checkpoint = try RoomCheckpoints(number, of: question.room, since: .min, topics, reader).newest?.checkpoint {
        return checkpoint.derivation
      }
    }
    return nil
  }
}
