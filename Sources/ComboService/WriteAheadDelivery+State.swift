internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Snapshots and takeovers, in transactions; and offsets, for tools.
extension WriteAheadDelivery {
  /// Begins the transaction that is due, or commits the one that is open, if everything it waits for is acknowledged.
  func workOnState(budget: Int, isHandingOver: Bool) throws(TransactionFault) {
    if let open = state {
      if open.isReady { try commit(open) }
      return
    }
    let claims = parts.partitions.unwrittenClaims
    let now = parts.edges.time.monotonicMs()
    var sweeping: [PartitionLog] = []
    if isHandingOver || now >= lastState + Int64(parts.configuration.commitIntervalMs) {
      sweeping = logs.filter { log in
        let active = log.active
        return !active.partition.hasNews
          && (active.records.isSweeping || parts.maker.isSweepDue(active, parts.partitions.owed(by: active)))
      }
    }
    if claims.isEmpty && sweeping.isEmpty { return }
    let quiet = parts.batches.quiesce()
    lastState = now
    var new = StateTransaction()
    new.totals.commits = 1
    try output.begin()
    for (claim, takeover) in claims {
      let entry = parts.maker.claim(of: claim, takeover, quiet)
      parts.partitions.note(.claimWritten(entry), of: claim.number)
      entryBuffer.removeAll()
      entry.write(to: entryBuffer)
      unsafe output.produce(.journal, partition: claim.number, key: nil, value: entryBuffer.bytes, timestamp: nil, headers: [])
      new.totals.add(entry, deadLetters: claim.partition.lastDeadLetters, bytes: entryBuffer.count)
      new.claims.append(claim)
      new.offsets.append(claim.position)
    }
    var left = budget
    for log in sweeping {
      let active = log.active
      if parts.partitions.owed(by: active).mustSweep { left = .max }
      if !active.records.isSweeping { beginSweep(log) }
      let written = active.records.write(active.partition, budget: left, to: StateTopicWriter(output, active.number), quiet)
      left = max(0, left - written.bytes)
      new.totals.stateBytes += written.bytes
      new.needs.append((log, active.partition.n))
      new.offsets.append(active.position)
    }
    state = new
    if new.isReady { try commit(new) }
  }

  func beginSweep(_ log: PartitionLog) {
    // Records in flight are at this offset or after it; those not above the sweep's entry are skipped.
    parts.maker.beginSweep(log.active, journalOffset: log.position, term: log.term)
    parts.partitions.note(.sweepBegun, of: log.active.number)
  }

  func commit(_ open: StateTransaction) throws(TransactionFault) {
    precondition(open.isReady, "a snapshot is committed after the output up to its entry")
    outcome.topics = open.totals.topics
    try output.commit(open.offsets)
    outcome.topics = []
    state = nil
    becameDurable(open.totals, Arrivals(), since: lastState)
    for claim in open.claims { parts.partitions.note(.claimCommitted, of: claim.number) }
  }

  /// Commits offsets once a second, for tools that show the lag.
  func reportOffsets(isLast: Bool = false) {
    let now = parts.edges.time.monotonicMs()
    if now < lastReport + Self.reportEveryMs, !isLast { return }
    lastReport = now
    var offsets: [CommittedOffset] = []
    for log in logs where log.mustReport() || isLast {
      offsets.append(log.active.position(after: log.saidTo, upTo: log.saidOffset))
    }
    if !offsets.isEmpty { parts.edges.group.commitWithoutWaiting(offsets) }
  }

  private static let reportEveryMs: Int64 = 1000
}
