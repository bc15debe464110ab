internal import ComboCore
internal import ComboEdge
internal import ComboKafka
internal import ComboMaps
internal import ComboRegistry
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// The steps of `check`. A fault in one step does not stop the next ones, as far as possible.
struct Check {
  let options: ServiceOptions
  let properties: KafkaProperties
  let names: TopicNames
  var report: CheckReport
  /// The facts about topics that exist and may be read.
  var table: TopicFindings
  var partitions: [String: Int] = [:]
  /// Whether input, journal and state topic can be read, as far as they exist.
  var canReadAll = true
  var canReadInput = true
  var canExamineOutput = true

  static let withinMs: Int64 = 5000

  init(_ options: ServiceOptions, _ properties: KafkaProperties, _ report: CheckReport) {
    self.options = options
    self.properties = properties
    self.report = report
    names = options.topicNames
    table = TopicFindings(names: names, brokers: options.brokers, slots: options.settings.slots)
  }

  mutating func run() {
    report.ok(
      "this is combo-consumer \(Version.number) with librdkafka \(LibrdkafkaProperties.versionText) and rules \(Version.rules) of the engine"
    )
    if let choice = options.settings.idleChoice { report.note(choice.text, fix: choice.fix) }
    if let file = options.strayFile {
      report.note("--input-settings has \(file), which is ignored", fix: "name it \(names.input).conf")
    }
    do throws(EdgeError) {
      let control = try ControlClient(properties)
      let cluster = try control.cluster(withinMs: Self.withinMs)
      checkBrokers(cluster)
      checkTopics(control)
      checkRecords()
      let trial = Trial(properties, transactionalID: "\(options.transactionalID).check", withinMs: Self.withinMs)
      checkRights(control, trial)
      // A missing right has already been reported as a fault.
      if partitions[names.input] != nil, canReadAll {
        checkGroup(control, unstable: checkTransactions(control))
      }
    } catch {
      report.fault("no broker of \(options.brokers) answers: \(Self.reason(error))", fix: Self.remedy(error))
    }
  }

  // MARK: - Brokers

  private mutating func checkBrokers(_ cluster: ControlClient.Cluster) {
    report.ok("cluster \(cluster.id ?? "without an id") has \(Counted.text(cluster.brokers.count, "brokers"))")
    for broker in cluster.brokers {
      let name = "broker \(broker.id) at \(broker.address)"
      do throws(EdgeError) {
        let versions = try BrokerVersions.ask(broker.address, as: properties, withinMs: Self.withinMs)
        report.add(Self.finding(name, versions))
      } catch {
        report.fault(
          "\(name) does not answer: \(Self.reason(error))",
          fix: "let this machine reach that address: it is the one that the broker tells clients (advertised.listeners)")
      }
    }
  }

  /// The version of a broker, inferred from its requests.
  static func finding(
    _ name: String, _ versions: BrokerVersions, joinsKafka400: Bool = LibrdkafkaProperties.hasSoundCooperativeAssignor
  ) -> CheckReport.Finding {
    guard let kafka = versions.kafka else {
      return .note("\(name) answers; its version is not known, as --kafka debug=… hides it")
    }
    let missing = versions.missingTransactions
    if !missing.isEmpty {
      return .fault(
        "\(name) has no transactions: it does not support \(missing.joined(separator: ", ")). Neither exactly-once nor at-least-once"
          + " delivery is possible without them",
        fix:
          "turn transactions on if the broker has them switched off, or use another: docs/brokers.md says what a broker must have"
      )
    }
    if !versions.hasGroupTransactions {
      return .fault("\(name) is Kafka \(kafka)", fix: "use brokers from 2.5 on: exactly-once delivery rests on KIP-447")
    }
    if !versions.hasOldJoin, !joinsKafka400 {
      return .fault(
        "\(name) is Kafka 4.0.0, whose groups librdkafka \(LibrdkafkaProperties.versionText) cannot join",
        fix: "use Kafka 4.0.1, 4.1 or later, or a librdkafka from 2.6.1 on")
    }
    return .ok("\(name) answers; judging by its protocol, it is Kafka \(kafka)")
  }

