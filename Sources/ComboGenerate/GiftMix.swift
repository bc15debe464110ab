/// The properties of made-up gifts.
package struct GiftMix: Equatable, Sendable {
  /// The number of rooms.
  package var rooms = 1000
  /// Zipf exponent of the rooms' shares: room k gets a share of 1/k^skew. 0: all alike.
  package var skew = 1.0
  /// Senders a room.
  package var senders = 50
  /// The number of viewers that send at once, each a run of one gift.
  package var active = 2
  /// Kinds of gifts.
  package var gifts = 24
  /// Share of gifts sent as running totals of a streak.
  package var totals = 0.0
  /// Share of these streaks that have no name, and whose last total marks its end.
  package var ends = 0.0
  /// The time for which totals ask to be remembered, in milliseconds; 0: none.
  package var streakMs = 0
  /// Share of gifts that ask for a linger of their own: 1 to 10 s, by the kind of gift.
  package var lingers = 0.0
  /// Share of gifts that keep alive what they repeat.
  package var refreshes = 0.0
  /// Share of a sender's runs of gifts that are a combo of their own name.
  package var combos = 0.0
  /// Share of events that are an earlier one sent again.
  package var repeats = 0.0
  /// Share of events that retract a sender's combos.
  package var retracts = 0.0
  /// Share of events that close a room.
  package var closes = 0.0
  /// Share of events that are bad.
  package var bad = 0.0
  /// Of the random numbers.
  package var seed = 1

  package init() {}

  /// The contradiction between the options, as a sentence.
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
