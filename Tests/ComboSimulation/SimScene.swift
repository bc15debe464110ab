import ComboCore
import ComboEdge
import ComboRooms
import ComboService

@testable import ComboWire

/// A world in which nothing goes wrong by itself, for tests that proceed step by step.
final class SimScene {
  /// The stride of tests that try the calls at the edges. Without optimisation, trying every call would take minutes.
  static var stride: Int {
    #if DEBUG
      17
    #else
      1
    #endif
  }

  /// The stride of tests that audit the whole world after their steps, for the same reason.
  static var auditStride: Int {
    #if DEBUG
      7
    #else
      1
    #endif
  }

  let world: SimWorld
  var configuration: ServiceConfiguration

  init(seed: UInt64 = 1, partitions: Int = 1, rooms: Int = 3) {
    world = SimWorld(seed: seed, partitions: partitions, rooms: rooms)
    world.clock.moves = 10
    configuration = ServiceConfiguration(topics: world.topics)
    configuration.settings = Self.settings
    configuration.commitIntervalMs = 20
    configuration.checkpointIntervalMs = 1_000_000
    configuration.hopMin = .max
    // A scene has so few gifts that all would be held until the commit, and no transaction would be seen open.
    configuration.heldBytes = 0
  }

  static var settings: Settings {
    var settings = Settings()
    settings.enterMs = 50
    settings.countMs = 50
    settings.lingerMs = 300
    settings.busyLingerMs = 50
    settings.exitMs = 50
    settings.reuseMs = 500
    settings.screenMs = 200
    settings.dedupeMs = 400
    settings.streakMs = 400
    settings.restMs = 300
    return settings
  }

  func start(_ id: String = "a", crashAt: Int = .max) -> SimInstance { world.start(id, configuration, crashAt: crashAt) }

  /// Starts an instance, and runs it until it has made this number of commits or is dead.
  func start(until commits: Int) -> SimInstance {
    let instance = start()
    for _ in 0..<1000 where instance.service.totals.commits < commits && !instance.isDead { turn(instance) }
    return instance
  }

  func turn(_ instance: SimInstance, _ turns: Int = 1) {
    for _ in 0..<turns { world.turn(instance) }
  }

  /// Runs an instance until all input is committed or the instance is dead, for at most 400 turns.
  func settle(_ instance: SimInstance) {
    for _ in 0..<400 {
      world.turn(instance)
      if instance.isDead { return }
      let isDone = world.broker.partitions(.input).allSatisfy { number in
        let last = world.broker.log(.input, number).records.last { $0.isCommitted }?.offset ?? -1
        return (world.broker.offsets[number]?.offset ?? -1) > last
      }
      if isDone { return }
    }
  }

  /// Runs everything to its end, and returns the faults found then.
  func finish() -> [String] {
    var faults: [String] = []
    if let unfinished = world.drain({ configuration }) { faults.append(unfinished) }
    return faults + audit(isAtEnd: true)
  }

  func audit(isAtEnd: Bool = false) -> [String] { SimAudit(world, configuration).faults(isAtEnd: isAtEnd) }

  func gift(_ room: String = "r", sender: String = "u", count: Int = 1) {
    world.put(room, #"{"sender":{"id":"\#(sender)"},"gift":{"id":"g"},"count":\#(count)}"#)
  }

  /// Whether two instances consider themselves the owner of one partition.
  var hasTwoOwners: Bool {
    let owned = world.instances.flatMap { one in one.service.partitions.active.enumerated().filter { $1 != nil }.map(\.offset) }
    return Set(owned).count < owned.count
  }

  /// Returns the values of a topic's committed records, in order.
  func lines(_ topic: Topic) -> [String] {
    world.broker.partitions(topic).flatMap { number in
      world.broker.log(topic, number).records.filter(\.isCommitted).map { String(decoding: $0.value ?? [], as: UTF8.self) }
    }
  }

  /// The entries of partition 0 that count.
  var entries: [JournalEntry] { JournalTerms.counting(writtenEntries) }

  /// All committed entries of partition 0.
  var writtenEntries: [(offset: Int64, entry: JournalEntry)] {
    let decoder = JournalDecoder()
    return world.broker.log(.journal, 0).records.filter(\.isCommitted).compactMap { record in
      record.value!.withUnsafeBytes { value in (try? decoder.entry(value)).map { (record.offset, $0) } }
    }
  }

  /// Alters the newest committed record for which `fits` holds.
  func alter(_ topic: Topic, where fits: (SimRecord) -> Bool, _ change: (inout SimRecord) -> Void) {
    let log = world.broker.log(topic, 0)
    guard let index = log.records.lastIndex(where: { $0.isCommitted && fits($0) }) else {
      preconditionFailure("no record of \(topic) fits")
    }
    log.alter(index, change)
  }
}
