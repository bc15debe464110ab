internal import ComboCore
internal import ComboEdge
internal import ComboMaps
internal import ComboRooms
internal import ComboSystem
internal import ComboWire
internal import Synchronization

/// The number of partitions of the input, as the brokers last reported it; requested outside of the loop.
package final class PartitionCount: Sendable {
  private let count = Atomic<Int>(0)
  var value: Int? {
    let value = count.load(ordering: .relaxed)
    return value == 0 ? nil : value
  }
  func set(_ value: Int) { count.store(value, ordering: .relaxed) }
}

/// Serving observers, between two turns of the loop.
extension Service {
  /// Answers queries, and reports the state.
  func serveObservers() {
    guard let observatory = watched.observatory else { return }
    observatory.beat()
    if observatory.hasQueries { take(observatory.takeQueries()) }
    let now = edges.time.monotonicMs()
    if !watched.queries.isEmpty {
      watched.forgetLate(at: now)
      delivery.answerQueries()
    }
    survey(now)
    if now - watched.checkedAt >= 1000 {
      watched.checkedAt = now
      watched.tell(
        watched.lostRooms(at: now) { id, last in
          guard let partition = last ?? home(of: id) else { return true }
          return !partitions.state(of: partition).isUnassigned
        }.map { watched.answer(.elsewhere(id: 0, room: $0)) })
    }
    if hasJoined, now - watched.countedAt >= Self.countEveryMs { countPartitions() }
    if now - watched.reportedAt >= Self.reportEveryMs {
      watched.reportedAt = now
      observatory.publish(report(now))
    }
  }

  private static let reportEveryMs: Int64 = 100
  private static let countEveryMs: Int64 = 60_000

  private func take(_ queries: [Query]) {
    for query in queries {
      switch query {
      case .screen: watched.queries.append(query)
      case .unwatch(let room): watched.unwatch(room)
      case .survey(let prefix, let limit, let order, let id, let until):
        watched.surveys.append(RoomSurvey(id: id, prefix: prefix, limit: limit, order: order, until: until))
      }
    }
  }

  // MARK: - Rooms

  /// Requests the number of the input's partitions, outside of the loop.
  func countPartitions() {
    if watched.observatory == nil { return }
    watched.countedAt = edges.time.monotonicMs()
    let (reader, count, log) = (edges.reader, watched.partitionCount, log)
    edges.inBackground(.query) {
      // If the brokers are unreachable, the next assignment repeats the request; until then a sleeping room counts as this
      // member's.
      guard let found = try? reader.partitions(.input) else { return }
      if let before = count.value, before != found.count {
        log.info("the input now has \(.count, found.count) partitions instead of \(.limit, before)")
      }
      count.set(found.count)
    }
  }

  /// Returns the partition that Java's producer, and others that partition like it, choose for a room; nil while unknown.
  private func home(of room: [UInt8]) -> Int32? {
    guard let count = watched.partitionCount.value else { return nil }
    return configuration.limits.withoutPrefix(room).withUnsafeBytes { Int32(KeyPartitioner.partition($0, count)) }
  }

  /// The place where a room is, or would be if it woke.
  private enum Place {
    case awake(ActivePartition, Room)
    case asleep(ActivePartition)
    /// Its partition is being restored.
    case later
    case elsewhere
    case notYet
  }

  /// - Parameter forAll: Whether the query is for all watchers.
  private func place(of id: [UInt8], forAll: Bool) -> Place {
    for case let active? in partitions.active {
      if let room = id.withUnsafeBytes({ active.partition.table.find($0) }) {
        return room.isGhost ? .asleep(active) : .awake(active, room)
      }
    }
    if !hasJoined { return .notYet }
    if let last = watched.partition(of: id) {
      // Its instructions from its last partition may not have been sent yet: the answer comes after them.
      if partitions.isActive(last) { return .asleep(partitions.active[Int(last)]!) }
      // It may be awake there. Its watchers wait until it is back, or counts as gone.
      if !partitions.state(of: last).isUnassigned || forAll { return .later }
    }
    if let home = home(of: id) {
      if partitions.isActive(home) { return .asleep(partitions.active[Int(home)]!) }
      if !partitions.state(of: home).isUnassigned { return .later }
      if partitions.owned.count < watched.partitionCount.value! { return .elsewhere }
    }
    // The place is unknown, or all partitions are this member's: it is wherever its producer puts it.
    if let any = partitions.active.lazy.compactMap({ $0 }).first { return .asleep(any) }
    return partitions.owned.isEmpty ? .elsewhere : .later
  }