  // MARK: - Topics

  private mutating func checkTopics(_ control: ControlClient) {
    for (name, what) in table.all {
      do throws(EdgeError) {
        guard let count = try control.partitionCount(name, withinMs: Self.withinMs) else {
          checkMissing(name, what, control)
          continue
        }
        partitions[name] = count
        let found = try control.settings(of: name, withinMs: Self.withinMs)
        table.settings[name] = found
        let replicas = try control.replicas(of: name, withinMs: Self.withinMs)
        report.ok(
          "\(what) \"\(name)\" has \(Counted.text(count, "partitions")) on \(Counted.text(replicas, "brokers")) each, policy \(found["cleanup.policy"] ?? "delete")"
        )
        table.replicas[name] = replicas
        if name == names.state {
          table.isStateRepairable = try TopicFindings.isUnchosenState(found, control, names, withinMs: Self.withinMs)
        }
      } catch {
        let right = partitions[name] == nil ? rights(on: name) : "DescribeConfigs"
        if name == names.output { canExamineOutput = false }
        report.fault("cannot examine the \(what) \"\(name)\": \(Self.reason(error))", fix: fix(error, right, "--topic", name))
      }
    }
    if partitions[names.input] != nil, partitions[names.output] != nil {
      table.hasForeignOutput = (try? ForeignOutput(options, properties, control).isLikely) == true
    }
    checkPolicies()
    checkJournal(control)
    checkPartitions(control)
  }

  // MARK: - Records

  /// Runs the input's newest records through the map, and reports the results.
  private mutating func checkRecords() {
    guard partitions[names.input] != nil else { return }
    var map = options.map
    if let registry = options.registry, let plain = map {
      map = checkSchemas(registry, plain)
      if map == nil { return }
    }
    let decoder = RecordDecoder(limits: options.configuration.limits, map: map)
    let arena = BumpArena()
    var event = Event()
    var sentence = ""
    do throws(EdgeError) {
      try TopicTail(properties, names.input).read(last: Self.newestMax) { _, message, value in
        arena.reset()
        do throws(BadEvent) {
          _ = try decoder.decode(value, key: message.key, header: { message.withLastHeader($0, $1) }, into: arena, &event)
        } catch {
          if sentence.isEmpty { sentence = error.description }
        }
      }
    } catch {
      report.note("the newest records of \"\(names.input)\" could not be read: \(Self.reason(error))", fix: Self.remedy(error))
      return
    }
    noteRecords(decoder, sentence)
  }

  /// Fetches the schemas that the newest records name from the registry.
  /// - Returns: The map with these schemas, or nil if the registry does not answer.
  private mutating func checkSchemas(_ registry: SchemaRegistry, _ map: RecordMap) -> RecordMap? {
    if let trouble = registry.reasonUnusable() {
      report.fault(
        "the schema registry cannot be used: \(trouble). So it is not known whether the newest records become events",
        fix:
          "correct --schema-registry; until it answers, a partition waits at the first record whose schema is not in the journal")
      return nil
    }
    report.ok("the schema registry at \(registry.url) answers")
    guard
      let schemas = try? TopicSchemas(
        registry, map, TopicTail(properties, names.input), last: Self.newestMax, limits: options.configuration.limits)
    else { return map }
    for (id, reason, waits) in schemas.missing {
      let records = "newest records of \"\(names.input)\" have schema \(id)"
      if waits {
        report.fault(
          "\(records), which the registry does not give: \(reason)",
          fix: "correct the registry or the login: until it gives the schema, a partition waits at its first record")
      } else {
        report.note(
          "\(records), which cannot be used: \(reason)",
          fix: "register the schema, or correct it; records that were refused before can be sent back by redrive")
      }
    }
    // Whether records that wait become events is not known.
    return schemas.missing.contains(where: \.waits) ? nil : schemas.map
  }

  /// The maximum number of newest records that are read per partition.
  private static let newestMax = 50

