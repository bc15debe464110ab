internal import ComboCore
internal import ComboEdge
internal import ComboKafka
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire

extension Check {
  private static let groupWithinMs: Int64 = 10_000

  /// Checks whether group, journal, state and input fit together. It reads each partition as `run` does when it takes the
  /// partition over, and writes nothing.
  /// - Parameter unstable: The partitions whose offset an open transaction is to change. They are not examined, as brokers do not
  ///   hand it out.
  mutating func checkGroup(_ control: ControlClient, unstable: [Int32]) {
    do throws(EdgeError) {
      let group = try KafkaGroup(properties, GroupConsumer.Options(groupID: options.group, topic: options.input))
      let kafka = try KafkaReading(properties, control: control, names: names, silenceMaxMs: Self.groupWithinMs)
      let existing = Dictionary(uniqueKeysWithValues: Topic.allCases.map { ($0, Int32(partitions[names[$0]] ?? 0)) })
      if let fault = try JournalOwner(kafka, of: options.configuration.topics).fault() {
        return report.fault(fault, fix: "check --group, --input and --output")
      }
      let reading = PlannedTopics(kafka, existing: existing, count: Int32(partitions[names.input] ?? 0))
      try checkPartitions(reading, group, control, unstable: unstable)
      // Otherwise, the output's records do not have the timestamps that the service set.
      let comparesTimes = canExamineOutput && table.settings[names.output]?.hasAppendTime != true
      if comparesTimes, try OutputLoss(reading, of: options.configuration.topics).happenedBeforeStart() {
        report.note(
          "the output was deleted and recreated while no instance ran: \(OutputLoss.reason)",
          fix: "tell its readers; each room writes its whole screen within screen-ms")
      }
    } catch {
      report.note("whether group, journal and input fit together could not be checked: \(error.message)")
    }
  }

  // MARK: - Group, journal, state, input

  private mutating func checkPartitions(
    _ reading: any ReadEdge, _ group: KafkaGroup, _ control: ControlClient, unstable: [Int32]
  ) throws(EdgeError) {
    var saysOldVersionRuns = false
    let count = partitions[names.input] ?? 0
    if partitions[names.journal] != nil, partitions[names.state] == nil {
      report.note(
        "the state topic \"\(names.state)\" is gone: the service creates it and derives all rooms from the journal, if that still has its"
          + " beginning", fix: "if the topic can be brought back, do that before the service begins")
    }
    let examination = GroupExamination(options.configuration, reading, group)
    let committed = try examination.committed((0..<Int32(count)).filter { !unstable.contains($0) })
    var fine = 0
    var following: [Rules: Int] = [:]
    let members = try control.members(ofGroup: options.group, withinMs: Self.groupWithinMs)
    let list = members.isEmpty ? "" : ": \(members.map(\.description).sorted().joined(separator: ", "))"
    report.ok("the group \"\(options.group)\" has \(Counted.text(members.count, "members")) now\(list)")
    if let note = Self.otherInput(Set(members.flatMap(\.topics)), options.group, options.input) { report.add(note) }
    for found in committed {
      let outcome = examination.outcome(from: found)
      if let note = Self.oldVersionRuns(outcome, members.count, own: options.configuration.knownRules.upperBound) {
        if !saysOldVersionRuns { report.add(note) }
        saysOldVersionRuns = true
        continue
      }
      // A member that works on the partition may have moved on during the examination.
      let examined: Rules? =
        if case .examined(_, let rules, _) = outcome { rules } else {
          try? examination.source(found.partition).standing().derivation?.rules
        }
      if let examined { following[examined, default: 0] += 1 }
      if add(outcome, of: found.partition) { fine += 1 }
    }
    if !following.isEmpty { report.add(Self.rules(following, of: members)) }
    if fine > 0 {
      report.ok(
        "group, journal, state and input fit together in \(fine) of \(Counted.text(count, "partitions")), which the service will continue or begin"
      )
    }
  }

  /// The finding for an error with which `run` would exit. The reason names the fault first, then the remedy.
  static func refusal(of partition: Int32, _ reason: String) -> CheckReport.Finding {
    let end = reason.firstRange(of: ". ")
    let what = end.map { reason[..<$0.lowerBound] } ?? reason[...]
    let fix = end.map { String(reason[$0.upperBound...]) } ?? "read the runbooks of docs/operating.md"
    return .fault("partition \(partition): \(what)", fix: fix)
  }