  package func answers(where fits: (ActivePartition?) -> Bool) -> [WatchedRooms.Answer] {
    if watched.queries.isEmpty { return [] }
    var answers: [WatchedRooms.Answer] = []
    watched.queries.removeAll { query in
      guard case .screen(let id, let number, let watches, _) = query else { return true }
      // The watchers that needed its screen are gone.
      if number == 0, !id.withUnsafeBytes({ watched.watches($0) }) { return true }
      switch place(of: id, forAll: number == 0) {
      case .awake(let active, let room):
        guard fits(active) else { return false }
        if watches {
          watched.watch(id, in: active.number)
          room.isWatched = true
        }
        answers.append(watched.answer(.screen(id: number, room: id, record: screen(of: room))))
      case .asleep(let active):
        guard fits(active) else { return false }
        let last = watched.partition(of: id)
        // It may have been awake in any partition. What it emitted there must be in an entry made before this answer.
        if last == nil, partitions.active.contains(where: { $0?.partition.hasNews ?? false }) { return false }
        answers.append(watched.answer(.asleep(id: number, room: id)))
        if watches { watched.watch(id, in: last ?? home(of: id)) }
      case .later: return false
      case .elsewhere:
        guard fits(nil) else { return false }
        answers.append(watched.answer(.elsewhere(id: number, room: id)))
      case .notYet:
        guard fits(nil) else { return false }
        answers.append(watched.answer(.notYet(id: number, room: id)))
      }
      return true
    }
    return answers
  }

  func tellWatchers() {
    watched.tellCaptured { id in
      for case let active? in partitions.active { active.partition.table.find(id)?.isWatched = false }
    }
  }

  /// Returns the screen of a room for new watchers, with its display settings. The topic's records do not contain these: they are
  /// the engine's instructions, byte for byte.
  private func screen(of room: Room) -> [UInt8] {
    let buffer = ByteBuffer(capacity: 1024)
    room.engine.withScreen { InstructionEncoder.encode($0, room: room.name, into: buffer) }
    var record = buffer.array
    let brace = record.removeLast()
    record += Self.told(settings.values.with(room.engine.own)).utf8
    record.append(brace)
    return record
  }

  /// Returns the settings in a screen over HTTP.
  private static func told(_ values: Settings) -> String {
    #","slots":\#(values.slots),"enter_ms":\#(values.enterMs),"count_ms":\#(values.countMs),"exit_ms":\#(values.exitMs)"#
  }

  private func survey(_ now: Int64) {
    if watched.surveys.isEmpty { return }
    watched.surveys.removeAll { $0.until <= now }
    guard let first = watched.surveys.first else { return }
    // These orders read the engines' state.
    if first.order != .rate { quiesce() }
    guard first.search(partitions.active, wall: edges.time.wallMs(), monotonic: now) else { return }
    watched.surveys.removeFirst()
    quiesce()
    watched.tell([watched.answer(.survey(id: first.id, first.lines(wall: edges.time.wallMs(), monotonic: now)))])
  }

  // MARK: - State report

  func report(_ now: Int64) -> ServiceReport {
    var report = ServiceReport()
    report.at = MonotonicClock.nowMs
    report.hasJoined = hasJoined
    report.told = Self.told(settings.values)
    report.uncommittedSince = delivery.uncommittedSince.map { report.at - (now - $0) }
    // Without partitions there is nothing to commit.
    report.isFailing = isFailing && !partitions.owned.isEmpty
    report.fault = report.isFailing ? lastFault.reason : nil
    report.denied = denied.reason ?? deniedWrite.reason
    report.stall = arrivals.stall
    report.heldUp = heldUp(now)
    report.totals = totals
    report.commitSeconds = metrics.commitSeconds
    report.latenessSeconds = metrics.latenessSeconds
    report.inputAgeSeconds = metrics.inputAgeSeconds
    report.restoreSeconds = metrics.restoreSeconds
    report.batchRecords = metrics.batchRecords
    report.recentCommits = metrics.recentCommits(monotonic: now)
    report.recentLateness = metrics.recentLateness(monotonic: now)
    report.ownSettingsMax = configuration.ownSettingsMax
    report.inputPartitions = watched.partitionCount.value
    if partitions.configuration.map != nil { report.mapRows = intake.decoder.rows }
    report.partitions = partitions.owned.map { number in
      guard partitions.isActive(number), let active = partitions.active[Int(number)] else {
        var restoring = ServiceReport.Partition(
          number: number, isRunning: false, restored: partitions.cancellation(of: number).progress)
        restoring.failure = partitions.state(of: number).attempts.failure
        return restoring
      }
      let partition = active.partition
      // The consumer learns nothing of the end of a partition that waits for a schema.
      let end = [edges.group.end(of: number), partitions.memory.end(.input, number)].lazy.compactMap { $0 }.max()
      var running = ServiceReport.Partition(
        number: number, isRunning: true, lag: end.map { max(0, $0 - partition.offset) },
        stalledMs: stalledMs(number, now), rooms: partition.awake, roomsWithOwnSettings: partition.ownSettingsCount,
        behindMs: active.behindMs, entriesOnTheirWay: active.log?.entries.count ?? 0, recordsWithoutEntry: partition.taken)
      running.schemaWait = schemaWait(of: active, now)
      return running
    }
    return report
  }
}
