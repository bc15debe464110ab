package import ComboCore
package import ComboEdge
internal import ComboMaps
package import ComboWire

/// The existing part of a partition's journal: the entries that count, and the faults of the rest.
package struct JournalReading {
  struct Item {
    let offset: Int64
    let entry: JournalEntry
  }

  /// Consecutive entries, all of rules that this program has, or all of one version that it does not have.
  package struct Run {
    var items: ContiguousArray<Item> = []
    /// The gap between the previous run and this one, in a sentence, or nil if this is the first, or there is no gap.
    var gap: String?
    /// The rules of the entries if this program does not have them, so that they cannot be derived.
    var otherRules: Rules?
    /// Whether the entry before its first one is known, and no room was awake then.
    var followsEmpty = false

    /// Whether the group had a journal before, which was deleted together with its state.
    var beginsAnew: Bool { items.first.map { $0.entry.n == 1 && $0.entry.takeover?.reset != nil } ?? false }
  }

  private(set) var runs: [Run] = []
  /// The terms, which determine the entries that count.
  var terms: JournalTerms { cursor.terms }
  /// The first record that is not an entry, and the number of such records.
  private(set) var broken: (sentence: String, count: Int)?
  /// Entries that occur twice, although none of them was written by a superseded owner.
  private(set) var doubled: (sentence: String, count: Int)?
  private(set) var isAtLeastOnce = false
  /// Whether the derivation of each takeover names the input in the output's records, or nil if no takeover is left.
  private(set) var namesInput: Bool?
  /// The map that was last checked.
  private var checkedMapping: String?
  /// The rules of the entries, or nil if their takeover was deleted.
  private var version: Rules?
  private let number: Int32
  private let rules: ClosedRange<Rules>
  private var cursor: JournalCursor

  /// - Parameter rules: The rules whose entries can be derived.
  package init(_ number: Int32, _ topics: TopicIdentity, rules: ClosedRange<Rules> = Rules.known) {
    self.number = number
    cursor = JournalCursor(topics)
    self.rules = rules
  }

  /// Whether entries that can be derived follow entries of other rules, which cannot.
  var continuesOtherRules: Bool {
    guard let other = runs.firstIndex(where: { $0.otherRules != nil }) else { return false }
    return runs[other...].contains { $0.otherRules == nil }
  }

  var lastItem: Item? { runs.last?.items.last }

  /// Processes the next record. Throws if it belongs to another group, or to a newer version.
  package mutating func add(_ record: InputRecord) throws {
    let place = "partition \(number) of the journal, offset \(record.offset)"
    let taken = unsafe cursor.take(record.value, at: record.offset)
    switch taken {
    case .none, .entry, .overtaken: break
    case .first:
      runs = []
      version = nil
    case .foreign(_, let fault), .newer(let fault): throw VerifyFault("\(place): \(fault)")
    case .broken(let fault): broken = (broken?.sentence ?? "\(place): \(fault)", (broken?.count ?? 0) + 1)
    }
    guard let entry = taken.own else { return }
    if let takeover = entry.takeover {
      if takeover.delivery == .atLeastOnce { isAtLeastOnce = true }
      namesInput = namesInput != false && takeover.derivation.namesInput
      let derivation = takeover.derivation
      if rules.contains(derivation.rules), let mapping = derivation.mapping, mapping != checkedMapping {
        do throws(FormatFault) {
          _ = try derivation.decoder()
        } catch {
          throw VerifyFault("\(place): \(error)")
        }
        checkedMapping = mapping
      }
    }
    if taken.counting == nil {
      // After the beginning of a term, an entry of another owner may follow; in a transaction, none can.
      let isInTransaction = entry.takeover.map { $0.delivery == .exactlyOnce && terms.term == nil } ?? (entry.term == nil)
      if isInTransaction {
        let sentence = "\(place): entry \(entry.n) stands there after entry \(lastItem?.entry.n ?? 0)"
        doubled = (doubled?.sentence ?? sentence, (doubled?.count ?? 0) + 1)
      }
      return
    }
    if entry.term != nil { isAtLeastOnce = true }
    if let takeover = entry.takeover { version = takeover.derivation.rules }
    let item = Item(offset: record.offset, entry: entry)
    let otherRules = version.flatMap { rules.contains($0) ? nil : $0 }
    let continuesRun = lastItem.map { $0.entry.n + 1 == entry.n } ?? false
    if continuesRun, runs.last!.otherRules == otherRules {
      runs[runs.count - 1].items.append(item)
    } else {
      let gap =
        continuesRun
        ? nil
        : lastItem.map {
          "partition \(number) of the journal: entry \(entry.n) (offset \(record.offset)) follows entry \($0.entry.n) (offset \($0.offset)): "
            + "the entries between them are missing"
        }
      // The owner that detected the broken journal began a reset.
      if gap != nil, entry.takeover?.reset != nil { broken = nil }
      let followsEmpty = continuesRun && lastItem!.entry.rooms == 0
      runs.append(Run(items: [item], gap: gap, otherRules: otherRules, followsEmpty: followsEmpty))
    }
  }
}

