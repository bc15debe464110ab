import ComboCore
import ComboEdge
import ComboWire
import Testing

extension ServiceTests {
  @Suite("A restart with other settings")
  struct SettingsTests {
    @Test("every combo goes on from its count, and the takeover names the new settings")
    func otherSettings() throws {
      let group = try TestGroup(partitions: 2)
      let rooms = (0..<20).map { "r\($0)" }
      func counts(_ each: Int) -> [String: Int] { Dictionary(uniqueKeysWithValues: rooms.map { ($0, each) }) }
      // Banners stay for an hour, so that none is gone while nobody looks.
      let first = try group.thread(["--slots", "2", "--linger-ms", "3600000", "--busy-linger-ms", "3600000"])
      for sender in ["a", "b"] { try group.give(rooms.map { TestGift(room: $0, sender: sender, count: 2) }) }
      let before = try group.waitUntilSaid(counts(4), first)
      #expect(before.ops["show"] == 40)
      try first.stop()

      let second = try group.thread(["--slots", "3", "--linger-ms", "3599999", "--busy-linger-ms", "3600000"])
      try second.waitForLog("restored: ", count: 2)
      for sender in ["a", "b", "c"] { try group.give(rooms.map { TestGift(room: $0, sender: sender, count: 5) }) }
      let after = try group.waitUntilSaid(counts(19), second)
      // The two on screen were updated, not shown anew; the third found a slot.
      #expect(after.ops["show"] == 60)
      #expect(after.ops["dismiss"] == nil)
      #expect(after.epochs.allSatisfy { $0.value.count == 1 })
      try second.stop()

      for entries in try group.journal() {
        let takeovers = entries.compactMap(\.takeover)
        #expect(takeovers.map(\.derivation.settings.slots) == [2, 3])
        #expect(takeovers.map(\.derivation.settings.lingerMs) == [3_600_000, 3_599_999])
        #expect(takeovers.allSatisfy { $0.reset == nil && $0.delivery == .exactlyOnce })
        #expect(
          takeovers.allSatisfy {
            $0.topics == TopicIdentity(group: group.group, input: group.names.input, output: group.names.output)
          })
      }
      try group.verify()
    }

    @Test("after several changes without a checkpoint between, all of them are run through again")
    func manyChanges() throws {
      let group = try TestGroup(partitions: 1)
      let linger = ["--linger-ms", "3600000", "--busy-linger-ms", "3600000", "--instance", "one"]
      var expected = 0
      for slots in [1, 4, 2, 3] {
        let service = try group.process(linger + ["--slots", "\(slots)"])
        expected += 10
        try group.give((0..<10).map { TestGift(room: "r", sender: "s\($0)") })
        try group.waitUntilTakenIn(service)
        // A crash leaves no snapshots.
        try service.crash()
      }
      let last = try group.thread(linger)
      try last.waitForLog("restored: ", "digest found")
      try group.produce([TestGift.close("r")])
      try group.waitUntilSaid(["r": expected], last)
      try last.stop()
      try group.verify()
    }
  }
}
