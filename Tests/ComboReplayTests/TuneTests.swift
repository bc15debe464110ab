import ComboCore
import ComboGenerate
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboReplay
@testable import ComboTestSupport

@Suite("Tuning")
struct TuneTests {
  /// Settings with which gifts wait, are skipped, join and are merged.
  static let combinations: [Settings] = [(2, 3000, 1000), (1, 1500, 3), (0, 3000, 5), (3, 200, 1)].map { slots, linger, queue in
    var settings = Settings()
    (settings.slots, settings.lingerMs, settings.maxQueue) = (slots, linger, queue)
    return settings
  }

  static func tune(
    _ input: Data, _ combinations: [Settings] = combinations, maxRestedRooms: Int = 65_536, threads: Int = 2,
    chunkBytes: Int = 1 << 19, sweepLines: Int = ReplayPipeline.sweepLines, reports: @escaping ([String]) -> Void = { _ in }
  ) -> TuneResult {
    TuneReplay(
      .lines(TestReplay.source(input)), combinations, maxRestedRooms: maxRestedRooms, threads: threads, chunkBytes: chunkBytes,
      sweepLines: sweepLines, report: reports
    ).run()
  }

  /// The figures of `tune`, counted from `explain`.
  struct Measured: Equatable {
    var gifts = 0, repeated = 0, skipped = 0
    var waits: [Int64] = []

    init(_ input: Data, _ settings: Settings, room: String? = nil) throws {
      for line in TestReplay.explain(input, settings: settings).split(separator: 0x0a) {
        let value = try #require(line.withUnsafeBytes { JSONValue($0) })
        if let room, value["room"]?.string != room { continue }
        let became = try #require(value["became"]?.string)
        if became == "duplicate" || became == "stale" {
          repeated += 1
          continue
        }
        gifts += 1
        if let wait = value["wait_ms"]?.integer { waits.append(Int64(wait)) }
        if value["skipped"] != nil { skipped += 1 }
      }
      waits.sort()
    }

    func quantile(_ share: Double) -> Int64? {
      waits.isEmpty ? nil : waits[max(1, Int((share * Double(waits.count)).rounded(.up))) - 1]
    }
  }

