internal import ComboEdge
internal import ComboKafka
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire

/// The loop of `serve`: reads the output topic, or some of its partitions, into a ``RoomMirror``, and answers the queries of an
/// ``Observatory`` from it. It belongs to no group and writes nothing. Runs on one thread.
final class OutputMirror {
  private let options: ServeOptions
  private let properties: KafkaProperties
  private let control: ControlClient
  private let client: ReaderClient
  private let observatory: Observatory
  private let log: ServiceLog
  private let mirror = RoomMirror()
  private let batch = MessageBatch(capacity: 4000)
  private var mix = RoomMix()
  /// An input that is named by records, but not served.
  private var otherInput: String?
  private var readers: [PartitionReader] = []
  /// The part of each partition that was read.
  private var coverage: [Coverage] = []
  /// The position per partition that must be reached before rooms are served: its end when reading began.
  private var ends: [Int64] = []
  private var readyBy: Int64 = 0
  private var reportedAt: Int64 = 0
  private var clusterWatch: ClusterWatch
  private var transactions = TransactionWatch()
  private var transactionQuery = BackgroundQuery<TransactionWatch.Answer?>()
  private let reading: KafkaReading
  private let names: TopicNames
  private var countedAt: Int64 = 0

  /// The time that a partition's instructions cover. Pauses do not count, as no service may have run in them.
  private struct Coverage {
    var ms: Int64
    /// The timestamp of the newest record.
    var last: Int64?

    mutating func add(_ time: Int64, pauseMs: Int64) {
      if let last, time > last, time - last <= pauseMs { ms += time - last }
      last = max(last ?? time, time)
    }
  }

  /// The timeout of requests to brokers.
  private static let withinMs: Int64 = 10_000
  /// The longest wait for an open transaction.
  private static let heldUpMs: Int64 = 15_000
  private static let reportMs: Int64 = 500
  /// The interval of checks for new partitions.
  private static let countMs: Int64 = 30_000
  /// The pause if there is nothing to read.
  private static let idleMs: Int64 = 3

