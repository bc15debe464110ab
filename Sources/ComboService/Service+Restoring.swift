internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// What came of a look into the journal.
struct JournalLookResult {
  let active: ActivePartition
  let look: JournalLook
}

/// Partitions are restored and claimed beside the loop; what comes of it is taken in by the loop.
extension Service {
  /// Begins to restore a partition, on a thread of its own; nothing of it is taken in meanwhile.
  /// - Parameter afterMs: not before so much time has passed.
  func restore(_ number: Int32, afterMs: Int64) {
    if afterMs <= 0 { return restore(number) }
    owned[number]?.cancellation.cancel()
    nextToken += 1
    owned[number] = Ownership(
      token: nextToken, cancellation: Cancellation(), doubtedSince: owned[number]?.doubtedSince,
      nextLook: edges.time.monotonicMs() + afterMs)
    deactivate(number)
    edges.group.stop(number)
  }

  /// The same at once.
  func restore(_ number: Int32) {
    let doubtedSince = owned[number]?.doubtedSince
    owned[number]?.cancellation.cancel()
    nextToken += 1
    let token = nextToken
    let cancellation = Cancellation()
    owned[number] = Ownership(token: token, cancellation: cancellation, doubtedSince: doubtedSince)
    deactivate(number)
    edges.group.stop(number)
    totals.restores += 1
    let restorer = Restorer(
      number, configuration, edges, log: log, cancellation: cancellation,
      isCertain: doubtedSince.map { edges.time.monotonicMs() - $0 >= Self.doubtMs } ?? false,
      clockMin: active.reduce(latestClock) { max($0, $1?.clock.last ?? .min) })
    let (mailbox, beside) = (restoredPartitions, edges.beside)
    beside(.question) {
      switch restorer.ask() {
      case .answer(let committed):
        beside(.restoring) {
          mailbox.put(RestoreResult(number: number, token: token, outcome: restorer.run(from: committed)))
        }
      case .noAnswer(let outcome):
        mailbox.put(RestoreResult(number: number, token: token, outcome: outcome))
      }
    }
  }

  func takeOverRestored() {
    lookAgain()
    var restored: [ActivePartition] = []
    for result in restoredPartitions.takeAll() {
      guard let ownership = owned[result.number], ownership.token == result.token else { continue }
      owned[result.number]?.doubtedSince = nil
      switch result.outcome {
      case .restored(let partition):
        if let partition = prepare(partition) { restored.append(partition) }
      case .doubtful(let reason):
        log.warning(
          "partition \(.partition, result.number) was found in another state than it was left in, looking again: \(.reason, reason)"
        )
        let now = edges.time.monotonicMs()
        owned[result.number]?.doubtedSince = ownership.doubtedSince ?? now
        owned[result.number]?.nextLook = now + Self.nextLookMs
      case .refused(let reason):
        fatal = reason
      case .failed(let reason):
        log.warning("partition \(.partition, result.number) could not be restored, trying again: \(.reason, reason)")
        restore(result.number)
      case .gone(let topic):
        // Nothing is taken in without it, so nothing else would ever notice.
        end(without: topic)
      case .stopped:
        break
      }
    }
    if !restored.isEmpty { delivery.begin(restored) }
  }

  /// So often it is looked whether the clock has caught up with a partition's time.
  private static let waitForTimeMs: Int64 = 10_000

  /// A leader that stood still, and does not know yet that it was replaced, tells how things were when it fell asleep. So what
  /// contradicts itself is believed only once it was found so for as long as brokers need to notice that: a controller gives up one
  /// that is silent for 9 s (`broker.session.timeout.ms`).
  private static let doubtMs: Int64 = 10_000
  private static let nextLookMs: Int64 = 1_000

  private func lookAgain() {
    if !owned.values.contains(where: { $0.nextLook != nil }) { return }
    let now = edges.time.monotonicMs()
    for number in owned.keys.sorted() {
      if let next = owned[number]?.nextLook, next <= now { restore(number) }
    }
  }

