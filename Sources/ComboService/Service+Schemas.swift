internal import ComboEdge
internal import ComboMaps
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Schemas that records name and the map does not have. Partitions with such records wait, and the others continue.
extension Service {
  /// Returns what is bad about the record; nil if its partition waits at it.
  func lacksSchema(_ id: String, _ active: ActivePartition, _ bad: BadEvent) -> BadEvent? {
    guard edges.schemas != nil else { return bad }
    if let reason = schemas.refusal(of: id) {
      return BadEvent(bad.code, "the record's schema is \(id), which is not used: \(reason)")
    }
    active.awaited = id
    log.info("partition \(.partition, active.number) waits for schema \(.text, id), which is asked for")
    return nil
  }

  /// Pauses partitions that have come to a record without its schema, and requests the schema.
  func pauseAwaiting() {
    let now = edges.time.monotonicMs()
    for case let active? in partitions.active {
      guard let id = active.awaited else { continue }
      edges.group.pause(active.number)
      schemas.need(id, at: now)
    }
  }

  /// Requests schemas, and puts those that have arrived into force.
  func watchSchemas() {
    if let source = edges.schemas {
      if source.takeRetry() { schemas.forgetRefusals() }
      let now = edges.time.monotonicMs()
      for (id, answer) in schemaAnswers.takeAll() { take(schemas.heard(answer, about: id, at: now), id, now) }
      if !schemas.open.isEmpty {
        schemas.keep(Set(partitions.active.compactMap { $0?.awaited }))
        for id in schemas.takeDue(at: now) {
          let answers = schemaAnswers
          edges.inBackground(.query) { answers.put((id, source.ask(id))) }
        }
      }
    }
    useNewestMap()
  }

  private func take(_ step: SchemaRequests.Step?, _ id: String, _ now: Int64) {
    switch step {
    case nil: break
    case .wait(let reason, let mustSay):
      if mustSay { log.warning("schema \(.text, id) is not there yet, and is asked for again: \(.reason, reason)") }
    case .refuse(let reason):
      log.warning(
        """
        records with schema \(.text, id) are bad events from now on: \(.reason, reason). Once that is corrected, send SIGHUP and redrive them
        """)
      resume(id)
    case .use(let text):
      do throws(MapFaults) {
        try partitions.learn([id: text])
        log.info("schema \(.text, id) is there: the partitions are taken over again with it, so that the journal has it first")
      } catch {
        take(schemas.refuse(id, error.faults[0].description, now), id, now)
      }
    }
  }

  /// Resumes the partitions that waited for a schema.
  private func resume(_ id: String) {
    for case let active? in partitions.active where active.awaited == id {
      active.awaited = nil
      do throws(EdgeError) {
        try edges.group.start(active.number, at: active.partition.offset)
      } catch {
        log.warning("partition \(.partition, active.number) cannot be read further, trying again: \(.reason, error)")
        partitions.note(.refused, of: active.number)
      }
    }
  }

  func schemaWait(of active: ActivePartition, _ now: Int64) -> ServiceReport.SchemaWait? {
    active.awaited.map { id in
      .init(id: id, ms: schemas.open[id].map { now - $0.since } ?? 0, reason: schemas.open[id]?.reason)
    }
  }
}
