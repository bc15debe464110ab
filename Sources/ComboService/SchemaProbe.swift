internal import ComboEdge
internal import ComboMaps
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Schemas that records name and the map does not have. Partitions with such records wait, and the others continue.
final class SchemaProbe: Probe {
  private var requests = SchemaRequests()
  /// The partitions that came to a record without its schema in the poll under way, each with the schema.
  private var lacking: [(partition: Int32, schema: String)] = []
  /// Several schemas are requested at a time, each at its own intervals.
  private let answers = Mailbox<(id: String, answer: SchemaAnswer)>()

  override var everyMs: Int64 { 0 }
  override var isIdle: Bool { parts.edges.schemas == nil }

  /// Returns what is bad about the record; nil if its partition waits at it.
  func lacks(_ id: String, _ active: ActivePartition, _ bad: BadEvent) -> BadEvent? {
    guard parts.edges.schemas != nil else { return bad }
    if let reason = requests.refusal(of: id) {
      return BadEvent(bad.code, "the record's schema is \(id), which is not used: \(reason)")
    }
    lacking.append((active.number, id))
    parts.log.info("partition \(.partition, active.number) waits for schema \(.text, id), which is asked for")
    return nil
  }

  /// Whether a partition has come to a record without its schema in the poll under way.
  func isLacking(_ number: Int32) -> Bool { lacking.contains { $0.partition == number } }

  /// Pauses the partitions that the poll has brought to a record without its schema, and requests the schema.
  func pauseLacking() {
    if lacking.isEmpty { return }
    let now = parts.edges.time.monotonicMs()
    for (number, schema) in lacking {
      parts.partitions.note(.schemaLacked(schema), of: number)
      requests.need(schema, at: now)
    }
    lacking = []
  }

  /// Requests schemas, and puts those that have arrived into force: the partitions are handed over before the next poll.
  /// - Returns: To go back if a partition that waited cannot be read further. It stays active until then, so that what it emitted
  ///   since the last commit is not committed without its entry.
  override func check(at now: Int64) -> Finding? {
    guard let source = parts.edges.schemas else { return nil }
    if source.takeRetry() { requests.forgetRefusals() }
    var fault: TransactionFault?
    for (id, answer) in answers.takeAll() { fault = take(requests.heard(answer, about: id, at: now), id, now) ?? fault }
    if !requests.open.isEmpty { ask(source, now) }
    return fault.map { .goBack($0) }
  }

  private func ask(_ source: any SchemaSource, _ now: Int64) {
    requests.keep(Set(parts.partitions.owned.compactMap { parts.partitions.state(of: $0).awaitedSchema }))
    for id in requests.takeDue(at: now) {
      parts.edges.inBackground(.query) { [answers] in answers.put((id, source.ask(id))) }
    }
  }

  private func take(_ step: SchemaRequests.Step?, _ id: String, _ now: Int64) -> TransactionFault? {
    switch step {
    case nil: break
    case .wait(let reason, let mustSay):
      if mustSay { parts.log.warning("schema \(.text, id) could not be fetched, trying again: \(.reason, reason)") }
    case .refuse(let reason):
      parts.log.warning(
        """
        records with schema \(.text, id) are bad events from now on: \(.reason, reason). Once that is corrected, send SIGHUP and redrive them
        """)
      return resume(id)
    case .use(let text):
      do throws(MapFaults) {
        try parts.partitions.learn([id: text])
        parts.log.info(
          "schema \(.text, id) has arrived: the partitions are taken over again with it, so that the journal has it first")
      } catch {
        return take(requests.refuse(id, error.faults[0].description, now), id, now)
      }
    }
    return nil
  }

  /// Resumes the partitions that waited for a schema.
  private func resume(_ id: String) -> TransactionFault? {
    for case let active? in parts.partitions.active where parts.partitions.state(of: active.number).awaitedSchema == id {
      do throws(EdgeError) {
        try parts.edges.group.start([(partition: active.number, offset: active.partition.offset)])
      } catch {
        return .abort("partition \(active.number) cannot be read further: \(error)")
      }
      parts.partitions.note(.readingResumed, of: active.number)
    }
    return nil
  }

  func wait(of number: Int32, _ now: Int64) -> ServiceReport.SchemaWait? {
    parts.partitions.state(of: number).awaitedSchema.map { id in
      .init(id: id, ms: requests.open[id].map { now - $0.since } ?? 0, reason: requests.open[id]?.reason)
    }
  }
}
