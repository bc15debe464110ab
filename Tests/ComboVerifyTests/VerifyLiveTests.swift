import ComboEdge
import ComboWire
import Synchronization
import Testing

@testable import ComboSimulation
@testable import ComboVerify

/// Verification of topics that grow meanwhile.
@Suite("Verifying beside a service that works")
struct VerifyLiveTests {
  @Test("instructions of a transaction that was open at the first check, and is committed at the second, are no fault")
  func openTransaction() throws {
    let scene = VerifyScene()
    let instance = scene.scene.start()
    scene.burst(instance)
    // The instructions are emitted, but not committed: the journal does not contain them yet.
    var turns = 0
    repeat {
      scene.scene.gift("new\(turns)", sender: "u")
      scene.scene.turn(instance, 1)
      turns += 1
      try #require(turns < 100, "no transaction was seen open")
    } while !scene.broker.partitions(.output).contains(where: { isOpen(scene.broker.log(.output, $0)) })
    let ends = Dictionary(
      uniqueKeysWithValues: scene.broker.partitions(.journal).map { ($0, scene.broker.log(.journal, $0).end) })
    let stable = scene.broker.partitions(.output).map { scene.broker.log(.output, $0).lastStable }
    scene.scene.settle(instance)
    scene.rest(instance)
    scene.broker.settleAll()

    let reader = EarlierLook(scene.broker, journalEnds: ends, stableOutput: stable)
    var options = Verifier.Options()
    options.placement = { key, count in Int(SimBroker.partition(of: [UInt8](key), count)) }
    let report = try Verifier(reader, topics: scene.scene.world.topics, options: options).run()
    #expect(report.faults == [] && report.isProven && report.tally.equal > 0, "\(report.summary)")
    #expect(try scene.verify().faults == [])
  }

  @Test(
    "records that retention deletes during the reading count like those that were deleted before",
    arguments: [(Topic.output, Int64(40)), (.journal, 0), (.input, 30)])
  func retention(topic: Topic, keptFrom: Int64) throws {
    let scene = VerifyScene()
    scene.story()
    scene.broker.settleAll()
    let from = try topic == .journal ? scene.takeovers()[1].record.offset : keptFrom
    var options = Verifier.Options()
    options.placement = { key, count in Int(SimBroker.partition(of: [UInt8](key), count)) }
    let reader = Receding(scene.broker, topic, 0, keptFrom: from)
    let report = try Verifier(reader, topics: scene.scene.world.topics, options: options).run()
    #expect(report.faults == [] && report.isProven && scene.broker.log(topic, 0).first == from, "\(report.faults)")
    #expect(topic == .output ? report.tally.deleted > 0 : report.unprovenInstructions > 0)
    #expect(report == (try scene.verify()))
  }

