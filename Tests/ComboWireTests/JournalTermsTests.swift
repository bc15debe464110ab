import ComboCore
import Testing

@testable import ComboWire

@Suite("Which entries of a journal count")
struct JournalTermsTests {
  private static let topics = TopicIdentity(group: "g", input: "in", output: "out")

  private static func entry(_ n: Int64, term: Int64? = nil, saidTo: Int64? = nil) -> JournalEntry {
    JournalEntry(
      n: n, batches: [], clock: n, said: 0, rooms: 0, digest: 0, shifted: 0, of: topics.hash, saidTo: saidTo, term: term)
  }

  private static func takeover(_ n: Int64, _ delivery: JournalEntry.Delivery, saidTo: Int64? = nil) -> JournalEntry {
    var entry = entry(n, saidTo: saidTo)
    let derivation = Derivation(settings: Settings(), rules: Rules.oldest, limits: WireLimits())
    entry.takeover = .init(shift: 0, derivation: derivation, delivery: delivery, topics: topics)
    return entry
  }

  private static func counting(_ records: [(Int64, JournalEntry)], after checkpoint: Checkpoint? = nil) -> [Int64] {
    var terms = JournalTerms(after: checkpoint)
    return records.filter { terms.counts($0.1, at: $0.0) }.map(\.0)
  }

  @Test("entries that a zombie writes after the next takeover do not count, whatever their number")
  func zombie() {
    let found = Self.counting([
      (0, Self.takeover(1, .atLeastOnce)), (1, Self.entry(2, term: 0)), (2, Self.takeover(3, .atLeastOnce)),
      (3, Self.entry(3, term: 0)), (4, Self.entry(4, term: 0)), (5, Self.entry(4, term: 2)), (6, Self.entry(5, term: 0)),
      (7, Self.entry(5, term: 2)),
    ])
    #expect(found == [0, 1, 2, 5, 7])
  }

  @Test("a takeover that does not continue the last entry does not count, nor do the later entries of its term")
  func overtakenTakeover() {
    let found = Self.counting([
      (0, Self.takeover(1, .atLeastOnce)), (1, Self.entry(2, term: 0)), (2, Self.takeover(2, .atLeastOnce)),
      (3, Self.entry(3, term: 2)), (4, Self.entry(3, term: 0)),
    ])
    #expect(found == [0, 1, 4])
  }

  @Test("entries of both deliveries are distinguished where one follows the other")
  func change() {
    let found = Self.counting([
      (0, Self.takeover(1, .exactlyOnce)), (1, Self.entry(2)), (3, Self.takeover(3, .atLeastOnce)), (5, Self.entry(4, term: 3)),
      (6, Self.takeover(5, .exactlyOnce, saidTo: 3)), (8, Self.entry(5, term: 3)), (9, Self.entry(6, term: 3)),
      (10, Self.entry(6)),
    ])
    #expect(found == [0, 1, 3, 5, 6, 10])
  }

  @Test("behind a checkpoint only its own term continues")
  func checkpoint() {
    let checkpoint = Checkpoint(
      n: 5, clock: 0, shifted: 0, input: 0, journal: 7, term: 4,
      derivation: Derivation(settings: Settings(), rules: Rules.oldest, limits: WireLimits()), topics: Self.topics)
    let found = Self.counting(
      [(6, Self.entry(5, term: 4)), (7, Self.entry(6, term: 0)), (8, Self.entry(6, term: 4)), (9, Self.entry(9, term: 4))],
      after: checkpoint)
    #expect(found == [8, 9])
  }

  @Test("an entry in a transaction is published with its instructions; outside one, they are published up to said_to")
  func saidTo() {
    var terms = JournalTerms()
    for (offset, entry) in [(0, Self.takeover(1, .exactlyOnce)), (1, Self.entry(2))] {
      _ = terms.counts(entry, at: Int64(offset))
    }
    #expect(terms.saidTo == 2)
    _ = terms.counts(Self.takeover(3, .atLeastOnce, saidTo: 2), at: 3)
    _ = terms.counts(Self.entry(4, term: 3, saidTo: 3), at: 4)
    _ = terms.counts(Self.takeover(5, .exactlyOnce, saidTo: 3), at: 5)
    #expect(terms.saidTo == 3)
    _ = terms.counts(Self.entry(6), at: 7)
    #expect(terms.saidTo == 6)
  }

  private static func read(_ cursor: inout JournalCursor, _ offset: Int64, _ bytes: [UInt8]?) -> JournalCursor.Record {
    guard let bytes else { return cursor.take(nil, at: offset) }
    return bytes.withUnsafeBytes { cursor.take($0, at: offset) }
  }

  private static func bytes(_ entry: JournalEntry) -> [UInt8] {
    let buffer = ByteBuffer()
    entry.write(to: buffer)
    return [UInt8](buffer.bytes)
  }

  @Test("a cursor reports for each record its owner, whether it can be read, and whether it counts")
  func cursor() throws {
    var cursor = JournalCursor(Self.topics)
    let first = Self.takeover(1, .exactlyOnce)
    #expect(Self.read(&cursor, 0, nil) == .none)
    #expect(Self.read(&cursor, 1, Self.bytes(first)) == .entry(first))
    #expect(Self.read(&cursor, 2, Self.bytes(first)) == .overtaken(first))
    var foreign = Self.takeover(2, .exactlyOnce)
    let others = TopicIdentity(group: "g", input: "in", output: "elsewhere")
    foreign.takeover!.topics = others
    foreign.of = others.hash
    let taken = Self.read(&cursor, 3, Self.bytes(foreign))
    guard case .foreign(foreign, let fault) = taken else {
      Issue.record("\(taken)")
      return
    }
    #expect(fault.description.contains("the output \"elsewhere\""))
    #expect(taken.own == nil && taken.counting == nil && taken.fault == fault)
    guard case .newer = Self.read(&cursor, 4, Array(#"{"v":2,"what":"ever"}"#.utf8)) else {
      Issue.record("a newer version's was read")
      return
    }
    guard case .broken = Self.read(&cursor, 5, Array(Self.bytes(Self.entry(2)).dropLast())) else {
      Issue.record("a record that was cut is no entry")
      return
    }
    // None of these has moved the cursor.
    let next = Self.entry(2)
    #expect(Self.read(&cursor, 6, Self.bytes(next)) == .entry(next))
  }

  @Test(
    "where the takeover is gone, a later term shows that what was left before it does not count; after a checkpoint nothing does")
  func beginningGone() {
    let records = [
      (3, Self.entry(7, term: 1)), (4, Self.entry(6, term: 2)), (5, Self.entry(8, term: 1)), (6, Self.entry(7, term: 2)),
    ]
    var cursor = JournalCursor(Self.topics)
    let taken = records.map { Self.read(&cursor, Int64($0.0), Self.bytes($0.1)) }
    #expect(taken == [.entry(records[0].1), .first(records[1].1), .overtaken(records[2].1), .entry(records[3].1)])
    let checkpoint = Checkpoint(
      n: 5, clock: 0, shifted: 0, input: 0, journal: 3, term: 1,
      derivation: Derivation(settings: Settings(), rules: Rules.oldest, limits: WireLimits()), topics: Self.topics)
    cursor = JournalCursor(Self.topics, after: checkpoint)
    #expect(records.map { Self.read(&cursor, Int64($0.0), Self.bytes($0.1)).counting?.n } == [7, nil, 8, nil])
  }
}
