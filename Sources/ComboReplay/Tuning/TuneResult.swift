/// The results of one recording under many combinations of settings.
package struct TuneResult: Sendable {
  /// A room with one combination.
  package struct Room: Equatable, Sendable {
    package var name: String
    package var measure: RoomMeasure
  }

  /// All rooms with one combination.
  package struct Combination: Equatable, Sendable {
    package var total: RoomMeasure
    /// The rooms with the most gifts, the busiest first. They are the same in each combination.
    package var busiest: [Room]
  }

  package var lines = 0
  package var badLines = 0
  /// The earliest and the latest time of an event, in milliseconds since the Unix epoch, or nil if there was none.
  package var first: Int64?
  package var last: Int64?
  package var rooms = 0
  /// The combinations in the order in which they were given.
  package var combinations: [Combination] = []
  /// The reason why the replay ended early, as a sentence.
  package var failure: String?

  package var giftEvents: Int { combinations.first?.total.events ?? 0 }
}
