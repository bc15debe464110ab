import ComboEdge
import ComboGenerate
import ComboSystem
import ComboWire
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("A service that is killed")
  struct KillTests {
    @Test("200,000 gifts over 200 rooms and five SIGKILLs: no gap, no double, nothing lost, every result the same, bytes equal")
    func killedFiveTimes() throws {
      let seed = testSeed("five kills")
      var random = SplitMix64(seed: seed)
      let group = try TestGroup(partitions: 8)
      let options =
        TestGroup.fast + ["--instance", "one", "--checkpoint-gifts", "4000", "--checkpoint-interval-ms", "700"]
      var expected: [String: Int] = [:]
      var made = 0
      // Each kill comes with a fifth of the gifts, so that it finds the service at work.
      for kill in 1...5 {
        let service = try group.process(options)
        let before = try group.takenIn()
        try group.give(gifts(&random, 40_000, &made, &expected))
        if kill == 1 {
          // Each partition then has something to restore.
          try wait(for: "a commit of each partition: \(service.text)") {
            try group.committed().allSatisfy { $0.offset ?? 0 > 0 } || service.exitCode != nil
          }
        } else if random.below(4) > 0 {
          try wait(for: "a commit: \(service.text)") { try group.takenIn() > before || service.exitCode != nil }
        } else {
          try service.waitForLog("assigned: ")
        }
        let delay = random.below(700)
        print("five kills: kill \(kill) after \(delay) ms at \(try group.takenIn()) of \(made)")
        MonotonicClock.sleep(ms: Int64(delay))
        #expect(service.exitCode == nil, "\(service.text)")
        try service.crash()
        #expect(!service.has("RESET") && !service.has("not in the state in which it was left"), "\(service.text)")
      }
      let last = try group.process(options)
      // Half of the rooms are closed; the others come to rest by themselves.
      try group.waitUntilTakenIn(last)
      try group.produce(expected.keys.sorted().enumerated().filter { $0.offset % 2 == 0 }.map { TestGift.close($0.element) })
      let ledger = try group.waitUntilSaid(expected, last)
      #expect(ledger.epochs.allSatisfy { $0.value.count == 1 })
      try last.stop()
      #expect(!last.has("RESET") && !last.has("not in the state in which it was left"), "\(last.text)")
      for partition in 0..<8 {
        // The checkpoint may be newer than the last entry.
        let isProven = ["with the same result", "no entry since its checkpoint"].contains {
          last.has("restored: partition \(partition) ", $0)
        }
        #expect(isProven, "\(last.text)")
      }
      let entries = try group.journal()
      #expect(entries.allSatisfy { $0.filter { $0.takeover != nil }.count >= 2 })
      #expect(entries.allSatisfy { $0.map(\.n) == $0.indices.map { Int64($0) + 1 } })
      try group.verify()
    }

    /// Returns gifts to 200 rooms. One in twenty is sent twice, the second time a few events later.
    private func gifts(
      _ random: inout SplitMix64, _ count: Int, _ made: inout Int, _ expected: inout [String: Int]
    ) -> [TestGift] {
      var gifts: [TestGift] = []
      gifts.reserveCapacity(count)
      while gifts.count < count {
        if gifts.count > 10, random.below(20) == 0 {
          gifts.append(gifts[gifts.count - 1 - random.below(10)])
          continue
        }
        made += 1
        let gift = TestGift(
          id: "e\(made)", room: "room-\(random.below(200))", sender: "u\(random.below(30))", gift: "g\(random.below(3))",
          count: 1 + random.below(3))
        expected[gift.room, default: 0] += gift.count
        gifts.append(gift)
      }
      return gifts
    }
  }
}
