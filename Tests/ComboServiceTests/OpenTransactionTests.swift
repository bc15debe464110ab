import Testing

@testable import ComboService
@testable import ComboSimulation

@Suite("An open transaction in the input")
struct OpenTransactionTests {
  @Test("is reported once when it has held the input up for 10 s, and so is its end", arguments: [false, true])
  func told(isAborted: Bool) {
    let scene = SimScene()
    scene.world.hears = true
    let instance = scene.start()
    scene.gift()
    scene.settle(instance)
    let transaction = SimTransaction(producer: "gifts", epoch: 0, deadline: .max)
    let began = scene.world.clock.monotonic
    func put() {
      var record = SimRecord(key: [0x72], value: Array(#"{"sender":{"id":"u"},"gift":{"id":"g"}}"#.utf8))
      record.transaction = transaction
      scene.world.put(record)
    }
    func heard(_ words: String) -> [String] { scene.world.heard.filter { $0.contains(words) } }
    put()
    for _ in 0..<20_000 where heard("is open in partition 0, from offset 1 on").isEmpty { scene.turn(instance) }
    #expect(scene.world.clock.monotonic - began >= 10_000)
    // More of it is no more news.
    for _ in 0..<10 {
      put()
      scene.turn(instance, 100)
    }
    #expect(heard("is open in partition 0").count == 1 && heard("partition 0 continues").isEmpty, "\(scene.world.heard)")
    transaction.state = isAborted ? .aborted : .committed
    for log in transaction.unmarked { log.mark(transaction) }
    for _ in 0..<2000 where heard("partition 0 continues").isEmpty { scene.turn(instance) }
    scene.turn(instance, 2000)
    #expect(heard("partition 0 continues: the transaction that was open from offset 1 on has ended").count == 1, "\(scene.world.heard)")
    #expect(heard("is open in partition 0").count == 1)
  }
}
