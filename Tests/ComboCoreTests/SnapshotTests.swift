import Testing

@testable import ComboCore

@Suite("Snapshots that do not fit")
struct SnapshotTests {
  /// Returns a room with something of everything: banners in all phases, ids, streaks, history, and its own settings.
  static func room() -> Room {
    var settings = Settings()
    settings.slots = 3
    settings.queueMerge = .tail
    var room = Room(settings)
    var own = OwnSettings()
    own.add(.integer(.maxIds, 50))
    room.apply(.settings(own), at: 0)
    let late = Int64(10_000)
    room.apply(.gift(OwnedGift(key: Key(sender: "old"))), at: late - 4500)
    for (n, (sender, at)) in [("a", 0), ("b", 3450), ("c", 3600), ("d", 3650), ("e", 3651), ("d", 3652)].enumerated() {
      let amount = n % 2 == 0 ? OwnedAmount.total(5, streak: n == 0 ? "" : "s") : .count(2)
      room.apply(.gift(OwnedGift(id: "id\(n)", key: Key(sender: sender), amount: amount)), at: late + Int64(at))
    }
    return room
  }

  static let snapshot = Snapshot(room().engine!)

  @Test("the room that the others change is one of everything, and whole")
  func isWhole() throws {
    let phases = Set(Self.snapshot.banners.map(\.state.phase))
    #expect(phases.isSuperset(of: [.queued, .entering, .leaving]))
    #expect(!Self.snapshot.ids.isEmpty && !Self.snapshot.streaks.isEmpty && !Self.snapshot.history.isEmpty)
    #expect(Self.snapshot.head.screenDeadline != nil && !Self.snapshot.own.isEmpty)
    let engine = try Self.snapshot.restored(Self.room().settings)
    #expect(Snapshot(engine) == Self.snapshot)
    #expect(engine.brokenInvariant() == nil)
  }

  struct Change: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var change: @Sendable (inout Snapshot) -> Void

