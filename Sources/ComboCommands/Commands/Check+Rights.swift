internal import ComboEdge
internal import ComboKafka
internal import ComboRooms
internal import ComboSystem

/// The rights that the service needs.
extension Check {
  mutating func checkRights(_ control: ControlClient, _ trial: Trial) {
    for (name, what) in [(names.input, "input"), (names.journal, "journal"), (names.state, "state topic")]
    where partitions[name] != nil {
      do throws(EdgeError) {
        let (first, end) = try control.watermarks(name, 0, withinMs: Self.withinMs)
        try trial.read(name, 0, from: max(first, end - 1))
        report.ok("the \(what) can be read")
      } catch {
        canReadAll = false
        if name == names.input { canReadInput = false }
        report.fault("the \(what) cannot be read: \(Self.reason(error))", fix: fix(error, "Read", "--topic", name))
      }
    }
    var canBegin = true
    do throws(EdgeError) {
      try trial.begin()
      report.ok("transactions can be begun (tried with the id \"\(trial.transactionalID)\")")
    } catch {
      report.fault(
        "no transaction can be begun as \"\(trial.transactionalID)\": \(Self.reason(error))",
        fix: fix(error, "Write", "--resource-pattern-type prefixed --transactional-id", "\(options.group)."))
      canBegin = false
    }
    for (name, what) in table.all where canBegin && name != names.input && partitions[name] != nil {
      do throws(EdgeError) {
        if name == names.deadLetter {
          try checkClock(control, trial)
        } else {
          try trial.write(to: name, partition: 0, timestampMs: WallClock.nowMs)
        }
        report.ok("the \(what) can be written to")
      } catch {
        report.fault("the \(what) cannot be written to: \(Self.reason(error))", fix: fix(error, "Write", "--topic", name))
      }
    }
    do throws(EdgeError) {
      // If the group does not exist yet, its coordinator must be created first. Otherwise librdkafka's transaction would wait for
      // it for minutes.
      _ = try control.members(ofGroup: options.group, withinMs: Self.withinMs)
      guard canBegin, partitions[names.input] != nil else { return }
      try trial.commit(group: options.group, input: names.input)
      report.ok("the group \"\(options.group)\" may be used: its offsets can be committed")
    } catch  where !canReadInput && error.isTopicDenied {
      report.note(
        "whether the group \"\(options.group)\" may be used is not known: to commit its offsets also takes the right to read the input"
      )
    } catch {
      report.fault(
        "the group \"\(options.group)\" cannot be used: \(Self.reason(error))",
        fix: fix(error, "Read", "--group", options.group))
    }
  }

  // MARK: - Changes of topics

  /// Checks that the journal is kept for as long as the input.
  mutating func checkJournal(_ control: ControlClient) {
    guard let journal = table.settings[names.journal], let input = table.settings[names.input] else { return }
    let changes = TopicPlan.missingRetention(of: journal, input)
    if changes.isEmpty { return }
    tryChange(
      "the journal's retention is shorter than the input's", "raises that", "AlterConfigs", names.journal,
      command:
        "kafka-configs.sh --bootstrap-server \(options.brokers) --alter --topic \(names.journal) --add-config "
        + changes.map { "\($0)=\($1)" }.joined(separator: ",")
    ) { [names] () throws(EdgeError) in
      try control.alterSettings(of: names.journal, changes, isTrial: true, withinMs: Self.withinMs)
    }
  }

  /// Checks that journal and state topic have as many partitions as the input.
  mutating func checkPartitions(_ control: ControlClient) {
    guard let needed = partitions[names.input] else { return }
    for (name, what) in [(names.journal, "journal"), (names.state, "state topic")] {
      guard let count = partitions[name], count < needed else { continue }
      tryChange(
        "the \(what) has \(Counted.text(count, "partitions")), the input \(needed)", "adds the rest", "Alter", name,
        command: "kafka-topics.sh --bootstrap-server \(options.brokers) --alter --topic \(name) --partitions \(needed)"
      ) { () throws(EdgeError) in
        try control.createPartitions(name, total: needed, isTrial: true, withinMs: Self.withinMs)
      }
    }
  }

  /// Tries a change that the service makes at its start, without making it.
  /// - Parameter command: The command that makes it.
  private mutating func tryChange(
    _ finding: String, _ change: String, _ right: String, _ name: String, command: String, _ attempt: () throws(EdgeError) -> Void
  ) {
    do throws(EdgeError) {
      try attempt()
      report.note("\(finding); the service \(change) at its start", fix: "or do it now: \(command)")
    } catch {
      report.fault(
        "\(finding), and the service cannot start, as that cannot be changed: \(Self.reason(error))",
        fix: "\(fix(error, right, "--topic", name)). Or do it yourself: \(command)")
    }
  }

  /// Returns all rights that the service needs on a topic, as acls.sh grants them, for a topic that cannot even be described.
  func rights(on name: String) -> String {
    switch name {
    case names.input: "Read DescribeConfigs"
    case names.journal: "Read Write Create Alter AlterConfigs"
    case names.state: "Read Write DescribeConfigs Create Alter"
    default: "Write DescribeConfigs Create"
    }
  }

  /// - Parameter rights: One or more, with spaces between.
  func fix(_ error: EdgeError, _ rights: String, _ kind: String, _ name: String) -> String {
    // If the fault stopped more than the request, librdkafka reports it as fatal.
    guard error.code == .notAuthorized || error.message.contains("AUTHORIZATION_FAILED") else { return Self.remedy(error) }
    let operations = rights.split(separator: " ").map { "--operation \($0)" }.joined(separator: " ")
    return "kafka-acls.sh --bootstrap-server \(options.brokers) --add --allow-principal User:… \(operations) \(kind) \(name)"
  }
}
