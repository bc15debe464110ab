import ComboEdge
import ComboRooms
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation

@Suite("A transaction that stays open in the group's own topics")
struct HangingTransactionTests {
  private let scene = SimScene()

  /// Begins a transaction of another program, which never ends by itself.
  private func hang(_ topic: Topic, at time: Int64? = nil) -> SimTransaction {
    let transaction = SimTransaction(producer: "stranger", epoch: 0, deadline: .max)
    var record = SimRecord(key: Array("stranger".utf8), value: Array("not the service's".utf8))
    record.transaction = transaction
    record.timestamp = time
    scene.world.broker.log(topic, 0).append(record)
    return transaction
  }

  private func end(_ transaction: SimTransaction, _ state: SimTransaction.State) {
    transaction.state = state
    for log in transaction.unmarked { log.mark(transaction) }
  }

  private func turn(_ instances: [SimInstance], forMs ms: Int64) {
    let over = scene.world.clock.monotonic + ms
    while scene.world.clock.monotonic < over {
      for instance in instances { scene.turn(instance) }
      scene.world.clock.advance(100)
    }
  }

  private func heard(_ words: String) -> Int { scene.world.heard.count { $0.contains(words) } }

  init() {
    scene.world.hears = true
    scene.configuration.checkpointIntervalMs = 100
  }

  @Test("in the journal is not waited for: what was written behind it counts, also at the next restart", arguments: [1, 3])
  func inJournal(restarts: Int) {
    var instance = scene.start()
    scene.gift()
    scene.settle(instance)
    let transaction = hang(.journal)
    for index in 0..<4 {
      scene.gift("r\(index)")
      scene.settle(instance)
    }
    for _ in 0..<restarts {
      let began = scene.world.clock.monotonic
      scene.world.stop(instance)
      instance = scene.start()
      scene.gift("more")
      scene.settle(instance)
      #expect(instance.service.hasTakenOver && scene.world.clock.monotonic - began < 10_000)
    }
    #expect(heard("is not waited for: the group's offset says") == restarts, "\(scene.world.heard)")
    #expect(heard("RESET") == 0)
    // A reader of the journal sees all of it only once the transaction has ended.
    end(transaction, .aborted)
    #expect(scene.finish() == [])
  }

  @Test("in the state topic is not waited for unless something of the service is behind it", arguments: [false, true])
  func inState(isBehind: Bool) {
    var instance = scene.start()
    scene.gift()
    scene.settle(instance)
    if !isBehind { scene.world.stop(instance) }
    let transaction = SimTransaction(
      producer: "stranger", epoch: 0, deadline: isBehind ? scene.world.clock.monotonic + 30_000 : .max)
    var record = SimRecord(key: Array("stranger".utf8), value: Array("not the service's".utf8))
    record.transaction = transaction
    scene.world.broker.log(.state, 0).append(record)
    if isBehind { scene.world.stop(instance) }
    let began = scene.world.clock.monotonic
    instance = scene.start()
    scene.gift("more")
    scene.settle(instance)
    #expect(instance.service.hasTakenOver)
    #expect((scene.world.clock.monotonic - began < 10_000) == !isBehind)
    #expect(heard("no record behind that offset is the service's") == (isBehind ? 0 : 1), "\(scene.world.heard)")
    if !isBehind { end(transaction, .aborted) }
    #expect(scene.finish() == [])
  }

  @Test("in the journal is waited for where it is unknown which of two entries of one number counts")
  func twoOfOneNumber() throws {
    scene.configuration.checkpointIntervalMs = 1_000_000
    var instance = scene.start()
    scene.gift()
    scene.settle(instance)
    let log = scene.world.broker.log(.journal, 0)
    let until = scene.world.clock.monotonic + 60_000
    let transaction = SimTransaction(producer: "stranger", epoch: 0, deadline: until)
    var stranger = SimRecord(key: nil, value: Array("not the service's".utf8))
    stranger.transaction = transaction
    log.append(stranger)
    scene.gift("other")
    scene.settle(instance)
    scene.world.kill(instance)
    // A twin as if of an aborted transaction: the same number, but another time.
    var twin = try #require(scene.entries.last { !$0.batches.isEmpty })
    twin.clock += 1
    let buffer = ByteBuffer(capacity: 256)
    twin.write(to: buffer)
    log.append(SimRecord(key: nil, value: buffer.array))
    instance = scene.start()
    scene.gift("more")
    scene.settle(instance)
    #expect(scene.world.clock.monotonic >= until)
    #expect(heard("is not waited for") == 0, "\(scene.world.heard.suffix(12))")
  }

