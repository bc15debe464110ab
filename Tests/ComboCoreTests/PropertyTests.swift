import Testing

@testable import ComboCore

@Suite("What always holds")
struct PropertyTests {
  private static let streams = 5

  /// Plays a stream to its end, and calls `before` before each event.
  static func play(_ stream: RandomStream, before: (inout Room, Int64) throws -> Void) rethrows -> Room {
    var room = Room(stream.settings)
    for (at, event) in stream.events {
      try before(&room, at)
      room.apply(event, at: at)
    }
    while let deadline = room.engine?.nextDeadline {
      try before(&room, deadline)
      room.apply(.advance, at: deadline)
    }
    return room
  }

  static func play(_ stream: RandomStream) -> Room { play(stream) { _, _ in } }

  private static func compare(_ seed: Int, _ one: [Said], _ other: [Said]) -> Bool {
    if one == other { return true }
    let first = zip(one, other).first { $0 != $1 }
    Issue.record("seed \(seed): \(one.count) and \(other.count) instructions; first difference: \(String(describing: first))")
    return false
  }

  @Test("an observer of the instructions finds nothing wrong, and no gift is lost or made up", arguments: RandomStream.groups(60))
  func observed(group: Int) {
    for seed in group * Self.streams..<(group + 1) * Self.streams {
      let stream = RandomStream(seed: 10_000 + seed, shifts: false)
      let changes = stream.events.contains {
        switch $0.event {
        case .settings, .adopt: true
        default: false
        }
      }
      let room = Self.play(stream)
      var observer = Observer(settings: changes ? nil : stream.settings)
      for said in room.sink.said {
        if let fault = observer.fault(said) {
          Issue.record("seed \(10_000 + seed), \(said): \(fault)")
          return
        }
      }
      #expect(observer.isEmpty, "seed \(10_000 + seed)")
      #expect(room.broken == nil, "seed \(10_000 + seed)")
      var model = Model(at: stream.events[0].at, stream.settings)
      for (at, event) in stream.events { model.apply(event, at: at) }
      while let deadline = model.nextDeadline { model.advance(to: deadline) }
      // In a paused room some banners wait forever.
      guard let engine = room.engine, engine.isIdle else { continue }
      #expect(observer.gifts == model.accepted, "seed \(10_000 + seed)")
      if stream.settings.finals, !changes {
        // Combos whose skips are summed only have a final if they had been seen before.
        let range = observer.inFinals...observer.inFinals + observer.summed
        #expect(range.contains(model.accepted), "seed \(10_000 + seed)")
      }
    }
  }

  @Test("a room updates a banner at most once a count_ms, however many gifts arrive")
  func rateOfUpdates() {
    var settings = Settings()
    settings.screenMs = 0
    settings.dedupeMs = 0
    var room = Room(settings)
    for n in 0..<20_000 {
      room.apply(.gift(OwnedGift(key: Key(sender: "u\(n % 2)"))), at: Int64(n / 2))
    }
    let updates = room.sink.said.count { if case .update = $0.operation { true } else { false } }
    #expect(updates > 70 && updates <= settings.slots * 10_000 / settings.countMs)
  }

  @Test("how often an engine is advanced does not change its instructions", arguments: RandomStream.groups(40))
  func advancedAtWill(group: Int) {
    for seed in group * Self.streams..<(group + 1) * Self.streams {
      // A shift moves only what has not happened yet, so that it would show whether something has.
      let stream = RandomStream(seed: 20_000 + seed, shifts: false)
      let plain = Self.play(stream)
      var random = SplitMix64(seed)
      var last = RandomStream.start
      let often = Self.play(stream) { room, at in
        // Time may run back in the stream.
        guard at > last else { return }
        for _ in 0..<random.below(5) { room.apply(.advance, at: last + Int64(random.below(Int(at - last)))) }
        last = at
      }
      if !Self.compare(20_000 + seed, plain.sink.said, often.sink.said) { return }
    }
  }

  @Test("an engine restored from a snapshot before each event continues as the first", arguments: RandomStream.groups(40))
  func restoredAtEachEvent(group: Int) throws {
    for seed in group * Self.streams..<(group + 1) * Self.streams {
      let stream = RandomStream(seed: 30_000 + seed, events: 80)
      let plain = Self.play(stream)
      let restored = try Self.play(stream) { room, _ in
        guard let engine = room.engine else { return }
        let snapshot = Snapshot(engine)
        let again = try snapshot.restored(engine.core.service === room.settings ? room.settings : engine.core.service)
        if snapshot != Snapshot(again) { Issue.record("seed \(30_000 + seed): the snapshot of a restored engine differs") }
        room.engine = again
      }
      if !Self.compare(30_000 + seed, plain.sink.said, restored.sink.said) { return }
      #expect(restored.broken == nil, "seed \(30_000 + seed)")
    }
  }

