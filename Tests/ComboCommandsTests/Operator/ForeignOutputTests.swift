import ComboEdge
import ComboWire
import Testing

@testable import ComboCommands

@Suite("An output that may be another group's")
struct ForeignOutputTests {
  /// An output of one partition, without a journal.
  private final class Topics: ReadEdge, @unchecked Sendable {
    // It is Sendable because only one thread reads.
    let end: Int64
    let records: Int
    let mayRead: Bool
    private(set) var reads = 0

    init(end: Int64, records: Int, mayRead: Bool = true) {
      self.end = end
      self.records = records
      self.mayRead = mayRead
    }

    func bounds(_ topic: Topic, _ partition: Int32) -> (first: Int64, end: Int64) { (0, end) }
    func stableEnd(_ topic: Topic, _ partition: Int32) -> Int64 { end }
    func offset(_ topic: Topic, _ partition: Int32, atMs time: Int64) -> Int64? { nil }
    func partitions(_ topic: Topic) -> Range<Int32> { topic == .output ? 0..<1 : 0..<0 }
    func read(
      _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, unless isCancelled: () -> Bool,
      _ take: (InputRecord) -> Bool
    ) throws(EdgeError) {
      reads += 1
      if !mayRead { throw EdgeError(.notAuthorized, "not allowed") }
      for offset in 0..<Int64(records) {
        if !take(InputRecord(partition: partition, offset: offset)) { return }
      }
    }
    func readAll(
      _ topic: Topic, _ partition: Int32, from start: Int64, to end: Int64, _ take: (InputRecord) -> Bool
    ) throws(EdgeError) { try read(topic, partition, from: start, to: end, unless: { false }, take) }
  }

  private func isLikely(_ topics: Topics, isNew: Bool = true) -> Bool {
    ForeignOutput(topics, TopicIdentity(group: "g", input: "i", output: "o")) { isNew }.isLikely
  }

  @Test("is one that holds records while the group has committed nothing and has no journal")
  func records() {
    #expect(isLikely(Topics(end: 3, records: 1)))
    #expect(!isLikely(Topics(end: 3, records: 1), isNew: false))
    #expect(!isLikely(Topics(end: 0, records: 0)))
  }

  @Test("is none if it holds only aborted trials, or if it may not be read and is short")
  func trials() {
    #expect(!isLikely(Topics(end: 200, records: 0)))
    #expect(!isLikely(Topics(end: 200, records: 9, mayRead: false)))
    let long = Topics(end: 201, records: 9, mayRead: false)
    #expect(isLikely(long) && long.reads == 0)
  }

  @Test("is a note, never a fault, of the table that check and run share")
  func finding() {
    var table = TopicFindings(names: .init(input: "i", output: "o", group: "g"), brokers: "b:9092", slots: 3)
    #expect(table.findings.isEmpty)
    table.hasForeignOutput = true
    #expect(table.findings == [TopicFindings.foreignOutput] && TopicFindings.foreignOutput.verdict == .note)
  }
}
