package import ComboCore

/// Follows the gifts of one room: takes its engine's instructions, and knows what became of each.
///
/// Memory is bounded by what waits: a gift is handed out once it and all before it are complete. If gifts are followed until their banner
/// has left the screen, it is also bounded by what is on screen, up to ``onScreenMax``.
package final class GiftTrail {
  /// An engine's sink.
  package struct Sink: InstructionSink {
    fileprivate let trail: GiftTrail

    package mutating func say(_ instruction: Instruction) { trail.follow(instruction) }
    package mutating func took(_ taken: TakenGift) { trail.took(taken) }
    package mutating func merged(_ banner: Int, into other: Int) { trail.merged(banner, into: other) }
    package mutating func summed(_ banner: Int, at: Int64, _ reason: SkipReason) { trail.summed(banner, at: at, reason) }
  }

  private struct Entry {
    var fate: GiftFate
    /// Whether the banner in which it was seen is still there, and may be retracted.
    var isOnScreen = false

    var isComplete: Bool { fate.isComplete && !isOnScreen }
  }

  /// In their order; the first has the number `handedOut`.
  private var entries: [Entry] = []
  private var handedOut = 0
  /// The numbers of those that were not seen, by banner.
  private var unseen: [Int: [Int]] = [:]
  /// The numbers of those that were seen in a banner that is still on screen, by banner.
  private var onScreen: [Int: [Int]] = [:]
  private var onScreenCount = 0
  private let followsBanners: Bool
  /// Whether a gift was handed out, or not followed, while its banner was still on screen, as there were too many.
  private var isCutShort = false
  /// Whether a banner was retracted whose gifts may have been handed out before.
  package private(set) var hasLostRetractions = false
  /// The gift that is being taken.
  private var gift: Gift?
  /// Of what was heard last. When another one begins, what was not seen is forgotten: its banners are no more.
  private var epoch: Int64?

  /// So many gifts at most wait for their banner to leave the screen.
  package static let onScreenMax = 100_000

  /// - Parameter followsBanners: whether a gift that was seen is complete only when its banner has left the screen.
  package init(followsBanners: Bool = false) { self.followsBanners = followsBanners }

  /// Lets an engine take a gift.
  package func take(_ gift: Gift, at now: Int64, by engine: inout Engine) {
    self.gift = gift
    var sink = sink
    engine.takeFollowed(gift, at: now, to: &sink)
    self.gift = nil
  }

  /// The gift taken last, if it was not handed out yet.
  package var last: GiftFate? { entries.last?.fate }

  /// Whether no gift is left that was not handed out.
  package var isEmpty: Bool { entries.isEmpty }

  /// A gift of the room comes that is too old for its engine, which does not see it.
  package func addOld(_ gift: Gift, at now: Int64) {
    entries.append(Entry(fate: GiftFate(gift, TakenGift(epoch: 0, at: now, outcome: .old, count: 0, banner: 0, base: 0))))
  }

  /// For all other calls of the engine.
  package var sink: Sink { Sink(trail: self) }

  /// Hands out those that are complete, and before which none is not; or, at the end, all that are left.
  package func takeOut(all: Bool = false, _ body: (GiftFate) -> Void) {
    var count = 0
    // Half of them at once, or each gift would move all others.
    let tooMany = entries.count > Self.onScreenMax ? entries.count - Self.onScreenMax / 2 : 0
    while count < entries.count, all || entries[count].isComplete || (count < tooMany && entries[count].fate.isComplete) {
      if entries[count].isOnScreen { isCutShort = true }
      body(entries[count].fate)
      count += 1
    }
    entries.removeFirst(count)
    handedOut += count
  }

  private func took(_ taken: TakenGift) {
    begin(taken.epoch)
    guard let gift else { preconditionFailure("an engine took a gift that it was not given here") }
    entries.append(Entry(fate: GiftFate(gift, taken)))
    if taken.banner > 0 { unseen[taken.banner, default: []].append(handedOut + entries.count - 1) }
  }

  /// For who hears an engine by another sink.
  package func merged(_ banner: Int, into other: Int) {
    unseen[other, default: []] += unseen.removeValue(forKey: banner) ?? []
  }

  /// For who hears an engine by another sink.
  package func summed(_ banner: Int, at: Int64, _ reason: SkipReason) { end(banner, .skipped(at: at, reason)) }

  /// For who hears an engine by another sink.
  package func follow(_ instruction: Instruction) {
    begin(instruction.epoch)
    switch instruction.operation {
    case .show(let banner, _, _, _, _): end(banner, .seen(at: instruction.at, by: "show", banner: banner))
    case .update(let banner, _, _, _, _): end(banner, .seen(at: instruction.at, by: "update", banner: banner))
    case .dismiss(let banner, _, _, let reason):
      end(banner, .seen(at: instruction.at, by: "dismiss", banner: banner))
      left(banner, retractedAt: reason == .retracted ? instruction.at : nil)
    case .skip(let banner, _, let reason, _): end(banner, .skipped(at: instruction.at, reason))
    case .moveUp, .skipSum, .final, .screen: break
    }
  }

  private func begin(_ epoch: Int64) {
    if self.epoch == epoch { return }
    self.epoch = epoch
    for number in unseen.values.joined() { entries[number - handedOut].fate.end = .forgotten }
    unseen.removeAll()
    for banner in Array(onScreen.keys) { left(banner, retractedAt: nil) }
  }

  private func end(_ banner: Int, _ end: GiftFate.End) {
    let numbers = unseen.removeValue(forKey: banner) ?? []
    for number in numbers { entries[number - handedOut].fate.end = end }
    guard followsBanners, case .seen = end, !numbers.isEmpty else { return }
    if onScreenCount + numbers.count > Self.onScreenMax {
      isCutShort = true
      return
    }
    for number in numbers { entries[number - handedOut].isOnScreen = true }
    onScreen[banner, default: []] += numbers
    onScreenCount += numbers.count
  }

  /// A banner leaves the screen.
  private func left(_ banner: Int, retractedAt: Int64?) {
    if retractedAt != nil, isCutShort { hasLostRetractions = true }
    let numbers = onScreen.removeValue(forKey: banner) ?? []
    onScreenCount -= numbers.count
    // Those that are missing were handed out, as there were too many.
    for number in numbers where number >= handedOut {
      entries[number - handedOut].isOnScreen = false
      entries[number - handedOut].fate.retractedAt = retractedAt
    }
  }
}
