internal import ComboCore
internal import ComboEdge
internal import ComboKafka
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire

/// `seek`: moves a group's position in its input.
enum SeekCommand {
  private static let withinMs: Int64 = 30_000

  static func run(_ options: SeekOptions) -> Int32 {
    var options = options
    let session = CommandSession(options.service.logLevel, options.service.logFormat, hiding: options.service.kafka)
    return session.log.exitCode { () throws(EdgeError) in
      let properties = try options.service.kafkaProperties(log: session.log)
      options.service = try options.service.namingAsJournal(properties)
      let plan = try plan(options, properties)
      _ = Console.print(plan.text(isDryRun: !options.isConfirmed))
      if plan.isRefused { return 1 }
      if !options.isConfirmed || plan.moves.isEmpty { return 0 }
      if plan.members > 0 { return Console.fail(options.service.sentence(ofMembers: plan.members, properties)) }
      guard
        let service = try ServiceBuilder.build(
          options.service, properties, log: session.log, stop: session.stop, purpose: .seek(plan.targets)),
        let takenOver = service.takeOverAndLeave(session.stop)
      else { return 1 }
      _ = Console.print("\(Counted.text(service.totals.movedBySeek, "partitions were moved")).\n")
      if takenOver < plan.places.count {
        return Console.fail(
          "only \(takenOver) of \(Counted.text(plan.places.count, "partitions were")) taken over: other instances have the rest. Stop them, and run the command again"
        )
      }
      return 0
    }
  }

  private static func plan(_ options: SeekOptions, _ properties: KafkaProperties) throws(EdgeError) -> SeekPlan {
    let control = try ControlClient(properties)
    let topic = options.service.input
    guard let count = try control.partitionCount(topic, withinMs: withinMs) else {
      throw EdgeError(.unknownTopic, "the input topic \"\(topic)\" does not exist: check --input")
    }
    let partitions = Array(0..<Int32(count))
    let asker = try GroupConsumer(properties, .init(groupID: options.service.group, topic: topic))
    let committed = try asker.committed(partitions, withinMs: withinMs)
    var times: [Int32: Int64] = [:]
    var plan = SeekPlan()
    if case .time(let time) = options.target {
      for (partition, offset) in try control.offsets(topic, partitions, atMs: time, withinMs: withinMs) {
        times[partition] = offset
      }
      (plan.time, plan.now) = (time, WallClock.nowMs)
    }
    let reading = try KafkaReading(properties, control: control, names: options.service.topicNames)
    let journal = JournalOwner(reading, of: options.service.configuration.topics)
    if let fault = try journal.fault() { throw EdgeError(.other, fault) }
    plan.members = try control.members(ofGroup: options.service.group, withinMs: withinMs).count
    let reader = try ReaderClient(properties)
    if case .offsets(let offsets) = options.target {
      plan.namesOffsets = true
      plan.unknown = offsets.keys.filter { !partitions.contains($0) }.sorted()
    }
    for partition in partitions {
      let (first, end) = try control.watermarks(topic, partition, withinMs: withinMs)
      let target: Int64? =
        switch options.target {
        case .time: times[partition] ?? end
        case .offsets(let offsets): offsets[partition]
        case .end:
          try holdsRecords(reader, topic, partition, from: committed[Int(partition)].offset ?? first, to: end) ? end : nil
        }
      let committedOffset = committed[Int(partition)]
      plan.places.append(
        .init(
          partition: partition, first: first, end: end, position: committedOffset.offset, isNew: committedOffset.entry == nil,
          target: target,
          rooms: committedOffset.entry == nil
            ? nil : try PartitionTopics(partition, options.service.configuration, reading, log: .silent).standing().entry?.rooms))
    }
    for index in plan.places.indices where plan.places[index].moves && !plan.places[index].isNew && !plan.isRefused {
      let partition = plan.places[index].partition
      examine(options.service, partition, reading, asker, &plan, at: index)
    }
    plan.hasForeignOutput = try ForeignOutput(options.service, properties, control).isLikely
    return plan
  }

  /// Restores a partition as `--yes` does, to determine the loss and the derivation of its last owner. Writes nothing.
  private static func examine(
    _ options: ServiceOptions, _ partition: Int32, _ reading: KafkaReading, _ asker: GroupConsumer, _ plan: inout SeekPlan,
    at index: Int
  ) {
    let restorer = Restorer(
      PartitionTopics(partition, options.configuration, reading, log: .silent), time: SystemTime(), isCertain: true,
      clockMin: .min,
      position: { [client = asker.client, topic = asker.topic] () throws(EdgeError) in
        try client.committed([partition], of: topic, withinMs: withinMs)[0]
      })
    let outcome =
      switch restorer.ask() {
      case .answer(let committed): restorer.run(from: committed)
      case .noAnswer(let outcome): outcome
      }
    switch outcome {
    case .restored(let restored):
      if let old = restored.derivation { plan.add(changesFrom: old, to: options.configuration.derivation(after: old)) }
      if restored.reset != nil { return }
      var waiting = 0
      restored.partition.table.forEachRoom { waiting += $0.engine.waitingGifts }
      plan.places[index].waiting = waiting
    case .refused(let reason), .otherRules(_, let reason), .doubtful(let reason):
      // While members are at work, this may be a false alarm.
      if plan.members == 0 { plan.places[index].fault = reason }
    case .failed, .examined, .gone, .stopped: break
    }
  }

  /// Whether there are, or may be, records between two offsets: there may be only marks of transactions.
  private static func holdsRecords(
    _ client: ReaderClient, _ topic: String, _ partition: Int32, from start: Int64, to end: Int64
  ) throws(EdgeError) -> Bool {
    // More than 1000 offsets cannot all be marks.
    if start >= end || end - start > 1000 { return start < end }
    let reader = try client.reader(topic, partition, from: start, to: end)
    let batch = MessageBatch(capacity: 1000)
    defer { batch.release() }
    let deadline = Deadline(afterMs: withinMs)
    while !reader.isAtEnd, !deadline.isOver {
      if try reader.read(maxWaitMs: 100, into: batch) > 0 { return true }
    }
    // A transaction that stays open may hold records.
    return !reader.isAtEnd
  }
}
