import Testing

@testable import ComboService
@testable import ComboSimulation

@Suite("An open transaction in the input")
struct OpenTransactionTests {
  private let scene = SimScene()
  private let instance: SimInstance

  init() {
    scene.world.hears = true
    instance = scene.start()
    scene.gift()
    scene.settle(instance)
  }

  private func begin() -> SimTransaction { SimTransaction(producer: "gifts", epoch: 0, deadline: .max) }

  private func put(_ transaction: SimTransaction) {
    var record = SimRecord(key: [0x72], value: Array(#"{"sender":{"id":"u"},"gift":{"id":"g"}}"#.utf8))
    record.transaction = transaction
    scene.world.put(record)
  }

  private func end(_ transaction: SimTransaction, _ state: SimTransaction.State) {
    transaction.state = state
    for log in transaction.unmarked { log.mark(transaction) }
  }

  private func heard(_ words: String) -> Int { scene.world.heard.count { $0.contains(words) } }

  private let open = "a transaction stays open in partition 0 of"
  private let over = "the transaction that was open in partition 0 of gifts from offset 1 on has ended"

  private var health: String? {
    let report = instance.service.report(scene.world.clock.monotonic)
    return Health.reasonNotReady(report, at: report.at, isStopping: false)
  }

  private func turn(forMs ms: Int64, until isDone: () -> Bool = { false }) {
    let over = scene.world.clock.monotonic + ms
    while scene.world.clock.monotonic < over, !isDone() { scene.turn(instance) }
  }

  @Test(
    "is reported once when it has held the input up for 15 s, and so is its end; after 5 min the service is not ready",
    arguments: [SimTransaction.State.committed, .aborted])
  func told(state: SimTransaction.State) {
    let (transaction, began) = (begin(), scene.world.clock.monotonic)
    put(transaction)
    turn(forMs: 60_000) { heard("\(open) the input gifts, from offset 1 on") > 0 }
    #expect(heard(open) == 1 && scene.world.clock.monotonic - began >= 15_000)
    let stalledMs = instance.service.report(scene.world.clock.monotonic).partitions[0].stalledMs
    #expect(stalledMs >= 10_000 && stalledMs <= scene.world.clock.monotonic - began)
    // More records of it are not logged again.
    for _ in 0..<10 {
      put(transaction)
      turn(forMs: 2000)
    }
    #expect(heard(open) == 1 && heard(over) == 0, "\(scene.world.heard)")
    #expect(instance.service.report(scene.world.clock.monotonic).heldUp.map(\.topic) == ["input"] && health == nil)
    turn(forMs: 300_000) { health != nil }
    #expect(
      scene.world.clock.monotonic - began >= 300_000
        && health?.contains("a transaction is open in partition 0 of the input") == true)
    end(transaction, state)
    turn(forMs: 30_000)
    #expect(health == nil)
    #expect(heard(over) == 1, "\(scene.world.heard)")
    #expect(heard(open) == 1)
    #expect(instance.service.report(scene.world.clock.monotonic).partitions[0].stalledMs == 0)
  }

  @Test("bad records that were counted are reported when it stops, not only after a minute")
  func badAtStop() {
    func putBad() {
      scene.world.put(SimRecord(key: [0x72], value: [0x7b]))
      scene.settle(instance)
      scene.turn(instance, 4)
    }
    for _ in 0..<3 { putBad() }
    #expect(heard("bad records went to the dead-letter topic") == 1)
    scene.world.stop(instance)
    #expect(heard("bad records went to the dead-letter topic: 2 since") == 1, "\(scene.world.heard)")
  }

  @Test("that is short is not reported, also if the partition ended with the mark of another one for long")
  func short() {
    for _ in 0..<3 {
      let transaction = begin()
      put(transaction)
      turn(forMs: 5000)
      end(transaction, .aborted)
      turn(forMs: 30_000)
    }
    #expect(heard(open) == 0 && heard(over) == 0, "\(scene.world.heard)")
  }
}