    init(_ description: String, _ change: @escaping @Sendable (inout Snapshot) -> Void) {
      testDescription = description
      self.change = change
    }
  }

  static let changes: [Change] = [
    Change("a time far away") { $0.head.time = .max },
    Change("an epoch far away") { $0.head.epoch = .min },
    Change("an idle time far away") { $0.head.idleSince = .min },
    Change("idle since a later time") { $0.head.idleSince = $0.head.time + 1 },
    Change("a screen due far away") { $0.head.screenDeadline = .max },
    Change("a screen due before") { $0.head.screenDeadline = $0.head.time - 1 },
    Change("a negative seq") { $0.head.seq = -1 },
    Change("a seq far away") { $0.head.seq = .max },
    Change("a negative number of banners") { $0.head.banners = -1 },
    Change("fewer banners than there are") { $0.head.banners = 1 },
    Change("an empty id") { $0.ids[0].id = "" },
    Change("an id twice") { $0.ids[1].id = $0.ids[0].id },
    Change("an id's expiry far away") { $0.ids[0].expiry = .max },
    Change("a streak twice") { $0.streaks.append($0.streaks[0]) },
    Change("a streak's total of 0") { $0.streaks[0].total = 0 },
    Change("a streak's total far away") { $0.streaks[0].total = .max },
    Change("a streak's expiry far away") { $0.streaks[0].expiry = .min },
    Change("a history twice") { $0.history.append($0.history[0]) },
    Change("a history of nothing") { $0.history[0].total = 0 },
    Change("a history far away") { $0.history[0].expiry = .max },
    Change("a banner 0") { $0.banners[0].state.number = 0 },
    Change("a banner twice") { $0.banners[1].state.number = $0.banners[0].state.number },
    Change("a waiting banner that is on screen") { $0.banners[$0.banners.count - 1].state.number = $0.banners[0].state.number },
    Change("a slot beyond all") { $0.banners[0].state.slot = 100 },
    Change("a negative slot") { $0.banners[0].state.slot = -1 },
    Change("a slot twice") { $0.banners[1].state.slot = $0.banners[0].state.slot },
    Change("slots out of order") { $0.banners.swapAt(0, 1) },
    Change("one on screen after one that waits") { $0.banners.swapAt(0, $0.banners.count - 1) },
    Change("waiting ones out of order") { $0.banners.swapAt($0.banners.count - 2, $0.banners.count - 1) },
    Change("one that waits and holds a slot") { $0.banners[$0.banners.count - 1].state.slot = 1 },
    Change("a combo on screen twice") { snapshot in
      snapshot.banners[1].key = snapshot.banners[0].key
      snapshot.banners[1].state.phase = .counting
    },
    Change("a total below its base") { $0.banners[0].state.base = $0.banners[0].state.total + 1 },
    Change("a total below what is shown") { $0.banners[0].state.shown = $0.banners[0].state.total + 1 },
    Change("a total far away") { $0.banners[0].state.total = .max },
    Change("a negative base") { $0.banners[0].state.base = -1 },
    Change("a negative value") { $0.banners[0].state.value = -1 },
    Change("a value that is none") { $0.banners[0].state.value = .nan },
    Change("a deadline far away") { $0.banners[0].state.deadline = .max },
    Change("a deadline before") { $0.banners[0].state.deadline = $0.head.time - 1 },
    Change("created far away") { $0.banners[0].state.since = .min },
    Change("from later than its time") { $0.banners[0].state.since = $0.head.time + 1 },
    Change("sealed and waiting") { $0.banners[$0.banners.count - 1].state.isSealed = true },
    Change("awake until far away") { $0.head.awakeUntil = .max },
    Change("a final of a banner 0") { $0.history[0].number = 0 },
    Change("a final of a banner to come") { $0.history[0].number = $0.head.banners + 1 },
    Change("a streak with a name and a receiver") {
      $0.streaks[0].name = "s"
      $0.streaks[0].key.receiver = "r"
    },
    Change("own settings beyond a room's") { $0.own.add(.integer(.slots, 11)) },
    Change("taken over and not leaving") { $0.banners[0].state.takenOver = true },
    Change("nobody on screen") { $0.banners.removeAll { $0.state.phase != .queued } },
    Change("an empty screen that is due") { $0.banners = [] },
    Change("a key of two megabytes") { $0.history[0].key.sender = String(repeating: "x", count: 2 << 20) },
  ]

  @Test("is refused with a sentence", arguments: changes)
  func refused(change: Change) {
    var snapshot = Self.snapshot
    change.change(&snapshot)
    let fault = #expect(throws: SnapshotFault.self) { try snapshot.restored(Self.room().settings) }
    #expect(fault?.description.isEmpty == false)
  }

  @Test("damaged at random, it is refused or makes an engine that works", arguments: 0..<40)
  func damaged(group: Int) {
    for seed in group * 25..<(group + 1) * 25 {
      var random = SplitMix64(seed)
      let stream = RandomStream(seed: 60_000 + seed, events: 30)
      var room = Room(stream.settings)
      for (at, event) in stream.events { room.apply(event, at: at) }
      guard let whole = room.engine else { continue }
      var snapshot = Snapshot(whole)
      for _ in 0...random.below(2) { Self.damage(&snapshot, &random) }
      guard var engine = try? snapshot.restored(room.settings) else { continue }
      var sink = Recorder()
      for (at, event) in stream.events { engine.apply(event, at: at + 50_000, to: &sink) }
      // A deadline may be far away now. What is due until then is emitted, and the engine stays consistent.
      engine.advance(to: RandomStream.start + 10_000_000, to: &sink)
      #expect(engine.brokenInvariant() == nil, "seed \(60_000 + seed)")
    }
  }

  private static func damage(_ snapshot: inout Snapshot, _ random: inout SplitMix64) {
    let odd = random.pick([0, 1, -1, 2, 99, 100, 1_000_000, 1_010_000, 1 << 53, 1 << 60, Int.max, Int.min])
    let any = { (count: Int, random: inout SplitMix64) in random.below(max(1, count)) }
    switch random.below(11) {
    case 0: snapshot.head.time = Int64(odd)
    case 1: snapshot.head.screenDeadline = random.oneIn(2) ? nil : Int64(odd)
    case 2: snapshot.head.banners = odd
    case 3: if !snapshot.ids.isEmpty { snapshot.ids[any(snapshot.ids.count, &random)].expiry = Int64(odd) }
    case 4: if !snapshot.streaks.isEmpty { snapshot.streaks[any(snapshot.streaks.count, &random)].total = odd }
    case 5: if !snapshot.history.isEmpty { snapshot.history[any(snapshot.history.count, &random)].total = odd }
    default:
      guard !snapshot.banners.isEmpty else { return }
      let i = any(snapshot.banners.count, &random)
      switch random.below(8) {
      case 0: snapshot.banners[i].state.slot = odd
      case 1: snapshot.banners[i].state.phase = random.pick(BannerState.Phase.allCases)
      case 2: snapshot.banners[i].state.total = odd
      case 3: snapshot.banners[i].state.deadline = Int64(odd)
      case 4: snapshot.banners[i].state.number = odd
      case 5: snapshot.banners[i].key = snapshot.banners[any(snapshot.banners.count, &random)].key
      case 6: snapshot.banners.swapAt(i, any(snapshot.banners.count, &random))
      default: snapshot.banners.remove(at: i)
      }
    }
  }
}
