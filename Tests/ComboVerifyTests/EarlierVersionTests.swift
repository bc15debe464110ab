import ComboCore
import ComboEdge
import ComboSystem
import Foundation
import Testing

@testable import ComboRooms
@testable import ComboSimulation
@testable import ComboTestSupport
@testable import ComboVerify
@testable import ComboWire

/// The topics that version 0.1.0 (c1b7272) wrote on a real broker: some hundred gifts of two partitions with totals, repeats,
/// retractions, closes, bad events and rooms with their own settings; two kills, several checkpoints, and entries after the last
/// one. The other file has what it left after a stop while five rooms were awake, with one slot each and gifts that wait.
private struct EarlierVersion {
  let broker: SimBroker
  let topics: TopicIdentity
  /// The last entry of each partition, whose number the group keeps with its offset.
  private(set) var lastEntry: [Int32: JournalEntry] = [:]

  private struct Line: Decodable {
    var group: String?, input: String?, output: String?
    var t: String?, p: Int32?, o: Int64?, ts: Int64?
    /// Key and value, as text or as base64.
    var k: String?, v: String?, kb: String?, vb: String?
    var h: [String: String]?
    var end: String?, committed: Int32?
  }

  init(_ file: String = "written-by-0.1.0") throws {
    let path =
      URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/").dropFirst()
      + "/Tests/Fixtures/\(file).jsonl"
    let lines = try String(contentsOfFile: String(path), encoding: .utf8).split(separator: "\n")
      .map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    broker = SimBroker(
      SimClock(SplitMix64(seed: 1)), SplitMix64(seed: 1), partitions: 2, outputPartitions: 2, isCooperative: false)
    topics = TopicIdentity(group: lines[0].group!, input: lines[0].input!, output: lines[0].output!)
    func bytes(_ text: String?, _ base64: String?) -> [UInt8]? {
      text.map { Array($0.utf8) } ?? base64.map { [UInt8](Data(base64Encoded: $0)!) }
    }
    for line in lines {
      if let name = line.t ?? line.end, let topic = Topic.allCases.first(where: { "\($0)" == name }) {
        let log = broker.log(topic, line.p!)
        while log.end < line.o! { log.skip() }
        guard line.t != nil else { continue }
        let value = bytes(line.v, line.vb)
        log.append(
          SimRecord(
            key: bytes(line.k, line.kb), value: value, timestamp: line.ts,
            headers: (line.h ?? [:]).map { RecordHeader(name: $0.key, value: Array($0.value.utf8)) }))
        if topic == .journal { lastEntry[line.p!] = try value!.withUnsafeBytes { try JournalDecoder().entry($0) } }
      } else if let partition = line.committed {
        broker.commit(CommittedOffset(partition: partition, offset: line.o!, metadata: String(lastEntry[partition]!.n)))
      }
    }
  }
}

@Suite("The records of an earlier version")
struct EarlierVersionTests {
  /// Returns how this version restores a partition.
  private func outcome(_ earlier: EarlierVersion, _ partition: Int32, acceptsReset: Bool) -> RestoreOutcome? {
    let (broker, position) = (earlier.broker, earlier.broker.position(of: partition))
    var configuration = ServiceConfiguration(topics: earlier.topics)
    configuration.acceptsReset = acceptsReset
    let restorer = Restorer(
      PartitionTopics(partition, configuration, SimReadEdge(broker, instance: nil), log: ServiceLog(.error)),
      time: SimTime(SimClock(SplitMix64(seed: 1)), skew: 0), isCertain: true, clockMin: .min,
      position: { position })
    guard case .answer(let committed) = restorer.ask() else { return nil }
    return restorer.run(from: committed)
  }

  @Test("are not derived again by other rules: a sentence names the remedy", arguments: [Int32(0), 1])
  func refused(partition: Int32) throws {
    guard case .otherRules(Rules(version: 1), let reason)? = outcome(try EarlierVersion(), partition, acceptsReset: false) else {
      Issue.record("it was not refused")
      return
    }
    #expect(reason.contains("version 1 of the engine's rules made") && reason.contains("--accept-reset"), "\(reason)")
  }

  @Test("is refused with the entries that other rules made, up to the next takeover by others")
  func range() throws {
    let configuration = ServiceConfiguration(topics: TopicIdentity(group: "g", input: "in", output: "out"))
    let broker = SimBroker(
      SimClock(SplitMix64(seed: 1)), SplitMix64(seed: 1), partitions: 1, outputPartitions: 1, isCooperative: false)
    let topics = PartitionTopics(0, configuration, SimReadEdge(broker, instance: nil), log: ServiceLog(.error))
    func derivation(_ rules: Int) -> Derivation {
      var derivation = configuration.derivation(after: nil)
      derivation.rules = Rules(version: rules)
      return derivation
    }
    let entries = [(1, nil), (2, 1), (3, nil), (4, 3), (5, nil)].map { (n: Int64, rules: Int?) in
      JournalEntry(
        n: n, batches: [], clock: 0, said: 0, rooms: 0, digest: 0, shifted: 0, of: 0,
        takeover: rules.map {
          .init(shift: 0, derivation: derivation($0), delivery: .exactlyOnce, topics: configuration.topics)
        })
    }
    guard case .otherRules(_, let reason)? = topics.otherRules(in: entries, after: derivation(3)) else {
      Issue.record("they are not refused")
      return
    }
    #expect(reason.contains("version 1 of the engine's rules made its entries from 2 to 3, "), "\(reason)")
  }

  @Test("lead to a reset where that is accepted, at the place where the partition stood", arguments: [Int32(0), 1])
  func accepted(partition: Int32) throws {
    let earlier = try EarlierVersion()
    guard case .restored(let restored)? = outcome(earlier, partition, acceptsReset: true) else {
      Issue.record("it was not reset")
      return
    }
    #expect(restored.reset != nil && restored.neverTaken == 0)
    #expect(restored.partition.n == earlier.lastEntry[partition]?.n)
    #expect(restored.partition.offset == earlier.broker.position(of: partition).offset)
  }

  @Test(
    "are continued after a clean stop: number and digest of a partition's rooms are those of its last entry",
    arguments: [Int32(0), 1])
  func stopped(partition: Int32) throws {
    let earlier = try EarlierVersion("stopped-by-0.1.0")
    guard case .restored(let restored)? = outcome(earlier, partition, acceptsReset: false) else {
      Issue.record("it was not restored")
      return
    }
    let last = try #require(earlier.lastEntry[partition])
    #expect(last.rooms > 0 && restored.reset == nil)
    #expect(restored.partition.n == last.n && restored.partition.clock == last.clock)
    #expect(restored.partition.awake == last.rooms && restored.partition.digest == last.digest)
    #expect(restored.partition.offset == earlier.broker.position(of: partition).offset)
  }

  @Test("cannot be proved by other rules, and are not called different")
  func verified() throws {
    let earlier = try EarlierVersion()
    let report = try Verifier(SimReadEdge(earlier.broker, instance: nil), topics: earlier.topics).run()
    #expect(report.faults == [] && !report.isProven)
    #expect(report.entries == 0 && report.entriesOfOtherRules[Rules(version: 1)] == report.entriesSkipped)
    #expect(report.instructions > 0 && report.unprovenInstructions == report.instructions)
  }
}