  init(_ options: ServeOptions, _ properties: KafkaProperties, _ observatory: Observatory, _ log: ServiceLog) throws(EdgeError) {
    self.options = options
    self.observatory = observatory
    self.log = log
    self.properties = properties
    control = try ControlClient(properties)
    clusterWatch = ClusterWatch(ClusterCheck(properties, options.brokers, GroupMemory()))
    client = try ReaderClient(properties, fetchWaitMs: 500, queuedKilobytes: 2048)
    // Only the output of these topics is read.
    names = TopicNames(input: options.output, output: options.output, group: "")
    reading = try KafkaReading(properties, control: control, names: names)
    mirror.screenWithinMs = Int64(options.backSeconds * 1000)
    mirror.told = options.clientSettings.map { #","\#($0.name)":\#($0.value)"# }.joined()
  }

  /// The longest interval between two `screen`s of a room with banners.
  private var backMs: Int64 { Int64(options.backSeconds * 1000) }

  /// Runs until it is stopped.
  func run() throws(EdgeError) {
    try begin()
    while !observatory.stop.isSet {
      let now = MonotonicClock.nowMs
      if clusterWatch.check(at: now) { try clusterChanged() }
      watchTransactions(at: now)
      var count = 0
      do throws(EdgeError) {
        if clusterWatch.other == nil { count = try read(at: now) }
      } catch {
        if clusterWatch.isElsewhere() {
          try clusterChanged()
        } else if error.code == .offsetOutOfRange {
          // The mirror lagged for longer than the topic's retention; the rooms' next screens are complete.
          log.warning("serve begins to read the output again: \(.reason, error)")
          try restart()
        } else {
          throw error
        }
      }
      if !mirror.isReady, isCaughtUp(at: now) { becomeReady() }
      if observatory.hasQueries { for query in observatory.takeQueries() { mirror.answer(query, at: now) } }
      observatory.tell(mirror.takeNews())
      if now - reportedAt >= Self.reportMs { try report(at: now) }
      if count == 0 { MonotonicClock.sleep(ms: Self.idleMs) }
    }
  }

  /// Detects transactions that stay open: nothing after them is served.
  private func watchTransactions(at now: Int64) {
    // Brokers that do not answer are reported elsewhere.
    if let answer = transactionQuery.takeAnswer(), let answer { transactions.take(answer, names, at: now, SystemTime(), log) }
    transactions.tell(names, brokers: options.brokers, at: now, log)
    guard clusterWatch.other == nil, transactionQuery.isDue(everyMs: TransactionWatch.everyMs, at: now) else { return }
    let (reading, known, numbers) = (reading, transactions.known, readers.map(\.partition))
    transactionQuery.ask(at: now, BackgroundTask.run) {
      (try? TransactionWatch.find(reading, .output, numbers, known: known)).map { .init(open: $0) }
    }
  }

  /// Stops reading if the cluster is another one, and restarts when the former one is back.
  private func clusterChanged() throws(EdgeError) {
    // Readiness shows it at once.
    reportedAt = 0
    if let other = clusterWatch.other {
      log.error(
        "serve reads nothing more, and keeps the rooms' screens: \(.reason, other). If this is intended, restart serve; otherwise correct the address"
      )
    } else {
      log.info("the brokers belong to the same cluster as before again: serve begins to read the output again")
      try restart()
    }
  }

  private func restart() throws(EdgeError) {
    mirror.forgetAll()
    observatory.tell(mirror.takeNews())
    try begin()
  }

  private func begin() throws(EdgeError) {
    guard let all = try control.partitionCount(options.output, withinMs: Self.withinMs) else {
      throw EdgeError(
        .unknownTopic, "the output topic \"\(options.output)\" does not exist: check --output, or run the service first")
    }
    let wanted = options.partitions ?? Array(0..<Int32(all))
    if let missing = wanted.first(where: { $0 >= all }) {
      throw EdgeError(
        .unknownPartition, "--partitions names \(missing), but topic \"\(options.output)\" has \(all): 0 to \(all - 1)")
    }
    readers = []
    coverage = []
    ends = []
    let mine = Set(wanted)
    mirror.serves = options.partitions == nil ? nil : { room in mine.contains(Self.partition(of: room, all)) }
    let newest = try NewestRecords(properties, control)
    let times = try newest.times(options.output, wanted)
    if let screens = options.screens { try retainScreens(screens, newest, times, partitions: all) }
    for partition in wanted {
      let bounds = try control.watermarks(options.output, partition, withinMs: Self.withinMs)
      // Relative to the newest record, not to the present: the service may have been down for long. Twice `--back`, since it
      // may have been down shortly before that record, too.
      let since = times[partition].map { max(0, $0 - 2 * backMs) }
      let start = try since.flatMap { time throws(EdgeError) in
        try control.offsets(options.output, [partition], atMs: time, withinMs: Self.withinMs)[0].offset
      }
      let from = start ?? bounds.end
      add(try client.reader(options.output, partition, from: from, to: .max), end: bounds.end, isWhole: from == 0)
    }
    let places = Dictionary(zip(wanted, wanted.indices)) { $1 }
    mirror.isUnknown = { [unowned self] room in
      guard let place = places[Self.partition(of: room, all)] else { return false }
      return readers[place].position < ends[place] || !covers(place)
    }
    readyBy = MonotonicClock.nowMs + Self.heldUpMs
    countedAt = MonotonicClock.nowMs
    log.info("serve reads \(.count, wanted.count) partitions of \(.topic, options.output)")
  }

  /// - Parameter isWhole: Whether it is read from its very first record on.
  private func add(_ reader: PartitionReader, end: Int64, isWhole: Bool) {
    readers.append(reader)
    coverage.append(Coverage(ms: isWhole ? backMs : 0))
    ends.append(end)
  }

  private static func partition(of room: [UInt8], _ all: Int) -> Int32 {
    room.withUnsafeBytes { Int32(KeyPartitioner.partition($0, all)) }
  }

  /// Whether a partition was read over a time in which each of its rooms with banners publishes a `screen`.
  private func covers(_ place: Int) -> Bool { coverage[place].ms >= backMs }

  /// Retains the rooms' newest screens, except outdated ones: a room with banners emits a `screen` within ``backMs``.
  private func retainScreens(
    _ topic: String, _ newest: NewestRecords, _ times: [Int32: Int64], partitions all: Int
  ) throws(EdgeError) {
    var times = times
    let now = MonotonicClock.nowMs
    try newest.readAll(topic) { key, value, time in
      guard let key, let value else { return }
      mirror.keep(key: key, value: value, from: time, at: now)
      let partition = Int32(KeyPartitioner.partition(key, all))
      times[partition] = max(times[partition] ?? 0, time)
    }
    let backMs = backMs
    mirror.forgetKept { room, time in time < times[Self.partition(of: room, all), default: 0] - backMs }
    log.info("serve has read the newest screens of \(.count, mirror.roomCount) rooms from \(.topic, topic)")
  }

  private func becomeReady() {
    mirror.isReady = true
    log.info("serve is ready: \(.count, mirror.roomCount) rooms")
    let unknown = mirror.unknownCount
    if let input = options.input, let otherInput, mirror.roomCount == 0 {
      log.warning(
        "only records of input \(.text, otherInput) were read, none of \(.topic, input): check --of-input, unless that input has no gifts yet"
      )
    }
    if unknown > 0 { log.info("rooms whose screen is unknown until their next `screen`: \(.count, unknown)") }
  }

  private func isCaughtUp(at now: Int64) -> Bool {
    // An open transaction holds a partition back; what precedes it has been read.
    zip(readers, ends).allSatisfy { $0.position >= $1 || $0.isHeldUp && now >= readyBy }
  }

  private func read(at now: Int64) throws(EdgeError) -> Int {
    var total = 0
    for (place, reader) in readers.enumerated() {
      total += try reader.read(maxWaitMs: 0, into: batch)
      defer { batch.release() }
      for index in 0..<batch.count {
        guard let key = batch[index].key, let value = batch[index].value else { continue }
        let time = batch[index].timestampMs ?? 0
        coverage[place].add(time, pauseMs: backMs)
        if !isServed(batch[index]) { continue }
        if options.input == nil, index % (1 + batch.count / Self.mixRecordsMax) == 0 { checkMix(batch[index], key) }
        mirror.take(key: key, value: value, wasEmpty: covers(place), at: now)
      }
    }
    return total
  }

  /// Whether a record is of the input to serve. A record that names no input is served.
  private func isServed(_ record: KafkaMessage) -> Bool {
    guard let input = options.input else { return true }
    var isServed = true
    record.withLastHeader(Derivation.inputHeader) {
      isServed = $0.elementsEqual(input.utf8)
      if !isServed, otherInput == nil { otherInput = String(decoding: $0, as: UTF8.self) }
    }
    return isServed
  }

  /// The number of records of a batch that are examined for the inputs that they name: all where few are read, and little work
  /// where many are.
  private static let mixRecordsMax = 256

  private func checkMix(_ record: KafkaMessage, _ key: UnsafeRawBufferPointer) {
    if mix.isKnown { return }
    var both: (String, String)?
    record.withLastHeader(Derivation.inputHeader) { both = mix.read(key: key, input: $0) }
    guard let (one, other) = both else { return }
    log.warning(
      """
      the output has rooms of several inputs, such as \(.topic, one) and \(.text, other): rooms with equal ids are mixed. \
      Give --of-input, or run the service with --room-prefix topic
      """)
  }

  private func report(at now: Int64) throws(EdgeError) {
    reportedAt = now
    mirror.sweep(at: now)
    var report = ServiceReport()
    report.knowsWaits = false
    report.at = now
    report.hasJoined = clusterWatch.other == nil
    report.stall = clusterWatch.other
    report.told = mirror.told
    report.heldUp = transactions.heldUp(names, at: now, SystemTime())
    for reader in readers {
      report.partitions.append(.init(number: reader.partition, isRunning: mirror.isReady, restored: mirror.isReady ? 1 : 0))
    }
    if !report.partitions.isEmpty { report.partitions[0].rooms = mirror.roomCount }
    report.totals.instructions = mirror.instructions
    report.totals.said = mirror.said
    report.totals.bad = mirror.malformed
    observatory.publish(report)
    observatory.beat()
    guard clusterWatch.other == nil, options.partitions == nil, now - countedAt >= Self.countMs else { return }
    countedAt = now
    // Unavailable brokers are no reason to end.
    guard let all = try? control.partitionCount(options.output, withinMs: 1000), all > readers.count else { return }
    for partition in Int32(readers.count)..<Int32(all) {
      add(try client.reader(options.output, partition, from: 0, to: .max), end: 0, isWhole: true)
    }
    log.info("serve reads \(.count, all) partitions of \(.topic, options.output)")
  }
}
