internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem

/// Determines to which rules of the engine the group can upgrade, while `--rules auto` is in force.
///
/// The group upgrades once every member has been able to follow the newest rules for a while. Until then the previous release can
/// be started again at any time. An unknown answer counts as a no. The loop's thread owns it.
struct RulesWatch {
  private var query = BackgroundQuery<(rules: Int?, assignments: Int)>()
  /// The monotonic time since which every member can follow the newest rules, or nil if one cannot.
  private var agreedSince: Int64?
  /// The number of assignments to this member, and their number when the last answer was requested. An answer from before an
  /// assignment may lack the member that caused it.
  private var assignments = 0
  private var answered = 0
  /// `agreedSince` when it was last logged.
  private var loggedSince: Int64?
  /// Whether the service is alone, or the rules are pinned.
  private let isAlone: Bool
  private let graceMs: Int64

  /// The interval between two queries to the group.
  private static let everyMs: Int64 = 2000

  init(_ configuration: ServiceConfiguration, _ edges: Edges) {
    isAlone = edges.groupRules == nil
    graceMs = configuration.rulesGraceMs
  }

  /// Queries the group and waits for the answer, before this instance is a member.
  mutating func askFirst(_ edges: Edges) {
    guard let ask = edges.groupRules else { return }
    received((ask(), assignments), at: edges.time.monotonicMs())
  }

  /// Requires a new answer, as the group has changed.
  mutating func assigned() {
    assignments += 1
    query.askSoon()
  }

  /// Queries the group outside of the loop, as long as that can change something.
  ///
  /// - Parameters:
  ///   - hasOlder: Whether an active partition of this instance is under older rules.
  ///   - isRestoring: Whether one is being restored, and may be under older rules.
  mutating func turn(_ edges: Edges, hasOlder: Bool, isRestoring: Bool, log: ServiceLog) {
    guard let ask = edges.groupRules else { return }
    let now = edges.time.monotonicMs()
    if let answer = query.takeAnswer() { received(answer, at: now) }
    if hasOlder, agreedSince != loggedSince {
      loggedSince = agreedSince
      logAgreement(at: now, log)
    }
    guard hasOlder || isRestoring, query.isDue(everyMs: Self.everyMs, at: now) else { return }
    query.ask(at: now, edges.inBackground) { [assignments] in (ask(), assignments) }
  }

  private func logAgreement(at now: Int64, _ log: ServiceLog) {
    let rules = "\(Rules.newest)"
    guard let agreedSince else {
      return log.info(
        "not every member of the group is known to offer rules \(.text, rules) of the engine: the group does not upgrade yet")
    }
    log.info(
      """
      every member of the group offers rules \(.text, rules) of the engine: the group upgrades in \
      \(.seconds, max(0, graceMs - (now - agreedSince)) / 1000) s, after which the previous release can no longer run it
      """)
  }

  private mutating func received(_ answer: (rules: Int?, assignments: Int), at now: Int64) {
    answered = answer.assignments
    if let rules = answer.rules, rules >= Rules.newest.version { agreedSince = agreedSince ?? now } else { agreedSince = nil }
  }

  /// Returns the newest rules that a takeover may bring a partition to.
  /// - Parameter isNew: Whether the partition was never taken over before, so that no previous release has to continue it.
  func agreed(isNew: Bool, at now: Int64) -> Rules {
    if isAlone { return .newest }
    guard let agreedSince else { return .oldest }
    return isNew || answered == assignments && now - agreedSince >= graceMs ? .newest : .oldest
  }
}
