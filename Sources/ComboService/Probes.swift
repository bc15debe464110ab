internal import ComboEdge
internal import ComboRooms
internal import ComboSystem

/// A condition that the loop checks from time to time, besides its work. Used by the loop's thread only.
class Probe {
  let parts: ServiceParts
  /// When it was last checked, by the monotonic clock.
  fileprivate final var checkedAt: Int64 = 0
  /// Whether a question is open. Looking for its answer would cost more in each turn.
  fileprivate final var isAsking = false

  init(_ parts: ServiceParts) { self.parts = parts }

  /// The interval of checks, in milliseconds; 0 for each turn of the loop.
  var everyMs: Int64 { 1000 }
  /// Whether there is nothing to check at the moment. The check stays due.
  var isIdle: Bool { false }

  /// Checks the condition, and logs what has changed. Does not wait for brokers, but for the start of reading.
  /// - Parameter now: The time by the monotonic clock.
  func check(at now: Int64) -> Finding? { nil }

  // What QueryProbe adds.
  fileprivate func takeAnswer(at now: Int64) -> Finding? { nil }
  fileprivate func ask(at now: Int64) {}
}

/// A probe with a question that may block. It is asked outside of the loop, and not again before it is answered.
class QueryProbe<Answer>: Probe {
  private final var query = BackgroundQuery<Answer>()

  /// The interval of questions, in milliseconds. They are asked after a check.
  var askEveryMs: Int64 { everyMs }

  /// Returns what to ask now, for another thread; nil if nothing. The question then stays due.
  func question(at now: Int64) -> (@Sendable () -> Answer)? { nil }

  /// Takes an answer, in the turn of the loop in which it has come, and before the check.
  func take(_ answer: Answer, at now: Int64) -> Finding? { nil }

  /// Makes the question due at the next check that finds none open.
  final func askSoon() { query.askSoon() }

  fileprivate final override func takeAnswer(at now: Int64) -> Finding? {
    guard let answer = query.takeAnswer() else { return nil }
    isAsking = false
    return take(answer, at: now)
  }

  fileprivate final override func ask(at now: Int64) {
    guard query.isDue(everyMs: askEveryMs, at: now), let question = question(at: now) else { return }
    isAsking = true
    query.ask(at: now, parts.edges.inBackground, question)
  }
}

/// What the loop has to do, because of what a probe or a restore has found.
enum Finding {
  /// To end: a topic is gone. The next service creates it, or waits for it.
  case lost(LostTopic)
  /// To end: an operator has to act first.
  case refused(String)
  /// To end: all work is done.
  case finished
  /// To return to the last commit.
  case goBack(TransactionFault)
  /// To take these partitions over again after a last commit, as far as they are still active.
  case takeOverAgain([Int32])
}

extension LostTopic {
  static func gone(_ topic: Topic) -> LostTopic { LostTopic(topic, "is gone: somebody has deleted it") }
}

/// The probes of a service, and their schedule. Used by the loop's thread only.
struct Probes {
  let clock: ClockProbe
  let rules: RulesProbe
  let arrivals: ArrivalProbe
  let transactions: TransactionProbe
  let rights: RightProbe
  let partitionCount: PartitionCountProbe
  let end: EndProbe
  private let schedule: [Probe]

  init(_ parts: ServiceParts, _ reader: InputReader, _ delivery: any Delivery) {
    clock = ClockProbe(parts)
    rules = RulesProbe(parts)
    rights = RightProbe(parts)
    arrivals = ArrivalProbe(parts, rights)
    transactions = TransactionProbe(parts)
    partitionCount = PartitionCountProbe(parts)
    end = EndProbe(parts, delivery)
    schedule = [
      reader.schemas, rules, clock, MapProbe(parts, reader), JoinProbe(parts, arrivals), reader.badRecords, arrivals,
      transactions, rights, TopicProbe(parts), InputProbe(parts), HistoryProbe(parts), OutputProbe(parts), partitionCount,
      LostRoomProbe(parts), end,
    ]
  }

