import ComboCore
import ComboEdge
import ComboRooms
import ComboWire
import Testing

/// Journal entries that are run again over their input.
@Suite("Running entries again")
struct EntryRunnerTests {
  private static let topics = TopicIdentity(group: "g", input: "in", output: "out")
  private static let bad = #"{"no": "event"}"#

  private func partition(_ derivation: Derivation) -> Partition {
    Partition(0, settings: derivation.engineSettings, ownSettingsMax: 0, clock: 1000, offset: 0)
  }

  /// Runs an entry of one bad record over the record `value`, which leaves the rooms the same, whatever it is.
  private func run(_ value: String, checksEntries: Bool = true) throws -> [JournalEntry] {
    let derivation = Derivation(settings: Settings(), rules: Rules.known.upperBound, limits: WireLimits())
    let first = partition(derivation)
    first.tookIn(1, upTo: 1, last: Self.fingerprint(Self.bad), now: 1000)
    let entries = Entries([first.closeEntry(clock: 1000, of: Self.topics, .ofSoleThread())], checksEntries: checksEntries)
    let runner = try EntryRunner(
      partition(derivation), derivation: derivation, topics: Self.topics, outbox: Outbox(nil), observer: entries)
    try Array(value.utf8).withUnsafeBytes { try runner.take(InputRecord(partition: 0, offset: 0, value: $0)) }
    try runner.finish()
    return entries.done
  }

  private final class Entries: EntryObserver {
    private var entries: [JournalEntry]
    let checksEntries: Bool
    private(set) var done: [JournalEntry] = []

    init(_ entries: [JournalEntry], checksEntries: Bool) {
      self.entries = entries
      self.checksEntries = checksEntries
    }

    func nextEntry() -> JournalEntry? { entries.isEmpty ? nil : entries.removeFirst() }
    func ended(_ recorded: JournalEntry, _ derived: JournalEntry) { done.append(derived) }
  }

  private static func fingerprint(_ value: String) -> UInt64 {
    Array(value.utf8).withUnsafeBytes { XXH3.fingerprint(key: nil, value: $0) }
  }

  @Test("an entry is refused whose last record is not the one that was taken in, though its rooms are the same")
  func lastRecord() throws {
    #expect(try run(Self.bad).map(\.last) == [Self.fingerprint(Self.bad)])
    let other = #"{"another": "record"}"#
    // Only its fingerprint differs.
    #expect(try run(other, checksEntries: false).map(\.digest) == [0])
    #expect {
      try run(other)
    } throws: { error in
      "\(error)".hasPrefix("the record at offset 0, the last of entry 1, is not the one that was taken in")
    }
  }
}
