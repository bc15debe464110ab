/// The experience of a room's audience with some settings, or the sum of many rooms.
///
/// A gift is one event that counted. Repeated ids and late totals change nothing on a screen, and are counted separately.
package struct RoomMeasure: Equatable, Sendable {
  /// Gifts that counted.
  package var gifts = 0
  /// Gift events that changed nothing, as their id was known or their total was late.
  package var repeated = 0
  /// The waits of gifts that were seen, in milliseconds: from the time at which a gift is processed to the first instruction
  /// whose count includes it.
  package var waits: SpreadCounts
  /// The numbers of gifts seen within 1, 3 and 10 seconds.
  package var within1 = 0
  package var within3 = 0
  package var within10 = 0
  /// The stays of banners, each up to ``readMs``, summed over the gifts that were seen in time, in milliseconds.
  package var readableMs = 0
  /// Gifts whose banner was skipped.
  package var skipped = 0
  /// The worth of all gifts, and of the skipped ones.
  package var worth = 0.0
  package var skippedWorth = 0.0
  /// The times for which banners are on screen, from `show` to `dismiss`, in milliseconds.
  package var stays: SpreadCounts
  package var instructions = 0
  package var updates = 0
  /// The largest numbers in any one second of one room.
  package var peakInstructions = 0
  package var peakUpdates = 0
  /// The time from a room's first gift to its last banner, multiplied by its slots, and the part in use. In slot milliseconds.
  package var slotMs: Int64 = 0
  package var takenMs: Int64 = 0
  /// The time from a room's first gift to its last instruction, in milliseconds.
  package var spanMs: Int64 = 0

  /// - Parameter bits: The precision of the durations (``SpreadCounts``).
  package init(bits: Int) {
    waits = SpreadCounts(bits: bits)
    stays = SpreadCounts(bits: bits)
  }

  /// The number of all gift events that the engine has processed.
  package var events: Int { gifts + repeated }
  package var seen: Int { waits.count }
  /// The longest wait, in milliseconds, of a gift that is seen in time.
  package static let inTimeMs: Int64 = 10_000
  /// The stay, in milliseconds, with which a banner can be read at ease.
  package static let readMs: Int64 = 2000
  /// The objective of `tune`, from 0 to 1: the share of gifts that are seen in time, on a banner that stays long enough to be
  /// read. A shorter stay counts in proportion.
  package var seenWell: Double { gifts == 0 ? 0 : Double(readableMs) / Double(gifts) / Double(Self.readMs) }
  /// Returns a share of the gifts, from 0 to 1; 0 if there are none.
  package func share(_ count: Int) -> Double { gifts == 0 ? 0 : Double(count) / Double(gifts) }
  /// The share of all worth that was skipped.
  package var skippedWorthShare: Double { worth > 0 ? skippedWorth / worth : 0 }
  /// The fill of the screen, from 0 to 1, or nil if there never was a slot.
  package var fill: Double? { slotMs > 0 ? Double(takenMs) / Double(slotMs) : nil }
  /// Returns a number of instructions as a rate per second.
  package func rate(_ count: Int) -> Double { Double(count) * 1000 / Double(Swift.max(1000, spanMs)) }

  /// Adds the measure of another room, except for the durations, whose precision may differ.
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
