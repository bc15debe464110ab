internal import ComboCore
internal import ComboEdge
internal import ComboMaps
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Reads records, and passes each to its room.
extension Service {
  package func poll(maxWaitMs: Int32) {
    let batch = batches.filling
    var times: (wall: Int64, monotonic: Int64)?
    let (intake, asks) = (intake, edges.schemas != nil)
    var hasStopped = false
    edges.group.poll(maxWaitMs: maxWaitMs, hold: batches.index) { record in
      partitions.handle(record.partition)?._withUnsafeGuaranteedRef { partition in
        if asks, partition.awaited != nil { return }
        let before = (next: partition.next, last: partition.last)
        if partition.taken == 0 {
          let time = times ?? (edges.time.wallMs(), edges.time.monotonicMs())
          times = time
          partition.now = partition.clock.now(wall: time.wall, monotonic: time.monotonic)
          partition.firstTimestamp = record.time?.ms ?? time.wall
          if partition.isNewlyAhead(of: time.wall) { warnAhead(partition, time.wall) }
        }
        partition.taken += 1
        partition.records.bytesSince += record.value?.count ?? 0
        partition.next = record.offset + 1
        // Not for each record: the last one of a poll ends a run.
        if record.endsRun || asks { partition.last = record.fingerprint }
        let receiver = BatchReceiver(service: self, active: partition, batch: batch)
        Unmanaged.passUnretained(partition.partition)._withUnsafeGuaranteedRef {
          intake.take(record, into: $0, at: partition.now, to: receiver)
        }
        if asks, partition.awaited != nil {
          hasStopped = true
          partition.taken -= 1
          (partition.next, partition.last) = before
        }
      }
    }
    if hasStopped { pauseAwaiting() }
    var records = 0
    for case let partition? in partitions.active where partition.taken > 0 {
      records += partition.taken
      partition.arrivals.add(partition.firstTimestamp, count: partition.taken)
      // The timestamp is the producer's, and may be anything.
      if let times { metrics.tookIn(partition.taken, ageMs: times.wall - max(0, partition.firstTimestamp)) }
      partition.partition.tookIn(partition.taken, upTo: partition.next, last: partition.last, now: partition.now)
      partition.records.takenSince += partition.taken
      partition.taken = 0
      // Even if no room has anything to do with it: the offset moves.
      delivery.willProduce()
    }
    polled = records
    if records > 0 {
      metrics.polled(records)
      watchMap(times?.monotonic ?? 0)
    } else {
      // Without input, no records are held.
      batches.quiesce()
      edges.group.release()
      watchMap(edges.time.monotonicMs())
    }
    if batch.count > 0 {
      batch.dispatch(
        behind: batches.other, speakers: delivery.speakers, hopMin: configuration.hopMin,
        period: RoomRate.period(at: times?.monotonic ?? 0))
      // The other batch is filled while the rooms process this one.
      batches.swap()
    }
  }

  /// Logs a warning if most records are no events.
  private func watchMap(_ now: Int64) {
    guard let found = mapWatch.check(now, intake.decoder.outcomes) else { return }
    let most = intake.decoder.commonestLoss
    let keys = most.flatMap { $0.keys.isEmpty ? nil : $0.keys } ?? "no fields that were looked at"
    let reason = most?.row.cause ?? "unknown"
    log.warning(
      """
      of the last \(.records, found.records) records only \(.count, found.taken) became events: \(.dropped, found.dropped) were dropped and \
      \(.bad, found.bad) are bad, most often: \(.reason, reason); such a record has \(.keys, keys). If those are gifts, the service \
      needs another map than \(.map, partitions.configuration.map?.name ?? "none"): combo-consumer map --map … --brokers … --from-topic … shows what becomes of each record
      """)
  }

  private func warnAhead(_ partition: ActivePartition, _ wall: Int64) {
    counted.clockLeads += 1
    log.warning(
      """
      the clock of partition \(.partition, partition.number) is \(.ms, partition.clock.lead(over: wall)) ms ahead of this machine's, \
      and continues from there: the wall clock was set back, or is behind that of the partition's last owner
      """)
  }

  fileprivate func deadLetter(_ record: InputRecord, _ bad: BadEvent, _ active: ActivePartition) {
    active.tally.count(bad.code)
    notes.bad.add(bad.code.rawValue, partition: record.partition, offset: record.offset)
    let letter = DeadLetter(
      record, bad, topic: configuration.topics.input, limits: configuration.deadLetterLimits, wall: edges.time.wallMs())
    delivery.produce(letter, of: active)
    log.debug(
      "bad event in \(.topic, configuration.topics.input)/\(.partition, record.partition) at offset \(.offset, record.offset): \(.code, bad.code.rawValue)"
    )
  }
}

/// Adds the events of a partition's records to the batch that is being filled.
private struct BatchReceiver: RecordReceiver {
  // Without reference counts: all of them outlive the poll, and counting took 3 % of a backlog's CPU.
  private let service: Unmanaged<Service>
  private let active: Unmanaged<ActivePartition>
  private let batch: Unmanaged<Batch>

  init(service: Service, active: ActivePartition, batch: Batch) {
    self.service = .passUnretained(service)
    self.active = .passUnretained(active)
    self.batch = .passUnretained(batch)
  }

  @inline(__always) var arena: BumpArena { batch._withUnsafeGuaranteedRef { $0.arena } }

  @inline(__always)
  func slot() -> UnsafeMutablePointer<Event> { batch._withUnsafeGuaranteedRef { $0.slot() } }

  @inline(__always)
  func take(_ event: UnsafeMutablePointer<Event>, own: OwnSettings?, by room: Unmanaged<Room>) {
    active._withUnsafeGuaranteedRef { active in
      active.tally.count(event.pointee.kind)
      batch._withUnsafeGuaranteedRef { $0.add(to: room, own: own, now: active.now) }
    }
  }

  func wasPassedOver(_ event: UnsafePointer<Event>) {
    active._withUnsafeGuaranteedRef { $0.tally.count(event.pointee.kind) }
  }

  func wasDropped(_ record: InputRecord, by decoder: RecordDecoder) {
    active._withUnsafeGuaranteedRef { $0.tally.countDropped() }
  }

  func wasTooOld(_ event: UnsafePointer<Event>) { active._withUnsafeGuaranteedRef { $0.tally.countOld() } }

  func lacksSchema(_ id: String, of record: InputRecord, _ bad: BadEvent) -> BadEvent? {
    service._withUnsafeGuaranteedRef { service in
      active._withUnsafeGuaranteedRef { service.lacksSchema(id, $0, bad) }
    }
  }

  func hadNoValue() { service._withUnsafeGuaranteedRef { $0.counted.withoutValue += 1 } }

  func wasBad(_ record: InputRecord, _ bad: BadEvent) {
    service._withUnsafeGuaranteedRef { service in
      active._withUnsafeGuaranteedRef { service.deadLetter(record, bad, $0) }
    }
  }
}
