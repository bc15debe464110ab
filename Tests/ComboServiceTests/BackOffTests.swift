import ComboRooms
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation

@Suite("What failed is tried again")
struct BackOffTests {
  @Test("at once at first, then less and less often: twenty failures take more than a minute")
  func delays() {
    var backOff = BackOff()
    let delays = (0..<Service.failuresMax).map { _ in backOff.failed(at: 0) }
    #expect(delays.first == 0 && delays == delays.sorted() && delays.reduce(0, +) > 60_000)
    #expect(delays.last! <= 5000)
    backOff.succeeded()
    #expect(backOff.failed(at: 60_000) == 0 && backOff.failures == 1)
  }

  @Test("as seldom as before if other work succeeded between two failures, and it is not calm until then")
  func between() {
    var backOff = BackOff()
    var now: Int64 = 0
    var failures = 0
    while now < 60_000 {
      now += backOff.failed(at: now) + 50
      failures += 1
      #expect(!backOff.isCalm(at: now))
      backOff.succeeded()
    }
    #expect(failures < 20, "\(failures) within a minute")
    #expect(backOff.isCalm(at: now + 10_000) && backOff.failed(at: now + 10_000) == 0)
  }

  @Test(
    "a partition that is restored and cannot be read, too, however long an attempt takes", arguments: [false, true], [0, 3000])
  func unreadable(isAtLeastOnce: Bool, attemptMs: Int64) {
    let scene = SimScene(seed: 1, partitions: 1)
    if isAtLeastOnce { scene.configuration.delivery = .atLeastOnce }
    scene.world.hasAtLeastOnce = isAtLeastOnce
    scene.world.broker.faults.unseekable = 1000
    let instance = scene.start()
    let start = scene.world.clock.monotonic
    var restores: Int { instance.service.partitions.counts.restores }
    var last = 0
    while scene.world.clock.monotonic < start + 120_000, restores < 40 {
      scene.turn(instance)
      if restores > last { scene.world.clock.advance(attemptMs) }
      last = restores
    }
    #expect(restores > 5 && restores < (attemptMs == 0 ? 40 : 25), "\(restores) within two minutes")
    scene.world.broker.faults.unseekable = 0
    scene.settle(instance)
    #expect(scene.finish() == [])
  }

  @Test("a flood of bad records is reported at once, and then once a minute with their number")
  func bad() {
    var bad = BadRecords()
    #expect(bad.take(at: 0) == nil)
    bad.add("not_json", partition: 1, offset: 5)
    #expect(bad.take(at: 1000) == .init(count: 1, code: "not_json", partition: 1, offset: 5))
    for offset in 0..<1000 { bad.add("out_of_range", partition: 2, offset: Int64(offset)) }
    #expect(bad.take(at: 60_999) == nil)
    #expect(bad.take(at: 61_000) == .init(count: 1000, code: "out_of_range", partition: 2, offset: 999))
    #expect(bad.take(at: 200_000) == nil)
    bad.add("not_json", partition: 1, offset: 7)
    bad.add("not_json", partition: 1, offset: 8)
    #expect(bad.takeRest() == .init(count: 2, code: "not_json", partition: 1, offset: 8) && bad.takeRest() == nil)
  }

  @Test("two instances of one transactional id are recognized as they fence each other again and again, with commits in between")
  func fences() {
    var fences = Fences()
    // The start of another producer fences at most twice, so that two starts are no sign of a lasting conflict.
    #expect(!(0..<4).contains { fences.fenced(at: Int64($0) * 1000, commits: $0) } && fences.fenced(at: 4000, commits: 4))
    // A coordinator in trouble fences several times without a commit in between. A machine that freezes does so less often.
    var trouble = Fences()
    #expect(!(0..<8).contains { trouble.fenced(at: Int64($0) * 1000, commits: 5) })
    let isTold = trouble.fenced(at: 8000, commits: 5)
    #expect(isTold, "two that do not let each other commit")
    var pauses = Fences()
    #expect(!(0..<10).contains { pauses.fenced(at: Int64($0) * 16_000, commits: $0) })
  }
}
