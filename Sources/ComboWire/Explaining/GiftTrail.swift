package import ComboCore

/// Follows the gifts of one room through its engine's instructions, and determines the outcome of each.
///
/// Memory is bounded by the number of waiting gifts: a gift is returned once it and all before it are complete. If gifts are
/// followed until their banner has left the screen, memory is also bounded by the gifts on screen, up to ``onScreenMax``.
package final class GiftTrail {
  /// The sink to pass to an engine.
  package struct Sink: InstructionSink {
    fileprivate let trail: GiftTrail

    package mutating func say(_ instruction: Instruction) { trail.follow(instruction) }
    package mutating func took(_ taken: TakenGift) { trail.add(taken) }
    package mutating func merged(_ banner: Int, into other: Int) { trail.merged(banner, into: other) }
    package mutating func summed(_ banner: Int, at: Int64, _ reason: SkipReason) { trail.summed(banner, at: at, reason) }
  }

  private struct Entry {
    var fate: GiftFate
    /// Whether the banner that showed it is still on screen and may be retracted.
    var isOnScreen = false

    var isComplete: Bool { fate.isComplete && !isOnScreen }
  }

  /// The gifts in order; the first has the number `firstNumber`.
  private var entries: [Entry] = []
  private var firstNumber = 0
  /// The numbers of the gifts that have not been shown, by banner.
  private var unseen: [Int: [Int]] = [:]
  /// The numbers of the gifts shown in a banner that is still on screen, by banner.
  private var onScreen: [Int: [Int]] = [:]
  private var onScreenCount = 0
  private let followsBanners: Bool
  /// Whether a gift was returned, or not followed, while its banner was still on screen, because there were too many.
  private var isCutShort = false
  /// Whether a banner was retracted whose gifts may have been returned before.
  package private(set) var hasLostRetractions = false
  /// The gift that the engine is processing.
  private var gift: Gift?
  /// The epoch of the last instruction. When another one begins, gifts not shown are forgotten with their banners.
  private var epoch: Int64?

  /// The maximum number of gifts that wait for their banner to leave the screen.
  package static let onScreenMax = 100_000

  /// - Parameter followsBanners: Whether a gift that was shown is complete only when its banner has left the screen.
  package init(followsBanners: Bool = false) { self.followsBanners = followsBanners }

  /// Passes a gift to an engine and follows it.
  package func process(_ gift: Gift, at now: Int64, by engine: inout Engine) {
    self.gift = gift
    var sink = sink
    engine.takeFollowed(gift, at: now, to: &sink)
    self.gift = nil
  }

  /// The gift processed last, if it has not been returned yet.
  package var last: GiftFate? { entries.last?.fate }

  /// Whether all gifts have been returned.
  package var isEmpty: Bool { entries.isEmpty }

  /// Adds a gift that is too old for the room's engine, which does not receive it.
  package func addOld(_ gift: Gift, at now: Int64) {
    entries.append(Entry(fate: GiftFate(gift, TakenGift(epoch: 0, at: now, outcome: .old, count: 0, banner: 0, base: 0))))
  }

  /// The sink for all other calls of the engine.
  package var sink: Sink { Sink(trail: self) }

  /// Removes the gifts up to the first incomplete one or, with `all`, all gifts, and calls `body` with each.
  package func removeComplete(all: Bool = false, _ body: (GiftFate) -> Void) {
    var count = 0
    // Removes half of them at once; otherwise each gift would move all others.
    let tooMany = entries.count > Self.onScreenMax ? entries.count - Self.onScreenMax / 2 : 0
    while count < entries.count, all || entries[count].isComplete || (count < tooMany && entries[count].fate.isComplete) {
      if entries[count].isOnScreen { isCutShort = true }
      body(entries[count].fate)
      count += 1
    }
    entries.removeFirst(count)
    firstNumber += count
  }

  private func add(_ taken: TakenGift) {
    begin(taken.epoch)
    guard let gift else { preconditionFailure("an engine took a gift that it was not given here") }
    entries.append(Entry(fate: GiftFate(gift, taken)))
    if taken.banner > 0 { unseen[taken.banner, default: []].append(firstNumber + entries.count - 1) }
  }

  /// Follows a merge; for callers with a sink of their own.
  package func merged(_ banner: Int, into other: Int) {
    unseen[other, default: []] += unseen.removeValue(forKey: banner) ?? []
  }

  /// Follows a summed skip; for callers with a sink of their own.
  package func summed(_ banner: Int, at: Int64, _ reason: SkipReason) { end(banner, .skipped(at: at, reason)) }

  /// Follows an instruction; for callers with a sink of their own.
  package func follow(_ instruction: Instruction) {
    begin(instruction.epoch)
    switch instruction.operation {
    case .show(let banner, _, _, _, _): end(banner, .seen(at: instruction.at, by: "show", banner: banner))
    case .update(let banner, _, _, _, _): end(banner, .seen(at: instruction.at, by: "update", banner: banner))
    case .dismiss(let banner, _, _, let reason):
      end(banner, .seen(at: instruction.at, by: "dismiss", banner: banner))
      complete(banner, retractedAt: reason == .retracted ? instruction.at : nil)
    case .skip(let banner, _, let reason, _): end(banner, .skipped(at: instruction.at, reason))
    case .moveUp, .skipSum, .final, .screen: break
    }
  }

  private func begin(_ epoch: Int64) {
    if self.epoch == epoch { return }
    self.epoch = epoch
    for number in unseen.values.joined() { entries[number - firstNumber].fate.end = .forgotten }
    unseen.removeAll()
    for banner in Array(onScreen.keys) { complete(banner, retractedAt: nil) }
  }

  private func end(_ banner: Int, _ end: GiftFate.End) {
    let numbers = unseen.removeValue(forKey: banner) ?? []
    for number in numbers { entries[number - firstNumber].fate.end = end }
    guard followsBanners, case .seen = end, !numbers.isEmpty else { return }
    if onScreenCount + numbers.count > Self.onScreenMax {
      isCutShort = true
      return
    }
    for number in numbers { entries[number - firstNumber].isOnScreen = true }
    onScreen[banner, default: []] += numbers
    onScreenCount += numbers.count
  }

  /// Completes the gifts of a banner that leaves the screen.
  private func complete(_ banner: Int, retractedAt: Int64?) {
    if retractedAt != nil, isCutShort { hasLostRetractions = true }
    let numbers = onScreen.removeValue(forKey: banner) ?? []
    onScreenCount -= numbers.count
    // Missing numbers have been returned early, because there were too many.
    for number in numbers where number >= firstNumber {
      entries[number - firstNumber].isOnScreen = false
      entries[number - firstNumber].fate.retractedAt = retractedAt
    }
  }
}
