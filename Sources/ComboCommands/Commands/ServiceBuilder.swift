internal import ComboCore
internal import ComboEdge
internal import ComboKafka
internal import ComboMaps
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire

extension KafkaProperties {
  /// Creates the properties of a command's clients, and throws if one is invalid.
  init(
    brokers: String, clientID: String = "combo-consumer", _ properties: [KafkaProperty], presets: [KafkaProperty] = [],
    log: ServiceLog
  ) throws(EdgeError) {
    try self.init(brokers: brokers, clientID: clientID, overrides: properties, presets: presets, log: log.ofKafka)
  }
}

extension ServiceOptions {
  var topicNames: TopicNames {
    TopicNames(input: input, output: output, group: group, deadLetter: deadLetter, screens: screens)
  }

  /// Returns these options with the naming of inputs that the group's journal has. A command that writes instructions must name
  /// the input as the service does.
  func namingAsJournal(_ properties: KafkaProperties) throws(EdgeError) -> ServiceOptions {
    let control = try ControlClient(properties)
    if try control.partitionCount(topicNames.journal, withinMs: 30_000) == nil { return self }
    let reading = try KafkaReading(properties, control: control, names: topicNames)
    var options = self
    for partition in try reading.partitions(.journal) {
      let topics = PartitionTopics(partition, configuration, reading, log: .silent)
      guard let derivation = try? topics.standing().derivation else { continue }
      options.namesInput = self.namesInput || derivation.namesInput
      options.prefixesRooms = prefixesRooms || !derivation.limits.roomPrefix.isEmpty
      break
    }
    return options
  }

  /// Returns the properties of the service's clients, and throws if one is invalid.
  func kafkaProperties(log: ServiceLog) throws(EdgeError) -> KafkaProperties {
    try KafkaProperties(brokers: self.brokers, kafka, log: log)
  }

  /// The headers of each record of the output.
  var allOutputHeaders: [OutputHeader] {
    outputHeaders + (self.namesInput ? OutputHeader("\(Derivation.inputHeader)=\(input)").map { [$0] } ?? [] : [])
  }

  /// Creates a producer and discards it: librdkafka detects some contradictions between properties only then.
  /// - Throws: `badProperty`. Brokers are not contacted.
  func tryProducer(_ properties: KafkaProperties) throws(EdgeError) {
    _ = try TransactionalProducer(properties, transactionalID: transactionalID)
  }

  /// Returns a trial that checks, in an aborted transaction, whether the output accepts records with a given timestamp.
  func clockTrial(_ properties: KafkaProperties, aheadMaxMs: Int64) -> ClockTrial {
    let (output, id) = (output, "\(transactionalID).clock")
    return ClockTrial(time: TrustedTime(), aheadMaxMs: aheadMaxMs) { (time: Int64) throws(EdgeError) in
      do throws(EdgeError) {
        try Trial(try quiet(properties), transactionalID: id, withinMs: 5000).write(to: output, partition: 0, timestampMs: time)
        return true
      } catch {
        if error.code == .badTimestamp { return false }
        throw error
      }
    }
  }

  /// The properties without a log, for trials whose failures librdkafka must not log.
  private func quiet(_ properties: KafkaProperties) throws(EdgeError) -> KafkaProperties {
    try properties.with(brokers: properties.brokers, presets: [], log: .none)
  }
}

extension ServiceLog {
  /// Receives librdkafka's messages.
  var ofKafka: KafkaLog {
    KafkaLog { level, facility, text in
      if KafkaWords.isReportedByService(facility, text) { return }
      let text = KafkaWords.plain(text)
      switch level {
      case .emergency, .alert, .critical, .error: error("kafka: \(.text, text) [\(.facility, facility)]")
      case .warning: warning("kafka: \(.text, text) [\(.facility, facility)]")
      case .notice, .info: info("kafka: \(.text, text) [\(.facility, facility)]")
      case .debug: debug("kafka: \(.text, text) [\(.facility, facility)]")
      }
    }
  }
}

