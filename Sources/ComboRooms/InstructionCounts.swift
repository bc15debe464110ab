package import ComboCore

/// The numbers of instructions by operation.
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
  /// How long gifts had waited, and what was skipped.
  package var waits = WaitCounts()

  package init() {}

  @inline(__always)
  package mutating func count(_ instruction: Instruction) {
    if instruction.waited >= 0 { waits.add(instruction.waited) }
    if let skipped = instruction.operation.skipped {
      waits.skip(skipped.banners, skipped.gifts, instruction.worth, skipped.reason)
    }
    count(instruction.operation)
  }

  @inline(__always)
  package mutating func count(_ operation: Instruction.Operation) {
    switch operation {
    case .show: show &+= 1
    case .update: update &+= 1
    case .moveUp: moveUp &+= 1
    case .dismiss(_, _, _, let reason): count(reason)
    case .skip, .skipSum: skip &+= 1
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

  /// Counts a dismissal by its reason, in its form on the wire, in quotes. An unknown reason counts as `idle`.
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
    waits.add(other.waits)
  }

  package var dismiss: Int { idle + busy + turn + closed + retracted }

  /// The instructions by operation, with their wire names.
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

extension Instruction.Operation {
  /// The banners and gifts that a `skip` removes; nil for other operations.
  @inline(__always)
  package var skipped: (banners: Int, gifts: Int, reason: SkipReason)? {
    switch self {
    case .skip(_, let count, let reason, _): (1, count, reason)
    case .skipSum(let banners, let count, _, let reason): (banners, count, reason)
    default: nil
    }
  }
}
