internal import ComboEdge
internal import ComboRooms
internal import ComboSystem

/// Checks that waiting records arrive. If nothing fails and nothing arrives, nothing else would notice.
final class ArrivalProbe: QueryProbe<ArrivalProbe.Answer> {
  private var lookedAt = Int64.min / 2
  /// When the brokers last answered; nil if they were not queried yet. All times are by the monotonic clock.
  private var answeredAt: Int64?
  /// When an answer last arrived.
  private(set) var heardAt = Int64.min
  /// The last findings, by partition.
  private var found: [Int32: Look] = [:]
  /// Partitions with a readable record that was not received: since when, and at which offset.
  private var waiting: [Int32: (since: Int64, offset: Int64)] = [:]
  /// The number of times in a row that the brokers reported that there is no input.
  private var timesGone = 0
  /// Why the service is not ready; nil if it is.
  private(set) var stall: String?

  /// The findings for a partition.
  struct Look {
    /// Its position, and the end of the readable records.
    var offset: Int64
    var end: Int64
    /// Whether there is a record in between; nil if that was not checked, as the partition had moved on since the last reading.
    var hasRecord: Bool?
  }

  /// The brokers' answers about the active partitions.
  struct Answer {
    /// The findings by partition; nil if the brokers did not answer.
    var found: [Int32: Look]?
    let askedAt: Int64
    /// Whether the topic does not exist.
    var isGone = false
    /// The right that the brokers denied, which is an answer, too.
    var denied: EdgeError?
  }

  private static let waitingMs: Int64 = 15_000
  private static let silentMs: Int64 = 20_000
  /// The limit for a member that has lost its partitions, or has none yet.
  private static let silentJoiningMs: Int64 = 8_000

  private let rights: RightProbe

  init(_ parts: ServiceParts, _ rights: RightProbe) {
    self.rights = rights
    super.init(parts)
  }

  override var isIdle: Bool { parts.watched.observatory == nil }
  override var askEveryMs: Int64 { 5_000 }

  override func take(_ answer: Answer, at now: Int64) -> Finding? {
    noticePause(now)
    if let found = answer.found {
      heardAt = now
      note(found, answer.askedAt, now)
    }
    if let error = answer.denied {
      answeredAt = now
      rights.denied.failed(error, at: now)
    }
    timesGone = answer.isGone ? timesGone + 1 : 0
    // Twice, as a broker that has just started may not know it yet. Nothing else detects it if records are only read and offsets
    // are committed without waiting.
    return timesGone > 1 ? .lost(.gone(.input)) : nil
  }

  override func check(at now: Int64) -> Finding? {
    noticePause(now)
    if positions.isEmpty {
      waiting.removeAll()
      // Other checks report a service without partitions. A query that was not sent has no answer to miss.
      if parts.partitions.hasJoined { answeredAt = nil }
    }
    tellStall(now)
    return nil
  }

  /// Forgets the times if this process itself was frozen, which is the cause then.
  private func noticePause(_ now: Int64) {
    if now - lookedAt > askEveryMs {
      if answeredAt != nil { answeredAt = now }
      waiting.removeAll()
    }
    lookedAt = now
  }

  /// The partitions that are read, and from which offset.
  private var positions: [(number: Int32, offset: Int64)] {
    parts.partitions.active.compactMap { $0 }.filter { parts.partitions.state(of: $0.number).awaitedSchema == nil }
      .map { ($0.number, $0.partition.offset) }
  }

  private func note(_ found: [Int32: Look], _ askedAt: Int64, _ now: Int64) {
    answeredAt = now
    self.found = found
    for (number, look) in found {
      let isThere = parts.partitions.activePartition(number)?.partition.offset == look.offset
      if !isThere || look.hasRecord != true {
        waiting[number] = nil
      } else if waiting[number]?.offset != look.offset {
        waiting[number] = (askedAt, look.offset)
      }
    }
  }

  override func question(at now: Int64) -> (@Sendable () -> Answer)? {
    let positions = positions
    if positions.isEmpty, parts.partitions.hasJoined { return nil }
    if answeredAt == nil { answeredAt = now }
    return { [reader = parts.edges.reader, before = found] in
      do throws(EdgeError) {
        return Answer(found: try Self.look(at: positions, before, reader), askedAt: now)
      } catch {
        // Without the right to describe a topic, clients look for its leader until their time is over.
        var (isGone, denied) = (false, error)
        do throws(EdgeError) {
          isGone = try reader.partitions(.input).isEmpty && error.code == .unknownTopic
        } catch { denied = error }
        return Answer(found: nil, askedAt: now, isGone: isGone, denied: denied.code == .notAuthorized ? denied : nil)
      }
    }
  }

  private static func look(
    at positions: [(number: Int32, offset: Int64)], _ before: [Int32: Look], _ reader: any ReadEdge
  ) throws(EdgeError) -> [Int32: Look] {
    // A member that waits for its assignment only needs to know whether the brokers are available.
    if positions.isEmpty { _ = try reader.partitions(.input) }
    var found: [Int32: Look] = [:]
    for ((number, offset), extent) in zip(positions, try reader.extents(.input, positions.map(\.number))) {
      // Nothing can be read behind an open transaction.
      let end = extent.stableEnd
      var hasRecord: Bool? = end > offset ? nil : false
      if let last = before[number], last.offset == offset, end > offset {
        hasRecord = last.end == end ? last.hasRecord : nil
        if hasRecord == nil {
          // Transaction markers are offsets without a record, so the end alone means nothing.
          hasRecord = false
          try reader.read(.input, number, from: offset, to: end, unless: { false }) { _ in
            hasRecord = true
            return false
          }
        }
      }
      found[number] = Look(offset: offset, end: end, hasRecord: hasRecord)
    }
    return found
  }

  /// Returns since when a record of the partition has been waiting; nil if none is known to.
  func waitingSince(_ number: Int32) -> Int64? { waiting[number]?.since }

  private func tellStall(_ now: Int64) {
    let before = stall
    waiting = waiting.filter { number, look in
      guard let active = parts.partitions.activePartition(number) else { return false }
      return active.partition.offset == look.offset && parts.partitions.state(of: number).awaitedSchema == nil
    }
    if let (number, look) = waiting.min(by: { $0.value.since < $1.value.since }), now - look.since >= Self.waitingMs {
      let seconds = (now - look.since) / 1000
      stall = "records wait in partition \(number) from offset \(look.offset) on, but none has arrived for \(seconds) s"
      if before == nil {
        parts.log.warning(
          """
          records wait in partition \(.partition, number) from offset \(.offset, look.offset) on, but none has arrived for \(.seconds, seconds) s: \
          not ready until one arrives
          """)
      }
    } else if let answered = answeredAt, now - answered >= (parts.partitions.hasJoined ? Self.silentMs : Self.silentJoiningMs) {
      let seconds = (now - answered) / 1000
      stall = "the brokers have not answered for \(seconds) s"
      if before == nil { parts.log.warning("the brokers have not answered for \(.seconds, seconds) s: not ready until they do") }
    } else {
      stall = nil
      if before != nil, rights.denied.reason == nil {
        parts.log.info("records arrive again, and the brokers answer")
      }
    }
  }
}