  @Test("in the output is logged once with the command that ends it, and keeps the service from being ready until it ends")
  func inOutput() throws {
    let instance = scene.start()
    scene.gift()
    scene.settle(instance)
    let offset = scene.world.broker.log(.output, 0).end
    // It is older than this process.
    let since = scene.world.clock.wall - 1_000_000
    let transaction = hang(.output, at: since)
    func health() -> String? {
      let report = instance.service.report(scene.world.clock.monotonic)
      return Health.reasonNotReady(report, at: report.at, isStopping: false)
    }
    turn([instance], forMs: 8000)
    #expect(health() == nil)
    turn([instance], forMs: 30_000)
    let words = "a transaction stays open in partition 0 of the output"
    #expect(
      heard(words) == 1 && heard("abort --topic \(scene.configuration.topics.output) --partition 0 --start-offset \(offset)") == 1
    )
    #expect(health()?.contains("a transaction is open in partition 0 of the output") == true, "\(health() ?? "")")
    let held = try #require(instance.service.report(scene.world.clock.monotonic).heldUp.first)
    #expect(held.topic == "output" && held.partition == 0 && held.ms >= 1_000_000 && held.seenMs < 100_000)
    end(transaction, .aborted)
    turn([instance], forMs: 10_000)
    #expect(health() == nil && heard("has ended: it held its readers up for") == 1 && heard(words) == 1, "\(scene.world.heard)")
  }

  @Test("in the output is reported by the member that owns the partition, and no longer by one that has lost its last")
  func handedOver() {
    let a = scene.start("a")
    scene.gift()
    scene.settle(a)
    _ = hang(.output)
    func heldUp(_ instance: SimInstance) -> Int { instance.service.report(scene.world.clock.monotonic).heldUp.count }
    turn([a], forMs: 30_000)
    #expect(heldUp(a) == 1)
    let b = scene.start("b")
    // The first member is silent for longer than its session.
    turn([b], forMs: 40_000)
    turn([a, b], forMs: 30_000)
    #expect(a.service.partitions.owned.isEmpty && b.service.partitions.owned == [0])
    #expect(heldUp(a) == 0 && heldUp(b) == 1)
    #expect(heard("has ended: it held its readers up for") == 0)
  }

  @Test("in the journal is not named while the takeover waits for one on the group's offset, which comes first")
  func offsetsFirst() {
    var watch = TransactionWatch()
    let open = OpenTransaction(topic: .journal, partition: 1, offset: 7, end: 9)
    func find(_ pending: [Int32], at now: Int64) { _ = watch.take(.init(open: [open], pending: pending, ends: []), at: now) }
    find([1], at: 0)
    find([1], at: TransactionWatch.heldMs)
    var unsaid = watch.takeUnsaid(at: TransactionWatch.heldMs)
    #expect(unsaid.isEmpty && watch.hanging(at: TransactionWatch.heldMs).isEmpty)
    #expect(watch.waiting(at: TransactionWatch.heldMs).map(\.partition) == [1])
    find([0], at: TransactionWatch.heldMs)
    #expect(watch.hanging(at: TransactionWatch.heldMs).count == 1)
    unsaid = watch.takeUnsaid(at: TransactionWatch.heldMs)
    #expect(unsaid.map(\.transaction) == [open])
  }

  @Test("is a reason why a partition is still being restored; so is what its last try failed for")
  func reasons() {
    var report = ServiceReport()
    report.hasJoined = true
    report.partitions = [.init(number: 0, isRunning: true), .init(number: 1, isRunning: false)]
    func health() -> String? { Health.reasonNotReady(report, at: 0, isStopping: false) }
    #expect(health() == "being restored: 1 of 2 partitions")
    report.heldUp = [.init(topic: "journal", partition: 0, ms: 20_000, sentence: "elsewhere")]
    #expect(health() == "being restored: 1 of 2 partitions")
    report.heldUp.append(.init(topic: "journal", partition: 1, ms: 20_000, sentence: "here"))
    #expect(health() == "being restored: 1 of 2 partitions: here")
    report.partitions[1].failure = "not allowed"
    #expect(health() == "being restored: 1 of 2 partitions. Partition 1: not allowed")
    // Only open transactions in the output matter to a partition that runs.
    report.partitions[1].isRunning = true
    #expect(health() == nil)
  }

  @Test("an offset's metadata names its owner after the entry's number if it must, and is otherwise as before")
  func owner() {
    var plain = CommittedOffset(partition: 3, offset: 7, metadata: "12")
    #expect(plain.entry == 12 && plain.owner == nil && plain.signed(by: nil) == plain)
    let owner = CommittedOffset.Owner(member: "combo-consumer.rules-3-1b", transactionalID: "g.gifts.a\tb")
    // Release 0.1.0 would not find the number.
    #expect(plain.signed(by: owner) == plain)
    plain.namesOwner = true
    let signed = plain.signed(by: owner)
    #expect(signed.entry == 12 && signed.owner == owner && signed.offset == 7)
    for text in ["", "x", "-1", "12\tx", "1.5\ta\tb"] {
      let other = CommittedOffset(partition: 0, offset: 1, metadata: text)
      #expect(other.entry == (text == "12\tx" ? 12 : nil))
    }
  }
}
