package import ComboCore

/// Follows the gifts of one room: takes its engine's instructions, and knows what became of each.
///
/// Memory is bounded by what waits: a gift is handed out once it and all before it are complete.
package final class GiftTrail {
  /// An engine's sink.
  package struct Sink: InstructionSink {
    fileprivate let trail: GiftTrail

    package mutating func say(_ instruction: Instruction) { trail.follow(instruction) }
    package mutating func took(_ taken: TakenGift) { trail.took(taken) }
    package mutating func merged(_ banner: Int, into other: Int) { trail.merged(banner, into: other) }
  }

  /// In their order; the first has the number `handedOut`.
  private var fates: [GiftFate] = []
  private var handedOut = 0
  /// The numbers of those that were not seen, by banner.
  private var unseen: [Int: [Int]] = [:]
  /// The gift that is being taken.
  private var gift: Gift?
  /// Of what was heard last. When another one begins, what was not seen is forgotten: its banners are no more.
  private var epoch: Int64?

  package init() {}

  /// Lets an engine take a gift.
  package func take(_ gift: Gift, at now: Int64, by engine: inout Engine) {
    self.gift = gift
    var sink = sink
    engine.takeFollowed(gift, at: now, to: &sink)
    self.gift = nil
  }

  /// The gift taken last, if it was not handed out yet.
  package var last: GiftFate? { fates.last }

  /// Whether no gift is left that was not handed out.
  package var isEmpty: Bool { fates.isEmpty }

  /// A gift of the room comes that is too old for its engine, which does not see it.
  package func addOld(_ gift: Gift, at now: Int64) {
    fates.append(GiftFate(gift, TakenGift(epoch: 0, at: now, outcome: .old, count: 0, banner: 0, base: 0)))
  }

  /// For all other calls of the engine.
  package var sink: Sink { Sink(trail: self) }

  /// Hands out those that are complete, and before which none is not; or, at the end, all that are left.
  package func takeOut(all: Bool = false, _ body: (GiftFate) -> Void) {
    var count = 0
    while count < fates.count, all || fates[count].isComplete {
      body(fates[count])
      count += 1
    }
    fates.removeFirst(count)
    handedOut += count
  }

  private func took(_ taken: TakenGift) {
    begin(taken.epoch)
    guard let gift else { preconditionFailure("an engine took a gift that it was not given here") }
    fates.append(GiftFate(gift, taken))
    if taken.banner > 0 { unseen[taken.banner, default: []].append(handedOut + fates.count - 1) }
  }

  /// For who hears an engine by another sink.
  package func merged(_ banner: Int, into other: Int) {
    unseen[other, default: []] += unseen.removeValue(forKey: banner) ?? []
  }

  /// For who hears an engine by another sink.
  package func follow(_ instruction: Instruction) {
    begin(instruction.epoch)
    switch instruction.operation {
    case .show(let banner, _, _, _, _): end(banner, .seen(at: instruction.at, by: "show", banner: banner))
    case .update(let banner, _, _, _, _): end(banner, .seen(at: instruction.at, by: "update", banner: banner))
    case .dismiss(let banner, _, _, _): end(banner, .seen(at: instruction.at, by: "dismiss", banner: banner))
    case .skip(let banner, _, let reason, _): end(banner, .skipped(at: instruction.at, reason))
    case .moveUp, .final, .screen: break
    }
  }

  private func begin(_ epoch: Int64) {
    if self.epoch == epoch { return }
    self.epoch = epoch
    for number in unseen.values.joined() { fates[number - handedOut].end = .forgotten }
    unseen.removeAll()
  }

  private func end(_ banner: Int, _ end: GiftFate.End) {
    for number in unseen.removeValue(forKey: banner) ?? [] { fates[number - handedOut].end = end }
  }
}
