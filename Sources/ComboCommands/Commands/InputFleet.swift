internal import ComboEdge
internal import ComboHTTP
internal import ComboKafka
internal import ComboLog
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import Glibc
internal import Synchronization

/// `run` with several inputs: a service for each, on a thread of its own. They share one group, one output and one HTTP server.
/// If one of them ends, the others continue, unless another process has replaced it.
final class InputFleet {
  /// The service of one input.
  final class Member: Sendable {
    let stop: StopFlag
    let observatory: Observatory
    let statistics: ClientStatistics
    let identity: ServiceIdentity
    let reload: Reload
    /// Whether the service of this input has ended before.
    let hasEnded: Bool
    /// Whether its topic was found while running, so that --new-topics says where it begins.
    let isNew: Bool
    let began = MonotonicClock.nowMs
    /// Whether it ends because its topic was deleted.
    let isReleased: Atomic<Bool> = Atomic(false)
    /// Its end, or nil while it runs.
    let end = Mutex<ServiceRunner.End?>(nil)

    /// - Parameter former: The service of this input that has ended, whose figures this one continues, or nil if none.
    init(
      _ options: ServiceOptions, _ table: ConfigTable, after former: Member?, isNew: Bool, log: ServiceLog,
      read: @escaping RunCommand.Read
    ) {
      hasEnded = former != nil
      self.isNew = isNew
      stop = former?.stop ?? StopFlag()
      observatory = former?.observatory ?? Observatory(stop: stop)
      statistics = former?.statistics ?? ClientStatistics()
      identity = options.identity
      reload = Reload(options, table, log: log, stop: stop) { read(options.input) }
    }

    var served: ServedService { ServedService(observatory, identity, { [statistics] in statistics.figures() }) }
  }

  /// The services by input. Any thread.
  private final class Members: Sendable {
    private let members = Mutex<[String: Member]>([:])
    /// The options of the inputs themselves; SIGHUP may name another folder.
    let settings: Mutex<InputSettings?>

    init(_ settings: InputSettings?) { self.settings = Mutex(settings) }

    subscript(input: String) -> Member? {
      get { members.withLock { $0[input] } }
      set { members.withLock { $0[input] = newValue } }
    }

    /// All of them, in the order of their inputs.
    var all: [(input: String, member: Member)] {
      members.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Returns the faults in the options of an input, also with regard to the other inputs.
    func faults(in outcome: Configuration.Outcome) -> [String] {
      guard case .read(let invocation, _, let faults) = outcome else { return [] }
      guard case .run(let options) = invocation, options.deadLetter != options.input, self[options.deadLetter] != nil else {
        return faults
      }
      let fault = ServiceOptions.sameTopic("--dead-letter", "--input", options.deadLetter)
      return faults.contains(fault) ? faults : faults + [fault]
    }

    /// Logs the files of `--input-settings` that nothing reads.
    func warnOfUnusedFiles(_ log: ServiceLog) {
      for file in settings.withLock(\.self)?.files(unless: { self[$0] != nil }) ?? [] {
        log.warning("the folder of --input-settings has \(.file, file), but no topic of that name is read")
      }
    }
  }

  private let options: ServiceOptions
  private let log: ServiceLog
  private let stop: StopFlag
  private let read: RunCommand.Read
  private let host: ServiceHost
  private let control: ControlClient
  /// The memory of the brokers' cluster, shared by the services of all inputs.
  private let memory = GroupMemory()
  private let cluster: ClusterCheck
  private let bell = LogBell()
  /// Set by SIGHUP: services that have ended start again at once.
  private let startsNow = StopFlag()
  private let members: Members
  private var threads: [String: WorkThread] = [:]
  /// The time at which a service that has ended starts again, and the number of times that it has ended so far.
  private var waits: [String: (until: Int64, count: Int)] = [:]
  /// The number of consecutive checks in which a topic was missing.
  private var missing: [String: Int] = [:]
  private var checkedAt = -checkMs
  private var hasLooked = false
  private var note = WaitNote()
  /// The service that another process has replaced repeatedly, and the reason.
  private var displaced: (input: String, reason: String)?

