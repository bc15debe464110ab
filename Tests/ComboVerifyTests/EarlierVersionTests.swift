import ComboEdge
import ComboRooms
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboSimulation
@testable import ComboTestSupport
@testable import ComboVerify

/// What version 0.1.0 (c1b7272) wrote on a real broker: some hundred gifts of two partitions with totals, repeats, retractions, closes,
/// bad events and rooms with settings of their own; two kills, several checkpoints, and entries above the last one.
private struct EarlierVersion {
  let broker: SimBroker
  let topics: TopicIdentity
  /// The last entry of each partition, which is what the group keeps beside its offset.
  private(set) var lastEntry: [Int32: Int64] = [:]

  private struct Line: Decodable {
    var group: String?, input: String?, output: String?
    var t: String?, p: Int32?, o: Int64?, ts: Int64?
    /// Key and value, as text or as base64.
    var k: String?, v: String?, kb: String?, vb: String?
    var h: [String: String]?
    var end: String?, committed: Int32?
  }

  init() throws {
    let path =
      URL(fileURLWithPath: #filePath).pathComponents.dropLast(3).joined(separator: "/").dropFirst()
      + "/Tests/Fixtures/written-by-0.1.0.jsonl"
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
        if topic == .journal { lastEntry[line.p!] = try value!.withUnsafeBytes { try JournalDecoder().entry($0).n } }
      } else if let partition = line.committed {
        broker.commit(CommittedOffset(partition: partition, offset: line.o!, metadata: String(lastEntry[partition]!)))
      }
    }
  }
}

@Suite("What an earlier version wrote")
struct EarlierVersionTests {
  @Test("is restored, and the digest of the last entry found", arguments: [Int32(0), 1])
  func restored(partition: Int32) throws {
    let earlier = try EarlierVersion()
    let broker = earlier.broker
    let restorer = Restorer(
      PartitionTopics(
        partition, ServiceConfiguration(topics: earlier.topics), SimReadEdge(broker, instance: nil), log: ServiceLog(.error)),
      time: SimTime(SimClock(SplitMix64(seed: 1)), skew: 0), isCertain: true, clockMin: .min,
      position: { broker.position(of: partition) })
    guard case .answer(let committed) = restorer.ask(), case .restored(let restored) = restorer.run(from: committed) else {
      Issue.record("it cannot be restored")
      return
    }
    #expect(restored.reset == nil)
    #expect(restored.partition.n == earlier.lastEntry[partition])
    #expect(restored.partition.offset == committed.offset)
  }

  @Test("is not verified by other rules than it was made by: a sentence says which program can")
  func verified() throws {
    let earlier = try EarlierVersion()
    let fault = #expect(throws: VerifyFault.self) {
      try Verifier(SimReadEdge(earlier.broker, instance: nil), topics: earlier.topics).run()
    }
    #expect(fault?.description.contains("Verify with the program that wrote it") == true, "\(fault?.description ?? "")")
  }
}
