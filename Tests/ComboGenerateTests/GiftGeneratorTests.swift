import ComboCore
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboGenerate

@Suite("Made-up gifts")
struct GiftGeneratorTests {
  /// Returns the events of a mix, as lines.
  private func lines(_ mix: GiftMix, _ count: Int) -> (
    lines: [Data], kinds: [GiftGenerator.Kind], rooms: [String], tally: GiftGenerator.Counts
  ) {
    let generator = GiftGenerator(mix, prefix: "t-")
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: GiftGenerator.longest)
    defer { memory.deallocate() }
    var lines: [Data] = []
    var kinds: [GiftGenerator.Kind] = []
    var rooms: [String] = []
    for number in 0..<count {
      let made = generator.make(at: 1_732_104_000_000 + Int64(number), to: memory)
      lines.append(Data(bytes: memory, count: made.size))
      kinds.append(made.kind)
      rooms.append(String(decoding: generator.room, as: UTF8.self))
    }
    return (lines, kinds, rooms, generator.tally)
  }

  private var busy: GiftMix {
    var mix = GiftMix()
    mix.rooms = 50
    mix.totals = 0.3
    mix.repeats = 0.1
    mix.retracts = 0.05
    mix.closes = 0.02
    mix.bad = 0.04
    return mix
  }

  @Test("are the same for the same seed, and others for another")
  func determinism() {
    let one = lines(busy, 5000).lines
    #expect(one == lines(busy, 5000).lines)
    var other = busy
    other.seed = 2
    #expect(one != lines(other, 5000).lines)
  }

  @Test("are good events but for those that shall be bad, and those have every code that a line can have")
  func validity() {
    let made = lines(busy, 20_000)
    let decoder = EventDecoder(limits: .replay)
    let arena = BumpArena()
    var event = Event()
    var codes: Set<BadEvent.Code> = []
    for (index, line) in made.lines.enumerated() {
      arena.reset()
      let fault = line.withUnsafeBytes { bytes -> BadEvent? in
        do throws(BadEvent) {
          try decoder.decode(bytes, key: nil, into: arena, &event)
          return nil
        } catch { return error }
      }
      #expect((fault != nil) == (made.kinds[index] == .bad), "\(String(decoding: line, as: UTF8.self))")
      if let fault {
        codes.insert(fault.code)
      } else {
        #expect(String(decoding: event.room, as: UTF8.self) == made.rooms[index])
      }
    }
    #expect(codes == Set(BadEvent.Code.allCases).subtracting([.wrongKey]))
  }

  @Test("have the requested shares")
  func shares() {
    let count = 100_000
    let tally = lines(busy, count).tally
    #expect(tally.events == count)
    #expect(abs(Double(tally.repeats) / Double(count) - 0.1) < 0.01)
    #expect(abs(Double(tally.retracts) / Double(count) - 0.05) < 0.005)
    #expect(abs(Double(tally.closes) / Double(count) - 0.02) < 0.003)
    #expect(abs(Double(tally.bad) / Double(count) - 0.04) < 0.005)
    #expect(abs(Double(tally.totals) / Double(tally.giftRecords) - 0.3) < 0.03)
    #expect(tally.giftRecords + tally.repeats + tally.retracts + tally.closes + tally.bad == count)
  }

  @Test("that are sent again are an earlier event, byte for byte")
  func repeats() {
    let made = lines(busy, 5000)
    var seen: Set<Data> = []
    var count = 0
    for (line, kind) in zip(made.lines, made.kinds) {
      #expect(seen.contains(line) == (kind == .again))
      if kind == .again { count += 1 }
      seen.insert(line)
    }
    #expect(count > 300)
  }

  @Test("as running totals rise within their streak")
  func totals() throws {
    var mix = busy
    mix.totals = 1
    mix.repeats = 0
    mix.bad = 0
    var last: [String: Int] = [:]
    for (line, kind) in zip(lines(mix, 5000).lines, lines(mix, 5000).kinds) where kind == .total {
      let event = try #require(line.withUnsafeBytes { JSONValue($0) })
      let streak = try #require(event["streak"]?.string)
      let total = try #require(event["total"]?.integer)
      #expect(total > last[streak] ?? 0)
      last[streak] = total
    }
    #expect(last.count > 100)
  }

  @Test("have combos, ends of streaks, and lifetimes by their shares")
  func combosAndEnds() throws {
    var mix = busy
    (mix.totals, mix.ends, mix.combos, mix.streakMs, mix.repeats, mix.bad) = (1, 1, 1, 9000, 0, 0)
    let events = lines(mix, 3000).lines.compactMap { $0.withUnsafeBytes { JSONValue($0) } }.filter { $0["total"] != nil }
    #expect(events.count > 2000)
    #expect(events.allSatisfy { $0["streak"] == nil && $0["combo"] != nil && $0["streak_ms"]?.integer == 9000 })
    #expect((200...2900).contains(events.filter { $0["ends"] != nil }.count), "a run's last gift alone ends it")
    (mix.ends, mix.combos, mix.streakMs) = (0, 0, 0)
    let plain = lines(mix, 3000).lines.compactMap { $0.withUnsafeBytes { JSONValue($0) } }
    #expect(plain.allSatisfy { $0["ends"] == nil && $0["combo"] == nil && $0["streak_ms"] == nil })
    #expect(plain.allSatisfy { $0["linger_ms"] == nil && $0["refresh"] == nil })
    (mix.lingers, mix.refreshes) = (0.5, 0.25)
    let third = lines(mix, 3000).lines.compactMap { $0.withUnsafeBytes { JSONValue($0) } }.filter { $0["gift"] != nil }
    let lingers = third.compactMap { $0["linger_ms"]?.integer }
    #expect(abs(Double(lingers.count) / Double(third.count) - 0.5) < 0.05)
    #expect(Set(lingers).isSubset(of: Set((1...10).map { $0 * 1000 })))
    #expect(abs(Double(third.count { $0["refresh"] != nil }) / Double(third.count) - 0.25) < 0.05)
  }

  @Test("fall to rooms by Zipf's law", arguments: [0.0, 1.0, 1.5])
  func skew(exponent: Double) {
    let rooms = 100, draws = 200_000
    let table = ZipfTable(count: rooms, exponent: exponent)
    var random = SplitMix64(seed: 7)
    var counts = Array(repeating: 0, count: rooms)
    for _ in 0..<draws { counts[table.draw(random.next())] += 1 }
    let sum = (1...rooms).reduce(0.0) { $0 + pow(Double($1), -exponent) }
    for rank in [0, 1, 9, 99] {
      let expected = Double(draws) * pow(Double(rank + 1), -exponent) / sum
      // Five standard deviations.
      #expect(abs(Double(counts[rank]) - expected) < 5 * expected.squareRoot() + 1, "rank \(rank)")
    }
  }

  @Test("are about 300 bytes long and have the display data of platforms")
  func looks() throws {
    let tally = lines(GiftMix(), 10_000).tally
    #expect((280...330).contains(tally.bytes / tally.events))
    let first = try #require(lines(GiftMix(), 1).lines.first)
    #expect(
      String(decoding: first, as: UTF8.self) == """
        {"id":"t-0","room":"r0","ts":1732104000000,"sender":{"id":"u0-47","name":"夜航船40",\
        "avatar":"https://img.example.net/face/0ef9bbadff141a31/120.webp","level":14},"receiver":{"id":"a0","name":"小鹿唱歌"},\
        "gift":{"id":"lantern","name":"灯笼","value":30,"icon":"🏮"},"count":8}
        """)
  }
}