  @Test("waits and skips are those that explain reports, gift by gift", arguments: [3, 30])
  func agreesWithExplain(rooms: Int) throws {
    let input = ReplayTests.madeUp(6000, rooms: rooms)
    let result = Self.tune(input)
    #expect(result.combinations.count == Self.combinations.count)
    for (settings, combination) in zip(Self.combinations, result.combinations) {
      let total = combination.total
      let measured = try Measured(input, settings)
      #expect(total.gifts == measured.gifts && total.repeated == measured.repeated && total.skipped == measured.skipped)
      #expect(
        total.seen == measured.waits.count && total.waits.sum == measured.waits.reduce(0, +)
          && total.waits.max == measured.waits.last ?? 0)
      #expect(total.within1 == measured.waits.count { $0 <= 1000 } && total.within3 == measured.waits.count { $0 <= 3000 })
      #expect(total.within10 == measured.waits.count { $0 <= 10_000 })
      for share in [0.5, 0.9, 0.99] {
        let (got, exact) = (total.waits.quantile(share), measured.quantile(share))
        #expect(
          got == exact || abs(Double(got ?? 0) - Double(exact ?? 0)) <= Double(exact ?? 0) / 1000, "p\(share): \(exact ?? -1)")
      }
      let busiest = try #require(combination.busiest.first)
      let one = try Measured(input, settings, room: busiest.name)
      #expect(busiest.measure.gifts == one.gifts && busiest.measure.waits.sum == one.waits.reduce(0, +))
    }
    #expect(result.combinations.contains { $0.total.skipped > 0 } && result.combinations.contains { $0.total.waits.max > 5000 })
  }

  @Test("instructions, stays and the share of taken slots are those of the instructions that a replay writes")
  func agreesWithReplay() throws {
    let input = ReplayTests.madeUp(4000, rooms: 5)
    let result = Self.tune(input)
    for (settings, combination) in zip(Self.combinations, result.combinations) {
      var (instructions, updates, stays) = (0, 0, [Int64]())
      var shown: [String: Int64] = [:]
      var stayOf: [String: Int64] = [:]
      for line in TestReplay.replay(input, settings: settings).output.split(separator: 0x0a) {
        let value = try #require(line.withUnsafeBytes { JSONValue($0) })
        instructions += 1
        let (op, at) = (try #require(value["op"]?.string), Int64(try #require(value["at"]?.integer)))
        let key = "\(value["room"]!.string!) \(value["epoch"]!.integer!) \(value["banner"]?.integer ?? 0)"
        if op == "update" { updates += 1 }
        if op == "show" { shown[key] = at }
        if op == "dismiss" {
          let since = shown.removeValue(forKey: key)
          stays.append(at - (try #require(since)))
          stayOf[key] = stays.last
        }
      }
      var readableMs = 0
      for line in TestReplay.explain(input, settings: settings).split(separator: 0x0a) {
        let value = try #require(line.withUnsafeBytes { JSONValue($0) })
        guard let wait = value["wait_ms"]?.integer, wait <= 10_000 else { continue }
        let banner = value["seen_in"]?.integer ?? value["banner"]?.integer ?? 0
        let stay = stayOf["\(value["room"]!.string!) \(value["epoch"]!.integer!) \(banner)"]
        readableMs += Int(min(try #require(stay), 2000))
      }
      let total = combination.total
      #expect(total.instructions == instructions && total.updates == updates)
      #expect(total.readableMs == readableMs)
      #expect(total.stays.count == stays.count && total.stays.sum == stays.reduce(0, +))
      #expect(total.takenMs == stays.reduce(0, +))
      #expect(total.takenMs <= total.slotMs && (settings.slots > 0) == (total.fill != nil))
    }
  }

  @Test("the result does not depend on threads or pieces", arguments: [(1, 1 << 19), (3, 2000), (8, 70_000)])
  func threads(count: Int, chunkBytes: Int) {
    let input = ReplayTests.madeUp(3000)
    let (one, other) = (Self.tune(input), Self.tune(input, threads: count, chunkBytes: chunkBytes))
    #expect(one.combinations == other.combinations)
    #expect(one.lines == other.lines && one.badLines == other.badLines && one.rooms == other.rooms && one.rooms == 30)
    #expect(one.first == other.first && one.last == other.last && one.first != nil)
  }

  @Test("rooms that are forgotten while they rest count as if they had been kept")
  func forgotten() {
    // Each room is active for a while, then others; at the end the first ones once more.
    var lines = [#"{"type":"room_settings","room":"r0","ts":0,"settings":{"slots":9}}"#]
    for round in 0..<40 {
      for gift in 0..<20 {
        lines.append(ReplayTests.gift("r\(round % 35)", Int64(round) * 400_000 + Int64(gift) * 700, sender: "u\(gift % 7)"))
      }
      // Some are closed long after they have rested.
      let closed = Int64(round) * 400_000 + (round % 2 == 0 ? 14_000 : 390_000)
      lines.append(#"{"type":"room_closed","room":"r\#(round % 35)","ts":\#(closed)}"#)
    }
    let input = Data(lines.joined(separator: "\n").utf8)
    let kept = Self.tune(input, chunkBytes: 5000)
    let forgotten = Self.tune(input, maxRestedRooms: 0, chunkBytes: 5000, sweepLines: 10)
    #expect(kept.combinations.map(\.total) == forgotten.combinations.map(\.total))
    #expect(forgotten.combinations.map(\.total.gifts) == [800, 800, 800, 800] && forgotten.rooms == 35)
    #expect(kept.combinations.map(\.busiest) == forgotten.combinations.map(\.busiest))
    #expect(forgotten.combinations[0].busiest[0].measure.gifts == 40)
  }

  @Test("bad lines are counted, and the first of them reported")
  func badLines() {
    let input = Data((0..<100).map { $0 % 2 == 0 ? "{" : ReplayTests.gift("a", Int64($0)) }.joined(separator: "\n").utf8)
    var reports: [String] = []
    let result = Self.tune(input, chunkBytes: 500, reports: { reports += $0 })
    #expect(result.lines == 100 && result.badLines == 50 && result.giftEvents == 50)
    #expect(reports.count == 20 && reports[1].hasPrefix("line 3: not_json"))
  }

  @Test("records of a topic count as lines do; their own time and key stand in for what they lack")
  func topic() {
    let lines = ReplayTests.madeUp(3000).split(separator: 0x0a)
    let feed = RecordFeed(pieceBytes: 66_000)
    let thread = WorkThread {
      for line in lines { line.withUnsafeBytes { feed.add(key: nil, value: $0, time: 5) } }
      feed.end()
    }
    let result = TuneReplay(.records(feed), Self.combinations, maxRestedRooms: 65_536, threads: 2, report: { _ in }).run()
    thread.join()
    let same = Self.tune(ReplayTests.madeUp(3000))
    #expect(result.combinations == same.combinations && result.lines == 3000 && result.badLines == same.badLines)

    let bare = RecordFeed()
    let gift = #"{"sender":{"id":"u"},"gift":{"id":"g"}}"#
    for time: Int64? in [1000, nil, 2000] {
      Array("room".utf8).withUnsafeBytes { key in Array(gift.utf8).withUnsafeBytes { bare.add(key: key, value: $0, time: time) } }
    }
    [UInt8](repeating: 0x20, count: 70_000).withUnsafeBytes { bare.add(key: nil, value: $0, time: 1) }
    bare.end()
    var reports: [String] = []
    let found = TuneReplay(
      .records(bare), [Settings()], maxRestedRooms: 10, threads: 1, report: { reports += $0 }
    ).run()
    #expect(found.giftEvents == 3 && found.combinations[0].busiest.map(\.name) == ["room"])
    #expect(found.first == 1000 && found.last == 2000 && found.badLines == 1)
    #expect(reports.count == 1 && reports[0].hasPrefix("record 4: too_large") && reports[0].contains("70000"))

    let long = RecordFeed()
    Array((gift + String(repeating: " ", count: 60_000)).utf8).withUnsafeBytes { value in
      [UInt8](repeating: 0x61, count: 500_000).withUnsafeBytes { long.add(key: $0, value: value, time: 1) }
    }
    long.end()
    reports = []
    _ = TuneReplay(.records(long), [Settings()], maxRestedRooms: 10, threads: 1, report: { reports += $0 }).run()
    #expect(reports.count == 1 && !reports[0].contains("too_large") && reports[0].contains("256"), "\(reports)")

    let broken = RecordFeed()
    broken.end("the broker is away")
    let failed = TuneReplay(.records(broken), [Settings()], maxRestedRooms: 10, threads: 2, report: { _ in }).run()
    #expect(failed.failure == "the broker is away" && failed.combinations.isEmpty)
  }

  @Test("records without a key and a value fill a piece too")
  func emptyRecords() {
    let feed = RecordFeed()
    for _ in 0..<70_000 { feed.add(key: nil, value: UnsafeRawBufferPointer(start: nil, count: 0), time: nil) }
    feed.end()
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 19, alignment: 1)
    defer { memory.deallocate() }
    #expect([feed.next(into: memory)?.count, feed.next(into: memory)?.count] == [65_536, 4464])
  }

  @Test("no records have no results")
  func empty() {
    let result = Self.tune(Data())
    #expect(result.giftEvents == 0 && result.rooms == 0 && result.first == nil && result.combinations.count == 4)
    #expect(result.combinations[0].total.waits.quantile(0.5) == nil && result.combinations[0].total.fill == nil)
  }

  @Test("counts of durations are as exact as they promise", arguments: [5, 10])
  func spreads(bits: Int) {
    var random = UInt64(bits)
    var (counts, other) = (SpreadCounts(bits: bits), SpreadCounts(bits: bits))
    var values: [Int64] = []
    for index in 0..<20_000 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let value = Int64(random >> UInt64(20 + index % 44))
      values.append(value)
      if index % 3 == 0 { counts.add(value) } else { other.add(value) }
    }
    counts.add(other)
    values.sort()
    #expect(counts.count == values.count && counts.max == values.last)
    for share in [0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.9999, 1] {
      let exact = values[Int((share * Double(values.count)).rounded(.up)) - 1]
      let got = counts.quantile(share) ?? -1
      #expect(got <= exact && exact - got <= exact >> Int64(bits), "\(share): \(got), not \(exact)")
    }
  }
}
