internal import ComboEdge
internal import ComboKafka
internal import ComboRooms
internal import ComboSystem

/// Checks a group's topics, and creates those that are missing.
struct TopicSetup {
  let control: ControlClient
  let names: TopicNames
  let slots: Int
  let brokers: String
  let log: ServiceLog
  /// The waiting caller checks after each attempt whether it must stop, so an attempt must not take longer than 10 s.
  private static let withinMs: Int64 = 5000

  /// The facts that the service needs about its topics.
  struct Found {
    var deadLetterLimits: DeadLetterLimits
    /// Whether the brokers set the timestamps of the output's records.
    var outputHasAppendTime: Bool
    /// The longest time by which a record of the output may be ahead of the brokers' clocks, in milliseconds, or nil for no
    /// limit.
    var outputAheadMaxMs: Int64?
  }

  /// The reason why the service cannot start.
  enum Fault: Error {
    /// The topics have no fault, but the brokers did not respond, or the input does not exist yet.
    case notYet(String)
    /// Somebody must fix something first.
    case refused(String)
  }

  /// Creates missing topics, and reports the faults of the others.
  /// - Parameter hasForeignOutput: Checks whether another group may write the same gifts to the output.
  func run(logsNotes: Bool, hasForeignOutput: () -> Bool) throws(Fault) -> Found {
    do {
      guard let partitions = try control.partitionCount(names.input, withinMs: Self.withinMs) else {
        throw Fault.notYet("the input topic \"\(names.input)\" does not exist. Create it, or check --input")
      }
      let input = try control.settings(of: names.input, withinMs: Self.withinMs)
      var findings = TopicFindings(names: names, brokers: brokers, slots: slots, settings: [names.input: input])
      try refuse(findings)
      for topic in TopicPlan(names, input).topics {
        try create(topic, partitions)
        if topic.name == names.journal { try setUpJournal(partitions, input) }
        if topic.name == names.state { try setUpState(partitions) }
      }
      for name in [names.output, names.deadLetter, names.journal, names.state] + (names.screens.map { [$0] } ?? []) {
        findings.settings[name] = try control.settings(of: name, withinMs: Self.withinMs)
        findings.replicas[name] = try control.replicas(of: name, withinMs: Self.withinMs)
      }
      try refuse(findings)
      findings.hasForeignOutput = hasForeignOutput()
      for note in findings.findings where logsNotes && note.verdict == .note {
        log.warning("\(.text, note.text). To change it: \(.reason, note.fix ?? "")")
      }
      let output = findings.settings[names.output]
      let hasAppendTime = output?.hasAppendTime == true
      return Found(
        deadLetterLimits: deadLetterLimits(findings.settings[names.deadLetter]),
        outputHasAppendTime: hasAppendTime, outputAheadMaxMs: hasAppendTime ? nil : output?.timestampAfterMaxMs)
    } catch let fault as Fault {
      throw fault
    } catch let error as EdgeError {
      // Not every broker knows a topic yet that this instance or another created a moment ago.
      throw error.isRetriable || error.code == .unknownTopic ? .notYet(error.message) : .refused(error.message)
    } catch {
      throw .refused("\(error)")
    }
  }

  /// Throws the first fault.
  private func refuse(_ findings: TopicFindings) throws(Fault) {
    if let fault = findings.findings.first(where: { $0.verdict == .fault }) {
      throw .refused("\(fault.text). To change it: \(fault.fix ?? "")")
    }
  }

  private func create(_ topic: TopicPlan.Topic, _ partitions: Int) throws(EdgeError) {
    let name = topic.name
    if try control.partitionCount(name, withinMs: Self.withinMs) != nil { return }
    let isNew: Bool
    do throws(EdgeError) {
      isNew = try control.createTopic(name, partitions: partitions, settings: topic.settings, withinMs: Self.withinMs)
    } catch {
      // Older brokers do not support the bounds of timestamps.
      let known = topic.settings.filter { !TopicPlan.isTimeBound($0.0) }
      guard error.code == .invalidRequest, known.count < topic.settings.count else { throw error }
      isNew = try control.createTopic(name, partitions: partitions, settings: known, withinMs: Self.withinMs)
    }
    // Another instance, or the service of another input, may have created it meanwhile.
    if isNew { log.info("created topic \"\(.topic, name)\" with \(.count, partitions) partitions") }
  }

  private func setUpJournal(_ partitions: Int, _ input: TopicSettings) throws {
    let journal = try control.settings(of: names.journal, withinMs: Self.withinMs)
    try refuse(TopicFindings(names: names, brokers: brokers, slots: slots, settings: [names.journal: journal]))
    let changes = TopicPlan.missingRetention(of: journal, input)
    if !changes.isEmpty {
      log.info("raising the retention of \"\(.topic, names.journal)\" to that of the input")
      try control.alterSettings(of: names.journal, changes, withinMs: Self.withinMs)
    }
    try control.createPartitions(names.journal, total: partitions, withinMs: Self.withinMs)
  }

  private func setUpState(_ partitions: Int) throws {
    try repairState()
    let state = try control.settings(of: names.state, withinMs: Self.withinMs)
    try refuse(TopicFindings(names: names, brokers: brokers, slots: slots, settings: [names.state: state]))
    try control.createPartitions(names.state, total: partitions, withinMs: Self.withinMs)
  }

  /// Sets the policy of a state topic if nobody chose it and nothing has been deleted yet. Brokers that create topics
  /// automatically recreate a deleted one with their defaults.
  private func repairState() throws {
    let state = try control.settings(of: names.state, withinMs: Self.withinMs)
    guard try TopicFindings.isUnchosenState(state, control, names, withinMs: Self.withinMs) else { return }
    log.info("setting the policy of \"\(.topic, names.state)\" to compact")
    // Without the right to alter it, the topic is refused.
    guard (try? control.alterSettings(of: names.state, [("cleanup.policy", "compact")], withinMs: Self.withinMs)) != nil else {
      return
    }
    let deadline = Deadline(afterMs: Self.withinMs)
    while try control.settings(of: names.state, withinMs: Self.withinMs).isDeleted, !deadline.isOver {
      MonotonicClock.sleep(ms: 50)
    }
  }

  private func deadLetterLimits(_ topic: TopicSettings?) -> DeadLetterLimits {
    var limits = DeadLetterLimits()
    if let max = topic?.maxMessageBytes { limits.bytes = Int(min(max, Int64(TopicPlan.recordBytesMax))) - 4096 }
    limits.beforeMs = topic?.timestampBeforeMaxMs
    limits.afterMs = topic?.timestampAfterMaxMs
    return limits
  }
}
