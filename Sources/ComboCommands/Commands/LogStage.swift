internal import ComboEdge
internal import ComboLog
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire
internal import Glibc
internal import Synchronization

/// The service on its own log, in this process: the common part of `live` and `demo`.
final class LogStage: Sendable {
  static let input = "gifts"
  static let output = "banners"
  static let group = "live"
  static let names = TopicNames(input: input, output: output, group: group)

  let file: LogFile

  /// Opens the log, and makes the topics that it lacks.
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

  /// The partition of a topic.
  func stream(_ topic: Topic) -> Int { file.stream(Self.names[topic], 0)! }

  /// - Parameter observatory: for observers; nil: there are none.
  func service(
    _ configuration: ServiceConfiguration, log: ServiceLog, stop: StopFlag, observatory: Observatory? = nil
  ) throws(EdgeError) -> Service {
    let output = try LogOutput(
      file, group: Self.group, names: Self.names, held: Self.held, isStopping: { stop.isSet },
      warn: { log.error("cannot write to the file, trying again: \(.reason, $0)") })
    let edges = Edges(
      group: try LogGroup(file, group: Self.group, names: Self.names), output: output,
      direct: configuration.delivery == .atLeastOnce
        ? try LogDirectOutput(file, group: Self.group, names: Self.names) : nil,
      reader: try LogReading(file, names: Self.names), time: SystemTime())
    return Service(configuration, edges, log: log, stop: stop, observatory: observatory)
  }

  /// The data needed to restore from a checkpoint.
  static let held: LogOutput.HeldOffsets = { key, value in
    guard key.elementsEqual(#"["checkpoint"]"#.utf8),
      let checkpoint = try? StateDecoder().checkpoint(value, key: key)
    else { return nil }
    return (checkpoint.input, checkpoint.journal)
  }

  /// The default of `--data`, below the user's state folder.
  static func defaultPath(_ name: String) -> String {
    if let state = Console.variable("XDG_STATE_HOME"), state.hasPrefix("/") { return "\(state)/combo-consumer/\(name)" }
    let home = Console.variable("HOME") ?? ""
    return home.isEmpty ? "/var/tmp/combo-consumer-\(getuid())/\(name)" : "\(home)/.local/state/combo-consumer/\(name)"
  }

  /// The file that `--data` names.
  static func place(_ data: String?, name: String) -> LogPlace {
    switch data {
    case "none": .memory
    case let path?: .file(path)
    case nil: .file(defaultPath(name))
    }
  }
}

/// Deletes old records, now and then, on a thread of its own.
final class LogKeeper: Sendable {
  private let ended = LogBell()
  private let isStopped = Atomic(false)
  private static let everyMs: Int64 = 10_000

  init(_ file: LogFile, keepMs: Int64, log: ServiceLog) {
    let (ended, everyMs) = (ended, Self.everyMs)
    _ = WorkThread { [self] in
      while !isStopped.load(ordering: .acquiring) {
        do throws(LogFault) {
          try file.retain(ageMs: keepMs, now: WallClock.nowMs)
        } catch {
          log.warning("old records could not be deleted, trying again: \(.reason, error)")
        }
        let rings = ended.rings
        if isStopped.load(ordering: .acquiring) { break }
        ended.wait(after: rings, maxMs: everyMs)
      }
    }
  }

  func stop() {
    isStopped.store(true, ordering: .releasing)
    ended.ring()
  }
}