  /// The interval at which the cluster's topics are listed, in milliseconds.
  private static let checkMs: Int64 = 2000
  /// The number of consecutive checks in which a topic must be missing before its service ends: brokers may differ for a moment.
  private static let missingMax = 3
  private static let reportMs: Int64 = 250
  /// The longest wait for the restart of a service, in milliseconds.
  private static let waitMaxMs: Int64 = 300_000

  /// - Throws: `badProperty`, for a property that no service could use.
  init(_ options: ServiceOptions, log: ServiceLog, stop: StopFlag, read: @escaping RunCommand.Read) throws(EdgeError) {
    self.options = options
    self.log = log
    self.stop = stop
    self.read = read
    members = Members(options.inputSettings)
    let properties = try options.kafkaProperties(log: log)
    try options.tryProducer(properties)
    control = try ControlClient(properties)
    cluster = ClusterCheck(properties, options.brokers, memory)
    host = ServiceHost(options, stop: stop, log: log)
  }

  /// Runs until the process is stopped.
  /// - Returns: The exit code.
  func run() -> Int32 {
    guard checkOptions() else { return 2 }
    // While there is no input, the process itself is shown, as not ready.
    let none = host.observatory.map {
      ServedService($0, ServiceIdentity(group: options.group, instance: options.identity.instance))
    }
    host.observatory?.hindrance = "the topics of --input-pattern have not been listed yet"
    let isServed = host.serve { [members] in
      let all = members.all.map(\.member.served)
      return all.isEmpty ? none.map { [$0] } ?? [] : all
    }
    if !isServed { return 1 }
    defer { host.finish() }
    Signals.each([SIGHUP]) { [read, members, startsNow, bell, log] _ in
      if Self.reload(members, read, log) {
        startsNow.askForFreshStart()
        bell.ring()
      }
    }
    host.observatory?.onQuery { [bell] in bell.ring() }
    for input in options.inputs.names { start(input) }
    var relay = host.observatory.map { RoomRelay($0, arePrefixed: options.prefixesRooms) }
    var reportedAt = -Self.reportMs
    while !stop.isSet {
      let rings = bell.rings
      let now = MonotonicClock.nowMs
      if options.inputs.pattern != nil, now - checkedAt >= Self.checkMs { checkTopics(at: now) }
      settleEnded(at: now)
      let all = members.all
      relay?.turn(Dictionary(uniqueKeysWithValues: all.map { ($0.input, $0.member.observatory) }))
      if now - reportedAt >= Self.reportMs, let observatory = host.observatory {
        reportedAt = now
        report(to: observatory, all)
      }
      bell.wait(after: rings, maxMs: 50)
    }
    for (_, member) in members.all { member.stop.set() }
    for thread in threads.values { thread.join() }
    if let displaced {
      log.of(input: displaced.input).error(last: "the service ends with exit code 1: \(.reason, displaced.reason)")
      return 1
    }
    // Those that had ended before were reported then.
    return threads.keys.compactMap { members[$0]?.end.withLock { $0?.code } }.max() ?? 0
  }

  private func report(to front: Observatory, _ all: [(input: String, member: Member)]) {
    let reports = all.map { ($0.input, $0.member.observatory.report) }
    if reports.contains(where: { $0.1 != nil }) { front.publish(ServiceReport(of: reports)) }
    Self.beat(all.map(\.member))
    // A service that is stuck is not hidden by the others.
    let isStuck = all.contains { _, member in
      Health.reasonToRestart(
        lastBeat: member.observatory.lastBeat, at: MonotonicClock.nowMs, isStopping: member.stop.isSet) != nil
    }
    if !isStuck { front.beat() }
  }

  /// Lets services that have ended, and wait to start again, not seem stuck.
  static func beat(_ members: [Member]) {
    for member in members where member.end.withLock({ $0 != nil }) { member.observatory.beat() }
  }

  // MARK: - Options

  /// Checks the options of all inputs that are named, so that a mistake in them ends the start and not one service.
  private func checkOptions() -> Bool {
    var isFine = true
    for input in options.inputs.names {
      guard case .read(_, _, let faults) = read(input), !faults.isEmpty else { continue }
      isFine = false
      for fault in faults { log.error("the options of input \(.topic, input) have a fault: \(.reason, fault)") }
    }
    return isFine
  }

