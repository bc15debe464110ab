import ComboEdge
import ComboGenerate
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("At-least-once delivery")
  struct AtLeastOnceTests {
    private let rooms = (0..<60).map { "r\($0)" }
    private static let atLeastOnce = ["--delivery", "at-least-once"]

    private func group(partitions: Int) throws -> TestGroup {
      let group = try TestGroup(partitions: partitions)
      group.isRepeating = true
      return group
    }

    /// Sends rounds of gifts, one to each room.
    private func give(_ group: TestGroup, _ rounds: Range<Int>) throws {
      for round in rounds {
        try group.give(rooms.enumerated().map { TestGift(id: "e\(round)-\($0)", room: $1, sender: "u\($0 % 3)") })
      }
    }

    private func given(_ rounds: Int) -> [String: Int] { Dictionary(uniqueKeysWithValues: rooms.map { ($0, rounds) }) }

    private func prove(_ group: TestGroup, _ rounds: Int, _ services: ServiceProcess...) throws {
      let ledger = try group.waitUntilSaid(given(rounds), services.last)
      #expect(ledger.epochs.allSatisfy { $0.value.count == 1 })
      // The journal is ahead of the output, and a service that is stopped has limited time to publish what it holds.
      try wait(for: "all that can be derived to be said: \(services.map(\.text))") {
        try DerivedOutput(group).difference(from: group.records(of: group.names.output)) == nil
      }
      for service in services {
        if service.exitCode == nil { try service.stop() }
        #expect(!service.has("RESET") && !service.has("not in the state in which it was left"), "\(service.text)")
      }
      let output = try group.records(of: group.names.output)
      #expect(try DerivedOutput(group).difference(from: output) == nil)
      print("at least once: \(output.count) records, \(ledger.repeats) of them again")
    }

    @Test("killed in between, it writes again all that may be missing, the same bytes with the same seq, and leaves nothing out")
    func killed() throws {
      let seed = testSeed("kills at least once")
      var random = SplitMix64(seed: seed)
      let group = try group(partitions: 4)
      let options = TestGroup.fast + Self.atLeastOnce + ["--instance", "one", "--checkpoint-interval-ms", "300"]
      var rounds = 0
      for _ in 1...4 {
        // Read before the start, as the service may process all gifts before a later reading.
        let before = try group.records(of: group.names.output).count
        let service = try group.process(options)
        try give(group, rounds..<rounds + 20)
        try wait(for: "it at work: \(service.text)") {
          try service.exitCode != nil || group.records(of: group.names.output).count > before
        }
        try give(group, rounds + 20..<rounds + 40)
        rounds += 40
        MonotonicClock.sleep(ms: Int64(random.below(300)))
        #expect(service.exitCode == nil, "\(service.text)")
        try service.crash()
        #expect(!service.has("RESET") && !service.has("not in the state in which it was left"), "\(service.text)")
      }
      let last = try group.process(options)
      try group.waitUntilTakenIn(last)
      // Each instance before it may have been killed before its first checkpoint.
      try wait(for: "a snapshot: \(last.text)") { try !group.state().isEmpty }
      try prove(group, rounds, last)
      let journal = try group.journal()
      #expect(journal.allSatisfy { $0.map(\.n) == $0.indices.map { Int64($0) + 1 } })
    }

    @Test("an owner that stalls beyond its session and wakes up again writes nothing that counts")
    func zombie() throws {
      let group = try group(partitions: 4)
      func start(_ name: String) throws -> ServiceProcess {
        try group.process(
          TestGroup.fast + TestGroup.briefSession + Self.atLeastOnce
            + ["--transactional-id", "\(group.group).\(name)", "--checkpoint-interval-ms", "300"])
      }
      func assigned(_ service: ServiceProcess) -> Int { service.owned.count }
      let a = try start("a")
      try a.waitForLog("new: ", count: 4)
      let b = try start("b")
      try wait(for: "both at work: \(b.text)") { assigned(a) == 2 && assigned(b) == 2 }
      try give(group, 0..<20)
      a.signal(SIGSTOP)
      try give(group, 20..<40)
      try wait(for: "the other has all: \(b.text)") { assigned(b) == 4 }
      try group.waitUntilTakenIn(b)
      a.signal(SIGCONT)
      try give(group, 40..<60)
      try a.waitForLog("lost: partitions")
      try wait(for: "both at work: \(a.text)\n\(b.text)") { assigned(a) == 2 && assigned(b) == 2 }
      try group.waitUntilTakenIn(a)
      try prove(group, 60, a, b)
    }

    @Test("a group changes from one delivery to the other and back, and all of its output can be derived")
    func change() throws {
      let group = try group(partitions: 3)
      let options = TestGroup.fast + ["--instance", "one", "--checkpoint-interval-ms", "300"]
      var services: [ServiceProcess] = []
      for (index, delivery) in ["exactly-once", "at-least-once", "exactly-once", "at-least-once"].enumerated() {
        let service = try group.process(options + ["--delivery", delivery])
        services.append(service)
        try give(group, index * 20..<index * 20 + 20)
        try group.waitUntilTakenIn(service)
        // The second service crashes; the first and the third are stopped.
        if index == 1 { try service.crash() } else if index < 3 { try service.stop() }
      }
      try prove(group, 80, services[3])
      for service in services {
        #expect(!service.has("RESET") && !service.has("not in the state in which it was left"), "\(service.text)")
      }
      for entries in try group.journal() {
        let deliveries = entries.compactMap { $0.takeover?.delivery }
        #expect(deliveries == [.exactlyOnce, .atLeastOnce, .exactlyOnce, .atLeastOnce])
      }
    }
  }
}
