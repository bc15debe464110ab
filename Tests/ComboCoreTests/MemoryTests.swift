import Testing

@testable import ComboCore

@Suite("The memory of an engine")
struct MemoryTests {
  @Test("ids are found, forgotten and limited as in a plain list, of any length and number", arguments: 0..<30)
  func ids(seed: Int) {
    var random = SplitMix64(seed)
    var ids = GiftIDs()
    var list: [(id: String, expiry: Int64)] = []
    defer { ids.free() }
    var now: Int64 = 0
    let names = random.pick([3, 30, 3000])
    let limit = random.pick([1, 5, 200, 100_000])
    var span = Int64(random.pick([10, 1000, 100_000]))
    for _ in 0..<3000 {
      now += Int64(random.below(4))
      if random.oneIn(500) { span = Int64(random.pick([0, 10, 1000, 100_000])) }
      if random.oneIn(700) {
        ids.shift(by: 50)
        list = list.map { ($0.id, $0.expiry + 50) }
        now += 50
      }
      // A pause that is longer than expiries can be distinguished.
      if random.oneIn(900) {
        now += 1 << 33
      }
      if random.oneIn(900) {
        let copy = ids.copy()
        ids.free()
        ids = copy
      }
      let n = random.below(names)
      // Some ids are nearly too long for a record, or too long.
      let id = String(repeating: "x", count: n % 29 == 0 ? 440 + n % 200 : n % 19) + "\(n)"
      list.removeAll { $0.expiry < now }
      [id].borrowed {
        let hash = GiftIDs.hash($0[0], 7)
        let isKnown = ids.contains($0[0], hash: hash, at: now)
        #expect(isKnown == list.contains { $0.id == id }, "seed \(seed)")
        if isKnown { return }
        ids.add($0[0], hash: hash, expiry: now + span, limit: limit, at: now)
        list.append((id, now + span))
        while list.count > limit { list.removeFirst() }
      }
    }
    #expect(ids.brokenInvariant() == nil, "seed \(seed)")
    var held: [String] = []
    ids.forEach(validAt: now) { id, _ in held.append(String(decoding: id, as: UTF8.self)) }
    #expect((held == list.filter { $0.expiry >= now }.map(\.id)) as Bool, "seed \(seed)")
  }

