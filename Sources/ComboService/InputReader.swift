internal import ComboCore
internal import ComboEdge
internal import ComboMaps
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Polls the input, and passes each record to its room. Used by the loop's thread only.
final class InputReader {
  private let parts: ServiceParts
  private let delivery: any Delivery
  let schemas: SchemaProbe
  let badRecords: BadRecordProbe
  private(set) var intake: RecordIntake
  /// The version of the map by which records are read.
  private(set) var mapVersion = 0
  /// The number of records that the last poll consumed, and its time by the monotonic clock.
  private(set) var polled = 0
  private(set) var polledAt: Int64 = 0
  /// Counts of records without a value, and of clocks that lead.
  fileprivate(set) var counts = ServiceTotals()

  init(_ parts: ServiceParts, _ delivery: any Delivery) {
    (self.parts, self.delivery) = (parts, delivery)
    (schemas, badRecords) = (SchemaProbe(parts), BadRecordProbe(parts))
    intake = RecordIntake(RecordDecoder(limits: parts.configuration.limits, map: parts.configuration.map))
  }

  /// Reads records by the newest map from now on.
  func useNewestMap() {
    if parts.partitions.mapVersion == mapVersion { return }
    mapVersion = parts.partitions.mapVersion
    intake = RecordIntake(RecordDecoder(limits: parts.configuration.limits, map: parts.partitions.configuration.map))
  }

  func poll(maxWaitMs: Int32) {
    let (edges, partitions, batches) = (parts.edges, parts.partitions, parts.batches)
    let batch = batches.filling
    var times: (wall: Int64, monotonic: Int64)?
    let (intake, schemas, asks) = (intake, schemas, edges.schemas != nil)
    edges.group.poll(maxWaitMs: maxWaitMs, hold: batches.index) { record in
      unsafe partitions.handle(record.partition)?._withUnsafeGuaranteedRef { partition in
        if asks, schemas.isLacking(partition.number) { return }
        let before = (next: partition.next, last: partition.last)
        if partition.taken == 0 {
          let time = times ?? (edges.time.wallMs(), edges.time.monotonicMs())
          times = time
          partition.now = partition.clock.now(wall: time.wall, monotonic: time.monotonic)
          partition.firstTimestamp = record.time?.ms ?? time.wall
          if partition.isNewlyAhead(of: time.wall) { warnAhead(partition, time.wall) }
        }
        partition.taken += 1
        unsafe partition.records.bytesSince += record.value?.count ?? 0
        partition.next = record.offset + 1
        // Not for each record: the last one of a poll ends a run.
        if record.endsRun || asks { partition.last = record.fingerprint }
        let receiver = BatchReceiver(reader: self, active: partition, batch: batch)
        unsafe Unmanaged.passUnretained(partition.partition)._withUnsafeGuaranteedRef {
          intake.take(record, into: $0, at: partition.now, to: receiver)
        }
        if asks, schemas.isLacking(partition.number) {
          partition.taken -= 1
          (partition.next, partition.last) = before
        }
      }
    }
    schemas.pauseLacking()
    var records = 0
    for case let partition? in partitions.active where partition.taken > 0 {
      records += partition.taken
      partition.arrivals.add(partition.firstTimestamp, count: partition.taken)
      // The timestamp is the producer's, and may be anything.
      if let times { parts.metrics.tookIn(partition.taken, ageMs: times.wall - max(0, partition.firstTimestamp)) }
      precondition(partition.next > partition.partition.offset, "records of the input are consumed in order, and once")
      partition.partition.tookIn(partition.taken, upTo: partition.next, last: partition.last, now: partition.now)
      partition.records.takenSince += partition.taken
      partition.taken = 0
      // Even if no room has anything to do with it: the offset moves.
      delivery.willProduce()
    }
    polled = records
    if records > 0 {
      parts.metrics.polled(records)
      polledAt = times?.monotonic ?? 0
    } else {
      // Without input, no records are held.
      batches.quiesce()
      edges.group.release()
      polledAt = edges.time.monotonicMs()
    }
    if batch.count > 0 {
      batch.dispatch(
        behind: batches.other, outboxes: delivery.outboxes, hopMin: parts.configuration.hopMin,
        period: RoomRate.period(at: times?.monotonic ?? 0))
      // The other batch is filled while the rooms process this one.
      batches.swap()
    }
  }

