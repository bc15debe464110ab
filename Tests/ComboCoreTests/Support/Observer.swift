@testable import ComboCore

/// A screen that knows nothing of engines. It reads the instructions of a room, and finds violations.
struct Observer {
  private struct Banner {
    var slot: Int
    var count: Int
    var base: Int
    var shownAt: Int64
    var updatedAt: Int64?
    var leavesAt: Int64?
  }

  /// The settings if they never change, or nil if what they bound is not to be checked.
  var settings: Settings?
  private var epoch = Int64.min
  private var seq = 0
  private var at = Int64.min
  private var banners: [Int: Banner] = [:]
  private var ended: Set<Int> = []
  /// The number of gifts that were shown, skipped or retracted.
  private(set) var gifts = 0
  /// The sum of the counts of all finals.
  private(set) var inFinals = 0
  /// The part of ``gifts`` that is in sums of skips.
  private(set) var summed = 0

  init(settings: Settings?) { self.settings = settings }

  /// Returns the fault of an instruction, or nil if there is none.
  mutating func fault(_ said: Said) -> String? {
    if said.epoch != epoch {
      if said.epoch < epoch { return "the epoch falls" }
      if banners.values.contains(where: { $0.leavesAt == nil }) { return "a new epoch over a full screen" }
      let (gifts, inFinals, summed) = (self.gifts, self.inFinals, self.summed)
      self = Observer(settings: settings)
      self.gifts = gifts
      self.inFinals = inFinals
      self.summed = summed
      epoch = said.epoch
    }
    if said.seq != seq + 1 { return "seq \(said.seq) after \(seq)" }
    if said.at < at { return "at falls" }
    seq = said.seq
    at = said.at
    return fault(said.operation)
  }

  private mutating func fault(_ operation: Said.Operation) -> String? {
    switch operation {
    case .show(let banner, let count, let base, let milestone, _):
      if banners[banner] != nil || ended.contains(banner) { return "banner \(banner) is shown twice" }
      // A banner that left long enough ago is gone when another one enters.
      if let exit = settings?.exitMs { banners = banners.filter { $0.value.leavesAt.map { $0 + Int64(exit) > at } ?? true } }
      if settings != nil, banners.values.contains(where: { $0.slot == 0 }) { return "slot 0 is held" }
      if let slots = settings?.slots, banners.count >= slots { return "more than \(slots) banners on screen" }
      if count < base { return "banner \(banner) shows less than there was" }
      if let fault = fault(milestone, above: base, to: count) { return fault }
      banners[banner] = Banner(slot: 0, count: count, base: base, shownAt: at)
      gifts += count - base
    case .update(let banner, let slot, let count, let added, let milestone):
      guard let old = banners[banner], old.leavesAt == nil else { return "an update of banner \(banner), which is not shown" }
      if old.slot != slot { return "banner \(banner) is in slot \(old.slot), not \(slot)" }
      if count - old.count != added || added <= 0 { return "banner \(banner) grows by \(count - old.count), not \(added)" }
      if let settings {
        if at < old.shownAt + Int64(settings.enterMs) { return "banner \(banner) is updated while it enters" }
        if let before = old.updatedAt, at < before + Int64(settings.countMs) { return "banner \(banner) counts too fast" }
      }
      if let fault = fault(milestone, above: old.count, to: count) { return fault }
      banners[banner]!.count = count
      banners[banner]!.updatedAt = at
      gifts += added
    case .moveUp(let banner, let slot):
      guard let old = banners[banner], old.leavesAt == nil else { return "banner \(banner) moves and is not shown" }
      if slot != old.slot + 1 { return "banner \(banner) moves from \(old.slot) to \(slot)" }
      if let exit = settings?.exitMs { banners = banners.filter { $0.value.leavesAt.map { $0 + Int64(exit) > at } ?? true } }
      if settings != nil, banners.values.contains(where: { $0.slot == slot }) { return "slot \(slot) is held" }
      banners[banner]!.slot = slot
    case .dismiss(let banner, let slot, let count, let reason):
      guard let old = banners[banner], old.leavesAt == nil else { return "banner \(banner) is dismissed and not shown" }
      if old.slot != slot { return "banner \(banner) is in slot \(old.slot), not \(slot)" }
      let mayGrow = reason == .closed || reason == .retracted
      if count < old.count || (count > old.count && !mayGrow) { return "banner \(banner) leaves with \(count)" }
      banners[banner]!.leavesAt = at
      ended.insert(banner)
      gifts += count - old.count
    case .skip(let banner, let count, _, _):
      if banners[banner] != nil || ended.contains(banner) { return "banner \(banner) is skipped after it was shown" }
      if count < 0 { return "banner \(banner) skips less than nothing" }
      ended.insert(banner)
      gifts += count
    case .skipSum(let banners, let count, _, let reason):
      if banners <= 0 || count < 0 { return "a sum of nothing" }
      if reason == .retracted { return "a retraction is summed" }
      gifts += count
      summed += count
    case .final(_, let count, _, _):
      if count <= 0 { return "a final of nothing" }
      inFinals += count
    case .screen(let shown):
      let expected = banners.filter { $0.value.leavesAt == nil }.sorted { $0.value.slot < $1.value.slot }
      if shown.map(\.banner) != expected.map(\.key) { return "another screen than was shown" }
      for (one, other) in zip(shown, expected) {
        if one.slot != other.value.slot || one.count != other.value.count || one.base != other.value.base {
          return "banner \(one.banner) is said otherwise than it was shown"
        }
      }
    }
    return nil
  }

  private func fault(_ milestone: Int?, above before: Int, to count: Int) -> String? {
    guard let settings else { return nil }
    let passed = settings.milestones.last { $0 > before && $0 <= count }
    return passed == milestone ? nil : "milestone \(milestone ?? 0), not \(passed ?? 0)"
  }

  /// Whether everything that was shown has left.
  var isEmpty: Bool { banners.values.allSatisfy { $0.leavesAt != nil } }
}
