/// The next waiting banner and the number of waiting banners of each tier. It is created when the order of the queue's list is
/// not enough.
///
/// Of two banners of one tier, the one with the lower number has waited at least as long, so its rank is never below the
/// other's. Each tier therefore has heaps by number, and only their tops are compared: at most 101 tiers have to be read. Each
/// tier has four heaps: for banners that have been seen (`base` above 0) or not, and that are passed over or not. In `fifo`
/// order all banners are of one tier.
///
/// A banner whose combo is sealed on screen is *parked*, that is, moved to the heap of banners passed over, when it comes to
/// the top. It returns when the sealed banner leaves. Each banner stores its heap and its place in it, so no search is needed.
final class WaitingOrder {
  private struct Entry: BitwiseCopyable {
    var number: Int
    var index: Int32
  }

  /// The heaps, by tier × 4 + ``seen`` + ``parked``.
  private var heaps: [[Entry]]
  /// The number of waiting banners, by tier.
  private(set) var counts: [Int]

  private static let seen = 1
  private static let parked = 2

  /// Creates an empty order for this number of tiers, including tier 0.
  init(tiers: Int) {
    heaps = Array(repeating: [], count: tiers * 4)
    counts = Array(repeating: 0, count: tiers)
  }

  func insert(_ index: Int32, tier: Int, _ banners: Banners) {
    counts[tier] += 1
    push(index, into: tier * 4 + (banners[index].base > 0 ? Self.seen : 0), banners)
  }

  /// - Parameter sealed: The banner of its combo that is sealed on screen, or -1.
  func remove(_ index: Int32, sealed: Int32, _ banners: Banners) {
    let heap = Int(banners[index].heap)
    counts[heap / 4] -= 1
    if heap & Self.parked != 0 { unlinkParked(index, sealed: sealed, banners) }
    pull(index, outOf: heap, banners)
    banners[index].shown = 0
    banners[index].deadline = 0
  }

  /// Moves a banner to a higher tier.
  func move(_ index: Int32, toTier tier: Int, _ banners: Banners) {
    let heap = Int(banners[index].heap)
    if heap / 4 == tier { return }
    counts[heap / 4] -= 1
    counts[tier] += 1
    pull(index, outOf: heap, banners)
    push(index, into: tier * 4 + heap % 4, banners)
  }

  /// The number of waiting banners of a tier above `tier`.
  func count(above tier: Int) -> Int {
    var count = 0
    for other in min(tier + 1, counts.count)..<counts.count { count += counts[other] }
    return count
  }

  /// The next banner at `t` that is not passed over, or -1.
  /// - Parameters:
  ///   - promoteMs: The waiting time for each rank gained, in milliseconds; 0 for no promotion.
  ///   - sealed: Returns the banner of a waiting one's combo that is sealed on screen, or -1.
  func next(at t: Int64, promoteMs: Int, _ banners: Banners, sealed: (Int32) -> Int32) -> Int32 {
    while true {
      var best: (rank: Int, number: Int, index: Int32) = (-1, 0, -1)
      for tier in stride(from: counts.count - 1, through: 0, by: -1) where counts[tier] > 0 {
        Steps.count()
        for heap in tier * 4...tier * 4 + Self.seen {
          guard let top = heaps[heap].first else { continue }
          let rank = tier + (promoteMs > 0 ? Int(t - banners[top.index].since) / promoteMs : 0)
          if rank > best.rank || (rank == best.rank && top.number < best.number) { best = (rank, top.number, top.index) }
        }
        if promoteMs == 0, best.index >= 0 { break }
      }
      if best.index < 0 { return -1 }
      let sealed = sealed(best.index)
      if sealed < 0 { return best.index }
      park(best.index, sealed, banners)
    }
  }