  @Test("lent display data say the same, whenever they are kept", arguments: RandomStream.groups(40))
  func lent(group: Int) {
    for seed in group * Self.streams..<(group + 1) * Self.streams {
      let stream = RandomStream(seed: 60_000 + seed)
      let plain = Self.play(stream)
      var random = SplitMix64(seed)
      let lent = Self.play(stream) { room, _ in
        if room.lender == nil { room.lender = Lender() }
        switch random.below(6) {
        case 0:
          room.engine?.keepLent()
          room.lender?.takeBack()
        case 1:
          // A copy has its own memory, and uses no lent one.
          var copy = room.engine
          copy?.shift(by: 0)
          room.engine = copy
          room.lender?.takeBack()
        case 2: room.engine?.keepLent()
        default: break
        }
      }
      if !Self.compare(60_000 + seed, plain.sink.said, lent.sink.said) { return }
      #expect(lent.broken == nil, "seed \(60_000 + seed)")
    }
  }

  @Test("a copy continues by itself, and leaves the original as it was", arguments: RandomStream.groups(40))
  func copies(group: Int) {
    for seed in group * Self.streams..<(group + 1) * Self.streams {
      let stream = RandomStream(seed: 40_000 + seed, events: 80)
      let plain = Self.play(stream)
      var random = SplitMix64(seed)
      var broken: String?
      let copied = Self.play(stream) { room, at in
        var copy = room
        // One of the two receives stray events, the other continues.
        let stray = RandomStream(seed: seed + random.below(1000), events: 4)
        if random.oneIn(2) {
          for (_, event) in stray.events { copy.apply(event, at: at) }
          broken = broken ?? copy.broken
        } else {
          let original = room
          for (_, event) in stray.events { room.apply(event, at: at) }
          broken = broken ?? room.broken
          room = original
        }
      }
      #expect(broken == nil, "seed \(40_000 + seed)")
      if !Self.compare(40_000 + seed, plain.sink.said, copied.sink.said) { return }
    }
  }

  @Test("shifted by d, an engine says d later what it would have said", arguments: RandomStream.groups(40))
  func shifted(group: Int) {
    for seed in group * Self.streams..<(group + 1) * Self.streams {
      let stream = RandomStream(seed: 50_000 + seed)
      let plain = Self.play(stream)
      let half = stream.events.count / 2
      let d = SplitMix64(seed).state % 2 == 0 ? Int64(77_777) : 1
      var moved = stream
      for i in half..<moved.events.count { moved.events[i].at += d }
      moved.events.insert((stream.events[half].at, .shift(d)), at: half)
      let shifted = Self.play(moved)
      // Up to the shift nothing changes; after it all is later, except for the epoch of an engine created before it.
      var before = Room(stream.settings)
      for (at, event) in stream.events[..<half] { before.apply(event, at: at) }
      let count = before.sink.said.count
      let oldEpoch = before.engine?.epoch
      let expected = plain.sink.said.enumerated().map { n, said in
        var said = said
        if n < count { return said }
        said.at += d
        if said.epoch != oldEpoch { said.epoch += d }
        return said
      }
      if !Self.compare(50_000 + seed, expected, shifted.sink.said) { return }
    }
  }

  @Test("a new epoch begins with an empty screen, and remembers ids, running totals and the room's own settings")
  func beginAnew() {
    var room = Room(Settings())
    var own = OwnSettings()
    own.add(.integer(.slots, 1))
    room.apply(.settings(own), at: 0)
    room.apply(.gift(OwnedGift(id: "e1", key: Key(), amount: .total(5, streak: ""))), at: 0)
    room.apply(.gift(OwnedGift(id: "e2", key: Key(sender: "bob"))), at: 0)
    room.engine!.beginAnew(at: 100, to: &room.sink)
    #expect(room.engine!.brokenInvariant() == nil)
    #expect(room.engine!.epoch == 100)
    #expect(room.engine!.isIdle)
    #expect(room.engine!.own == own)
    #expect(room.sink.said.last!.text == "screen empty")
    #expect(room.sink.said.last!.seq == 1)
    let said = room.sink.said.count
    room.apply(.gift(OwnedGift(id: "e1", key: Key())), at: 100)
    #expect(room.sink.said.count == said)
    room.apply(.gift(OwnedGift(id: "e3", key: Key(), amount: .total(7, streak: ""))), at: 100)
    #expect(room.sink.said.last!.text == "show 1 ann rose 2")
  }
}
