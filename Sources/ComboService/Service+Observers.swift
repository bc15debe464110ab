internal import ComboCore
internal import ComboEdge
internal import ComboMaps
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

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
    if now - watched.reportedAt >= Self.reportEveryMs {
      watched.reportedAt = now
      observatory.publish(report(now))
    }
  }

  private static let reportEveryMs: Int64 = 100

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

  private func survey(_ now: Int64) {
    if watched.surveys.isEmpty { return }
    watched.surveys.removeAll { $0.until <= now }
    guard let first = watched.surveys.first else { return }
    let wall = edges.time.wallMs()
    let quiet = parts.batches.quiesce()
    guard first.search(partitions.active, wall: wall, monotonic: now, quiet) else { return }
    watched.surveys.removeFirst()
    watched.tell([watched.answer(.survey(id: first.id, first.lines(wall: wall, monotonic: now, quiet)))])
  }

  // MARK: - State report

  func report(_ now: Int64) -> ServiceReport {
    var report = ServiceReport()
    report.at = MonotonicClock.nowMs
    report.hasJoined = partitions.hasJoined
    report.told = RoomFinder.told(parts.finder.settings.values)
    report.uncommittedSince = delivery.uncommittedSince.map { report.at - (now - $0) }
    // Without partitions there is nothing to commit.
    report.isFailing = isFailing && !partitions.owned.isEmpty
    report.fault = report.isFailing ? lastFault.reason : nil
    report.denied = probes.rights.denied.reason ?? deniedWrite.reason
    report.stall = probes.arrivals.stall
    report.heldUp = probes.transactions.heldUp(now)
    report.totals = totals
    report.histograms = parts.metrics.histograms
    report.recentCommits = parts.metrics.recentCommits(monotonic: now)
    report.recentLateness = parts.metrics.recentLateness(monotonic: now)
    report.ownSettingsMax = configuration.ownSettingsMax
    report.inputPartitions = watched.partitionCount
    if partitions.configuration.map != nil { report.mapRows = reader.intake.decoder.rows }
    report.partitions = partitions.owned.map { number in
      guard let active = partitions.activePartition(number) else {
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
        stalledMs: probes.stalledMs(number, now), rooms: partition.awake, roomsWithOwnSettings: partition.ownSettingsCount,
        behindMs: active.behindMs, entriesOnTheirWay: active.log?.entries.count ?? 0, recordsWithoutEntry: partition.taken)
      running.schemaWait = reader.schemas.wait(of: number, now)
      return running
    }
    return report
  }
}