  @Test("records written after the journal was read are counted separately: with them, the numbers of the output add up")
  func newer() throws {
    let scene = VerifyScene()
    let instance = scene.story()
    scene.broker.settleAll()
    let before = try scene.verify()
    #expect(!before.summary.contains("newer") && before.summary.contains(" epochs add up\n"), "\(before.summary)")
    var options = Verifier.Options()
    options.placement = { key, count in Int(SimBroker.partition(of: [UInt8](key), count)) }
    let reader = Growing(scene.broker) {
      scene.burst(instance)
      scene.broker.settleAll()
    }
    let report = try Verifier(reader, topics: scene.scene.world.topics, options: options).run()
    #expect(report.faults == [] && report.isProven && report.instructions > before.instructions, "\(report.summary)")
    let newer = report.instructions - report.tally.equal
    #expect(
      newer > 0 && report.summary.contains(" equal byte for byte, \(newer) newer than the compared part\n"), "\(report.summary)")
    let after = try scene.verify().summary
    #expect(after.contains("; 3 epochs are not over yet, with "), "\(after)")
  }

  @Test("an offset out of range, although nothing was deleted, ends it")
  func outOfRange() throws {
    let scene = VerifyScene()
    scene.story()
    scene.broker.settleAll()
    let reader = Receding(scene.broker, .output, 0, keptFrom: 0)
    #expect(throws: EdgeError.self) { try Verifier(reader, topics: scene.scene.world.topics).run() }
  }

  /// Verifies what can be read while a transaction is open, without waiting.
  private func verify(
    _ scene: VerifyScene, _ reader: HeldUp, giveUpAfterMs: Int64 = 0
  ) throws -> (report: VerifyReport, notices: [String]) {
    scene.broker.settleAll()
    let notices = Notices()
    var options = Verifier.Options()
    options.placement = { key, count in Int(SimBroker.partition(of: [UInt8](key), count)) }
    options.patience = .init(reportAfterMs: 0, giveUpAfterMs: giveUpAfterMs)
    options.brokers = "b:9092"
    options.notice = { notices.add($0) }
    let report = try Verifier(reader, topics: scene.scene.world.topics, options: options).run()
    return (report, notices.all)
  }

  @Test("a transaction that stays open in the output is reported; what follows it is not compared, and all else is")
  func heldUp() throws {
    let scene = VerifyScene()
    scene.story()
    let all = scene.output("r1")
    let (log, openAt) = (all[0].log, all[all.count / 2].record.offset)
    let partition: Int32 = log === scene.broker.log(.output, 0) ? 0 : 1
    let reader = HeldUp(scene.broker, .output, partition, at: openAt, forEver: true)
    var (report, notices) = try verify(scene, reader)
    #expect(report.faults == [] && report.isProven && report.unread == [partition: openAt], "\(report.summary)")
    let behind = log.records.count { $0.isCommitted && $0.offset >= openAt }
    #expect(report.tally.unread == behind && report.tally.equal == report.instructions && report.tally.equal > 0)
    #expect(
      report.summary.contains("partition \(partition) of the output from offset \(openAt) on")
        && report.summary.contains("proven: as far as it can be derived"), "\(report.summary)")
    let topic = "partition \(partition) of \(scene.scene.world.topics.output)"
    #expect(
      notices == [
        "\(topic): a transaction is open at offset \(openAt); waiting for it to end, or to time out. `check` has the commands that end it",
        "\(topic): everything after offset \(openAt) is not compared. "
          + OpenTransaction.remedy("b:9092", scene.scene.world.topics.output, partition, offset: openAt),
      ])
    // A record that is missing before the transaction is reported.
    all[2].remove()
    (report, notices) = try verify(scene, reader)
    #expect(report.findings.count(.missing) == 1 && report.findings.count(.sequence) == 1, "\(report.summary)")
  }

  @Test(
    "instructions in a room's old partition behind an open transaction are not missing before those in its new partition")
  func heldUpAndMoved() throws {
    let scene = VerifyScene()
    let room = scene.room(inOutput: 1)
    let instance = scene.scene.start()
    for _ in 0..<9 {
      scene.scene.gift(room)
      scene.scene.turn(instance, 3)
    }
    scene.scene.settle(instance)
    scene.rest(instance)
    let all = scene.output(room)
    scene.move(Array(all[..<4]), to: 0)
    let openAt = scene.broker.log(.output, 0).records.last!.offset - 1
    let (report, _) = try verify(scene, HeldUp(scene.broker, .output, 0, at: openAt, forEver: true))
    #expect(report.faults == [] && report.isProven && report.tally.unread == 2, "\(report.summary)")
    #expect(report.tally.equal == all.count - 2)
  }

  @Test("a transaction that is open in another topic is reported, and waited for", arguments: [Topic.input, .journal])
  func waits(topic: Topic) throws {
    let scene = VerifyScene()
    scene.story()
    let (report, notices) = try verify(
      scene, HeldUp(scene.broker, topic, 0, at: 7, forEver: false), giveUpAfterMs: 60_000)
    #expect(report.isProven && report.summary.hasSuffix("each instruction once\n") && !report.summary.contains("as far as"))
    let name = topic == .input ? scene.scene.world.topics.input : "combo-journal"
    #expect(notices.count == 1 && notices[0].contains("\(name): a transaction is open at offset 7;"), "\(notices)")
  }

  @Test("a transaction that stays open in another topic ends it, and is named", arguments: [Topic.input, .journal])
  func isNotWaitedFor(topic: Topic) throws {
    let scene = VerifyScene()
    scene.story()
    let topics = scene.scene.world.topics
    let name = topic == .input ? topics.input : "\(topics.input).\(topics.group).combo-journal"
    #expect {
      _ = try verify(scene, HeldUp(scene.broker, topic, 0, at: 7, forEver: true))
    } throws: { error in
      guard let error = error as? EdgeError, !error.isRetriable else { return false }
      // In the journal no record has that offset, and with it its time.
      let start = "partition 0 of \(name): a transaction is open at offset 7" + (topic == .input ? ", since " : ": ")
      let remedy = OpenTransaction.remedy("b:9092", name, 0, offset: 7)
      return error.message.hasPrefix(start) && error.message.hasSuffix(": what follows it cannot be read. \(remedy)")
    }
  }

  private func isOpen(_ log: SimLog) -> Bool { log.lastStable < log.end && log.open.contains { $0.transaction.state == .open } }
}

/// The current topics, but with earlier ends of the journal and the output.
private final class EarlierLook: ReadEdge, @unchecked Sendable {
  // Sendable: an audit's threads only read.
  private let now: SimReadEdge
  private let journalEnds: [Int32: Int64]
  private let stableOutput: [Int64]

  init(_ broker: SimBroker, journalEnds: [Int32: Int64], stableOutput: [Int64]) {
    now = SimReadEdge(broker, instance: nil)
    self.journalEnds = journalEnds
    self.stableOutput = stableOutput
  }

