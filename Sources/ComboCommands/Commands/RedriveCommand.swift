internal import ComboEdge
internal import ComboKafka
internal import ComboSystem
internal import ComboVerify

/// `redrive`: sends dead letters back to the input, each at most once.
///
/// Records are sent in transactions, each with a *receipt* in the dead-letter topic that lists them. So a killed run can be
/// repeated, and a second run sends nothing twice.
enum RedriveCommand {
  static func run(_ options: RedriveOptions) -> Int32 {
    let log = ServiceLog(.warning, hiding: options.kafka)
    return log.exitCode { () throws(EdgeError) in
      var redrive = try Redrive(options, log)
      if options.isJSON { redrive.listed = { _ = Console.print(RedriveReport.line($0, $1)) } }
      let report = try redrive.run()
      let isDryRun = !options.isConfirmed
      let limit = options.limit == 0 ? nil : options.limit
      _ = Console.print(
        options.isJSON ? report.json(isDryRun: isDryRun, limit: limit) : report.text(isDryRun: isDryRun, limit: limit))
      return 0
    }
  }
}

/// One run over the dead-letter topic.
struct Redrive {
  private static let withinMs: Int64 = 30_000

  private let options: RedriveOptions
  private let log: ServiceLog
  private let control: ControlClient
  private let properties: KafkaProperties
  private var selection: RedriveSelection
  /// Called for each dead letter that passes the filters, with its fate in a word.
  var listed: (DeadLetterNote, String) -> Void = { _, _ in }

  init(_ options: RedriveOptions, _ log: ServiceLog) throws(EdgeError) {
    self.options = options
    self.log = log
    properties = try Self.properties(options, log)
    control = try ControlClient(properties)
    selection = options.selection
  }

  private static func properties(
    _ options: RedriveOptions, _ log: ServiceLog, presets: [KafkaProperty] = []
  ) throws(EdgeError) -> KafkaProperties {
    try KafkaProperties(
      brokers: options.brokers, clientID: "combo-consumer-redrive", options.kafka, presets: presets, log: log)
  }

  /// The producer's properties. Its batches of several records must not exceed the input's limit.
  private func senderProperties(_ bytesMax: Int64?) throws(EdgeError) -> KafkaProperties {
    guard let bytesMax, bytesMax < RedriveSender.batchBytesMax else { return properties }
    return try Self.properties(options, log, presets: [.init(key: "batch.size", value: String(max(1, bytesMax)))])
  }

  /// Finds the dead letters, and sends them unless it is a dry run.
  mutating func run() throws(EdgeError) -> RedriveReport {
    guard let partitions = try control.partitionCount(options.deadLetter, withinMs: Self.withinMs) else {
      throw EdgeError(
        .unknownTopic,
        "the dead-letter topic \"\(options.deadLetter)\" does not exist: check --input, --group and --dead-letter. For a group without bad"
          + " events, the topic exists but is empty")
    }
    guard let inputPartitions = try control.partitionCount(options.input, withinMs: Self.withinMs) else {
      throw EdgeError(.unknownTopic, "the input topic \"\(options.input)\" does not exist: check --input")
    }
    // The request needs DescribeConfigs on the input; without that right, the brokers refuse records that are too large.
    selection.bytesMax = (try? control.settings(of: options.input, withinMs: Self.withinMs))?.maxMessageBytes
    let sender =
      options.isConfirmed
      ? try RedriveSender(
        try senderProperties(selection.bytesMax), transactionalID: "\(options.group).redrive", input: options.input,
        inputPartitions: inputPartitions,
        deadLetter: options.deadLetter) : nil
    // The receipts are complete only now, when no other run can commit any more.
    var ends: [Int64] = []
    for partition in 0..<Int32(partitions) {
      ends.append(try control.watermarks(options.deadLetter, partition, withinMs: Self.withinMs).end)
    }
    var sent: Set<DeadLetterNote.Place> = []
    try read(upTo: ends) { note, _ in
      if let receipt = note.receipt { sent.formUnion(receipt) }
    }
    selection.sent = sent
    if !sent.isEmpty {
      try read(upTo: ends) { note, _ in
        if sent.contains(note.place), let source = note.source { selection.sources.insert(source) }
      }
    }
    var left = options.limit == 0 ? Int.max : options.limit
    var report = RedriveReport()
    let listed = listed
    try read(upTo: ends) { note, message throws(EdgeError) in
      if note.receipt != nil { return }
      let verdict = selection.verdict(of: note)
      if verdict == .send, let source = note.source { selection.sources.insert(source) }
      report.add(note, verdict)
      if verdict != .filtered { listed(note, verdict == .send && left == 0 ? "beyondLimit" : verdict.rawValue) }
      guard verdict == .send, left > 0 else { return }
      left -= 1
      try sender?.send(message, note)
    }
    try sender?.commit()
    return report
  }