  /// Returns a note if the group has members, and all of them read other topics.
  /// - Parameter topics: The topics of the partitions that the group's members have.
  static func otherInput(_ topics: Set<String>, _ group: String, _ input: String) -> CheckReport.Finding? {
    if topics.isEmpty || topics.contains(input) { return nil }
    let others = topics.sorted().map { "\"\($0)\"" }
    return .note(
      "members of the group \"\(group)\" read \(others.joined(separator: ", ")), and not \"\(input)\"",
      fix: "if --input was changed, stop the old instances first. Services of several inputs may have one group")
  }

  /// Describes which rules of the engine the partitions follow, and whether the previous release can still be started.
  static func rules(_ following: [Rules: Int], of members: [ControlClient.Member]) -> CheckReport.Finding {
    let counts = following.sorted { $0.key < $1.key }.map { "\(Counted.text($0.value, "partitions")) under rules \($0.key)" }
    let list = "the engine's rules: " + counts.joined(separator: ", ")
    if let newest = following.keys.max(), newest > .oldest {
      let isWhole = following.count == 1
      return .init(
        verdict: isWhole ? .ok : .note, text: "\(list): releases that do not know rules \(newest) can no longer run this group",
        fix: isWhole
          ? nil
          : "the other partitions change to them once every member has offered them for two minutes, unless --rules N holds them back."
            + " \"Upgrade and rollback\" in docs/operating.md has the way back")
    }
    let old = members.filter { ($0.rules ?? Rules.oldest.version) < Rules.newest.version }
    let wait =
      old.isEmpty
      ? "every member offers rules \(Rules.newest)"
      : "\(Counted.text(old.count, "members")) \(old.count == 1 ? "does" : "do") not offer rules \(Rules.newest) (previous release,"
        + " or --rules)"
    return .ok(
      "\(list): \(wait). The group changes to them once every member has offered them for two minutes; until then, the previous"
        + " release can be started again")
  }

  /// Returns a note if an owner with other rules is at work, or nil. While it is, there are always entries above the checkpoint;
  /// a clean stop of that owner leaves none.
  static func oldVersionRuns(_ outcome: RestoreOutcome, _ members: Int, own: Rules) -> CheckReport.Finding? {
    guard case .otherRules(let rules, _) = outcome, members > 0 else { return nil }
    return .note(
      "the old version still runs: the group has \(Counted.text(members, "members")), and version \(rules) of the engine's rules made its newest"
        + " entries. This program has version \(own)",
      fix:
        "stop it with SIGTERM, so that it writes all rooms, then check again. A member that was killed counts until its session has timed out"
    )
  }

  /// - Returns: Whether the partition is fine.
  private mutating func add(_ outcome: RestoreOutcome, of partition: Int32) -> Bool {
    switch outcome {
    case .examined(let clock, _, let strangers):
      if let strangers {
        report.note(
          "partition \(partition) of the state topic holds \(Counted.text(strangers.count, "records")) of somebody else, the first at offset"
            + " \(strangers.offset): the service ignores them", fix: "find out who writes to \(names.state)")
      }
      let ahead = clock - WallClock.nowMs
      if ahead > MemberPartitions.broughtBackMs {
        report.note(
          "the time of partition \(partition) is \(ahead) ms ahead of this machine's clock: a clock is, or was, wrong",
          fix: "set the clocks right; combo-consumer reset-clock brings the partition back, if its output refuses such times")
      }
      return true
    case .restored(let restored):
      guard let reset = restored.reset else { return true }
      report.note(
        "RESET: all rooms of partition \(partition) will begin a new epoch, and \(Counted.text(restored.neverTaken, "records of the input were")) never"
          + " taken in: \(reset.reason)", fix: "if topics can be brought back, do that before the service begins")
    case .refused(let reason), .otherRules(_, let reason), .doubtful(let reason):
      report.add(Self.refusal(of: partition, reason))
    case .failed(let reason):
      // A member that works on the partition has moved on meanwhile.
      if reason.contains("another member") { return true }
      report.note("partition \(partition) could not be checked: \(reason)")
    case .gone, .stopped: return true
    }
    return false
  }
}