  func bounds(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> (first: Int64, end: Int64) {
    let bounds = try now.bounds(topic, partition)
    return topic == .journal ? (bounds.first, journalEnds[partition]!) : bounds
  }

  func stableEnd(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> Int64 {
    topic == .output ? stableOutput[Int(partition)] : try now.stableEnd(topic, partition)
  }

  func partitions(_ topic: Topic) throws(EdgeError) -> Range<Int32> { try now.partitions(topic) }
  func offset(_ topic: Topic, _ partition: Int32, atMs time: Int64) throws(EdgeError) -> Int64? {
    try now.offset(topic, partition, atMs: time)
  }

  func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    try now.read(topic, partition, from: start, to: end, unless: isCancelled, body)
  }
}

/// Notices from any thread.
private final class Notices: Sendable {
  private let sentences = Mutex<[String]>([])
  var all: [String] { sentences.withLock { $0 } }
  func add(_ sentence: String) { sentences.withLock { $0.append(sentence) } }
}

/// The current topics, parts of which subclasses alter.
private class Altered: ReadEdge, @unchecked Sendable {
  // Sendable: any thread may read with `now`.
  let now: SimReadEdge

  init(_ broker: SimBroker) { now = SimReadEdge(broker, instance: nil) }

  func bounds(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> (first: Int64, end: Int64) {
    try now.bounds(topic, partition)
  }
  func partitions(_ topic: Topic) throws(EdgeError) -> Range<Int32> { try now.partitions(topic) }
  func offset(_ topic: Topic, _ partition: Int32, atMs time: Int64) throws(EdgeError) -> Int64? {
    try now.offset(topic, partition, atMs: time)
  }
  func stableEnd(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> Int64 { try now.stableEnd(topic, partition) }

  func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    try now.read(topic, partition, from: start, to: end, unless: isCancelled, body)
  }
  func readAll(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    try now.readAll(topic, partition, from: start, to: end, body)
  }
}

/// A partition whose beginning is deleted while it is read.
private final class Receding: Altered, @unchecked Sendable {
  // Sendable: only the thread that reads the partition changes it.
  private let broker: SimBroker
  private let topic: Topic
  private let partition: Int32
  private let keptFrom: Int64

  init(_ broker: SimBroker, _ topic: Topic, _ partition: Int32, keptFrom: Int64) {
    self.broker = broker
    self.topic = topic
    self.partition = partition
    self.keptFrom = keptFrom
    super.init(broker)
  }

  override func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    let log = broker.log(topic, partition)
    guard topic == self.topic, partition == self.partition, log.first < keptFrom || keptFrom == 0 else {
      return try now.read(topic, partition, from: start, to: end, unless: isCancelled, body)
    }
    try now.read(topic, partition, from: start, to: min(end, start + 10), unless: isCancelled, body)
    log.cut(before: keptFrom)
    throw EdgeError(.offsetOutOfRange, "offset \(start + 10) is out of range")
  }
}

/// Topics that grow once the journal was read.
private final class Growing: Altered, @unchecked Sendable {
  // Sendable: only the thread that reads the journal changes it.
  private var grow: (() -> Void)?

  init(_ broker: SimBroker, _ grow: @escaping () -> Void) {
    self.grow = grow
    super.init(broker)
  }

  override func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    try now.read(topic, partition, from: start, to: end, unless: isCancelled, body)
    guard topic == .journal else { return }
    grow?()
    grow = nil
  }
}

/// A partition with an open transaction of another program, for which readers wait.
private final class HeldUp: Altered, @unchecked Sendable {
  // Sendable: nothing in it changes.
  private let topic: Topic
  private let partition: Int32
  private let openAt: Int64
  private let forEver: Bool

  init(_ broker: SimBroker, _ topic: Topic, _ partition: Int32, at openAt: Int64, forEver: Bool) {
    self.topic = topic
    self.partition = partition
    self.openAt = openAt
    self.forEver = forEver
    super.init(broker)
  }

  override func stableEnd(_ topic: Topic, _ partition: Int32) throws(EdgeError) -> Int64 {
    topic == self.topic && partition == self.partition ? openAt : try now.stableEnd(topic, partition)
  }

  override func read(
    _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
    _ body: (InputRecord) -> Bool
  ) throws(EdgeError) {
    guard topic == self.topic, partition == self.partition, end > openAt else {
      return try now.read(topic, partition, from: start, to: end, unless: isCancelled, body)
    }
    try now.read(topic, partition, from: start, to: openAt, unless: { false }, body)
    for _ in 0..<3 where isCancelled() { return }
    if forEver {
      Issue.record("it is waited for for ever")
      return
    }
    try now.read(topic, partition, from: max(start, openAt), to: end, unless: { false }, body)
  }
}
