/// What made-up gifts are like.
struct GiftMix: Equatable, Sendable {
  /// How many rooms.
  var rooms = 1000
  /// Zipf exponent of the rooms' shares: room k gets a share of 1/k^skew. 0: all alike.
  var skew = 1.0
  /// Senders a room.
  var senders = 50
  /// How many of them send at once, each a run of one gift.
  var active = 2
  /// Kinds of gifts.
  var gifts = 24
  /// Share of gifts told as running totals of a streak.
  var totals = 0.0
  /// Share of events that are an earlier one sent again.
  var repeats = 0.0
  /// Share of events that retract a sender's combos.
  var retracts = 0.0
  /// Share of events that close a room.
  var closes = 0.0
  /// Share of events that are bad.
  var bad = 0.0
  /// Of the random numbers.
  var seed = 1

  /// What does not fit together, as a sentence.
  var fault: String? {
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
