import ComboCore
import ComboGenerate
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboTestSupport

/// Made-up records of each platform with faults, mapped and replayed: the counts must be true where the data determine them.
@Suite("Platforms with faults")
struct PlatformSimulationTests {
  /// Returns the counts after `sends` gifts, the true counts, and the reports of bad lines.
  private func run(
    _ name: String, by map: String, _ faults: PlatformFaults, seed: Int, senders: Int = 50, sends: Int = 3000
  ) throws -> (counts: [String: Int], truth: [String: Int], reports: [String]) {
    var mix = GiftMix()
    mix.rooms = 5
    mix.senders = senders
    mix.seed = seed
    let shape = try #require(PlatformShape.all.first { $0.name == name })
    var generator = PlatformGenerator(
      shape, mix, faults, start: 1_732_104_000_000, rate: 50, sends: sends, keepsTruth: true)
    var records = ""
    while let record = generator.next() { records += record.text + "\n" }
    var truth: [String: Int] = [:]
    for line in generator.takeTruth().split(separator: "\n") {
      let streak = try #require(Data(line.utf8).withUnsafeBytes { JSONValue($0) })
      // Streamlabs names no room: a replay has one for all such records.
      let room = name == "streamlabs" ? "replay" : streak["room"]?.string ?? ""
      let who = "\(room)|\(streak["sender"]?.string ?? "")|\(streak["gift"]?.string ?? "")"
      truth[who, default: 0] += try #require(streak["count"]?.integer)
    }
    let replayed = try PlatformReplay.counts(Data(records.utf8), by: PlatformReplay.map(map))
    return (replayed.counts, truth, replayed.reports)
  }

  /// All platforms but those whose data do not determine the counts, which have their own tests.
  private static let sure = PlatformShape.all.map(\.name).filter { $0 != "douyu" && $0 != "soop" } + ["twitch:bomb=children"]

  @Test("come to the truth: with records twice, disordered, late, and without their ends", arguments: sure, [1, 2, 3])
  func truth(map: String, seed: Int) throws {
    let result = try run(String(map.prefix { $0 != ":" }), by: map, .allKinds, seed: seed)
    #expect(result.reports == [])
    #expect(result.counts == result.truth, "seed \(seed)")
    #expect(result.truth.count > 100)
  }

  @Test(
    "of Douyu and SOOP, which name neither records nor combos, come to the truth if nothing comes twice, else to too many",
    arguments: ["douyu", "soop"])
  func nameless(map: String) throws {
    var single = PlatformFaults.allKinds
    single.duplicates = 0
    let clean = try run(map, by: map, single, seed: 1)
    #expect(clean.reports == [])
    #expect(clean.counts == clean.truth)
    let twice = try run(map, by: map, .allKinds, seed: 1)
    #expect(total(twice.counts) > total(twice.truth))
  }

  @Test("of Douyu by the running number come to the truth only where they keep their order")
  func douyu() throws {
    let ordered = try run("douyu", by: "douyu:hits=gifts", PlatformFaults(), seed: 1, senders: 10_000)
    #expect(ordered.counts == ordered.truth)
    var late = PlatformFaults()
    late.lateTotals = 0.1
    let disordered = try run("douyu", by: "douyu:hits=gifts", late, seed: 1, senders: 10_000)
    #expect(total(disordered.counts) > total(disordered.truth))
  }

  private func total(_ counts: [String: Int]) -> Int { counts.values.reduce(0, +) }
}
