import ComboEdge
import ComboRooms
import ComboSystem
import Testing

@testable import ComboService
@testable import ComboSimulation

/// The schedule of a service whose loop stands still: the test's own calls are its turns.
@Suite("The schedule of probes")
struct ProbeTests {
  private let scene = SimScene()

  /// Starts an instance, and settles one gift.
  private func start() -> SimInstance {
    scene.world.clock.moves = 0
    let instance = scene.start()
    scene.gift()
    scene.settle(instance)
    scene.turn(instance, 20)
    return instance
  }

  /// Answers the open questions.
  private func answer(_ instance: SimInstance) {
    while !instance.beside.isEmpty { instance.beside.removeFirst()() }
  }

  @Test("does not ask again before the answer has come, and hands it over in the next turn")
  func oneQuestion() {
    let topics = Topics()
    scene.world.topicWatch = topics
    let instance = start()
    let probes = instance.service.probes
    answer(instance)
    // Longer than any interval.
    let now = scene.world.clock.monotonic + 100_000
    #expect(probes.check(at: now).isEmpty)
    let (asked, open) = (topics.asked, instance.beside.count)
    #expect(open > 0)
    #expect(probes.check(at: now + 100_000).isEmpty && instance.beside.count == open)
    topics.lost = .gone(.state)
    answer(instance)
    #expect(topics.asked == asked + 1)
    // No check is due.
    let findings = probes.check(at: now + 100_000)
    #expect(findings.count == 1 && findings.allSatisfy { if case .lost(let lost) = $0 { lost.topic == .state } else { false } })
    #expect(instance.beside.isEmpty)
    // The answer is taken once.
    #expect(probes.check(at: now + 100_001).isEmpty)
  }

  @Test("asks at the next check if a probe needs an answer soon, unless a question is open")
  func soon() {
    let instance = start()
    let probes = instance.service.probes
    answer(instance)
    let now = scene.world.clock.monotonic + 100_000
    _ = probes.check(at: now)
    answer(instance)
    _ = probes.check(at: now + 1)
    #expect(instance.beside.isEmpty)
    probes.transactions.askSoon()
    _ = probes.check(at: now + 999)
    #expect(instance.beside.isEmpty)
    _ = probes.check(at: now + 1000)
    #expect(instance.beside.count == 1)
    probes.transactions.askSoon()
    _ = probes.check(at: now + 2000)
    #expect(instance.beside.count == 1)
    answer(instance)
    _ = probes.check(at: now + 3000)
    #expect(instance.beside.count == 1)
  }

  @Test("finds that the work is done, on which the service stops")
  func finished() {
    let instance = start()
    let over = StopFlag()
    instance.service.inputOver = over
    scene.world.clock.advance(60_000)
    scene.settle(instance)
    scene.turn(instance, 50)
    let probes = instance.service.probes
    func finds(at now: Int64) -> Bool {
      probes.check(at: now).contains { if case .finished = $0 { true } else { false } }
    }
    let now = scene.world.clock.monotonic
    #expect(!finds(at: now + 1000))
    over.set()
    #expect(finds(at: now + 2000))
    #expect(instance.service.isRunning)
    instance.service.act(on: .finished)
    #expect(!instance.service.isRunning && instance.service.fatal == nil)
  }

  @Test("finds partitions to take over again, which have no effect if the loop has returned to the last commit before")
  func afterGoingBack() {
    let instance = start()
    let service = instance.service!
    #expect(service.partitions.isActive(0))
    let restores = service.partitions.counts.restores
    for finding in [Finding.goBack(.abort("made up")), .takeOverAgain([0])] { service.act(on: finding) }
    #expect(service.partitions.counts.restores == restores + 1 && !service.partitions.isActive(0))
    scene.world.clock.moves = 10
    scene.gift()
    scene.settle(instance)
    #expect(service.partitions.isActive(0))
    service.act(on: .takeOverAgain([0]))
    #expect(service.partitions.counts.restores == restores + 2 && !service.partitions.isActive(0))
    #expect(scene.finish() == [])
  }
}

/// The service's topics, one of which may be lost.
private final class Topics: TopicWatch, @unchecked Sendable {
  // Sendable: a world belongs to one thread.
  var lost: LostTopic?
  private(set) var asked = 0

  func check() -> LostTopic? {
    asked += 1
    return lost
  }
}
