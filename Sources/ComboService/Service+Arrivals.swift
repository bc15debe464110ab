internal import ComboEdge
internal import ComboRooms
internal import ComboSystem

/// Checks that waiting records arrive. If nothing fails and nothing arrives, nothing else would notice.
extension Service {
  /// The state of these checks.
  struct ArrivalWatch {
    var query = BackgroundQuery<ArrivalAnswer>()
    var lookedAt = Int64.min / 2
    /// When the brokers last answered; nil if they were not queried yet. All times are by the monotonic clock.
    var answeredAt: Int64?
    /// When an answer last arrived.
    var heardAt = Int64.min
    /// The last findings, by partition.
    var found: [Int32: ArrivalLook] = [:]
    /// Partitions with a readable record that was not received: since when, and at which offset.
    var waiting: [Int32: (since: Int64, offset: Int64)] = [:]
    /// The number of times in a row that the brokers reported that there is no input.
    var timesGone = 0
    /// Why the service is not ready; nil if it is.
    var stall: String?
  }

  /// The findings for a partition.
  struct ArrivalLook {
    /// Its position, and the end of the readable records.
    var offset: Int64
    var end: Int64
    /// Whether there is a record in between; nil if that was not checked, as the partition had moved on since the last reading.
    var hasRecord: Bool?
  }

  /// The brokers' answers about the active partitions.
  struct ArrivalAnswer {
    /// The findings by partition; nil if the brokers did not answer.
    var found: [Int32: ArrivalLook]?
    let askedAt: Int64
    /// Whether the topic does not exist.
    var isGone = false
    /// The right that the brokers denied, which is an answer, too.
    var denied: EdgeError?
  }

  private static let askEveryMs: Int64 = 5_000
  private static let waitingMs: Int64 = 15_000
  private static let silentMs: Int64 = 20_000
  /// The limit for a member that has lost its partitions, or has none yet.
  private static let silentJoiningMs: Int64 = 8_000

  /// Called about once a second.
  func watchArrivals(_ now: Int64) {
    if watched.observatory == nil { return }
    // If this process itself was frozen, that is the cause.
    if now - arrivals.lookedAt > Self.askEveryMs {
      if arrivals.answeredAt != nil { arrivals.answeredAt = now }
      arrivals.waiting.removeAll()
    }
    arrivals.lookedAt = now
    if let answer = arrivals.query.takeAnswer() {
      if let found = answer.found {
        arrivals.heardAt = now
        note(found, answer.askedAt, now)
      }
      if let error = answer.denied {
        arrivals.answeredAt = now
        denied.failed(error, at: now)
      }
      arrivals.timesGone = answer.isGone ? arrivals.timesGone + 1 : 0
    }
    // Twice, as a broker that has just started may not know it yet. Nothing else detects it if records are only read and offsets
    // are committed without waiting.
    if arrivals.timesGone > 1 { return isGone(.input) }
    let positions = partitions.active.compactMap { $0 }.filter { $0.awaited == nil }.map {
      (number: $0.number, offset: $0.partition.offset)
    }
    if positions.isEmpty { arrivals.waiting.removeAll() }
    if positions.isEmpty, partitions.hasJoined {
      // Other checks report a service without partitions. A query that was not sent has no answer to miss.
      arrivals.answeredAt = nil
    } else if arrivals.query.isDue(everyMs: Self.askEveryMs, at: now) {
      ask(positions, now)
    }
    tellStall(now)
  }

  private func note(_ found: [Int32: ArrivalLook], _ askedAt: Int64, _ now: Int64) {
    arrivals.answeredAt = now
    arrivals.found = found
    for (number, look) in found {
      let isThere = partitions.isActive(number) && partitions.active[Int(number)]!.partition.offset == look.offset
      if !isThere || look.hasRecord != true {
        arrivals.waiting[number] = nil
      } else if arrivals.waiting[number]?.offset != look.offset {
        arrivals.waiting[number] = (askedAt, look.offset)
      }
    }
  }

  private func ask(_ positions: [(number: Int32, offset: Int64)], _ now: Int64) {
    if arrivals.answeredAt == nil { arrivals.answeredAt = now }
    arrivals.query.ask(at: now, edges.inBackground) { [reader = edges.reader, before = arrivals.found] in
      do throws(EdgeError) {
        return ArrivalAnswer(found: try Self.look(at: positions, before, reader), askedAt: now)
      } catch {
        let partitions = error.code == .unknownTopic ? try? reader.partitions(.input) : nil
        return ArrivalAnswer(
          found: nil, askedAt: now, isGone: partitions?.isEmpty ?? false, denied: error.code == .notAuthorized ? error : nil)
      }
    }
  }

  private static func look(
    at positions: [(number: Int32, offset: Int64)], _ before: [Int32: ArrivalLook], _ reader: any ReadEdge
  ) throws(EdgeError) -> [Int32: ArrivalLook] {
    // A member that waits for its assignment only needs to know whether the brokers are available.
    if positions.isEmpty { _ = try reader.partitions(.input) }
    var found: [Int32: ArrivalLook] = [:]
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
      found[number] = ArrivalLook(offset: offset, end: end, hasRecord: hasRecord)
    }
    return found
  }

  /// Returns how long the oldest unread record of a partition has been waiting, in milliseconds; 0 if none is.
  func stalledMs(_ number: Int32, _ now: Int64) -> Int64 {
    let held = notes.transactions.hanging(at: now).first { $0.transaction.topic == .input && $0.transaction.partition == number }
    let since = [held?.foundAt, arrivals.waiting[number]?.since].compactMap { $0 }.min()
    return since.map { max(0, now - $0) } ?? 0
  }

  private func tellStall(_ now: Int64) {
    let before = arrivals.stall
    arrivals.waiting = arrivals.waiting.filter { number, look in
      guard partitions.isActive(number), let active = partitions.active[Int(number)] else { return false }
      return active.partition.offset == look.offset && active.awaited == nil
    }
    if let (number, look) = arrivals.waiting.min(by: { $0.value.since < $1.value.since }), now - look.since >= Self.waitingMs {
      let seconds = (now - look.since) / 1000
      arrivals.stall = "records wait in partition \(number) from offset \(look.offset) on, but none has arrived for \(seconds) s"
      if before == nil {
        log.warning(
          """
          records wait in partition \(.partition, number) from offset \(.offset, look.offset) on, but none has arrived for \(.seconds, seconds) s: \
          not ready until one arrives
          """)
      }
    } else if let answered = arrivals.answeredAt, now - answered >= (partitions.hasJoined ? Self.silentMs : Self.silentJoiningMs)
    {
      let seconds = (now - answered) / 1000
      arrivals.stall = "the brokers have not answered for \(seconds) s"
      if before == nil { log.warning("the brokers have not answered for \(.seconds, seconds) s: not ready until they do") }
    } else {
      arrivals.stall = nil
      if before != nil { log.info("records arrive again, and the brokers answer: ready") }
    }
  }
}
