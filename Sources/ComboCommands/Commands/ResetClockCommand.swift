internal import ComboEdge
internal import ComboKafka
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire

/// `reset-clock`: sets back partitions whose time is ahead of this machine's clock.
enum ResetClockCommand {
  private static let withinMs: Int64 = 30_000

  static func run(_ options: ServiceOptions) -> Int32 {
    let session = CommandSession(options.logLevel, options.logFormat, hiding: options.kafka)
    return session.log.exitCode { () throws(EdgeError) in
      let properties = try options.kafkaProperties(log: session.log)
      let options = try options.namingAsJournal(properties)
      let plan = try plan(options, properties)
      _ = Console.print(plan.text(isDryRun: !options.isConfirmed))
      if !options.isConfirmed || plan.ahead.isEmpty { return 0 }
      if plan.members > 0 { return Console.fail(options.sentence(ofMembers: plan.members, properties)) }
      guard
        let service = try ServiceBuilder.build(
          options, properties, log: session.log, stop: session.stop, purpose: .bringClocksBack),
        let checked = service.takeOverAndLeave(session.stop)
      else { return 1 }
      _ = Console.print(
        "\(service.totals.clocksBroughtBack) of \(Counted.text(checked, "partitions were")) set back to this machine's clock.\n")
      if checked < plan.places.count {
        return Console.fail(
          "only \(checked) of \(plan.places.count) partitions were checked: other instances have the rest. Stop them, and run the command again"
        )
      }
      return 0
    }
  }

  private static func plan(_ options: ServiceOptions, _ properties: KafkaProperties) throws(EdgeError) -> ClockPlan {
    let control = try ControlClient(properties)
    let reading = try KafkaReading(properties, control: control, names: options.topicNames)
    let journal = JournalOwner(reading, of: options.configuration.topics)
    if try reading.partitions(.journal).isEmpty {
      throw EdgeError(
        .unknownTopic,
        "the topic \"\(options.topicNames.journal)\", the journal of group \(options.group) for the input \"\(options.input)\", does not"
          + " exist: check --group and --input")
    }
    if let fault = try journal.fault() { throw EdgeError(.other, fault) }
    var plan = ClockPlan(now: WallClock.nowMs)
    plan.members = try control.members(ofGroup: options.group, withinMs: withinMs).count
    for partition in try reading.partitions(.input) {
      let newest = try PartitionTopics(partition, options.configuration, reading, log: .silent).standing().entry
      plan.places.append(.init(partition: partition, clock: newest?.clock, rooms: newest?.rooms ?? 0))
    }
    return plan
  }
}

/// The effect of `reset-clock`.
struct ClockPlan: Equatable {
  /// One partition of the input.
  struct Place: Equatable {
    var partition: Int32
    /// The partition's time in milliseconds since the Unix epoch, or nil if it has not begun.
    var clock: Int64?
    /// The number of its rooms that are awake.
    var rooms: Int
  }

  /// The time of this machine's clock, in milliseconds since the Unix epoch.
  var now: Int64
  var places: [Place] = []
  /// The number of members that the group has now.
  var members = 0

  /// The partitions that would be set back.
  var ahead: [Place] { places.filter { ($0.clock ?? .min) > now + MemberPartitions.broughtBackMs } }

  /// The report for people: one line per partition, then a conclusion.
  func text(isDryRun: Bool) -> String {
    let moved = ahead
    var lines = places.map { place in
      guard let clock = place.clock else { return "partition \(place.partition): has not begun, does not change" }
      guard moved.contains(place) else {
        return "partition \(place.partition): its time is \(Timestamp.text(clock)), does not change"
      }
      return
        "partition \(place.partition): its time is \(Timestamp.text(clock)), \(clock - now) ms ahead of this machine's clock: it would be"
        + " set back, and \(place.rooms) \(place.rooms == 1 ? "room begins" : "rooms begin") a new epoch"
    }
    if moved.isEmpty {
      lines.append("There is nothing to do.")
    } else if isDryRun {
      lines.append("Nothing was done: this was a dry run. Set the clocks right, stop all instances of the group, then add --yes.")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