  /// Reads the configuration of all inputs again. If one of them has a fault, nothing changes.
  /// - Returns: Whether it has none.
  private static func reload(_ members: Members, _ read: RunCommand.Read, _ log: ServiceLog) -> Bool {
    let all = members.all.map { (input: $0.input, member: $0.member, outcome: read($0.input)) }
    let shared = read(nil)
    var faults: Set<String> = []
    for (log, outcome) in [(log, shared)] + all.map({ (log.of(input: $0.input), $0.outcome) }) {
      for fault in members.faults(in: outcome) where faults.insert(fault).inserted {
        log.error("the configuration was not changed because it has a fault: \(.reason, fault)")
      }
    }
    if !faults.isEmpty { return false }
    if case .read(.run(let options), _, _) = shared { members.settings.withLock { $0 = options.inputSettings } }
    members.warnOfUnusedFiles(log)
    for (input, member, outcome) in all {
      if case .read(.run(let options), _, _) = outcome { warnOfStrayFile(options, log.of(input: input)) }
      // One that has ended reads its options when it starts again.
      if member.end.withLock({ $0 == nil }) { member.reload.run(outcome) }
    }
    return true
  }

  private static func warnOfStrayFile(_ options: ServiceOptions, _ log: ServiceLog) {
    guard let file = options.strayFile else { return }
    log.warning(
      """
      the folder of --input-settings has \(.file, file), which is ignored. To have it read, name it \(.topic, options.input).conf
      """)
  }

  // MARK: - Services

  /// Starts the service of an input.
  /// - Parameter isNew: Whether its topic was found while running.
  private func start(_ input: String, isNew: Bool = false) {
    let own = log.of(input: input)
    let outcome = read(input)
    guard case .read(.run(var options), let table, _) = outcome else { return }
    let faults = members.faults(in: outcome)
    let isNew = isNew || members[input]?.isNew == true
    if isNew { options.fromLatest = self.options.newFromLatest }
    Self.warnOfStrayFile(options, own)
    let member = Member(options, table, after: members[input], isNew: isNew, log: own, read: read)
    member.reload.setServer(host.server)
    members[input] = member
    if !faults.isEmpty {
      for fault in faults { own.error("the input is not read, because its options have a fault: \(.reason, fault)") }
      member.end.withLock { $0 = .init(code: 2) }
      member.observatory.hindrance = faults.joined(separator: "; ")
      _ = wait(input, at: MonotonicClock.nowMs)
      return
    }
    member.observatory.onNews { [bell] in bell.ring() }
    threads[input] = WorkThread { [options, bell, memory] in
      let end = Self.run(options, member, memory, own)
      member.end.withLock { $0 = end }
      bell.ring()
    }
  }

  /// Runs a service, on its thread.
  private static func run(
    _ options: ServiceOptions, _ member: Member, _ memory: GroupMemory, _ log: ServiceLog
  ) -> ServiceRunner.End {
    do throws(EdgeError) {
      var properties = try options.kafkaProperties(log: log)
      properties.statistics = options.http == nil ? nil : member.statistics
      var runner = ServiceRunner(
        options: options, properties: properties, reload: member.reload, log: log, stop: member.stop,
        observatory: member.observatory, leavesNothing: true, isRetry: member.hasEnded, clusterMemory: memory)
      return try runner.run()
    } catch {
      log.error("the service cannot continue: \(.reason, error)")
      return .init(code: error.exitCode, reason: error.message)
    }
  }