  private func warnAhead(_ partition: ActivePartition, _ wall: Int64) {
    counts.clockLeads += 1
    parts.log.warning(
      """
      the clock of partition \(.partition, partition.number) is \(.ms, partition.clock.lead(over: wall)) ms ahead of this machine's, \
      and continues from there: the wall clock was set back, or is behind that of the partition's last owner
      """)
  }

  fileprivate func deadLetter(_ record: InputRecord, _ bad: BadEvent, _ active: ActivePartition) {
    active.tally.count(bad.code)
    badRecords.records.add(bad.code.rawValue, partition: record.partition, offset: record.offset)
    let (topic, limits) = (parts.configuration.topics.input, parts.configuration.deadLetterLimits)
    delivery.produce(DeadLetter(record, bad, topic: topic, limits: limits, wall: parts.edges.time.wallMs()), of: active)
    parts.log.debug(
      "bad event in \(.topic, topic)/\(.partition, record.partition) at offset \(.offset, record.offset): \(.code, bad.code.rawValue)"
    )
  }
}

/// Adds the events of a partition's records to the batch that is being filled.
@safe private struct BatchReceiver: RecordReceiver {
  // Without reference counts: all of them outlive the poll, and counting took 3 % of a backlog's CPU.
  private let reader: Unmanaged<InputReader>
  private let active: Unmanaged<ActivePartition>
  private let batch: Unmanaged<Batch>

  init(reader: InputReader, active: ActivePartition, batch: Batch) {
    unsafe self.reader = unsafe .passUnretained(reader)
    unsafe self.active = unsafe .passUnretained(active)
    unsafe self.batch = unsafe .passUnretained(batch)
  }

  @inline(__always) var arena: BumpArena { unsafe batch._withUnsafeGuaranteedRef { $0.arena } }

  @inline(__always)
  func slot() -> UnsafeMutablePointer<Event> { unsafe batch._withUnsafeGuaranteedRef { unsafe $0.slot() } }

  @inline(__always)
  func take(_ event: UnsafeMutablePointer<Event>, own: OwnSettings?, by room: Unmanaged<Room>) {
    unsafe active._withUnsafeGuaranteedRef { active in
      unsafe active.tally.count(event.pointee.kind)
      unsafe batch._withUnsafeGuaranteedRef { unsafe $0.add(to: room, own: own, now: active.now) }
    }
  }

  func wasPassedOver(_ event: UnsafePointer<Event>) {
    unsafe active._withUnsafeGuaranteedRef { unsafe $0.tally.count(event.pointee.kind) }
  }

  func wasDropped(_ record: InputRecord, by decoder: RecordDecoder) {
    unsafe active._withUnsafeGuaranteedRef { $0.tally.countDropped() }
  }

  func wasTooOld(_ event: UnsafePointer<Event>) { unsafe active._withUnsafeGuaranteedRef { $0.tally.countOld() } }

  func lacksSchema(_ id: String, of record: InputRecord, _ bad: BadEvent) -> BadEvent? {
    unsafe reader._withUnsafeGuaranteedRef { reader in
      unsafe active._withUnsafeGuaranteedRef { reader.schemas.lacks(id, $0, bad) }
    }
  }

  func hadNoValue() { unsafe reader._withUnsafeGuaranteedRef { $0.counts.withoutValue += 1 } }

  func wasBad(_ record: InputRecord, _ bad: BadEvent) {
    unsafe reader._withUnsafeGuaranteedRef { reader in
      unsafe active._withUnsafeGuaranteedRef { reader.deadLetter(record, bad, $0) }
    }
  }
}
