internal import ComboEdge
internal import ComboIntake
internal import ComboLog
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire
internal import Glibc
internal import Synchronization

/// The service on its own log in this process: the common part of `live` and `demo`.
final class LogStage: Sendable {
  static let input = "gifts"
  static let output = "banners"
  static let group = "live"
  static let topics = TopicIdentity(group: group, input: input, output: output)
  static let names = TopicNames(input: input, output: output, group: group)

  let file: LogFile

  /// Opens the log, and creates the topics that are missing.
  init(_ place: LogPlace, limits: LogFile.Limits = .init()) throws(LogFault) {
    file = try LogFile(place, limits: limits)
    for topic in Topic.allCases {
      let keeping: LogFile.Keeping =
        switch topic {
        case .input, .journal: .held
        case .state: .compacted
        case .output, .deadLetter: .retained
        }
      try file.makeTopic(Self.names[topic], partitions: 1, keeping)
    }
  }

  /// Logs the events of opening the file.
  func warn(_ log: ServiceLog) {
    let (bits, name) = (file.repaired.count, file.place.name + "-wal")
    if bits > 0 {
      log.warning(
        "bits of \(.file, name) had flipped and were turned back: \(.count, bits). Nothing is lost: check the memory and the disk"
      )
    }
    if let place = file.leftOut {
      log.warning(
        "\(.file, name) is damaged from byte \(.offset, place) on. What it holds from there on is left out; a copy of the file is kept beside it, with -damaged after its name. A crash in the middle of a write looks the same; otherwise, acknowledged records may be missing"
      )
    }
    if file.lacksAhead {
      log.warning(
        "\(.file, file.place.name) was not closed by its last user, or was copied while it was open, and \(.text, name), which has the newest records, is not beside it. Acknowledged records may be missing, unless sqlite3 has moved them into the file. If you have the right file, stop now, and put it there: once more records are taken in, it no longer fits"
      )
    }
    if file.wasUpgraded {
      log.warning(
        "new records in \(.file, file.place.name) have checksums from now on: combo-consumer 0.1.0 can no longer open it")
    }
  }

  /// The partition of a topic, as its number in the file.
  func stream(_ topic: Topic) -> Int { file.stream(Self.names[topic], 0)! }

  /// Runs the service until it is stopped.
  /// - Parameters:
  ///   - observatory: The observatory that observers query, or nil if there are none.
  ///   - inputOver: Set once no more records come, so that the service ends, or nil if they never end.
  /// - Returns: The exit code.
  func run(
    _ configuration: ServiceConfiguration, log: ServiceLog, stop: StopFlag, observatory: Observatory?, inputOver: StopFlag? = nil
  ) -> Int32 {
    do throws(EdgeError) {
      let output = try LogOutput(
        file, group: Self.group, names: Self.names, held: Self.held, isStopping: { stop.isSet },
        warn: { log.error("cannot write to the file, trying again: \(.reason, $0)") })
      let edges = Edges(
        group: try LogGroup(file, group: Self.group, names: Self.names), output: output,
        reader: try LogReading(file, names: Self.names), time: SystemTime())
      let service = Service(configuration, edges, log: log, stop: stop, observatory: observatory)
      service.inputOver = inputOver
      return service.run()
    } catch {
      log.error("the service cannot continue: \(.reason, error)")
      return 1
    }
  }

  /// The offsets from which a checkpoint needs input and journal to be restored.
  static let held: LogOutput.HeldOffsets = { key, value in
    guard key.elementsEqual(#"["checkpoint"]"#.utf8),
      let checkpoint = try? StateDecoder().checkpoint(value, key: key)
    else { return nil }
    return (checkpoint.input, checkpoint.journal)
  }

  /// The default of `--data`, in the user's state folder.
  static func defaultPath(_ name: String) -> String {
    if let state = Console.variable("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/combo-consumer/\(name)" }
    let home = Console.variable("HOME") ?? ""
    return home.isEmpty ? "/var/tmp/combo-consumer-\(getuid())/\(name)" : "\(home)/.local/state/combo-consumer/\(name)"
  }

  /// The place that `--data` names.
  static func place(_ data: String?, name: String) -> LogPlace {
    switch data {
    case "none": .memory
    case let path?: .file(path)
    case nil: .file(defaultPath(name))
    }
  }
}

/// Maintains the file on a thread of its own: deletes old records, and ends the process once the file is unusable.
final class LogKeeper: Sendable {
  private let file: LogFile
  private let isStopped = Atomic(false)
  private static let everyMs: Int64 = 10_000
  /// The shortest time between two deletions, however many records arrive.
  private static let breakMs: Int64 = 500
  /// The time after which a missing file is noticed while nothing is written.
  private static let checkMs: Int64 = 1000

  /// - Parameters:
  ///   - refusalLog: The log of refused records, or nil if no refusals are logged.
  ///   - stop: Called once if the file becomes unusable.
  init(
    _ file: LogFile, keepMs: Int64, refusalLog: RefusalLog? = nil, log: ServiceLog, stop: @escaping @Sendable () -> Void
  ) {
    self.file = file
    _ = WorkThread { [self] in
      var last: Int64?
      var deletion = Deletion()
      while !isStopped.load(ordering: .acquiring) {
        let rings = file.attention.rings
        file.checkPresence()
        if let failure = file.failure {
          log.error("the file cannot be used any more, and the program ends: \(.reason, failure)")
          stop()
          return
        }
        if last.map({ MonotonicClock.nowMs - $0 >= (file.needsRetention ? Self.breakMs : Self.everyMs) }) ?? true {
          last = MonotonicClock.nowMs
          deletion.run(log) { () throws(LogFault) in try file.retain(ageMs: keepMs, now: WallClock.nowMs) }
        }
        refusalLog?.check { file.refusal() }
        file.attention.wait(after: rings, maxMs: file.needsRetention ? Self.breakMs : Self.checkMs)
      }
    }
  }

  /// Deletes old records. Logs the reason of a failure once, until a deletion succeeds or fails for another reason.
  struct Deletion {
    private var reason: LogFault.Code?

    mutating func run(_ log: ServiceLog, _ delete: () throws(LogFault) -> Void) {
      do throws(LogFault) {
        try delete()
        reason = nil
      } catch {
        if error.code != reason { log.warning("old records could not be deleted, trying again: \(.reason, error)") }
        reason = error.code
      }
    }
  }

  func stop() {
    isStopped.store(true, ordering: .releasing)
    file.attention.ring()
  }

  /// Returns the exit code of a process that would end with `code`.
  func code(_ code: Int32) -> Int32 { file.failure == nil ? code : 1 }
}
