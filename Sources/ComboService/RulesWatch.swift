internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Determines to which rules of the engine the group can upgrade, while `--rules auto` is in force.
///
/// The group upgrades once every member has been able to follow the newest rules for a while. Until then the previous release can
/// be started again at any time. An unknown answer counts as a no. The loop's thread owns it.
struct RulesWatch {
  /// The rules that every member can follow, nil if unknown, and the number of assignments when that was asked.
  typealias Answer = (rules: Int?, assignments: Int)

  /// The monotonic time since which every member can follow the newest rules, or nil if one cannot.
  private(set) var agreedSince: Int64?
  /// The number of assignments to this member, and their number when the last answer was requested. An answer from before an
  /// assignment may lack the member that caused it.
  private(set) var assignments = 0
  private var answered = 0
  /// Whether the service is alone, or the rules are pinned.
  private let isAlone: Bool
  private let graceMs: Int64

  init(_ configuration: ServiceConfiguration, _ edges: Edges) {
    isAlone = edges.groupRules == nil
    graceMs = configuration.rulesGraceMs
  }

  /// Queries the group and waits for the answer, before this instance is a member.
  mutating func askFirst(_ edges: Edges) {
    guard let ask = edges.groupRules else { return }
    take((ask(), assignments), at: edges.time.monotonicMs())
  }

  /// Requires a new answer, as the group has changed.
  mutating func assigned() { assignments += 1 }

  mutating func take(_ answer: Answer, at now: Int64) {
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

/// Finds that the group can upgrade to newer rules. It asks the group as long as that can change something: while a partition is
/// under older rules, or is being restored and may be.
final class RulesProbe: QueryProbe<RulesWatch.Answer> {
  /// The time of the agreement that was last logged.
  private var loggedSince: Int64?

  override var everyMs: Int64 { 0 }
  override var askEveryMs: Int64 { 2000 }
  override var isIdle: Bool { olderRules == nil && parts.partitions.areAllActive }

  /// The rules of an active partition that is not under the newest ones.
  private var olderRules: Rules? { parts.partitions.active.lazy.compactMap { $0?.derivation.rules }.first { $0 < .newest } }

  /// Requires a new answer, as the group has changed.
  func assigned() {
    parts.partitions.rulesWatch.assigned()
    askSoon()
  }

  override func question(at now: Int64) -> (@Sendable () -> RulesWatch.Answer)? {
    guard let ask = parts.edges.groupRules else { return nil }
    return { [assignments = parts.partitions.rulesWatch.assignments] in (ask(), assignments) }
  }

  override func take(_ answer: RulesWatch.Answer, at now: Int64) -> Finding? {
    parts.partitions.rulesWatch.take(answer, at: now)
    return nil
  }

  override func check(at now: Int64) -> Finding? {
    let (partitions, watch) = (parts.partitions, parts.partitions.rulesWatch)
    guard let rules = olderRules else { return nil }
    if watch.agreedSince != loggedSince {
      loggedSince = watch.agreedSince
      logAgreement(at: now)
    }
    guard partitions.areTakenOver else { return nil }
    let next = partitions.configuration.rules(after: rules, agreed: watch.agreed(isNew: false, at: now))
    return next > rules ? .takeOverAgain(partitions.owned) : nil
  }

  private func logAgreement(at now: Int64) {
    let rules = "\(Rules.newest)"
    guard let loggedSince else {
      return parts.log.info(
        "not every member of the group is known to offer rules \(.text, rules) of the engine: the group does not upgrade yet")
    }
    parts.log.info(
      """
      every member of the group offers rules \(.text, rules) of the engine: the group upgrades in \
      \(.seconds, max(0, parts.configuration.rulesGraceMs - (now - loggedSince)) / 1000) s, after which the previous release can no longer run it
      """)
  }
}