/// Builds a service from options.
enum ServiceBuilder {
  /// Builds a service on real brokers. Waits for them and for the input topic until `stop` is set.
  /// - Parameters:
  ///   - observatory: The observatory that observers query, or nil if there are none.
  ///   - memory: The memory of the services that ran in this process before.
  ///   - cluster: The check whether the cluster is still the same, or nil if no service ran before.
  ///   - isRetry: Whether to examine the group before it is joined, and not to repeat notes about topics.
  /// - Returns: The service, or nil if it was stopped, or if something must be fixed first, which has been reported.
  static func build(
    _ options: ServiceOptions, _ properties: KafkaProperties, log: ServiceLog, stop: StopFlag,
    observatory: Observatory? = nil, purpose: Purpose = .service, memory: GroupMemory = GroupMemory(),
    cluster: ClusterCheck? = nil, isRetry: Bool = false
  ) throws(EdgeError) -> Service? {
    let names = options.topicNames
    let cluster = cluster ?? ClusterCheck(properties, options.brokers, memory)
    awaitOwn(cluster, log, stop, observatory)
    let control = try ControlClient(properties)
    var configuration = options.configuration
    configuration.purpose = purpose
    var clockTrial: ClockTrial?
    let reading = try KafkaReading(properties, control: control, names: names)
    // Checked before anything is created.
    if hasForeignJournal(reading, configuration, log, stop, observatory) { return nil }
    var note = WaitNote()
    while true {
      if stop.endsService { return nil }
      observatory?.beat()
      do throws(TopicSetup.Fault) {
        let found = try TopicSetup(
          control: control, names: names, slots: options.settings.slots, brokers: options.brokers, log: log
        ).run(logsNotes: !isRetry) {
          purpose == .service && (try? ForeignOutput(options, properties, control).isLikely) == true
        }
        configuration.deadLetterLimits = found.deadLetterLimits
        configuration.comparesOutputTimes = !found.outputHasAppendTime
        clockTrial = found.outputAheadMaxMs.map { options.clockTrial(properties, aheadMaxMs: $0) }
        warnOfLostOutput(reading, found, configuration.topics, log)
        observatory?.hindrance = nil
        break
      } catch {
        switch error {
        case .refused(let reason):
          cannotStart(reason, log, observatory)
          return nil
        case .notYet(let reason):
          observatory?.hindrance = reason
          if note.isDue(reason, at: MonotonicClock.nowMs) { log.warning("waiting, and trying again: \(.reason, reason)") }
          stop.pause(ms: 500, observatory)
        }
      }
    }
    logMap(options.map, log)
    let group = try KafkaGroup(
      properties,
      GroupConsumer.Options(
        groupID: options.group, topic: options.input, groupInstanceID: options.memberInstance, fetchWaitMs: fetchWaitMs(options),
        rules: options.rules.newestFollowed.version),
      control: control, transactionalID: options.transactionalID)
    if isRetry, let reason = GroupExamination(configuration, reading, group).refusal() {
      cannotStart(reason, log, observatory)
      return nil
    }
    var edges = Edges(
      group: group,
      output: KafkaOutput(
        properties, transactionalID: options.transactionalID, names: names, group: group,
        outputHeaders: options.allOutputHeaders),
      direct: options.delivery == .atLeastOnce
        ? KafkaDirectOutput(properties, names: names, outputHeaders: options.allOutputHeaders) : nil,
      reader: reading, time: clockTrial?.time ?? SystemTime(), clockTrial: clockTrial)
    edges.groupRules = groupRules(control, options.group)
    edges.schemas =
      purpose != .service ? nil : options.registry.map { RegistrySchemas($0, journals: reading, of: configuration.topics) }
    edges.topicWatch = OwnTopicWatch(control, names)
    edges.cluster = { cluster.ask() }
    edges.endLeftOver = endLeftOver(options, properties, control, reading, log)
    return Service(configuration, edges, log: log, stop: stop, observatory: observatory, memory: memory)
  }

  /// Logs the reason why there is no service, and notifies observers.
  private static func cannotStart(_ reason: String, _ log: ServiceLog, _ observatory: Observatory?) {
    log.error("the service cannot start: \(.reason, reason)")
    observatory?.hindrance = reason
  }