  /// - Returns: the partition, if it can be taken over.
  private func prepare(_ restored: RestoredPartition) -> ActivePartition? {
    let partition = restored.partition
    do throws(EdgeError) {
      try edges.output.prepare(partition.number)
    } catch {
      log.warning("partition \(.partition, partition.number) cannot be written to, trying again: \(.reason, error)")
      restore(partition.number)
      return nil
    }
    guard let shift = shift(of: restored) else {
      restore(partition.number, afterMs: Self.waitForTimeMs)
      return nil
    }
    var reset = restored.reset
    if shift < 0 {
      let ms = -shift
      log.warning(
        "RESET: the time of partition \(.partition, partition.number) is brought back by \(.ms, ms) ms, all its rooms begin a new epoch"
      )
      reset =
        reset ?? JournalEntry.Reset(reason: "its time was \(ms) ms ahead of the clock, and was brought back", offsetsLost: 0)
      // The output refused it.
      restored.unsaid.removeAll()
      totals.clocksBroughtBack += 1
    }
    if let target = configuration.seek[partition.number] { reset = seek(partition, to: target, reset) }
    let takeover = PendingTakeover(shift: shift, reset: reset)
    if reset != nil { totals.resets += 1 }
    totals.lost += restored.neverTaken
    if restored.reset == nil { log.info(restored.summary) } else { log.warning(restored.summary) }
    return ActivePartition(restored, takeover: takeover, time: edges.time)
  }

  /// Moves a partition on in the input, as an operator wants it. What is skipped is as lost as what was deleted, and the same rules hold:
  /// all rooms begin a new epoch, and the takeover entry says how much it was.
  private func seek(_ partition: Partition, to target: Int64, _ reset: JournalEntry.Reset?) -> JournalEntry.Reset? {
    let from = partition.offset
    let isNew = partition.n == 0
    guard isNew || target > from else { return reset }
    partition.stand(at: partition.n, clock: partition.clock, offset: target, last: nil, shifted: partition.shifted)
    totals.sought += 1
    if isNew {
      log.info("new: partition \(.partition, partition.number) begins at offset \(.offset, target), as seek was told")
      return reset
    }
    let skipped = target - from
    log.warning(
      """
      RESET: partition \(.partition, partition.number) skips \(.count, skipped) offsets, up to \(.offset, target), \
      as seek was told; all its rooms begin a new epoch
      """)
    return JournalEntry.Reset(
      reason: "an operator skipped offsets \(from) to \(target - 1)", offsetsLost: skipped + (reset?.offsetsLost ?? 0))
  }

  // MARK: - Looks into the journal

  /// The claims that are not written yet, in order.
  var unwrittenClaims: [ActivePartition] {
    if claims.isEmpty { return [] }
    return claims.values.filter { $0.claim == nil }.sorted { $0.number < $1.number }
  }

  /// The claim was committed: does it count?
  func readBack(_ active: ActivePartition) {
    guard let claim = active.claim, let reader = reader(active) else { return }
    let (terms, end) = (active.terms, active.journalEnd)
    look(active) { reader.find(claim, after: terms, from: end) }
  }

  /// Looks whether somebody took over between two offsets of the journal.
  package func look(_ active: ActivePartition, from start: Int64, to end: Int64) {
    guard let reader = reader(active) else { return }
    look(active) { reader.look(from: start, to: end) }
  }

  private func reader(_ active: ActivePartition) -> JournalReader? {
    owned[active.number].map {
      JournalReader(number: active.number, topics: configuration.topics, reader: edges.reader, cancellation: $0.cancellation)
    }
  }

  private func look(_ active: ActivePartition, _ body: @escaping @Sendable () -> JournalLook) {
    let mailbox = journalLooks
    let carried = Carried(value: active)
    edges.beside(.question) { mailbox.put(JournalLookResult(active: carried.value, look: body())) }
  }

  func takeInLooks() {
    for result in journalLooks.takeAll() {
      let number = result.active.number
      if isActive(number), active[Int(number)] === result.active {
        delivery.looked(result.active, result.look)
      } else if claims[number] === result.active {
        claims[number] = nil
        switch result.look {
        case .counts(let takeover, let position):
          delivery.claimed(result.active, takeover: takeover, position: position)
        case .clear, .overtaken:
          log.warning("partition \(.partition, number): its last owner wrote on while it was taken over; restoring it anew")
          restore(number)
        case .failed(let reason):
          log.warning("partition \(.partition, number) could not be taken over, trying again: \(.reason, reason)")
          restore(number)
        }
      }
    }
  }
}

/// Handed through another thread, which does not touch it.
private struct Carried<Value>: @unchecked Sendable {
  let value: Value
}
