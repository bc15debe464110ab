package import ComboCore
package import ComboWire

/// Instructions by what they say.
package struct InstructionCounts: Equatable, Sendable {
  package var show = 0
  package var update = 0
  package var moveUp = 0
  package var skip = 0
  package var final = 0
  package var screen = 0
  // Dismissals.
  package var idle = 0
  package var busy = 0
  package var turn = 0
  package var closed = 0
  package var retracted = 0

  package init() {}

  @inline(__always)
  package mutating func count(_ operation: Instruction.Operation) {
    switch operation {
    case .show: show &+= 1
    case .update: update &+= 1
    case .moveUp: moveUp &+= 1
    case .dismiss(_, _, _, let reason): count(reason)
    case .skip: skip &+= 1
    case .final: final &+= 1
    case .screen: screen &+= 1
    }
  }

  @inline(__always)
  private mutating func count(_ reason: DismissReason) {
    switch reason {
    case .idle: idle &+= 1
    case .busy: busy &+= 1
    case .turn: turn &+= 1
    case .closed: closed &+= 1
    case .retracted: retracted &+= 1
    }
  }

  /// A dismissal whose reason is known as it stands on the wire, in quotes. One that is not known counts as `idle`.
  package mutating func countDismissal(_ reason: String) {
    switch reason {
    case "\"busy\"": busy &+= 1
    case "\"turn\"": turn &+= 1
    case "\"closed\"": closed &+= 1
    case "\"retracted\"": retracted &+= 1
    default: idle &+= 1
    }
  }

  package mutating func add(_ other: Self) {
    show += other.show
    update += other.update
    moveUp += other.moveUp
    skip += other.skip
    final += other.final
    screen += other.screen
    idle += other.idle
    busy += other.busy
    turn += other.turn
    closed += other.closed
    retracted += other.retracted
  }

  package var dismiss: Int { idle + busy + turn + closed + retracted }

  /// By the names of the wire.
  package var named: [(String, Int)] {
    [
      ("show", show), ("update", update), ("move_up", moveUp), ("dismiss", dismiss), ("skip", skip), ("final", final),
      ("screen", screen),
    ]
  }

  /// Dismissals by reason.
  package var dismissals: [(String, Int)] {
    [("idle", idle), ("busy", busy), ("turn", turn), ("closed", closed), ("retracted", retracted)]
  }
}

/// What came in by kind. Plain numbers of whoever counts: an addition to memory that is in the cache a gift.
package struct Tally: Equatable, Sendable {
  private var gifts = 0
  private var closes = 0
  private var retracts = 0
  private var settings = 0
  /// Records that the map says are none of ours.
  package private(set) var dropped = 0
  /// Gifts that were older than the maximum age.
  package private(set) var old = 0
  /// By the code's place among all; empty until there is one.
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
    if other.bad.isEmpty { return }
    if bad.isEmpty { bad = Array(repeating: 0, count: other.bad.count) }
    for (place, count) in other.bad.enumerated() { bad[place] += count }
  }

  /// By the names of the wire.
  package var kinds: [(String, Int)] {
    [("gift", gifts), ("room_closed", closes), ("retract", retracts), ("room_settings", settings)]
  }

  package var giftCount: Int { gifts }

  /// By the names of the wire.
  package var codes: [(String, Int)] {
    BadEvent.Code.allCases.map { ($0.rawValue, bad.isEmpty ? 0 : bad[Self.place(of: $0)]) }
  }

  private static func place(of code: BadEvent.Code) -> Int { BadEvent.Code.allCases.firstIndex(of: code)! }
}
