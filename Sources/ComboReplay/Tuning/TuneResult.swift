/// The results of one recording under many combinations of settings.
package struct TuneResult: Sendable {
  /// A room under one combination.
  package struct Room: Equatable, Sendable {
    package var name: String
    package var measure: RoomMeasure

    package init(name: String, measure: RoomMeasure) {
      self.name = name
      self.measure = measure
    }
  }

  /// All rooms under one combination.
  package struct Combination: Equatable, Sendable {
    package var total: RoomMeasure
    /// Those with the most gifts, the busiest first: the same rooms in each combination.
    package var busiest: [Room]

    package init(total: RoomMeasure, busiest: [Room]) {
      self.total = total
      self.busiest = busiest
    }
  }

  package var lines = 0
  package var badLines = 0
  /// The earliest and the latest time of an event, in milliseconds since the Unix epoch; nil: there was none.
  package var first: Int64?
  package var last: Int64?
  package var rooms = 0
  /// In the order in which they were given.
  package var combinations: [Combination] = []
  /// Why it ended early, as a sentence.
  package var failure: String?

  package init() {}

  /// Events that are gifts.
  package var giftEvents: Int { combinations.first?.total.events ?? 0 }
}
