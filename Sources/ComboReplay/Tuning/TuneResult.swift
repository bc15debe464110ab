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

  /// The combinations to which no other one is superior: another one is if it is as good in all of wait (p90), readability (the time that half
  /// of the banners stay at least) and share of gifts skipped or never shown, and better in one. By index.
  package var best: [Int] {
    let scores = combinations.map { combination in
      [
        -Double(combination.total.waits.quantile(0.9) ?? .max), Double(combination.total.stays.quantile(0.5) ?? 0),
        combination.total.share(combination.total.seen),
      ]
    }
    return scores.indices.filter { one in
      !scores.indices.contains { other in
        zip(scores[other], scores[one]).allSatisfy { $0 >= $1 } && scores[other] != scores[one]
      }
    }
  }
}
