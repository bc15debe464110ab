internal import ComboSystem

/// Generates gifts in a platform's format, with the requested faults: the same seed generates the same gifts.
///
/// A streak is planned as a whole when it begins, and its records wait until they are due. So memory holds the streaks of a few
/// seconds.
package struct PlatformGenerator {
  /// A record that has not arrived yet.
  package struct Record: Comparable {
    /// The time of its arrival, in milliseconds.
    package let at: Int64
    /// The order of records that arrive at the same time.
    fileprivate let order: Int
    /// The record's key.
    package let room: String
    package let text: String

    package static func < (one: Record, other: Record) -> Bool { (one.at, one.order) < (other.at, other.order) }
  }

  /// The mean number of taps of a streak.
  private static let tapsMean = 8

  private let shape: PlatformShape
  private let mix: GiftMix
  private let faults: PlatformFaults
  private let sendsMax: Int
  private var random: SplitMix64
  private let rooms: ZipfTable
  /// The sender of each room's next streak. A sender's next streak begins after one of every other sender of the room.
  private var nextSender: [Int32]
  private var streaks = 0
  private var records = 0
  private var pushed = 0
  /// The time at which the next streak begins, in microseconds.
  private var nextStreak: Int64
  private let betweenStreaks: Int64
  /// The records that are not due yet, the earliest first.
  private var waiting = Heap<Record>()
  private let keepsTruth: Bool
  private var truth = ""

  /// The number of taps so far.
  package private(set) var sends = 0
  /// The number of gifts in them.
  package private(set) var gifts = 0

  /// Begins at `start` with `rate` taps per second over all rooms, and ends when `sends` taps are generated and the last of their
  /// records has arrived. Ids are numbered from `first`, as another run's must not look like repeats of these.
  package init(
    _ shape: PlatformShape, _ mix: GiftMix, _ faults: PlatformFaults, start: Int64, rate: Int, sends: Int, first: Int = 0,
    keepsTruth: Bool = false
  ) {
    self.shape = shape
    self.mix = mix
    self.faults = faults
    self.keepsTruth = keepsTruth
    streaks = first
    records = first
    sendsMax = sends
    random = SplitMix64(seed: UInt64(bitPattern: Int64(mix.seed)))
    rooms = ZipfTable(count: mix.rooms, exponent: mix.skew)
    nextSender = Array(repeating: 0, count: mix.rooms)
    nextStreak = start * 1000
    betweenStreaks = max(1, Int64(Self.tapsMean) * 1_000_000 / Int64(rate))
  }

  /// Whether everything has been generated and has arrived.
  package var isDone: Bool { sends >= sendsMax && waiting.isEmpty }

  /// Returns the next record, if it arrives by `time`.
  package mutating func next(upTo time: Int64 = .max) -> Record? {
    while sends < sendsMax, nextStreak / 1000 <= time, nextStreak / 1000 <= waiting.first?.at ?? .max {
      begin(at: nextStreak / 1000)
      // Half to one and a half times the mean.
      nextStreak += betweenStreaks / 2 + Int64(SplitMix64.scale(random.next() >> 32, Int(betweenStreaks) + 1))
    }
    return waiting.pop(if: { $0.at <= time })
  }

  /// Returns the real counts of the streaks that began since the last call, as JSON lines in the order in which they began.
  package mutating func takeTruth() -> String {
    defer { truth = "" }
    return truth
  }

  // MARK: - A streak

  private mutating func begin(at start: Int64) {
    let room = rooms.draw(random.next()), what = random.next()
    // The cheaper of two draws, so that cheap gifts are the most frequent.
    let present = min(SplitMix64.scale(what >> 32, mix.gifts), SplitMix64.scale(what & 0xffff_ffff, mix.gifts))
    let length = random.next()
    let taps = min(1 + SplitMix64.scale(length >> 32, length & 1 == 0 ? 4 : 26), sendsMax - sends)
    streaks += 1
    var gift = PlatformGift(
      room: room, sender: Int(nextSender[room]), present: present, batch: shape.batches[random.below(shape.batches.count)],
      hits: taps, taps: taps, streak: streaks, ts: start, began: start, number: 0)
    nextSender[room] = (nextSender[room] + 1) % Int32(mix.senders)
    if let opening = shape.opening, taps > 1 { send(&gift, as: opening) }
    for hits in 1...taps {
      gift.ts += 120 + Int64(random.below(500))
      gift.hits = hits
      send(&gift, as: shape.tap, late: chance(faults.lateTotals) ? 3000 + Int64(random.below(9000)) : 0)
    }
    if let closing = shape.closing, !chance(faults.lostEnds) {
      gift.ts += 1500 + Int64(random.below(1500))
      send(&gift, as: closing)
    }
    sends += taps
    gifts += gift.batch * taps
    if keepsTruth {
      truth += """
        {"room":"\(gift.roomNumber)","sender":"\(shape.senderID(gift))","gift":"\(shape.giftID(gift))","streak":\(gift.streak),\
        "count":\(gift.batch * taps)}

        """
    }
  }

  private mutating func send(_ gift: inout PlatformGift, as make: (PlatformGift) -> String?, late: Int64 = 0) {
    records += 1
    gift.number = records
    guard let text = make(gift) else { return }
    let at = gift.ts + late + Int64(faults.reorderMs == 0 ? 0 : random.below(faults.reorderMs + 1))
    let room = String(gift.roomNumber)
    push(at, room, text)
    guard chance(faults.duplicates) else { return }
    var again = text
    if shape.isRenumbered {
      records += 1
      gift.number = records
      again = make(gift) ?? text
    }
    push(at + 1 + Int64(random.below(1500)), room, again)
  }

  private mutating func chance(_ share: Double) -> Bool {
    share > 0 && random.next() >> 32 < UInt64(share * 4_294_967_296)
  }

  private mutating func push(_ at: Int64, _ room: String, _ text: String) {
    pushed += 1
    waiting.push(Record(at: at, order: pushed, room: room, text: text))
  }
}
