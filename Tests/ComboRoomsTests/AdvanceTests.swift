import ComboCore
import ComboSystem
import ComboWire
import Testing

@testable import ComboRooms

@Suite("Rooms that say more than an entry may hold")
struct AdvanceTests {
  private static let topics = TopicIdentity(group: "g", input: "i", output: "o")

  /// Returns a partition whose rooms emit a screen of ten banners twice a second, and keep the banners as long as allowed.
  private func partition(rooms: Int) throws -> Partition {
    var settings = Settings()
    settings.slots = 10
    settings.screenMs = 500
    settings.lingerMs = 60_000
    settings.busyLingerMs = 60_000
    let partition = Partition(0, settings: EngineSettings(settings), ownSettingsMax: 10, clock: 0, offset: 0)
    let (outbox, decoder, arena) = (Outbox(nil), EventDecoder(), BumpArena())
    var event = Event()
    for gift in 0..<rooms * 10 {
      arena.reset()
      let name = String(repeating: "x", count: 1000)
      let record = #"{"sender":{"id":"u\#(gift / rooms)","name":"\#(name)"},"gift":{"id":"g"}}"#
      try Array(record.utf8).withUnsafeBytes { record in
        try Array("r\(gift % rooms)".utf8).withUnsafeBytes { try decoder.decode(record, key: $0, into: arena, &event) }
      }
      guard case .room(let room) = withUnsafePointer(to: &event, { partition.route($0, own: nil, offset: Int64(gift), at: 1) })
      else {
        Issue.record("no room")
        continue
      }
      withUnsafePointer(to: &event) { event in
        room._withUnsafeGuaranteedRef {
          $0.take(event, own: nil, at: 1, outbox: outbox)
          $0.keepLent()
        }
      }
    }
    partition.tookIn(rooms * 10, upTo: Int64(rooms * 10), last: 7, now: 1)
    return partition
  }

  @Test("come to the present in several entries, each of a bounded size, and say the same")
  func pieces() throws {
    let (target, budget): (Int64, Int) = (30_000, 1 << 20)
    let (whole, pieces) = (try partition(rooms: 20), try partition(rooms: 20))
    let (all, some) = (Outbox(nil), Outbox(nil))
    #expect(whole.advance(to: target, outbox: all, budget: .max, .ofSoleThread()) == target)
    let entry = whole.closeEntry(clock: target, of: Self.topics, .ofSoleThread())
    #expect(all.bytes > 10 * budget)
    var entries: [JournalEntry] = []
    while (entries.last?.clock ?? 0) < target {
      let before = some.bytes
      let clock = pieces.advance(to: target, outbox: some, budget: budget, .ofSoleThread())
      #expect(clock > entries.last?.clock ?? 0, "it stands still")
      #expect(some.bytes - before < 2 * budget, "an entry of \(some.bytes - before) bytes")
      entries.append(pieces.closeEntry(clock: clock, of: Self.topics, .ofSoleThread()))
    }
    #expect(entries.count > 10)
    #expect(entries.last?.digest == entry.digest && entries.last?.rooms == entry.rooms && some.bytes == all.bytes)
    #expect(entries.reduce(0) { $0 + $1.said } == entry.said)
  }

  @Test("an entry reaches the time of what was taken in, however much that is")
  func batches() throws {
    let partition = try partition(rooms: 20)
    partition.tookIn(0, upTo: 200, last: 7, now: 20_000)
    #expect(partition.advance(to: 25_000, outbox: Outbox(nil), budget: 1, .ofSoleThread()) >= 20_000)
  }

  @Test("a clock shows the time that the rooms have reached until they have caught up")
  func clock() {
    final class Time: TimeSource {
      func wallMs() -> Int64 { 0 }
      func monotonicMs() -> Int64 { 0 }
      func sleep(ms: Int64) {}
    }
    var clock = PartitionClock(1000, Time())
    #expect(clock.target(wall: 5000, monotonic: 10) == 5000)
    clock.came(to: 3000, of: 5000)
    #expect(clock.isBehind && clock.now(wall: 6000, monotonic: 20) == 3000 && clock.target(wall: 6000, monotonic: 20) == 6000)
    clock.came(to: 6000, of: 6000)
    #expect(!clock.isBehind && clock.now(wall: 6500, monotonic: 30) == 6500)
  }
}