  /// Calls `body` with all records below `ends`, partition by partition.
  private func read(
    upTo ends: [Int64], _ body: (DeadLetterNote, KafkaMessage) throws(EdgeError) -> Void
  ) throws(EdgeError) {
    let client = try ReaderClient(properties)
    for (partition, end) in ends.enumerated() {
      let first = try control.watermarks(options.deadLetter, Int32(partition), withinMs: Self.withinMs).first
      try client.read(
        options.deadLetter, Int32(partition), from: first, to: end, silenceMaxMs: Self.withinMs,
        advice: "a transaction is open there, or its leader is not available. Nothing more was sent; run the command again later"
      ) { message throws(EdgeError) in try body(Self.note(of: message), message) }
    }
  }

  private static func note(of message: KafkaMessage) -> DeadLetterNote {
    var headers: [String: String] = [:]
    message.forEachHeader { name, value in
      // If a name occurs twice, the last header counts: the service appends its own after the existing ones.
      if name.hasPrefix("combo.") { headers[name] = value.map { String(decoding: $0, as: UTF8.self) } }
    }
    var note = DeadLetterNote(
      place: .init(partition: message.partition, offset: message.offset), timestampMs: message.timestampMs, headers: headers)
    note.bytes = RedriveSender.bytes(of: message, note)
    var hasher = Hasher()
    for bytes in [message.key, message.value] {
      hasher.combine(bytes?.count)
      if let bytes { hasher.combine(bytes: bytes) }
    }
    note.contents = hasher.finalize()
    return note
  }
}

/// Sends records back in transactions. Used by one thread.
final class RedriveSender {
  private static let withinMs: Int64 = 30_000
  private static let batchMax = 500
  /// The producer's own limit for batches of several records.
  static let batchBytesMax: Int64 = 1_000_000

  private let producer: TransactionalProducer
  private let input: ProducerTopic
  private let deadLetter: ProducerTopic
  private let inputPartitions: Int
  private var places: [DeadLetterNote.Place] = []

  /// Aborts the transaction that an earlier run left open, and fences a run that is still working.
  init(
    _ properties: KafkaProperties, transactionalID: String, input: String, inputPartitions: Int, deadLetter: String
  ) throws(EdgeError) {
    producer = try TransactionalProducer(properties, transactionalID: transactionalID)
    try producer.initTransactions(withinMs: Self.withinMs)
    self.input = try producer.producer.topic(input, withinMs: Self.withinMs)
    self.deadLetter = try producer.producer.topic(deadLetter, withinMs: Self.withinMs)
    self.inputPartitions = inputPartitions
  }

  /// Sends the record unchanged to its former partition, with one more header that counts its redrives.
  func send(_ message: KafkaMessage, _ note: DeadLetterNote) throws(EdgeError) {
    if places.isEmpty { try run { () throws(TransactionFault) in try producer.begin() } }
    places.append(note.place)
    let headers = RecordHeaders()
    message.forEachHeader { name, value in
      if !Self.isOwn(name) { headers.add(name, bytes: value) }
    }
    headers.add(Redriven.header, String(note.redriven + 1))
    let partition = note.inputPartition.flatMap { (0..<Int32(inputPartitions)).contains($0) ? $0 : nil }
    try producer.producer.produce(
      input, partition: partition, key: message.key, value: message.value, timestampMs: message.timestampMs, headers: headers)
    if places.count >= Self.batchMax { try commit() }
  }

  /// The uncompressed size of a batch that holds only this record, as it would be sent back.
  static func bytes(of message: KafkaMessage, _ note: DeadLetterNote) -> Int {
    var size = BatchSize()
    size.add(key: message.key?.count, value: message.value?.count)
    message.forEachHeader { name, value in
      if !isOwn(name) { size.add(header: name, value: value?.count) }
    }
    size.add(header: Redriven.header, value: String(note.redriven + 1).utf8.count)
    return size.bytes
  }

  /// Whether the service or this command added the header.
  private static func isOwn(_ name: String) -> Bool {
    ["combo.error", "combo.reason", "combo.topic", "combo.partition", "combo.offset", Redriven.header].contains(name)
  }

  /// Commits all that was sent since the last commit, with its receipt.
  func commit() throws(EdgeError) {
    if places.isEmpty { return }
    let headers = RecordHeaders()
    headers.add(Redriven.receipt, places.map(\.text).joined(separator: ","))
    try producer.producer.produce(deadLetter, key: nil, value: nil, headers: headers)
    try run { () throws(TransactionFault) in try producer.commit(deliveredWithinMs: Self.withinMs, withinMs: 9000) }
    places.removeAll()
  }

  private func run(_ step: () throws(TransactionFault) -> Void) throws(EdgeError) {
    do throws(TransactionFault) {
      try step()
    } catch {
      let reason = error.isFenced ? "another run of redrive for this group has begun, and ended this one." : error.reason
      throw EdgeError(
        error.error.code,
        "\(reason) Earlier transactions of this run are complete; run the command again to send the rest",
        isRetriable: error.error.isRetriable)
    }
  }
}
