internal import ComboEdge
internal import ComboKafka
internal import ComboService
internal import ComboSystem

/// `seek`: a group goes on elsewhere in its input.
enum SeekCommand {
  private static let withinMs: Int64 = 30_000

  static func run(_ options: SeekOptions) -> Int32 {
    let log = ServiceLog(options.service.logLevel, format: options.service.logFormat)
    log.hide(options.service.kafka.secrets)
    defer { log.flush() }
    let stop = StopFlag()
    let signals = StopSignal()
    signals.onSet { stop.set() }
    signals.watchSignals()
    do throws(EdgeError) {
      let properties = try options.service.kafkaProperties(log: log)
      let plan = try plan(options, properties)
      _ = Console.tell(plan.text(isDryRun: !options.isConfirmed))
      if plan.isRefused { return 1 }
      if options.isConfirmed, !plan.moves.isEmpty, plan.members > 0 {
        Console.say(
          "the group \(options.service.group) has \(plan.members) members: stop all its instances, and run this again. An instance that was"
            + " killed counts until its session has timed out")
        return 1
      }
      if !options.isConfirmed || plan.moves.isEmpty { return 0 }
      guard let service = try Service.build(options.service, properties, log: log, stop: stop, seek: plan.targets) else {
        return 1
      }
      return run(service, plan, stop)
    } catch {
      Console.say(error.message)
      return error.code == .badProperty ? 2 : 1
    }
  }

  /// Takes all partitions over, which writes the entries that say where they go on, and leaves the group again.
  private static func run(_ service: Service, _ plan: SeekPlan, _ stop: StopFlag) -> Int32 {
    service.join()
    while service.isRunning, !service.hasTakenOver { service.turn() }
    let owned = service.hasTakenOver ? service.ownedCount : 0
    let isStopped = stop.isSet
    let code = service.stop()
    // Its clients go with the process.
    _ = Unmanaged.passRetained(service)
    if code != 0 || isStopped { return 1 }
    _ = Console.tell("\(service.totals.sought) partitions were moved.\n")
    if owned < plan.places.count {
      Console.say(
        "only \(owned) of \(plan.places.count) partitions were moved: other instances have the rest. Stop them, and run this again"
      )
      return 1
    }
    return 0
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
    if case .time(let time) = options.target {
      for (partition, offset) in try control.offsets(topic, partitions, atMs: time, withinMs: withinMs) {
        times[partition] = offset
      }
    }
    var plan = SeekPlan()
    plan.members = try control.memberCount(ofGroup: options.service.group, withinMs: withinMs)
    let reader = try ReaderClient(properties)
    if case .offsets(let offsets) = options.target {
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
      let stands = committed[Int(partition)]
      plan.places.append(
        .init(partition: partition, first: first, end: end, stands: stands.offset, isNew: stands.entry == nil, target: target))
    }
    return plan
  }
}

extension SeekCommand {
  /// Whether there are records: what lies between two offsets may be the marks of transactions alone.
  private static func holdsRecords(
    _ client: ReaderClient, _ topic: String, _ partition: Int32, from start: Int64, to end: Int64
  ) throws(EdgeError) -> Bool {
    // Many are not all marks.
    if start >= end || end - start > 1000 { return start < end }
    let reader = try client.reader(topic, partition, from: start, to: end)
    let batch = MessageBatch(capacity: 1000)
    defer { batch.release() }
    let deadline = Deadline(afterMs: withinMs)
    while !reader.isAtEnd, !deadline.isOver {
      if try reader.read(maxWaitMs: 100, into: batch) > 0 { return true }
    }
    return false
  }
}

/// What `seek` would do.
struct SeekPlan: Equatable {
  /// One partition of the input.
  struct Place: Equatable {
    var partition: Int32
    /// Its first offset that is still there, and the one after its last.
    var first: Int64
    var end: Int64
    /// Where the group stands; nil: it has read nothing.
    var stands: Int64?
    /// Whether the group has no journal for it.
    var isNew: Bool
    /// Where it is to go on; nil: where it stands.
    var target: Int64?

    /// Whether it would go on elsewhere.
    var moves: Bool { target.map { isNew ? $0 != stands : $0 > stands ?? first } ?? false }
    /// Why that cannot be, as the end of a sentence.
    var refusal: String? {
      guard let target else { return nil }
      if target > end { return "offset \(target) is beyond its end, \(end)" }
      if isNew, target < first { return "offset \(target) is deleted: its first is \(first)" }
      if !isNew, let stands, target < stands {
        return "it stands at \(stands), and going back to \(target) would count \(stands - target) records twice."
          + " Take a new --group and --output for them"
      }
      return nil
    }
  }

  var places: [Place] = []
  /// Members that the group has now.
  var members = 0
  /// Partitions that were named and are not there.
  var unknown: [Int32] = []

  var moves: [Place] { places.filter(\.moves) }
  var targets: [Int32: Int64] { Dictionary(uniqueKeysWithValues: moves.map { ($0.partition, $0.target!) }) }
  var isRefused: Bool { !unknown.isEmpty || places.contains { $0.refusal != nil } }

  /// For people: a line a partition, then what comes of it all.
  func text(isDryRun: Bool) -> String {
    var lines = unknown.map { "partition \($0) does not exist" }
    for place in places {
      let stands = place.stands.map { "stands at \($0)" } ?? "has read nothing"
      if let refusal = place.refusal {
        lines.append("partition \(place.partition): refused: \(refusal)")
      } else if !place.moves {
        lines.append("partition \(place.partition): \(stands), stays")
      } else if place.isNew {
        lines.append("partition \(place.partition): \(stands), would begin at \(place.target!)")
      } else {
        let skipped = place.target! - (place.stands ?? place.first)
        lines.append(
          "partition \(place.partition): \(stands), would continue at \(place.target!): \(skipped) offsets are skipped, its rooms "
            + "begin anew"
        )
      }
    }
    if isRefused {
      lines.append("Nothing was done.")
    } else if moves.isEmpty {
      lines.append("There is nothing to do.")
    } else if isDryRun {
      lines.append("Nothing was done: this was a dry run. Stop all instances of the group, then add --yes.")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
