import ComboCore
import ComboEdge
import ComboRooms
import ComboService
import ComboSystem
import ComboWire

/// A process with the service, its edges, and the moments at which it crashes or freezes.
final class SimInstance: @unchecked Sendable {
  // Sendable: a world belongs to one thread.
  unowned let world: SimWorld
  let transactionalID: String
  let member: SimMember
  let time: SimTime
  private let stop = StopFlag()
  /// The observatory through which clients watch its rooms, or nil if the world has no onlookers.
  let observatory: Observatory?
  private(set) var service: Service!
  private(set) var output: SimOutputEdge!
  private(set) var direct: SimDirectEdge!
  private var group: SimGroupEdge!

  /// The number of calls at its edges so far.
  private(set) var calls = 0
  /// The calls at which it crashes and freezes.
  var crashAt = Int.max
  var freezeAt = Int.max
  private(set) var isDead = false
  /// The newest rules of the engine that its release has.
  private let knownRules: Rules
  /// Whether the group switched to rules that its release does not have, which it may do only while this instance is no member.
  private var wasLeftBehind = false
  /// The ends that outdated leaders gave it.
  var outdatedEnds: [(topic: Topic, partition: Int32, end: Int64)] = []
  /// Whether a step of it is in progress.
  var isBusy = false
  /// Work that runs beside its loop.
  var beside: [@Sendable () -> Void] = []
  /// The fate of its next commit, or nil if chance decides.
  var nextCommit: SimOutputEdge.CommitFate?

  var broker: SimBroker { world.broker }

  init(
    _ world: SimWorld, transactionalID: String, number: Int, staticName: String?, skew: Int64,
    _ configuration: ServiceConfiguration
  ) {
    self.world = world
    self.transactionalID = transactionalID
    // A release that only has the oldest rules does not report any.
    let known = configuration.knownRules.upperBound
    knownRules = known
    member = SimMember(
      number: number, staticName: staticName, rules: known == .oldest ? nil : configuration.rules.newestFollowed.version)
    time = SimTime(world.clock, skew: skew)
    // The client keeps sending heartbeats while the service waits.
    time.onSleep = { [unowned world] in world.heartbeats() }
    observatory = world.hasOnlookers ? Observatory(stop: stop) : nil
    let output = SimOutputEdge(self)
    let group = SimGroupEdge(self)
    direct = SimDirectEdge(self)
    if configuration.delivery == .atLeastOnce { world.hasAtLeastOnce = true }
    self.output = output
    self.group = group
    let log = ServiceLog(world.hears ? .debug : .error, countsRepeats: false) { [unowned self] line in
      if isDead { return }
      self.world.said(String(line.dropFirst(25)), by: self)
    }
    var edges = Edges(
      group: group, output: output, direct: direct, reader: SimReadEdge(world.broker, instance: self), time: time)
    if let max = world.outputAheadMaxMs {
      let trusted = TrustedTime(time)
      edges.time = trusted
      edges.clockTrial = ClockTrial(time: trusted, aheadMaxMs: max) { [unowned self] time in time - self.world.clock.wall <= max }
    }
    edges.groupRules = { [unowned self] in
      let rules = self.broker.group.members.map { $0.rules ?? Rules.oldest.version }
      let common = rules.min() ?? known.version
      for other in self.world.instances where other.knownRules.version < common { other.wasLeftBehind = true }
      return common
    }
    edges.schemas = world.schemas
    edges.topicWatch = world.topicWatch
    edges.inBackground = { [unowned self] _, work in beside.append(work) }
    service = Service(configuration, edges, log: log, stop: stop, observatory: observatory)
  }

  /// Counts a call at an edge, at which the process may crash or freeze.
  /// - Returns: Whether this process is gone.
  func isOver() -> Bool {
    if isDead { return true }
    calls += 1
    broker.tick()
    if calls >= crashAt {
      die()
      return true
    }
    if calls >= freezeAt {
      freezeAt = .max
      world.freeze(self)
      if isDead { return true }
    }
    return false
  }

  func step() throws(EdgeError) {
    if isOver() { throw EdgeError(.other, "this process is no more") }
  }

  func stepOfTransaction() throws(TransactionFault) {
    if isOver() { throw .fatal("this process is no more") }
  }

  func die() {
    isDead = true
    member.isFrozen = true
    beside = []
    stop.set()
    if let producer = output.producer { broker.left(producer) }
    direct.leave()
  }

  /// Whether a fault may end it, because it returned to a group that follows newer rules than its release has.
  func mayEnd(by fault: String) -> Bool { wasLeftBehind && fault.contains("of the engine's rules") }

  /// Whether two outdated answers made it believe that a partition has lost records.
  func wasMisled(into fault: String) -> Bool {
    let answers = outdatedEnds.filter {
      fault.hasPrefix("error the \($0.topic.word) ")
        && fault.contains("has lost records: its partition \($0.partition) ended at offset ")
    }
    return answers.count > 1 && answers.contains { fault.contains(" and ends at \($0.end) now.") }
  }

  /// Stops it, as a signal does.
  func signal() { stop.set() }

  /// Records that the service did what it must not.
  func complain(_ what: String) {
    if !isDead { world.complaints.append("\(transactionalID): \(what)") }
  }
}
