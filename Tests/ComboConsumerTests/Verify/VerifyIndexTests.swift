import ComboCore
import ComboWire
import Testing

@testable import combo_consumer

/// The index alone.
@Suite("What verify remembers of an output")
struct VerifyIndexTests {
  private func add(_ index: OutputIndex, seq: Int, at offset: Int64, _ rest: String = #""op":"screen","banners":[]"#) {
    let text = Array(#"{"v":1,"room":"r","epoch":1,"seq":\#(seq),"at":1,\#(rest)}"#.utf8)
    text.withUnsafeBytes { value in
      Array("r".utf8).withUnsafeBytes { key in
        index.add(InputRecord(partition: 0, offset: offset, key: key, value: value, token: nil), isOld: true)
      }
    }
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
