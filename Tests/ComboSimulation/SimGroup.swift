/// The membership of one process, with the coordinator's state of it and its own.
final class SimMember {
  /// The member's number, in the order in which the instances started.
  let number: Int
  /// The name of a static member.
  let staticName: String?
  /// The newest rules of the engine that it can follow, or nil if it does not report them.
  let rules: Int?
  // The coordinator's side.
  var isIn = false
  var hasJoined = false
  var target: [Int32] = []
  var heardAt: Int64 = 0
  // The member's own side.
  var generation = -1
  var owned: [Int32] = []
  var next: [Int32]?
  /// Whether it neither sends heartbeats nor polls.
  var isFrozen = false

  init(number: Int, staticName: String?, rules: Int?) {
    self.number = number
    self.staticName = staticName
    self.rules = rules
  }
}

/// A group and its coordinator. In an eager rebalance, all members first give up all partitions. In a cooperative one, members
/// give up the partitions that they lose, and others get them in the next rebalance; the generation advances without notice to
/// members that keep what they have.
final class SimGroup {
  let clock: SimClock
  let isCooperative: Bool
  private var partitions: Int32
  private(set) var generation = 0
  private(set) var members: [SimMember] = []
  private(set) var isPreparing = false
  private var preparingUntil: Int64 = 0

  static let sessionTimeoutMs: Int64 = 1_500
  static let rebalanceTimeoutMs: Int64 = 30_000

  init(_ clock: SimClock, partitions: Int32, isCooperative: Bool) {
    self.clock = clock
    self.partitions = partitions
    self.isCooperative = isCooperative
  }

  func join(_ member: SimMember) {
    member.heardAt = clock.monotonic
    member.isIn = true
    member.hasJoined = false
    if let name = member.staticName, let index = members.firstIndex(where: { $0.staticName == name }), members[index] !== member {
      // A static member that returns keeps its partitions, and the previous holder of its name is fenced.
      let old = members[index]
      old.isIn = false
      members[index] = member
      member.target = old.target
      // Not if a partition still waits for its owner to give it up.
      if !isPreparing, members.flatMap(\.target).count == Int(partitions) {
        member.generation = generation
        member.next = old.target
        return
      }
    } else if !members.contains(where: { $0 === member }) {
      members.append(member)
    }
    prepare()
  }

  func prepare() {
    if isPreparing { return }
    isPreparing = true
    preparingUntil = clock.monotonic + Self.rebalanceTimeoutMs
    for member in members { member.hasJoined = false }
  }

  /// Marks a member, which has given up what it must, as ready for the next generation.
  func rejoin(_ member: SimMember) {
    guard member.isIn, isPreparing else { return }
    member.hasJoined = true
    complete()
  }

  func remove(_ member: SimMember) {
    guard member.isIn else { return }
    member.isIn = false
    members.removeAll { $0 === member }
    if isPreparing { complete() } else { prepare() }
  }

  func grow(to count: Int32) {
    partitions = count
    prepare()
  }

  func expire() {
    for member in members where clock.monotonic - member.heardAt > Self.sessionTimeoutMs { remove(member) }
    if isPreparing, clock.monotonic > preparingUntil {
      for member in members where !member.hasJoined { remove(member) }
    }
  }

  /// Whether the coordinator accepts offsets from a member, by the generation that the member reports.
  func accepts(_ member: SimMember) -> Bool { member.isIn && member.generation == generation }

  private func complete() {
    guard isPreparing, !members.isEmpty, members.allSatisfy(\.hasJoined) else { return }
    isPreparing = false
    generation += 1
    let assigned = isCooperative ? stickyAssignment() : rangeAssignment()
    for (member, target) in zip(members, assigned) {
      member.target = target
      member.generation = generation
      member.next = target
    }
  }

  private func quotas() -> [Int] {
    let count = members.count
    return (0..<count).map { (Int(partitions) + count - 1 - $0) / count }
  }

  private func rangeAssignment() -> [[Int32]] {
    var next: Int32 = 0
    return quotas().map { quota in
      defer { next += Int32(quota) }
      return Array(next..<next + Int32(quota))
    }
  }

  /// Assigns a partition that still has an owner to no other member until the owner has given it up.
  private func stickyAssignment() -> [[Int32]] {
    let quotas = quotas()
    var kept = members.enumerated().map { Array($1.owned.sorted().prefix(quotas[$0])) }
    let owned = Set(members.flatMap(\.owned))
    for partition in 0..<partitions where !owned.contains(partition) {
      let index = kept.indices.first { kept[$0].count < quotas[$0] } ?? 0
      kept[index].append(partition)
    }
    return kept
  }
}