  /// Removes the services that have ended, and restarts those whose topics still exist.
  private func settleEnded(at now: Int64) {
    for (input, member) in members.all {
      guard let end = member.end.withLock(\.self), let thread = threads.removeValue(forKey: input) else { continue }
      thread.join()
      // Readers of its rooms ask again.
      host.observatory?.tell([.restarted])
      if stop.isSet { continue }
      if end.isDisplaced {
        // That process has the same instance name, so it takes the other inputs' places as well.
        displaced = (input, end.reason ?? "another instance has its place")
        stop.set()
        continue
      }
      let own = log.of(input: input)
      if member.isReleased.load(ordering: .relaxed) {
        remove(input)
        continue
      }
      let seconds = wait(input, at: now) / 1000
      let reason: LogMessage? = end.reason.map { ": \(.reason, $0)" }
      // It stays among the services, as one that is not ready.
      let hindrance = end.reason ?? member.observatory.hindrance
      member.observatory.startsAfresh(after: member.observatory.report?.totals ?? ServiceTotals())
      member.observatory.hindrance = hindrance ?? "it has ended, as the log says"
      own.error(
        "its service has ended, and the other inputs continue; it starts again in \(.seconds, seconds) s\(reason)")
    }
    let startsAll = startsNow.takeFreshStart()
    for (input, wait) in waits where wait.until <= now || startsAll && wait.until != .max {
      waits[input]!.until = .max
      start(input)
    }
  }

  /// Schedules the restart of an input's service: after 5 s, then after twice as long each time, up to 5 min. A service that has
  /// run for longer than that begins with 5 s again.
  /// - Returns: The wait, in milliseconds.
  private func wait(_ input: String, at now: Int64) -> Int64 {
    let ran = members[input].map { now - $0.began } ?? 0
    let count = ran > Self.waitMaxMs ? 0 : waits[input]?.count ?? 0
    let ms = min(Self.waitMaxMs, 5000 << Int64(min(count, 6)))
    waits[input] = (now + ms, count + 1)
    return ms
  }

  // MARK: - Topics

  /// Starts services for new topics, and ends those whose topics were deleted.
  private func checkTopics(at now: Int64) {
    checkedAt = now
    let known = Dictionary(uniqueKeysWithValues: members.all.map { ($0.input, $0.member) })
    let (found, others): (Set<String>, [String])
    do throws(EdgeError) {
      // A topic that is being read remains an input, even if an options file now names it as a dead-letter topic.
      let own = options.ownTopics(members.settings.withLock(\.self)).subtracting(known.keys)
      let topics = try control.topics(withinMs: 5000).filter(options.inputs.contains)
      (found, others) = (Set(topics).subtracting(own), topics.filter(own.contains))
    } catch {
      if note.isDue(error.message, at: now) { log.warning("the topics cannot be listed, trying again: \(.reason, error)") }
      host.observatory?.hindrance = "the topics of --input-pattern cannot be listed: \(error.message)"
      return
    }
    host.observatory?.hindrance = "no topic has a name that matches --input-pattern yet"
    let patterned = Set(known.keys).subtracting(options.inputs.names)
    // If another cluster answers at this address, its topics are not new, and those of the former one were not deleted.
    if !found.subtracting(known.keys).isEmpty || !patterned.isSubset(of: found), let other = cluster.other {
      if note.isDue(other, at: now) { log.error("waiting, and trying again: \(.reason, other)") }
      return
    }
    let isFirst = !hasLooked
    if isFirst, found.isEmpty, known.isEmpty {
      log.warning(
        "no topic has a name that matches --input-pattern \(.text, options.inputs.pattern?.text ?? "") yet; waiting for one")
    }
    hasLooked = true
    for topic in isFirst ? others.sorted() : [] {
      log.warning(
        "not reading \(.topic, topic), which matches --input-pattern: it is the output, or one of screens or dead letters")
    }
    for topic in found.sorted() {
      missing[topic] = nil
      if known[topic] != nil { continue }
      log.info("reading the topic \(.topic, topic), which matches --input-pattern")
      start(topic, isNew: !isFirst)
    }
    if isFirst { members.warnOfUnusedFiles(log) }
    // A topic that is named is waited for.
    for (topic, member) in known where !found.contains(topic) && !options.inputs.names.contains(topic) {
      missing[topic, default: 0] += 1
      if missing[topic]! < Self.missingMax { continue }
      missing[topic] = nil
      member.isReleased.store(true, ordering: .relaxed)
      member.stop.set()
      // One that has ended already waits to start again.
      if threads[topic] == nil { remove(topic) }
    }
  }

  /// Removes a service that has ended and whose topic was deleted.
  private func remove(_ input: String) {
    members[input] = nil
    waits[input] = nil
    log.of(input: input).warning("the topic is gone, so its service has ended; the other inputs continue")
  }
}
