internal import ComboEdge
internal import ComboKafka
internal import ComboSystem
internal import ComboWire

/// The findings about a group's topics. `run` starts or refuses to start by them, and `check` prints them.
struct TopicFindings {
  let names: TopicNames
  /// The addresses of the brokers, for the commands in remedies.
  let brokers: String
  let slots: Int
  /// The settings of the topics that exist and can be read.
  var settings: [String: TopicSettings] = [:]
  /// The number of replicas per topic: that of the partition with the fewest.
  var replicas: [String: Int] = [:]
  /// Whether the service would set the policy of the state topic itself.
  var isStateRepairable = false
  /// Whether the output holds records although the group has no journal entries.
  var hasForeignOutput = false

  /// The clock error that may stay unnoticed: Kafka's default limit.
  static let clockLeadMs: Int64 = 3_600_000
  /// The minimum that certainly has room for the headers of a dead letter.
  static let deadLetterBytesMin: Int64 = 16_384
  /// The space that an entry of the journal may need, and that of a part of a room's snapshot with its frame.
  static let journalBytesMin: Int64 = 65_536
  static let stateBytesMin = Int64(StateEncoder.partBytesDefault) + 16_384

  /// Whether nobody chose the state topic's policy, and nothing has been deleted from it yet.
  static func isUnchosenState(
    _ state: TopicSettings, _ control: ControlClient, _ names: TopicNames, withinMs: Int64
  ) throws(EdgeError) -> Bool {
    guard state.isDeleted, state.values["cleanup.policy"]?.isOwn != true else { return false }
    for partition in 0..<Int32(try control.partitionCount(names.state, withinMs: withinMs) ?? 0) {
      if try control.watermarks(names.state, partition, withinMs: withinMs).first > 0 { return false }
    }
    return true
  }

  /// The topics, each with its purpose.
  var all: [(name: String, what: String)] {
    [
      (names.input, "input"), (names.output, "output"), (names.deadLetter, "dead-letter topic"), (names.journal, "journal"),
      (names.state, "state topic"),
    ] + (names.screens.map { [($0, "screens topic")] } ?? [])
  }

  private func alter(_ topic: String, _ setting: String) -> String {
    "kafka-configs.sh --bootstrap-server \(brokers) --alter --topic \(topic) --add-config \(setting)"
  }

  /// All findings. With a fault the service cannot work; with a note it can.
  var findings: [CheckReport.Finding] { replication + policies + sizes + times + (hasForeignOutput ? [Self.foreignOutput] : []) }

  /// The note on records of others in the output. It is never a fault, as several inputs may share an output, and a group's
  /// successor continues in it.
  static let foreignOutput = CheckReport.Finding.note(
    "the output holds records, but this group has no journal of them: if another group writes the same gifts there, each gift is shown twice",
    fix:
      "correct --group, or give this group its own --output, or stop the other group. Where several inputs share the output, or after a move from"
      + " another group, this is expected")

  private var replication: [CheckReport.Finding] {
    all.compactMap { name, what in
      guard let count = replicas[name], name != names.input, let found = settings[name] else { return nil }
      let needed = found["min.insync.replicas"].flatMap { Int($0) } ?? 1
      if count >= needed { return nil }
      // Newer brokers use the smaller of the two numbers. `check` writes a record, which shows what these brokers do.
      return .note(
        "min.insync.replicas is \(needed), but the \(what) has \(Counted.text(count, "replicas")): older brokers accept nothing then",
        fix: "give it more replicas (kafka-reassign-partitions.sh), or set min.insync.replicas of \"\(name)\" to \(count)")
    }
  }

  private var policies: [CheckReport.Finding] {
    var found: [CheckReport.Finding] = []
    if settings[names.input]?.isCompacted == true {
      found.append(
        .fault(
          "the input is compacted: gifts vanish from it, and the state could not be restored",
          fix: alter(names.input, "cleanup.policy=delete")))
    }
    if settings[names.journal]?.isCompacted == true {
      found.append(.fault("the journal is compacted: entries would vanish", fix: alter(names.journal, "cleanup.policy=delete")))
    }
    if let state = settings[names.state], !state.isCompacted || state.isDeleted {
      let fix = alter(names.state, "cleanup.policy=compact")
      found.append(
        isStateRepairable
          ? .note(
            "the state topic has the brokers' default policy; the service sets it to compact at its start, if it has the right AlterConfigs",
            fix: "to do it now: \(fix)")
          : .fault("the cleanup.policy of the state topic is not compact alone: brokers would delete rooms", fix: fix))
    }
    if let screens = names.screens, let topic = settings[screens], !topic.isCompacted {
      found.append(
        .note(
          "the screens topic is not compacted: it keeps replaced screens, and readers must read all of them to get the newest",
          fix: alter(screens, "cleanup.policy=compact")))
    }
    if settings[names.output]?.isCompacted == true {
      found.append(
        .note(
          "the output is compacted: only the newest instruction of each room stays, so verify reports the others as missing, and a reader cannot"
            + " draw rooms from its beginning", fix: alter(names.output, "cleanup.policy=delete")))
    }
    return found
  }

  private var sizes: [CheckReport.Finding] {
    var found: [CheckReport.Finding] = []
    let needed = Int64(slots) * Int64(WireLimits().displayBytes + 256)
    for (name, what) in [(names.output, "output")] + (names.screens.map { [($0, "screens topic")] } ?? []) {
      guard let max = settings[name]?.maxMessageBytes, max < needed else { continue }
      found.append(
        .note(
          "the \(what) accepts records of up to \(max) bytes, but a full screen of \(slots) banners may need \(needed)",
          fix: alter(name, "max.message.bytes=\(TopicPlan.recordBytesMax)")))
    }
    if let max = settings[names.deadLetter]?.maxMessageBytes, max < Self.deadLetterBytesMin {
      found.append(
        .fault(
          "the dead-letter topic accepts records of up to \(max) bytes, too few to say what was wrong with a record",
          fix: alter(names.deadLetter, "max.message.bytes=\(TopicPlan.recordBytesMax)")))
    }
    for (name, what, least) in [
      (names.journal, "journal", Self.journalBytesMin), (names.state, "state topic", Self.stateBytesMin),
    ] {
      guard let max = settings[name]?.maxMessageBytes, max < least else { continue }
      found.append(
        .fault(
          "the \(what) accepts records of up to \(max) bytes, but the service may write \(least)",
          fix: alter(name, "max.message.bytes=\(TopicPlan.recordBytesMax)")))
    }
    return found
  }

  private var times: [CheckReport.Finding] {
    guard let output = settings[names.output], !output.hasAppendTime else { return [] }
    guard let most = [output.timestampBeforeMaxMs, output.timestampAfterMaxMs].compactMap({ $0 }).min(), most <= Self.clockLeadMs
    else { return [] }
    return [
      .note(
        "the output refuses records whose time is further than \(most) ms from the brokers': an instruction has the time of its partition,"
          + " which continues from the latest time of any owner's clock",
        fix: alter(
          names.output, "message.timestamp.after.max.ms=\(Int64.max),message.timestamp.before.max.ms=\(Int64.max)"))
    ]
  }
}
