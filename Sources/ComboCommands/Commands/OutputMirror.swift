internal import ComboCore
internal import ComboEdge
internal import ComboKafka
internal import ComboService
internal import ComboSystem

/// Reads the output topic, all of it or some partitions, into a ``RoomMirror``, and answers an ``Observatory`` from that: the loop of `serve`.
/// It belongs to no group and writes nothing. One thread.
final class OutputMirror {
  private let options: ServeOptions
  private let control: ControlClient
  private let client: ReaderClient
  private let observatory: Observatory
  private let log: ServiceLog
  private let mirror = RoomMirror()
  private let batch = MessageBatch(capacity: 4000)
  private var readers: [PartitionReader] = []
  /// Up to where each must come before it answers: where the partition ended when it began.
  private var ends: [Int64] = []
  private var readyBy: Int64 = 0
  private var reportedAt: Int64 = 0
  private var countedAt: Int64 = 0

  /// The timeout of requests to brokers.
  private static let withinMs: Int64 = 10_000
  /// The longest wait for an open transaction.
  private static let heldUpMs: Int64 = 15_000
  private static let reportMs: Int64 = 500
  /// New partitions are looked for so often.
  private static let countMs: Int64 = 30_000
  /// Nothing to read.
  private static let idleMs: Int64 = 3

  init(_ options: ServeOptions, _ properties: KafkaProperties, _ observatory: Observatory, _ log: ServiceLog) throws(EdgeError) {
    self.options = options
    self.observatory = observatory
    self.log = log
    control = try ControlClient(properties)
    client = try ReaderClient(properties, fetchWaitMs: 500, queuedKilobytes: 2048)
    mirror.told = options.told.map { #","\#($0.name)":\#($0.value)"# }.joined()
  }

  /// Returns once it is asked to stop.
  func run() throws(EdgeError) {
    try begin()
    while !observatory.stop.isSet {
      let now = MonotonicClock.nowMs
      var count = 0
      do throws(EdgeError) {
        count = try read(at: now)
      } catch {
        guard error.code == .offsetOutOfRange else { throw error }
        // It was away for longer than the topic is kept: the rooms' next screens have everything.
        log.warning("serve begins to read the output again: \(.reason, error)")
        mirror.forgetAll()
        observatory.tell(mirror.takeNews())
        try begin()
      }
      if !mirror.isReady, isCaughtUp(at: now) {
        mirror.isReady = true
        log.info("serve is ready: \(.count, mirror.roomCount) rooms")
      }
      if observatory.hasQueries { for query in observatory.takeQueries() { mirror.answer(query, at: now) } }
      observatory.tell(mirror.takeNews())
      if now - reportedAt >= Self.reportMs { try report(at: now) }
      if count == 0 { MonotonicClock.sleep(ms: Self.idleMs) }
    }
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
    ends = []
    let mine = Set(wanted)
    mirror.serves =
      options.partitions == nil
      ? nil
      : { room in
        room.withUnsafeBytes { mine.contains(Int32(KeyPartitioner.partition($0, all))) }
      }
    let since = WallClock.nowMs - Int64(options.backSeconds * 1000)
    let starts = try control.offsets(options.output, wanted, atMs: max(0, since), withinMs: Self.withinMs)
    for partition in wanted {
      let end = try control.watermarks(options.output, partition, withinMs: Self.withinMs).end
      let start = starts.first { $0.partition == partition }?.offset ?? end
      readers.append(try client.reader(options.output, partition, from: start, to: .max))
      ends.append(end)
    }
    readyBy = MonotonicClock.nowMs + Self.heldUpMs
    countedAt = MonotonicClock.nowMs
    log.info("serve reads \(.count, wanted.count) partitions of \(.topic, options.output)")
  }

  private func isCaughtUp(at now: Int64) -> Bool {
    // A transaction that stays open holds a partition back; what is before it has been read.
    zip(readers, ends).allSatisfy { $0.position >= $1 || $0.isHeldUp && now >= readyBy }
  }

  private func read(at now: Int64) throws(EdgeError) -> Int {
    var total = 0
    for reader in readers {
      total += try reader.read(maxWaitMs: 0, into: batch)
      defer { batch.release() }
      for index in 0..<batch.count {
        guard let key = batch[index].key, let value = batch[index].value else { continue }
        mirror.take(key: key, value: value, at: now)
      }
    }
    return total
  }

  private func report(at now: Int64) throws(EdgeError) {
    reportedAt = now
    mirror.sweep(at: now)
    var report = ServiceReport()
    report.knowsWaits = false
    report.at = now
    report.hasJoined = true
    report.told = mirror.told
    for reader in readers {
      report.partitions.append(.init(number: reader.partition, isRunning: mirror.isReady, restored: mirror.isReady ? 1 : 0))
    }
    if !report.partitions.isEmpty { report.partitions[0].rooms = mirror.roomCount }
    report.totals.instructions = mirror.instructions
    report.totals.said = mirror.said
    report.totals.bad = mirror.malformed
    observatory.publish(report)
    observatory.beat()
    guard options.partitions == nil, now - countedAt >= Self.countMs else { return }
    countedAt = now
    // Brokers that are away are no reason to end.
    guard let all = try? control.partitionCount(options.output, withinMs: 1000), all > readers.count else { return }
    for partition in Int32(readers.count)..<Int32(all) {
      readers.append(try client.reader(options.output, partition, from: 0, to: .max))
      ends.append(0)
    }
    log.info("serve reads \(.count, all) partitions of \(.topic, options.output)")
  }
}