  private mutating func noteRecords(_ decoder: RecordDecoder, _ sentence: String) {
    let outcomes = decoder.outcomes
    let isNone = outcomes.taken == 0 && outcomes.records > 0
    let words =
      (isNone
        ? "none of the newest \(Counted.text(outcomes.records, "records")) becomes an event, so nothing would be shown: " : "")
      + "\(options.map.map { "with the map \($0.title)" } ?? "without a map"), \(outcomes.taken) of the newest"
      + " \(Counted.text(outcomes.records, "records")) of \"\(names.input)\" become events; \(outcomes.dropped) are dropped and \(outcomes.bad) are bad"
    for note in options.map?.notes ?? [] { report.note("the map: \(note)") }
    if outcomes.records == 0 {
      report.note("the input \"\(names.input)\" holds no records yet, so it is not known whether they become events")
      return
    }
    guard let most = decoder.commonestLoss, outcomes.taken * 2 < outcomes.records else {
      report.ok(words)
      return
    }
    let keys = most.keys.isEmpty ? "" : "; such a record has \(most.keys)"
    let text =
      "\(words). The most common cause: \(most.row.cause)\(keys)"
      + (sentence.isEmpty ? "" : ". The first bad record: \(sentence)")
    let fix =
      options.mapText.map {
        "if these are gifts, correct --map. To see how it reads each record: combo-consumer map --map \($0) --brokers \(options.brokers)"
          + " --from-topic \(names.input)"
      } ?? "if these are gifts, give a map with --map: combo-consumer map --list lists those that are built in"
    // Only a note, as the service still works: such records become dead letters or are dropped.
    report.note(text, fix: fix)
  }

  private mutating func checkMissing(_ name: String, _ what: String, _ control: ControlClient) {
    if name == names.input {
      report.fault(
        "the input \"\(name)\" does not exist",
        fix:
          "create it with kafka-topics.sh --bootstrap-server \(options.brokers) --create --topic \(name) --partitions N, not compacted; the key of its"
          + " records is the room. Or correct --input")
      return
    }
    do throws(EdgeError) {
      let policy = name == names.state || name == names.screens ? "compact" : "delete"
      try control.createTopic(
        name, partitions: partitions[names.input] ?? 1,
        settings: [("cleanup.policy", policy), ("max.message.bytes", String(TopicPlan.recordBytesMax))], isTrial: true,
        withinMs: Self.withinMs)
      report.ok("\(what) \"\(name)\" does not exist yet; the service will create it")
    } catch {
      report.fault(
        "\(what) \"\(name)\" does not exist, and cannot be created: \(Self.reason(error))",
        fix: fix(error, "Create", "--topic", name))
    }
  }

  /// Adds the findings by which `run` starts or refuses to start, and others that are useful to know.
  private mutating func checkPolicies() {
    for finding in table.findings { report.add(finding) }
    let single = table.all.filter { table.replicas[$0.name] == 1 }.map(\.what)
    if !single.isEmpty {
      report.note(
        "one replica only: \(single.joined(separator: ", ")). If its broker stops, the service waits; if its disk fails, the data is lost"
      )
    }
    if let input = table.settings[names.input], let kept = input.retentionMs,
      kept < Int64(2 * options.checkpointIntervalMs)
    {
      report.note(
        "the input is kept for \(kept) ms only: a restart may need records of the last two checkpoint intervals"
          + " (\(2 * options.checkpointIntervalMs) ms), and those that were not read yet",
        fix: "kafka-configs.sh --bootstrap-server \(options.brokers) --alter --topic \(names.input) --add-config retention.ms=…")
    }
    if table.settings[names.deadLetter]?.hasAppendTime == true {
      report.note("the dead-letter topic has message.timestamp.type=LogAppendTime: dead letters lose their original timestamps")
    }
  }

  // MARK: - Words

  /// The cause of the failure, without the remedy.
  static func reason(_ error: EdgeError) -> String {
    guard let end = error.message.firstRange(of: "). ")?.lowerBound else { return error.message }
    return String(error.message[...end])
  }

  static func remedy(_ error: EdgeError) -> String {
    if error.code == .badProperty { return "fix the properties given with --kafka, --kafka-file or --config" }
    guard let end = error.message.firstRange(of: "). ")?.upperBound else { return "see the broker's log" }
    return String(error.message[end...])
  }
}