  /// Hands over the answers that have come, runs the checks that are due, and asks what is due, in the order of the schedule.
  /// - Returns: The findings in their order, of which the loop acts on each before the next one.
  func check(at now: Int64) -> [Finding] {
    var findings: [Finding] = []
    for probe in schedule {
      if probe.isAsking, let finding = probe.takeAnswer(at: now) { findings.append(finding) }
      if now - probe.checkedAt < probe.everyMs || probe.isIdle { continue }
      probe.checkedAt = now
      if let finding = probe.check(at: now) { findings.append(finding) }
      probe.ask(at: now)
    }
    return findings
  }

  /// Returns how long the oldest unread record of a partition has been waiting, in milliseconds; 0 if none is.
  func stalledMs(_ number: Int32, _ now: Int64) -> Int64 {
    let held = transactions.watch.hanging(at: now).first {
      $0.transaction.topic == .input && $0.transaction.partition == number
    }
    let since = [held?.foundAt, arrivals.waitingSince(number)].compactMap { $0 }.min()
    return since.map { max(0, now - $0) } ?? 0
  }
}

/// Detects that a topic was deleted, even if nothing is written to it at the moment.
final class TopicProbe: QueryProbe<LostTopic?> {
  override var askEveryMs: Int64 { 4000 }
  override var isIdle: Bool { !parts.partitions.hasJoined }

  override func question(at now: Int64) -> (@Sendable () -> LostTopic?)? {
    guard let watch = parts.edges.topicWatch else { return nil }
    // Brokers that do not answer are reported elsewhere.
    return { (try? watch.check()) ?? nil }
  }

  override func take(_ lost: LostTopic?, at now: Int64) -> Finding? { lost.map { .lost($0) } }
}

/// Logs that the service waits to join its group.
final class JoinProbe: Probe {
  private let arrivals: ArrivalProbe
  /// When it began to wait, by the monotonic clock.
  private var waitsSince: Int64?
  private var hasSaidWaiting = false

  /// How long joining may take before it is logged. The group waits for a member that died until its session times out.
  private static let joinSaidMs: Int64 = 3000

  init(_ parts: ServiceParts, _ arrivals: ArrivalProbe) {
    self.arrivals = arrivals
    super.init(parts)
  }

  override var everyMs: Int64 { 0 }

  override func check(at now: Int64) -> Finding? {
    if parts.partitions.hasJoined {
      waitsSince = nil
      hasSaidWaiting = false
      return nil
    }
    let since = waitsSince ?? now
    waitsSince = since
    if hasSaidWaiting || now - since < Self.joinSaidMs { return nil }
    // If the brokers do not answer, the service waits for them instead.
    if parts.watched.observatory != nil, arrivals.heardAt < since { return nil }
    hasSaidWaiting = true
    parts.log.info(
      """
      waiting to join the group, which first waits for members that are stopping or were killed, until their sessions time out \
      (session.timeout.ms, 10 s by default)
      """)
    return nil
  }
}

/// Finds that the input of a service has ended, all of it is consumed, and no room has more to emit.
final class EndProbe: Probe {
  private let delivery: any Delivery
  /// The flag that is set once the input has ended; nil if the service runs until it is stopped.
  var inputOver: StopFlag?

  init(_ parts: ServiceParts, _ delivery: any Delivery) {
    self.delivery = delivery
    super.init(parts)
  }

  override var everyMs: Int64 { 100 }
  override var isIdle: Bool { inputOver?.isSet != true }

  override func check(at now: Int64) -> Finding? {
    guard parts.partitions.hasTakenOver, delivery.uncommittedSince == nil else { return nil }
    let quiet = parts.batches.quiesce()
    for case let active? in parts.partitions.active {
      let partition = active.partition
      let end = parts.edges.group.end(of: active.number)
      if end != partition.offset || partition.hasNews || partition.hasMoreToSay(quiet) { return nil }
    }
    return .finished
  }
}