  private static func groupRules(_ control: ControlClient, _ group: String) -> @Sendable () -> Int? {
    {
      guard let members = try? control.members(ofGroup: group, withinMs: 5000) else { return nil }
      return members.map { $0.rules ?? Rules.oldest.version }.min() ?? Rules.newest.version
    }
  }

  private static func logMap(_ map: RecordMap?, _ log: ServiceLog) {
    if let map {
      let about: LogMessage? = map.about.isEmpty ? nil : ": \(.text, map.about)"
      log.info("reading records with the map \(.map, map.title)\(about)")
      for note in map.notes { log.warning("note about the map: \(.text, note.description)") }
    } else {
      log.info("reading records without a map, in the form of docs/wire.md")
    }
  }

  /// Waits while the brokers belong to another cluster than at the start of this process, as nothing may be created there.
  private static func awaitOwn(_ cluster: ClusterCheck, _ log: ServiceLog, _ stop: StopFlag, _ observatory: Observatory?) {
    var note = WaitNote()
    while !stop.endsService {
      observatory?.beat()
      // Brokers that do not respond are reported by the next steps.
      guard let other = cluster.other else { return }
      let reason =
        "\(other). The service creates no topics there; brokers with auto.create.topics.enable may. If this is intended, restart the"
        + " service; otherwise correct the address"
      observatory?.hindrance = reason
      if note.isDue(reason, at: MonotonicClock.nowMs) { log.error("waiting, and trying again: \(.reason, reason)") }
      stop.pause(ms: 2000, observatory)
    }
  }

  private static func endLeftOver(
    _ options: ServiceOptions, _ properties: KafkaProperties, _ control: ControlClient, _ reading: KafkaReading,
    _ log: ServiceLog
  ) -> @Sendable ([Int32]) -> Void {
    let left = LeftTransactions(
      properties, control: control, reading: reading, names: options.topicNames, group: options.group,
      transactionalID: options.transactionalID)
    return { numbers in
      do throws(EdgeError) {
        for (id, number) in try left.end(numbers) {
          log.info(
            """
            ended the transaction that the last owner of partition \(.partition, number) left open: no member uses the transactional \
            id \(.text, id) any more
            """)
        }
      } catch {
        // The transaction then ends by itself, after its timeout.
        log.warning(
          "a transaction of the last owner of partition \(.partition, numbers[0]) may be open, and could not be ended: \(.reason, error)"
        )
      }
    }
  }

  /// Returns whether the journal belongs to another output or input, and reports the reason.
  private static func hasForeignJournal(
    _ reading: KafkaReading, _ configuration: ServiceConfiguration, _ log: ServiceLog, _ stop: StopFlag,
    _ observatory: Observatory?
  ) -> Bool {
    var note = WaitNote()
    while !stop.endsService {
      observatory?.beat()
      do throws(EdgeError) {
        let owner = JournalOwner(reading, of: configuration.topics)
        guard let reason = try owner.fault() else { return false }
        cannotStart(reason, log, observatory)
        return true
      } catch {
        // Faults of topics or rights are reported by the next steps.
        guard error.isRetriable else { return false }
        observatory?.hindrance = error.message
        if note.isDue(error.message, at: MonotonicClock.nowMs) { log.warning("waiting, and trying again: \(.reason, error)") }
        stop.pause(ms: 500, observatory)
      }
    }
    return false
  }

  private static func warnOfLostOutput(
    _ reading: KafkaReading, _ found: TopicSetup.Found, _ topics: TopicIdentity, _ log: ServiceLog
  ) {
    // If topics were created a moment ago, not every broker knows them yet; then there is nothing to compare either.
    guard !found.outputHasAppendTime, (try? OutputLoss(reading, of: topics).happenedBeforeStart()) == true else { return }
    log.warning("the output was deleted and recreated while no instance ran: \(.reason, OutputLoss.reason)")
  }

  /// Returns the time for which brokers wait for records: in transactions, a tenth of the commit interval, but at least 5 ms, so
  /// that fetching stays inexpensive, and at most 10 ms, which is less than a frame of the screen.
  private static func fetchWaitMs(_ options: ServiceOptions) -> Int {
    switch options.delivery {
    case .exactlyOnce: min(10, max(5, options.commitIntervalMs / 10))
    case .atLeastOnce: 5
    }
  }
}
