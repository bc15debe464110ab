import ComboCore
import Testing

@testable import ComboWire

private let topics = TopicIdentity(group: "g", input: "gifts", output: "instructions")

private func written(_ entry: JournalEntry) -> [UInt8] {
  let buffer = ByteBuffer()
  buffer.append("before" as String)
  entry.write(to: buffer)
  return Array(buffer.bytes.dropFirst(6))
}

private func read(_ bytes: [UInt8], _ decoder: JournalDecoder = JournalDecoder()) throws -> JournalEntry {
  try bytes.withUnsafeBytes { try decoder.entry($0) }
}

@Suite("Journal entries")
struct JournalTests {
  static let plain = JournalEntry(
    n: 5,
    batches: [
      .init(endOffset: 100, taken: 40, now: 1_700_000_000_000), .init(endOffset: 130, taken: 29, now: 1_700_000_000_050),
    ],
    clock: 1_700_000_000_100, said: 12, rooms: 3, digest: 0xFEDC_BA98_7654_3210, shifted: 77, of: topics.hash)
  static var takeover: JournalEntry {
    var entry = plain
    entry.batches = []
    entry.last = 0x0123_4567_89AB_CDEF
    entry.saidTo = 4
    entry.refused = [7, 9_000_000_000]
    entry.takeover = JournalEntry.Takeover(
      shift: 70, derivation: StateRecordTests.derivation, delivery: .atLeastOnce, topics: topics,
      reset: .init(reason: "the digest \"was\" wrong\n", offsetsLost: 9))
    return entry
  }

  @Test("an entry is read back unchanged", arguments: [plain, takeover])
  func roundTrip(_ entry: JournalEntry) throws {
    let bytes = written(entry)
    #expect(try read(bytes) == entry)
    #expect(StrictJSON.compactObject(bytes) == bytes)
  }

  @Test("a takeover carries every setting by name")
  func allSettings() throws {
    let text = String(decoding: written(Self.takeover), as: UTF8.self)
    for setting in Settings().all { #expect(text.contains("\"\(setting.name)\":")) }
    #expect(text.contains(#""of":["g","gifts","instructions"]"#))
  }

  @Test("an entry's text is the documented one")
  func text() {
    var entry = Self.plain
    entry.batches.removeLast()
    let text = String(decoding: written(entry), as: UTF8.self)
    #expect(
      text.hasPrefix(
        #"{"v":1,"n":5,"batches":[[100,40,1700000000000]],"clock":1700000000100,"said":12,"rooms":3,"#
          + #""digest":"fedcba9876543210","shifted":77,"of":""#
      ))
    #expect(text.count < 220)
    entry.last = 0xA1
    let withLast = String(decoding: written(entry), as: UTF8.self)
    #expect(withLast.contains(#"","last":"00000000000000a1","sum":""#))
  }

  @Test("a record's fingerprint is of its key and its value, and the same everywhere")
  func fingerprints() {
    func fingerprint(_ key: String?, _ value: String?) -> UInt64 {
      Array((key ?? "").utf8).withUnsafeBytes { keyBytes in
        Array((value ?? "").utf8).withUnsafeBytes { valueBytes in
          XXH3.fingerprint(key: key == nil ? nil : keyBytes, value: value == nil ? nil : valueBytes)
        }
      }
    }
    #expect(fingerprint(nil, nil) == fingerprint("", ""))
    let seen = [
      fingerprint("r", "a"), fingerprint("s", "a"), fingerprint("r", "b"), fingerprint("a", "r"), fingerprint(nil, "a"),
    ]
    #expect(Set(seen).count == seen.count)
  }

  @Test("an entry cut anywhere or with any bit flipped is refused", arguments: [plain, takeover])
  func damage(_ entry: JournalEntry) {
    let bytes = written(entry)
    let decoder = JournalDecoder()
    for length in 0..<bytes.count { #expect(throws: FormatFault.self) { try read(Array(bytes[..<length]), decoder) } }
    for bit in 0..<bytes.count * 8 {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: FormatFault.self, "bit \(bit)") { try read(flipped, decoder) }
    }
  }

  @Test("an entry of a newer version is refused as such")
  func newer() {
    do {
      _ = try read(Array(#"{"v":2,"what":"ever"}"#.utf8))
      Issue.record("it was taken")
    } catch let fault as FormatFault {
      #expect(fault.code == .newer)
      #expect(fault.description == "a journal entry has version 2 of its format; this program reads version 1. Run a newer one")
    } catch { Issue.record(error) }
  }

  @Test(
    "a takeover with a setting that its rules do not have keeps its text, and writes it again",
    arguments: [(#""slots":"#, #""slits":"#), (#""queue_order":"#, #""queue-order":"#)])
  func newerSetting(what: String, instead: String) throws {
    var text = String(decoding: written(Self.takeover), as: UTF8.self)
    text.removeLast(26)
    text.replace(what, with: instead, maxReplacements: 1)
    let digits = String(text.utf8.withContiguousStorageIfAvailable { XXH3.hash(Bytes($0)) }!, radix: 16)
    text += #","sum":"\#(String(repeating: "0", count: 16 - digits.count))\#(digits)"}"#
    let entry = try read(Array(text.utf8))
    let name = String(instead.dropFirst().dropLast(2))
    let unknown = try #require(entry.takeover?.derivation.unknownSettings)
    #expect(unknown == [name: name == "slits" ? "3" : #""tier""#])
    let again = String(decoding: written(entry), as: UTF8.self)
    #expect(again.contains("\(instead)\(unknown[name]!)}"))
    #expect(try read(Array(again.utf8)) == entry)
  }

  @Test("entries with numbers that cannot be are refused")
  func inconsistent() {
    var cases: [JournalEntry] = []
    func add(_ change: (inout JournalEntry) -> Void) {
      var entry = Self.takeover
      entry.batches = Self.plain.batches
      change(&entry)
      cases.append(entry)
    }
    add { $0.n = 0 }
    add { $0.batches[0].endOffset = -1 }
    add { $0.batches[1].endOffset = 99 }
    add { $0.batches[0].taken = -1 }
    add { $0.said = -1 }
    add { $0.rooms = -1 }
    add { $0.saidTo = 6 }
    add { $0.refused = [1, -1] }
    add { $0.of = 1 }
    add {
      $0.takeover!.shift = -1
      $0.takeover!.reset = nil
    }
    add { $0.takeover!.reset!.offsetsLost = -1 }
    for entry in cases { #expect(throws: FormatFault.self, "\(entry)") { try read(written(entry)) } }
  }
}
