import ComboCore
import ComboEdge
import ComboWire
import Testing

@testable import ComboVerify

/// Tests of the index alone.
@Suite("The output index of verify")
struct VerifyIndexTests {
  private func add(_ index: OutputIndex, seq: Int, at offset: Int64, _ rest: String = #""op":"screen","banners":[]"#) {
    let text = Array(#"{"v":1,"room":"r","epoch":1,"seq":\#(seq),"at":1,\#(rest)}"#.utf8)
    text.withUnsafeBytes { value in
      Array("r".utf8).withUnsafeBytes { key in
        index.add(InputRecord(partition: 0, offset: offset, key: key, value: value), time: nil, isOld: true)
      }
    }
  }

  @Test("a hole costs nothing, however wide it is, and each record is found where it stands")
  func holes() throws {
    let index = OutputIndex()
    let seqs = [5, 6, 1 << 20, 1 << 52, (1 << 52) + 1, 1, 2, 7, 9, 8]
    for (offset, seq) in seqs.enumerated() { add(index, seq: seq, at: Int64(offset)) }
    let room = try #require(Array("r".utf8).withUnsafeBytes { index.room($0) })
    let epoch = room.epochs[0]
    #expect(epoch.runs.reduce(0) { $0 + $1.entries.count } == seqs.count && epoch.firstSeq == 1 && epoch.end == (1 << 52) + 2)
    for (offset, seq) in seqs.enumerated() { #expect(epoch.entry(seq)?.offset == Int64(offset), "\(seq)") }
    for seq in [0, 3, 4, 10, (1 << 20) + 1, (1 << 52) - 1, (1 << 52) + 2] { #expect(epoch.entry(seq) == nil, "\(seq)") }
    #expect(epoch.repetitions.map(\.seq) == [1, 2] && epoch.repetitions.allSatisfy(\.isLate))
    #expect(index.findings.count(.sequence) == 3, "7, 9 and 8 stand behind later ones")
  }

  @Test("counts that no instruction has are refused, and none is too much to be added up")
  func hugeCounts() throws {
    let skip = { (count: String) in
      #""op":"skip","banner":1,"count":\#(count),"reason":"overflow","sender":{"id":"x"},"gift":{"id":"y"}"#
    }
    let index = OutputIndex()
    for seq in 1...12 { add(index, seq: seq, at: Int64(seq), skip("999999999999999999")) }
    add(index, seq: 1, at: 13, skip("9007199254740993"))
    #expect(index.findings.count(.foreign) == 13 && index.rooms.isEmpty)
    for seq in 1...2000 { add(index, seq: seq, at: Int64(seq), skip("9007199254740992")) }
    #expect(index.findings.count(.foreign) == 13 && index.rooms.count == 1)
  }
}
