/// The findings of a partition that have not been reported yet, so that they are reported in the order of the input.
///
/// A gift is reported at once unless a miss precedes it. A dead letter waits until everything has been read, since it may have
/// been sent back as a later record. Above ``max`` findings, all that precede the newest gift are reported.
struct PendingFindings {
  private struct Item {
    var finding: Finding
    /// The fingerprint of the record that became a dead letter.
    var record: UInt64?
  }

  private var items: [Item] = []

  static let max = 10_000

  mutating func add(_ miss: GiftMiss, like record: UInt64?) { items.append(Item(finding: .miss(miss), record: record)) }

  /// Adds a gift, and returns the findings to report now.
  mutating func add(_ gift: ExplainedGift) -> [Finding] {
    if !items.contains(where: { $0.finding.offset < gift.offset }) { return [.gift(gift)] }
    items.append(Item(finding: .gift(gift)))
    return items.count > Self.max ? take { $0 <= gift.offset } : []
  }

  /// Removes and returns the remaining findings.
  mutating func takeAll() -> [Finding] { take { _ in true } }

  /// Removes and returns the oldest dead letter of this record with one round less, or returns nil if there is none.
  mutating func takeDeadLetter(like record: UInt64, rounds: Int) -> GiftMiss? {
    for (index, item) in items.enumerated() where item.record == record {
      if case .miss(let miss) = item.finding, (miss.redriven?.rounds ?? 0) == rounds - 1 {
        items.remove(at: index)
        return miss
      }
    }
    return nil
  }

  private mutating func take(_ isTaken: (Int64) -> Bool) -> [Finding] {
    let taken = items.map(\.finding).enumerated().filter { isTaken($0.element.offset) }
    items.removeAll { isTaken($0.finding.offset) }
    return taken.sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }.map(\.element)
  }
}
