/// The properties of made-up gifts.
package struct GiftMix: Equatable, Sendable {
  package var rooms = 1000
  /// The Zipf exponent of the rooms' shares: room k gets a share of 1/k^skew. 0 for equal shares.
  package var skew = 1.0
  /// The number of senders per room.
  package var senders = 50
  /// The number of viewers per room that send at the same time, each a run of one kind of gift.
  package var active = 2
  package var gifts = 24
  /// Share of gifts sent as running totals of a streak.
  package var totals = 0.0
  /// Share of these streaks that have no name, and whose last total marks its end.
  package var ends = 0.0
  /// The time for which totals are to be remembered, written into each of them, in milliseconds; 0 to leave it out.
  package var streakMs = 0
  /// Share of gifts with their own linger: 1 to 10 s, depending on the kind of gift.
  package var lingers = 0.0
  /// Share of gifts with `refresh`: a repetition of one keeps alive what it repeats.
  package var refreshes = 0.0
  /// Share of a sender's runs of gifts that name their own combo.
  package var combos = 0.0
  /// Share of events that repeat an earlier one.
  package var repeats = 0.0
  /// Share of events that retract a sender's combos.
  package var retracts = 0.0
  /// Share of events that close a room.
  package var closes = 0.0
  /// Share of events that are bad.
  package var bad = 0.0
  /// The seed of the random numbers.
  package var seed = 1

  package init() {}

  /// A contradiction between the options, as a sentence, or nil.
  package var fault: String? {
    if repeats + retracts + closes + bad > 1 {
      return "--repeats, --retracts, --closes and --bad must be at most 1 together, not \(repeats + retracts + closes + bad)"
    }
    if rooms * active > Self.runsMax {
      return "--rooms times --active must be at most \(Self.runsMax), not \(rooms * active): each takes 24 bytes"
    }
    return nil
  }

  static let runsMax = 100_000_000
}
