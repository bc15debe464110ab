/// The view of a room's audience under some settings; or the sum over many rooms.
///
/// A gift is one event that counted. Repeated ids and late totals change nothing on a screen and are counted apart.
package struct RoomMeasure: Equatable, Sendable {
  /// Gifts that counted.
  package var gifts = 0
  /// Events of gifts that changed nothing: their id was known, or their total was late.
  package var repeated = 0
  /// From the time at which a gift is taken in to the first instruction whose count includes it; of those that were seen, in milliseconds.
  package var waits: SpreadCounts
  /// Gifts seen within 1, 3 and 10 seconds.
  package var within1 = 0
  package var within3 = 0
  package var within10 = 0
  /// How long the banners of gifts that were seen in time stayed, each up to ``readMs``, summed over these gifts, in milliseconds.
  package var readableMs = 0
  /// Gifts whose banner was skipped.
  package var skipped = 0
  /// The worth of all gifts, and of those skipped.
  package var worth = 0.0
  package var skippedWorth = 0.0
  /// How long banners are on screen: from `show` to `dismiss`, in milliseconds.
  package var stays: SpreadCounts
  package var instructions = 0
  package var updates = 0
  /// The most in any one second of one room.
  package var peakInstructions = 0
  package var peakUpdates = 0
  /// The time from a room's first gift to its last banner, times its slots; and how much of it was taken. In slot milliseconds.
  package var slotMs: Int64 = 0
  package var takenMs: Int64 = 0
  /// From a room's first event to its last instruction, in milliseconds.
  package var spanMs: Int64 = 0

  /// - Parameter bits: how exact the durations are (``SpreadCounts``).
  package init(bits: Int) {
    waits = SpreadCounts(bits: bits)
    stays = SpreadCounts(bits: bits)
  }

  /// All that an engine was given as gifts.
  package var events: Int { gifts + repeated }
  package var seen: Int { waits.count }
  /// A gift is seen in time within so many milliseconds.
  package static let inTimeMs: Int64 = 10_000
  /// A banner that stays for so many milliseconds can be read at ease.
  package static let readMs: Int64 = 2000
  /// The objective of `tune`, from 0 to 1: the share of gifts that are seen in time, on a banner that stays long enough to be read. A
  /// shorter stay counts in proportion.
  package var seenWell: Double { gifts == 0 ? 0 : Double(readableMs) / Double(gifts) / Double(Self.readMs) }
  /// A share of the gifts, from 0 to 1; 0 if there are none.
  package func share(_ count: Int) -> Double { gifts == 0 ? 0 : Double(count) / Double(gifts) }
  /// The share of all worth that was skipped.
  package var skippedWorthShare: Double { worth > 0 ? skippedWorth / worth : 0 }
  /// How full the screen is, from 0 to 1; nil if there never was a slot.
  package var fill: Double? { slotMs > 0 ? Double(takenMs) / Double(slotMs) : nil }
  /// A number of instructions as a rate a second.
  package func rate(_ count: Int) -> Double { Double(count) * 1000 / Double(Swift.max(1000, spanMs)) }

  /// Adds what another room came to, all but the durations, which may be of another precision.
  mutating func addAllButSpreads(_ other: RoomMeasure) {
    gifts += other.gifts
    repeated += other.repeated
    within1 += other.within1
    within3 += other.within3
    within10 += other.within10
    readableMs += other.readableMs
    skipped += other.skipped
    worth += other.worth
    skippedWorth += other.skippedWorth
    instructions += other.instructions
    updates += other.updates
    peakInstructions = Swift.max(peakInstructions, other.peakInstructions)
    peakUpdates = Swift.max(peakUpdates, other.peakUpdates)
    slotMs += other.slotMs
    takenMs += other.takenMs
    spanMs += other.spanMs
  }
}