  @Test("ids are found however much memory went by since their table was made")
  func longIDs() {
    var ids = GiftIDs()
    defer { ids.free() }
    func contains(_ n: Int) -> Bool {
      [Self.longID(n)].borrowed { ids.contains($0[0], hash: GiftIDs.hash($0[0], 7), at: 0) }
    }
    for n in 0..<20_000 {
      // The table is created while the ids are short; then long ones follow.
      [Self.longID(n)].borrowed { ids.add($0[0], hash: GiftIDs.hash($0[0], 7), expiry: 1, limit: 2000, at: 0) }
      if n % 97 == 0 { #expect(contains(n) && contains(max(0, n - 1999)) && (n < 2000 || !contains(n - 2000)), "id \(n)") }
    }
    #expect(ids.brokenInvariant() == nil)
  }

  @Test("the order of their expiries does not grow with the ids that a limit has removed")
  func limitedOrder() {
    var ids = GiftIDs()
    defer { ids.free() }
    for n in 0..<20_000 {
      ["\(n)"].borrowed {
        let hash = GiftIDs.hash($0[0], 7)
        ids.add($0[0], hash: hash, expiry: Int64(n) + 86_400_000, limit: 2000, at: Int64(n))
        if n == 1 { ids.refresh($0[0], hash: hash, expiry: 86_400_002, limit: 2000, at: 1) }
      }
    }
    #expect(ids.brokenInvariant() == nil && ids.count <= 2000)
  }

  private static func longID(_ n: Int) -> String { String(repeating: "x", count: n / 4000 % 2 == 0 ? 0 : 490) + "\(n)" }

  @Test("a table finds what is in it, through growth and removal", arguments: 0..<20)
  func table(seed: Int) {
    var random = SplitMix64(seed)
    var table = ProbeTable(for: 4)
    defer { table.free() }
    // Few hashes, so that many collide.
    var held: [UInt32: UInt32] = [:]
    // The keys, as the order of a dictionary differs with each run.
    var numbers: [UInt32] = []
    for n in 0..<2000 as Range<UInt32> {
      let hash = UInt32(truncatingIfNeeded: random.next()) & random.pick([0x3f, 0xffff_ffff])
      table.insert(hash, n)
      held[n] = hash
      numbers.append(n)
      if random.oneIn(2) {
        numbers.swapAt(random.below(numbers.count), numbers.count - 1)
        let number = numbers.removeLast()
        let hash = held.removeValue(forKey: number)!
        table.remove(hash, number)
        #expect(table.find(hash) { $0 == number } == nil, "seed \(seed)")
      }
      if n % 100 == 0 {
        for (number, hash) in held { #expect(table.find(hash) { $0 == number } == number, "seed \(seed)") }
      }
    }
    #expect(Int(table.used) == held.count, "seed \(seed)")
  }

  @Test("a table of tags finds what is in it, and visits nothing else, until it is reset", arguments: 0..<20)
  func tags(seed: Int) {
    var random = SplitMix64(seed)
    var table = TagTable()
    defer { table.free() }
    for round in 0..<6 as Range<UInt32> {
      table.reset(capacity: random.pick([16, 16, 64, 1024]))
      #expect(table.isInUse && table.used == 0)
      // Few groups and few tags, the lowest ones among them, whose bits differ least from those of an empty place.
      let mask = random.pick([0x0300_0e00, 0x0700_0200, 0xffff_ffff] as [UInt32])
      var held: [UInt32: UInt32] = [:]
      while !table.isFull {
        let hash = UInt32(truncatingIfNeeded: random.next()) & mask
        let wanted = UInt32(held.count) | round << 16
        table.insert(hash, wanted)
        held[wanted] = hash
        for other in [hash, UInt32(truncatingIfNeeded: random.next()) & mask] {
          var seen: Set<UInt32> = []
          #expect(
            table.find(other) {
              seen.insert($0)
              return false
            } == nil)
          let tag = max(1, other >> 24)
          #expect(seen.allSatisfy { held[$0].map { max(1, $0 >> 24) } == tag }, "seed \(seed): another's, or none's")
          #expect(seen.isSuperset(of: held.filter { $0.value == other }.keys), "seed \(seed)")
        }
      }
      #expect(Int(table.used) == held.count && held.count * 4 >= Int(table.capacity) * 3)
      for (place, hash) in held { #expect(table.find(hash) { $0 == place } == place, "seed \(seed)") }
    }
  }

  @Test("the screen holds as many as there are slots, in their order")
  func screen() {
    var screen = Screen()
    defer { screen.free() }
    for i in 0..<60 as Range<Int32> { screen.append(i) }
    for i in 60..<100 as Range<Int32> { screen.insertFirst(i) }
    var expected = (60..<100).reversed() + Array(0..<60 as Range<Int32>)
    func held(_ screen: Screen) -> [Int32] { (0..<screen.count).map { screen[$0] } }
    #expect(held(screen) == expected)
    var copy = screen.copy()
    defer { copy.free() }
    for gone in [0, 99, 60, 31, 98] as [Int32] + Array(1..<31) + Array(32..<59) {
      screen.remove(gone)
      expected.removeAll { $0 == gone }
      #expect(held(screen) == expected)
    }
    #expect(held(copy).count == 100 && held(copy).last == 59)
    for gone in expected { screen.remove(gone) }
    #expect(screen.count == 0)
  }

  @Test("an engine's state fits into six lines of the cache, with the head of its object")
  func size() {
    // jemalloc and glibc allocate exactly this size. With one more field, a million rooms take 64 MB more.
    #expect(MemoryLayout<EngineCore>.size + 16 <= 384)
  }

  @Test("combos and banners are two lines of the cache each, and what is used most lies together")
  func layout() {
    #expect(MemoryLayout<Combo>.stride == 128 && MemoryLayout<Banner>.stride == 128)
    #expect(MemoryLayout<Combo>.offset(of: \.shortKey) == Combo.shortKeyOffset)
    #expect(MemoryLayout<Banner>.offset(of: \.number) == 64)
  }

  @Test("a banner keeps the display data that it was given last, of any length, whatever those of others are", arguments: 0..<20)
  func displays(seed: Int) {
    var random = SplitMix64(seed)
    var banners = Banners()
    defer { banners.free() }
    var held: [Int32: [String]] = [:]
    for n in 0..<1000 {
      let lengths = [0, 1, random.below(70), random.below(513), 512, 513, random.below(2000)]
      let parts = (0..<3).map { _ in String(repeating: "\(n % 10)", count: random.oneIn(3) ? random.pick(lengths) : 20) }
      parts.borrowed {
        let display = Display(sender: $0[0], receiver: $0[1], gift: $0[2])
        var banner = Banner()
        banner.number = n
        banner.combo = 0
        if random.oneIn(2) || held.isEmpty {
          held[banners.add(banner, display)] = parts
        } else {
          let index = held.keys.sorted()[random.below(held.count)]
          if random.oneIn(3) {
            banners.remove(index)
            held[index] = nil
          } else {
            banners.setDisplay(index, display, isLent: false)
            held[index] = parts
          }
        }
      }
      if random.oneIn(100) {
        let copy = banners.copy()
        banners.free()
        banners = copy
      }
      if n % 50 == 0 {
        for (index, parts) in held {
          let display = banners.display(index)
          let found = [display.sender, display.receiver, display.gift].map { String(decoding: $0, as: UTF8.self) }
          #expect(found == parts, "seed \(seed)")
        }
      }
    }
    #expect(Int(banners.count) == held.count, "seed \(seed)")
  }

  @Test("keys are distinguished by each byte and by where one part ends")
  func keys() {
    var combos = Combos()
    var store = ByteStore()
    defer {
      combos.free()
      store.free()
    }
    var keys: [[String]] = [
      ["a", "", "b", ""], ["ab", "", "", ""], ["", "ab", "", ""], ["a", "b", "", ""], ["a", "", "", "b"], ["", "", "", "ab"],
    ]
    for length in [1, 3, 4, 7, 8, 9, 15, 16, 17, 64, 65, 256] {
      for place in 0..<length {
        let id = (0..<length).map { $0 == place ? "y" : "x" }.joined()
        keys += [[id, "r", "g", ""], ["s", id, "g", "c"], ["s", "r", id, ""], ["s", "r", "g", id]]
      }
    }
    keys = Array(Set(keys))
    for (n, key) in keys.enumerated() {
      key.borrowed {
        let key = ComboKey($0)
        let hash = Combos.hash(key, 7)
        #expect(combos.find(key, hash: hash, in: store) < 0)
        #expect(combos.add(key, hash: hash, in: &store) == Int32(n))
      }
    }
    for (n, key) in keys.enumerated() {
      key.borrowed { #expect(combos.find(ComboKey($0), hash: Combos.hash(ComboKey($0), 7), in: store) == Int32(n)) }
      #expect(Key(combos.key(Int32(n), in: store)).parts == key)
    }
    for n in keys.indices { combos.release(Int32(n), in: &store) }
    #expect(combos.count == 0 && store.live == 0)
  }

  @Test("a room at rest holds no memory for banners, and a copy shares none with its original")
  func rest() {
    var settings = Settings()
    settings.maxQueue = 1000
    var room = Room(settings)
    for n in 0..<300 { room.apply(.gift(OwnedGift(id: "e\(n)", key: Key(sender: "u\(n)"))), at: Int64(n)) }
    let copy = room
    room.apply(.closed, at: 400)
    room.apply(.advance, at: 10_000)
    #expect(room.engine!.isIdle)
    #expect(room.engine!.core.banners.count == 0 && room.engine!.core.store.live == 0)
    #expect(room.engine!.memoryDepths.ids == 0)
    #expect(copy.engine!.queueDepth > 200 && copy.engine!.memoryDepths.ids == 300)
    #expect(copy.engine!.brokenInvariant() == nil)
  }

  @Test("gifts that are not shown yet are counted: in the queue, and by which a count on screen still rises")
  func waitingGifts() {
    var settings = Settings()
    settings.slots = 1
    var room = Room(settings)
    room.apply(.gift(OwnedGift(id: "a", key: Key(sender: "u"), amount: .count(3))), at: 0)
    #expect(room.engine!.waitingGifts == 0)
    room.apply(.gift(OwnedGift(id: "b", key: Key(sender: "u"), amount: .count(2))), at: 1)
    room.apply(.gift(OwnedGift(id: "c", key: Key(sender: "v"), amount: .count(7))), at: 2)
    #expect(room.engine!.waitingGifts == 9)
    room.apply(.advance, at: 100_000)
    #expect(room.engine!.waitingGifts == 0)
  }
}
