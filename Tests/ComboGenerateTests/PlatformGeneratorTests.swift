import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboGenerate
@testable import ComboTestSupport

@Suite("Made-up records of platforms")
struct PlatformGeneratorTests {
  private func made(_ name: String, _ faults: PlatformFaults, sends: Int = 2000, seed: Int = 1) throws -> (
    records: [PlatformGenerator.Record], truth: [JSONValue], sends: Int
  ) {
    var mix = GiftMix()
    mix.rooms = 20
    mix.seed = seed
    let shape = try #require(PlatformShape.all.first { $0.name == name })
    var generator = PlatformGenerator(
      shape, mix, faults, start: 1_732_104_000_000, rate: 500, sends: sends, keepsTruth: true)
    var records: [PlatformGenerator.Record] = []
    while let record = generator.next() { records.append(record) }
    #expect(generator.isDone)
    let truth = generator.takeTruth().split(separator: "\n").compactMap { line in
      Data(line.utf8).withUnsafeBytes { JSONValue($0) }
    }
    return (records, truth, generator.sends)
  }

  @Test("are the same for the same seed, and others for another", arguments: PlatformShape.all.map(\.name))
  func determinism(name: String) throws {
    let one = try made(name, .allKinds).records.map(\.text)
    #expect(try one == made(name, .allKinds).records.map(\.text))
    #expect(try one != made(name, .allKinds, seed: 2).records.map(\.text))
  }

  @Test(
    "arrive in the order of their times, are what was asked for, and but for Douyu's are JSON",
    arguments: PlatformShape.all.map(\.name))
  func order(name: String) throws {
    let all = try made(name, .allKinds)
    #expect(all.sends == 2000)
    #expect(zip(all.records, all.records.dropFirst()).allSatisfy { $0.at <= $1.at })
    for record in all.records {
      #expect(!record.text.contains("\n"))
      if name == "douyu" { continue }
      let json = Data(record.text.utf8).withUnsafeBytes { JSONValue($0) }
      #expect(json != nil, "\(record.text)")
    }
    #expect(all.truth.count > 100)
    #expect(all.truth.allSatisfy { ($0["count"]?.integer ?? 0) > 0 })
  }

  @Test("are repeated, late and without their end as often as requested")
  func faults() throws {
    let clean = try made("tiktok", PlatformFaults(), sends: 20_000)
    let isEnd = { (record: PlatformGenerator.Record) in record.text.contains("\"repeatEnd\":1") }
    let ends = clean.records.count(where: isEnd)
    #expect(Set(clean.records.map(\.text)).count == clean.records.count)

    var lost = PlatformFaults()
    lost.lostEnds = 0.3
    let endless = try made("tiktok", lost, sends: 20_000).records.count(where: isEnd)
    #expect(abs(Double(endless) / Double(ends) - 0.7) < 0.06)

    var twice = PlatformFaults()
    twice.duplicates = 0.05
    let doubled = try made("tiktok", twice, sends: 20_000).records.map(\.text)
    #expect(abs(Double(doubled.count - Set(doubled).count) / Double(doubled.count) - 0.05) < 0.01)

    // On this platform, a duplicate has another id.
    let renumbered = try made("douyin", twice, sends: 20_000).records.map(\.text)
    #expect(Set(renumbered).count == renumbered.count)
  }

  @Test("of a streak add up to the truth")
  func truth() throws {
    let all = try made("tiktok", PlatformFaults())
    #expect(all.truth.reduce(0) { $0 + ($1["count"]?.integer ?? 0) } == all.sends)
    // Bilibili reports each tap separately.
    let each = try made("bilibili", PlatformFaults())
    var reported = 0
    for record in each.records {
      let json = try #require(Data(record.text.utf8).withUnsafeBytes { JSONValue($0) })
      if json["cmd"]?.string == "SEND_GIFT" { reported += json["data"]?["num"]?.integer ?? 0 }
    }
    #expect(reported == each.truth.reduce(0) { $0 + ($1["count"]?.integer ?? 0) })
  }

  @Test("wait until they are due")
  func due() throws {
    let shape = try #require(PlatformShape.all.first)
    var generator = PlatformGenerator(shape, GiftMix(), PlatformFaults(), start: 1000, rate: 100, sends: 1000)
    var now: Int64 = 1000
    var count = 0
    while !generator.isDone {
      while let record = generator.next(upTo: now) {
        #expect(record.at <= now && record.at > now - 10)
        count += 1
      }
      now += 10
    }
    #expect(count > 1000)
  }

  @Test("have times as ISO 8601 that can be read back", arguments: [0, 1_732_104_000_123, 1_709_164_799_999, 951_782_400_000])
  func time(milliseconds: Int64) {
    #expect(Timestamp.milliseconds(Timestamp.text(milliseconds)) == milliseconds)
  }
}
