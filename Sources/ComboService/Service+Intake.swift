internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Records in, each to its room.
extension Service {
  package func poll(maxWaitMs: Int32) {
    let batch = batches[filling]
    var times: (wall: Int64, monotonic: Int64)?
    edges.group.poll(
      maxWaitMs: maxWaitMs, hold: filling,
      // A room's name is most often its records' key.
      foresee: { number, key, step in
        partitions.handle(number)?._withUnsafeGuaranteedRef { $0.partition.foresee(key, step: step) }
      }
    ) { record in
      partitions.handle(record.partition)?._withUnsafeGuaranteedRef { partition in
        if partition.taken == 0 {
          let time = times ?? (edges.time.wallMs(), edges.time.monotonicMs())
          times = time
          partition.now = partition.clock.now(wall: time.wall, monotonic: time.monotonic)
          partition.firstTimestamp = edges.group.timestamp(of: record) ?? time.wall
          if partition.isNewlyAhead(of: time.wall) { sayAhead(partition, time.wall) }
        }
        partition.taken += 1
        partition.next = record.offset + 1
        // Not of each: the last of a poll ends a run.
        if record.endsRun { partition.last = record.fingerprint }
        take(record, partition, into: batch)
      }
    }
    var records = 0
    for case let partition? in partitions.active where partition.taken > 0 {
      records += partition.taken
      partition.arrivals.add(partition.firstTimestamp, count: partition.taken)
      partition.partition.tookIn(partition.taken, upTo: partition.next, last: partition.last, now: partition.now)
      partition.records.takenSince += partition.taken
      partition.taken = 0
      // Also where no room has anything to do with it: the offset moves.
      delivery.willSay()
    }
    polled = records
    if records > 0 {
      metrics.polled(records)
      watchMap(times?.monotonic ?? 0)
    } else {
      // While nothing comes, nothing is held.
      quiesce()
      edges.group.release()
    }
    if batch.count > 0 {
      batch.dispatch(
        behind: batches[1 - filling], lanes: delivery.lanes, hopMin: configuration.hopMin,
        period: RoomRate.period(at: times?.monotonic ?? 0))
      // The other one is filled while the rooms are busy with this one.
      filling = 1 - filling
      batches[filling].wait()
    }
  }

  /// Says so if most of what is read is no event.
  private func watchMap(_ now: Int64) {
    guard let found = mapWatch.look(now, decoder.outcomes) else { return }
    let most = decoder.commonestLoss
    let reason = most.map { "\($0.row.reason) (\($0.row.rule))" } ?? "unknown"
    log.warning(
      """
      of the last \(.records, found.records) records only \(.count, found.taken) became events: \(.dropped, found.dropped) were dropped and \
      \(.bad, found.bad) are bad, most often: \(.reason, reason); such a record has \(.keys, most?.keys ?? ""). If those are gifts, the service \
      needs another map than \(.map, configuration.map?.name ?? "none"): combo-consumer map --from-topic shows what becomes of each record
      """)
  }

  private func sayAhead(_ partition: ActivePartition, _ wall: Int64) {
    counted.clockLeads += 1
    log.warning(
      """
      the clock of partition \(.partition, partition.number) is \(.ms, partition.clock.lead(over: wall)) ms ahead of this machine's, \
      and continues from there: the wall clock was set back, or is behind that of the partition's last owner
      """)
  }

  @inline(__always)
  private func take(_ record: InputRecord, _ active: ActivePartition, into batch: Batch) {
    guard let value = record.value else {
      counted.withoutValue += 1
      return
    }
    let slot = batch.slot()
    let isGift: Bool
    do throws(BadEvent) {
      isGift = try decoder.decode(
        value, isLasting: record.isLasting, key: record.key, header: { edges.group.header($0, of: record, $1) },
        into: batch.arena, &slot.pointee)
    } catch {
      deadLetter(record, error, active)
      return
    }
    if !isGift {
      active.tally.countDropped()
      return
    }
    take(slot, record, active, into: batch)
    for further in decoder.further {
      let slot = batch.slot()
      slot.pointee = further
      take(slot, record, active, into: batch)
    }
  }

  @inline(__always)
  private func take(_ slot: UnsafeMutablePointer<Event>, _ record: InputRecord, _ active: ActivePartition, into batch: Batch) {
    let own = slot.pointee.kind == .roomSettings ? decoder.own : nil
    switch active.partition.route(UnsafePointer(slot), own: own, offset: record.offset, at: active.now) {
    case .room(let room):
      active.tally.count(slot.pointee.kind)
      batch.add(to: room, own: own, now: active.now)
    case .nowhere: active.tally.count(slot.pointee.kind)
    case .tooManyOwnSettings: deadLetter(record, .tooManyOwnSettings(active.partition.ownSettingsMax), active)
    }
  }

  private func deadLetter(_ record: InputRecord, _ bad: BadEvent, _ active: ActivePartition) {
    active.partition.deadLettered()
    active.tally.count(bad.code)
    notes.bad.add(bad.code.rawValue, partition: record.partition, offset: record.offset)
    let letter = DeadLetter(
      record, bad, topic: configuration.topics.input, details: edges.group.details(of: record),
      limits: configuration.deadLetterLimits, wall: edges.time.wallMs())
    delivery.produce(letter, of: active)
    log.debug(
      "bad event in \(.topic, configuration.topics.input)/\(.partition, record.partition) at offset \(.offset, record.offset): \(.code, bad.code.rawValue)"
    )
  }
}
