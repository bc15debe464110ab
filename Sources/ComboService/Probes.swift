internal import ComboEdge
internal import ComboRooms
internal import ComboSystem

/// A condition that the loop checks from time to time, besides its work. What blocks is asked outside of the loop, and the answer
/// is taken by a later check. Used by the loop's thread only.
class Probe {
  let parts: ServiceParts

  init(_ parts: ServiceParts) { self.parts = parts }

  /// The interval of checks, in milliseconds; 0 for each turn of the loop.
  var everyMs: Int64 { 1000 }
  /// Whether there is nothing to check at the moment. The check stays due.
  var isIdle: Bool { false }

  /// Checks the condition, and logs what has changed.
  /// - Returns: Why the service cannot continue; nil if it can.
  func check(at now: Int64) -> Ending? { nil }
}

/// Why the service cannot continue.
enum Ending {
  /// A topic is gone. The next service creates it, or waits for it.
  case lost(LostTopic)
  /// An operator has to act first.
  case refused(String)
}

extension LostTopic {
  static func gone(_ topic: Topic) -> LostTopic { LostTopic(topic, "is gone: somebody has deleted it") }
}

/// The probes of a service, and when each is due.
struct Probes {
  let clock: ClockProbe
  let badRecords: BadRecordProbe
  let arrivals: ArrivalProbe
  let transactions: TransactionProbe
  let rights: RightProbe
  let end: EndProbe
  private var schedule: [(probe: Probe, checkedAt: Int64)]

  init(_ parts: ServiceParts, _ reader: InputReader, _ delivery: any Delivery) {
    clock = ClockProbe(parts)
    badRecords = reader.badRecords
    rights = RightProbe(parts)
    arrivals = ArrivalProbe(parts, rights)
    transactions = TransactionProbe(parts)
    end = EndProbe(parts, delivery)
    let all = [
      clock, MapProbe(parts, reader), JoinProbe(parts, arrivals), badRecords, arrivals, transactions, rights, TopicProbe(parts),
      InputProbe(parts), OutputProbe(parts), end,
    ]
    schedule = all.map { ($0, 0) }
  }

  /// Runs the checks that are due, in the order of the schedule.
  /// - Returns: Why the service cannot continue.
  mutating func check(at now: Int64) -> [Ending] {
    var findings: [Ending] = []
    for (index, (probe, checkedAt)) in schedule.enumerated() where now - checkedAt >= probe.everyMs && !probe.isIdle {
      schedule[index].checkedAt = now
      if let finding = probe.check(at: now) { findings.append(finding) }
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
final class TopicProbe: Probe {
  private var query = BackgroundQuery<LostTopic?>()

  private static let askEveryMs: Int64 = 4000

  override func check(at now: Int64) -> Ending? {
    let lost = query.takeAnswer() ?? nil
    if let watch = parts.edges.topicWatch, parts.partitions.hasJoined, query.isDue(everyMs: Self.askEveryMs, at: now) {
      // Brokers that do not answer are reported elsewhere.
      query.ask(at: now, parts.edges.inBackground) { (try? watch.check()) ?? nil }
    }
    return lost.map { .lost($0) }
  }
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

  override func check(at now: Int64) -> Ending? {
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

/// Ends a service once its input has ended, all of it is consumed, and no room has more to emit.
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

  override func check(at now: Int64) -> Ending? {
    guard parts.partitions.hasTakenOver, delivery.uncommittedSince == nil else { return nil }
    for case let active? in parts.partitions.active {
      let partition = active.partition
      let end = parts.edges.group.end(of: active.number)
      if end != partition.offset || partition.hasNews || partition.hasMoreToSay { return nil }
    }
    parts.log.info("the input has ended, and all instructions are written")
    parts.stop.set()
    return nil
  }
}