extension JournalReading.Run {
  /// A place from which a partition can be derived.
  package struct Start {
    package var n: Int64
    package var clock: Int64
    package var offset: Int64
    var shifted: Int64
    var derivation: Derivation
    /// The index of the first item to run.
    package var next: Int
    /// Whether no room was awake then.
    package var isEmpty: Bool
  }

  /// Returns the earliest place from which the run can be derived. Its settings and offset must be known, and the input from
  /// there on must still exist.
  /// - Parameters:
  ///   - first: The first offset of the input that still exists.
  ///   - checkpoint: Provides the derivation of entries that no takeover precedes. Pass nil if there is none.
  ///   - rules: The rules whose entries can be derived.
  func start(inputFrom first: Int64, _ checkpoint: Checkpoint?, rules: ClosedRange<Rules>) -> Start? {
    // If no more records were read, none need to exist.
    let lastTaking = items.lastIndex { $0.entry.batches.contains { $0.taken > 0 } } ?? -1
    var derivation = derivationAtStart(checkpoint, rules)
    for (index, item) in items.enumerated() {
      let entry = item.entry
      if let takeover = entry.takeover {
        if let batch = entry.batches.first, batch.taken == 0, batch.endOffset >= first || index > lastTaking {
          return Start(
            n: entry.n - 1, clock: entry.clock - takeover.shift, offset: batch.endOffset, shifted: entry.shifted - takeover.shift,
            derivation: takeover.derivation, next: index, isEmpty: index == 0 && (entry.n == 1 || followsEmpty))
        }
        derivation = takeover.derivation
      }
      guard let derivation, let offset = entry.batches.last?.endOffset else { continue }
      if offset >= first || index >= lastTaking {
        return Start(
          n: entry.n, clock: entry.clock, offset: offset, shifted: entry.shifted, derivation: derivation, next: index + 1,
          isEmpty: entry.rooms == 0)
      }
    }
    return nil
  }

  private func derivationAtStart(_ checkpoint: Checkpoint?, _ rules: ClosedRange<Rules>) -> Derivation? {
    guard let checkpoint, let first = items.first?.entry.n, checkpoint.n >= first, checkpoint.n <= items.last!.entry.n else {
      return nil
    }
    if !rules.contains(checkpoint.derivation.rules) { return nil }
    let isUnchanged = !items.contains { $0.entry.takeover != nil && $0.entry.n <= checkpoint.n }
    return isUnchanged ? checkpoint.derivation : nil
  }

  /// Returns the index of the first entry above `n`, or nil if the run does not continue from there.
  package func index(after n: Int64) -> Int? {
    guard let first = items.first?.entry.n, n >= first - 1, n <= items.last!.entry.n else { return nil }
    return Int(n - first + 1)
  }

  /// Returns the end of the input that all entries from `index` on have taken in, or `start` if there are none.
  func inputEnd(from index: Int, start: Int64) -> Int64 {
    items[index...].last { !$0.entry.batches.isEmpty }?.entry.batches.last?.endOffset ?? start
  }
}
