internal import ComboCore

/// Follows one room with one combination of settings: the fates of its gifts, and its screen. It follows gifts by the rules of
/// `GiftTrail`, but stores only their times and worth.
final class RoomTrack {
  /// A gift that was not seen yet. If many wait, these take most of the memory: 8 bytes each.
  private struct Unseen {
    /// The low bits of its time in milliseconds. A wait above 49 days counts as a shorter one.
    var at: UInt32
    /// The next gift of the same banner, or -1.
    var next: Int32
  }

  /// The gifts of a banner that were not seen yet.
  private struct Chain {
    var head: Int32
    var tail: Int32
    /// Their total worth.
    var worth: Double
  }

  /// The precision of a room's durations is 1 %, as a room must not take much memory.
  private static let bits = 7

  /// What is kept of the room when it rests.
  private(set) var entry: TuneObserver.Entry
  /// The durations of all rooms, with a higher precision.
  private unowned(unsafe) let totals: LaneTotals
  /// Gifts that were not seen yet.
  private var unseen: [Unseen] = []
  private var free: Int32 = -1
  private var chains: [Int: Chain] = [:]
  /// The banners on screen, each with its start, and the number of its gifts that were seen in time.
  private var shown: [(banner: Int, at: Int64, inTime: Int)] = []
  private var slots: Int
  /// The current second.
  private var second: Int64 = .min
  private var instructionsInSecond = 0
  private var updatesInSecond = 0
  /// The worth of one unit of the current gift.
  private var value = 0.0

  /// - Parameter earlier: The room before it rested, or nil if it is new. Its rest counts as if it had stayed in memory.
  init(place: UInt64, slots: Int, totals: LaneTotals, earlier: TuneObserver.Entry? = nil) {
    entry = earlier ?? TuneObserver.Entry(place: place, measure: RoomMeasure(bits: Self.bits))
    self.slots = slots
    self.totals = totals
  }

  /// Passes a gift to an engine.
  func process(_ gift: Gift, at now: Int64, by engine: inout Engine) {
    value = gift.value
    var sink = sink
    engine.takeFollowed(gift, at: now, to: &sink)
  }

  /// Sets the number of slots from now on.
  func set(slots: Int, at now: Int64) {
    // An empty screen counts once a banner is shown again: a rested room that is no longer in memory is not called.
    if !shown.isEmpty { account(until: now) }
    self.slots = slots
  }

  /// The sink for all other calls of the engine.
  var sink: TrackSink { TrackSink(track: self) }

  // MARK: - The engine's instructions

  fileprivate func add(_ taken: TakenGift) {
    guard taken.banner > 0 else {
      entry.measure.repeated += 1
      return
    }
    if entry.began == nil { (entry.began, entry.accounted) = (taken.at, taken.at) }
    let worth = value * Double(taken.count)
    entry.measure.gifts += 1
    entry.measure.worth += worth
    let place = store(Unseen(at: UInt32(truncatingIfNeeded: taken.at), next: -1))
    join(Chain(head: place, tail: place, worth: worth), to: taken.banner)
  }

  fileprivate func merged(_ banner: Int, into other: Int) {
    if let chain = chains.removeValue(forKey: banner) { join(chain, to: other) }
  }

  fileprivate func process(_ instruction: Instruction) {
    let at = instruction.at
    count(at)
    switch instruction.operation {
    case .show(let banner, _, _, _, _):
      account(until: at)
      shown.append((banner, at, 0))
      see(banner, at)
    case .update(let banner, _, _, _, _):
      entry.measure.updates += 1
      updatesInSecond += 1
      entry.measure.peakUpdates = max(entry.measure.peakUpdates, updatesInSecond)
      see(banner, at)
    case .dismiss(let banner, _, _, _):
      account(until: at)
      see(banner, at)
      if let index = shown.firstIndex(where: { $0.banner == banner }) {
        let stay = max(0, at - shown[index].at)
        entry.measure.stays.add(stay)
        totals.stays.add(stay)
        entry.measure.readableMs += shown[index].inTime * Int(min(stay, RoomMeasure.readMs))
        shown.remove(at: index)
      }
    case .skip(let banner, _, _, _): skip(banner)
    case .moveUp, .skipSum, .final, .screen: break
    }
  }

  private func count(_ at: Int64) {
    if at / 1000 != second { (second, instructionsInSecond, updatesInSecond) = (at / 1000, 0, 0) }
    entry.measure.instructions += 1
    instructionsInSecond += 1
    entry.measure.peakInstructions = max(entry.measure.peakInstructions, instructionsInSecond)
    if let began = entry.began { entry.measure.spanMs = max(entry.measure.spanMs, at - began) }
  }

  private func account(until now: Int64) {
    guard let last = entry.accounted, now > last else { return }
    entry.measure.takenMs += Int64(shown.count) * (now - last)
    entry.measure.slotMs += Int64(max(slots, shown.count)) * (now - last)
    entry.accounted = now
  }

  // MARK: - Gifts that wait

  private func see(_ banner: Int, _ at: Int64) {
    guard let chain = chains.removeValue(forKey: banner) else { return }
    var place = chain.head
    var inTime = 0
    while place >= 0 {
      let gift = unseen[Int(place)]
      let wait = Int64(UInt32(truncatingIfNeeded: at) &- gift.at)
      entry.measure.waits.add(wait)
      totals.waits.add(wait)
      if wait <= 1000 { entry.measure.within1 += 1 }
      if wait <= 3000 { entry.measure.within3 += 1 }
      if wait <= RoomMeasure.inTimeMs { inTime += 1 }
      release(place)
      place = gift.next
    }
    entry.measure.within10 += inTime
    if let index = shown.firstIndex(where: { $0.banner == banner }) { shown[index].inTime += inTime }
  }

  fileprivate func skip(_ banner: Int) {
    guard let chain = chains.removeValue(forKey: banner) else { return }
    entry.measure.skippedWorth += chain.worth
    var place = chain.head
    while place >= 0 {
      entry.measure.skipped += 1
      let next = unseen[Int(place)].next
      release(place)
      place = next
    }
  }

  private func join(_ chain: Chain, to banner: Int) {
    guard let known = chains[banner] else {
      chains[banner] = chain
      return
    }
    unseen[Int(known.tail)].next = chain.head
    chains[banner] = Chain(head: known.head, tail: chain.tail, worth: known.worth + chain.worth)
  }

  private func store(_ gift: Unseen) -> Int32 {
    guard free >= 0 else {
      unseen.append(gift)
      return Int32(unseen.count - 1)
    }
    let place = free
    free = unseen[Int(place)].next
    unseen[Int(place)] = gift
    return place
  }

  private func release(_ place: Int32) {
    unseen[Int(place)].next = free
    free = place
  }
}

struct TrackSink: InstructionSink {
  /// The track, which the owner of the sink keeps alive.
  unowned(unsafe) let track: RoomTrack

  mutating func say(_ instruction: Instruction) { track.process(instruction) }
  mutating func took(_ gift: TakenGift) { track.add(gift) }
  mutating func merged(_ banner: Int, into other: Int) { track.merged(banner, into: other) }
  mutating func summed(_ banner: Int, at: Int64, _ reason: SkipReason) { track.skip(banner) }
}

/// The durations of all rooms of a lane, with a precision of 1 in 1,000.
final class LaneTotals {
  static let bits = 10
  var waits = SpreadCounts(bits: LaneTotals.bits)
  var stays = SpreadCounts(bits: LaneTotals.bits)
}
