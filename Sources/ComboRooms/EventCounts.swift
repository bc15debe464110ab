package import ComboWire

/// The numbers of events by kind. Plain numbers of the counting thread: each gift costs an addition to memory that is in the
/// cache.
package struct EventCounts: Equatable, Sendable {
  private var gifts = 0
  private var closes = 0
  private var retracts = 0
  private var settings = 0
  /// Records that the map drops.
  package private(set) var dropped = 0
  /// Gifts that were older than the maximum age.
  package private(set) var old = 0
  /// Bad events by the code's index; empty until there is one.
  private var bad: [Int] = []

  package init() {}

  @inline(__always)
  package mutating func count(_ kind: Event.Kind) {
    switch kind {
    case .gift: gifts &+= 1
    case .roomClosed: closes &+= 1
    case .retract: retracts &+= 1
    case .roomSettings: settings &+= 1
    }
  }

  @inline(__always)
  package mutating func countDropped() { dropped &+= 1 }

  package mutating func countOld() { old &+= 1 }

  package mutating func count(_ code: BadEvent.Code) {
    if bad.isEmpty { bad = Array(repeating: 0, count: BadEvent.Code.allCases.count) }
    bad[Self.place(of: code)] += 1
  }

  package mutating func add(_ other: Self) {
    gifts += other.gifts
    closes += other.closes
    retracts += other.retracts
    settings += other.settings
    dropped += other.dropped
    old += other.old
    bad.add(other.bad)
  }

  /// The events by kind, with their wire names.
  package var kinds: [(String, Int)] {
    [("gift", gifts), ("room_closed", closes), ("retract", retracts), ("room_settings", settings)]
  }

  package var giftCount: Int { gifts }

  /// The bad events by code, with their wire names.
  package var codes: [(String, Int)] {
    BadEvent.Code.allCases.map { ($0.rawValue, bad.isEmpty ? 0 : bad[Self.place(of: $0)]) }
  }

  private static func place(of code: BadEvent.Code) -> Int { BadEvent.Code.allCases.firstIndex(of: code)! }
}