  /// The number of banners that wait for a turn at `t`, at most `limit + 1`.
  /// - Parameters:
  ///   - tier: In `tier` order, the minimum rank of the banners counted.
  ///   - holdMs: The minimum waiting time of banners that have been seen, in milliseconds.
  func waitingForTurn(
    at t: Int64, tier: Int, promoteMs: Int, holdMs: Int, limit: Int, _ banners: Banners
  ) -> Int {
    var found = 0
    /// Counts the banners from place `i` down that were created at or before `latest`. No banner is older than its parent.
    func count(_ heap: Int, _ i: Int, createdBy latest: Int64) {
      if i >= heaps[heap].count || found > limit { return }
      Steps.count()
      if banners[heaps[heap][i].index].since > latest { return }
      found += 1
      count(heap, 2 * i + 1, createdBy: latest)
      count(heap, 2 * i + 2, createdBy: latest)
    }
    for other in counts.indices where counts[other] > 0 {
      Steps.count()
      let missing = tier - other
      if missing > 0, promoteMs == 0 { continue }
      let latest = missing > 0 ? t - Int64(missing) * Int64(promoteMs) : .max
      for heap in other * 4..<other * 4 + 4 {
        count(heap, 0, createdBy: heap & Self.seen != 0 ? min(latest, t - Int64(holdMs)) : latest)
      }
    }
    return found
  }

  // MARK: - Banners passed over

  private func park(_ index: Int32, _ sealed: Int32, _ banners: Banners) {
    let heap = Int(banners[index].heap)
    pull(index, outOf: heap, banners)
    push(index, into: heap | Self.parked, banners)
    let first = banners[sealed].firstParked
    banners[index].previousParked = -1
    banners[index].nextParked = first
    if first >= 0 { banners[first].previousParked = index }
    banners[sealed].firstParked = index
  }

  private func unlinkParked(_ index: Int32, sealed: Int32, _ banners: Banners) {
    let (previous, next) = (banners[index].previousParked, banners[index].nextParked)
    if previous >= 0 { banners[previous].nextParked = next } else { banners[sealed].firstParked = next }
    if next >= 0 { banners[next].previousParked = previous }
  }

  /// Returns the parked banners of a sealed banner that leaves to their heaps.
  func unpark(_ sealed: Int32, _ banners: Banners) {
    var index = banners[sealed].firstParked
    banners[sealed].firstParked = -1
    while index >= 0 {
      let (next, heap) = (banners[index].nextParked, Int(banners[index].heap))
      pull(index, outOf: heap, banners)
      push(index, into: heap & ~Self.parked, banners)
      banners[index].deadline = 0
      index = next
    }
  }

  // MARK: - Heaps

  private func push(_ index: Int32, into heap: Int, _ banners: Banners) {
    banners[index].heap = Int32(heap)
    heaps[heap].append(Entry(number: 0, index: -1))
    siftUp(Entry(number: banners[index].number, index: index), heap, heaps[heap].count - 1, banners)
  }

  private func pull(_ index: Int32, outOf heap: Int, _ banners: Banners) {
    let place = Int(banners[index].place)
    let last = heaps[heap].removeLast()
    if place == heaps[heap].count { return }
    if place > 0, last.number < heaps[heap][(place - 1) / 2].number {
      siftUp(last, heap, place, banners)
    } else {
      siftDown(last, heap, place, banners)
    }
  }

  /// Puts an entry at the empty `place` or above.
  private func siftUp(_ entry: Entry, _ heap: Int, _ place: Int, _ banners: Banners) {
    var i = place
    while i > 0 {
      Steps.count()
      let parent = heaps[heap][(i - 1) / 2]
      if parent.number < entry.number { break }
      heaps[heap][i] = parent
      banners[parent.index].place = Int32(i)
      i = (i - 1) / 2
    }
    heaps[heap][i] = entry
    banners[entry.index].place = Int32(i)
  }

  /// Puts an entry at the empty `place` or below.
  private func siftDown(_ entry: Entry, _ heap: Int, _ place: Int, _ banners: Banners) {
    var i = place
    let count = heaps[heap].count
    while true {
      Steps.count()
      var least = 2 * i + 1
      if least >= count { break }
      if least + 1 < count, heaps[heap][least + 1].number < heaps[heap][least].number { least += 1 }
      if entry.number < heaps[heap][least].number { break }
      heaps[heap][i] = heaps[heap][least]
      banners[heaps[heap][i].index].place = Int32(i)
      i = least
    }
    heaps[heap][i] = entry
    banners[entry.index].place = Int32(i)
  }
}
