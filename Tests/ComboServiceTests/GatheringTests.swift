import ComboEdge
import ComboRooms
import ComboSystem
import ComboWire
import Testing

@testable import ComboService
@testable import ComboSimulation
@testable import ComboTestSupport

@Suite("Restores that begin together")
struct GatheringTests {
  /// A group that records for which partitions its offsets were asked.
  private final class Questions: GroupEdge, GroupOffsets, @unchecked Sendable {
    // Sendable: a test has one thread.
    weak var delegate: (any GroupEdgeDelegate)?
    var offsets: any GroupOffsets { self }
    var together: [[Int32]] = []
    var alone: [Int32] = []
    var isOpen = false

    func committed(_ partitions: [Int32]) throws(EdgeError) -> [CommittedOffset] {
      together.append(partitions)
      if isOpen { throw EdgeError(.timedOut, "a transaction is open", isRetriable: true) }
      return partitions.map { CommittedOffset(partition: $0, offset: nil, metadata: "") }
    }

    func committed(_ partition: Int32) throws(EdgeError) -> CommittedOffset {
      alone.append(partition)
      return CommittedOffset(partition: partition, offset: nil, metadata: "")
    }

    func subscribe() {}
    func poll(maxWaitMs: Int32, hold: Int, _ take: (InputRecord) -> Void) {}
    func start(_ partitions: [(partition: Int32, offset: Int64)]) {}
    func stop(_ partition: Int32) {}
    func commitWithoutWaiting(_ offsets: [CommittedOffset]) {}
    func close() {}
  }

  private let group = Questions()

  /// Restores partitions, and returns the numbers of those that were restored.
  private func restore(_ numbers: [Int32]) -> [Int32] {
    let clock = SimClock(SplitMix64(seed: 1))
    let broker = SimBroker(
      clock, SplitMix64(seed: 1), partitions: numbers.count, outputPartitions: 1, isCooperative: true)
    let (time, reader, group) = (SimTime(clock, skew: 0), SimReadEdge(broker, instance: nil), group)
    var edges = Edges(group: group, output: NoOutput(), reader: reader, time: time)
    edges.inBackground = { _, work in work() }
    let configuration = ServiceConfiguration(topics: TopicIdentity(group: "group", input: "gifts", output: "screens"))
    let restores = numbers.map { number in
      Gathering.Restore(
        number: number, token: 1,
        restorer: Restorer(
          PartitionTopics(number, configuration, reader, log: .silent), time: time, isCertain: false, clockMin: .min,
          position: { () throws(EdgeError) in try group.committed(number) }))
    }
    let results = Mailbox<RestoreResult>()
    Gathering(restores, of: configuration.topics, edges, results: results).run()
    return results.takeAll().filter { if case .restored = $0.outcome { true } else { false } }.map(\.number)
  }

  private final class NoOutput: OutputEdge {
    func begin() {}
    func produce(
      _ topic: Topic, partition: Int32?, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader]
    ) {}
    func commit(_ offsets: [CommittedOffset]) {}
    func abort() {}
    func renew() {}
    func serve() {}
  }

  @Test("ask once for all of them")
  func together() {
    #expect(restore([0, 1, 2]) == [0, 1, 2])
    #expect(group.together == [[0, 1, 2]] && group.alone.isEmpty)
  }

  @Test("ask separately if a transaction is open on one of them, so that none waits for another")
  func separately() {
    group.isOpen = true
    #expect(restore([0, 1, 2]) == [0, 1, 2])
    #expect(group.together == [[0, 1, 2]] && group.alone == [0, 1, 2])
  }

  @Test("ask separately if there is only one")
  func single() {
    #expect(restore([0]) == [0])
    #expect(group.together.isEmpty && group.alone == [0])
  }
}
