internal import ComboEdge
internal import ComboHTTP
internal import ComboIntake
internal import ComboLog
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire
internal import Glibc

/// `live`: the service without Kafka. Records come from standard input, HTTP and WebSocket servers; instructions are published by
/// HTTP and on standard output; one file stores it all.
enum LiveCommand {
  static func run(_ options: LiveOptions) -> Int32 {
    if options.exportsMap { return Console.print(Intake.envelopeMap(options.maps) + "\n") }
    if options.exports { return LiveExport.run(options) }
    if options.printsDeadLetters { return LiveDeadLetters.run(options) }
    let session = CommandSession(options.logLevel, options.logFormat)
    let (log, stop) = (session.log, session.stop)
    defer { log.flush() }
    if options.http == nil, options.sources.allSatisfy({ $0.place == .post }), !Live.isPiped {
      log.error("there is no source of records: give --from, pipe records into standard input, or leave out --http none")
      return 2
    }
    do throws(LogFault) {
      var limits = LogFile.Limits()
      limits.sizeMax = options.sizeMax
      let stage = try LogStage(LogStage.place(options.data, name: "live.db"), limits: limits)
      defer { stage.file.close() }
      if let folder = stage.file.madeFolder { log.info("created the folder \(.file, folder)") }
      if stage.file.isNew, stage.file.place != .memory {
        log.info("records are kept in \(.file, stage.file.place.name), a new file")
      } else {
        log.info("records are kept in \(.file, stage.file.place.name)")
      }
      stage.warn(log)
      if stage.file.wasChecked, stage.file.leftOut == nil, !stage.file.lacksAhead {
        log.info("the file was not closed cleanly last time; it was checked and is intact")
      }
      return Live(options, stage, log, stop).run()
    } catch {
      log.error("the file cannot be used: \(.reason, error)")
      return 1
    }
  }
}

/// The parts that run during `live`.
private struct Live {
  let options: LiveOptions
  let stage: LogStage
  let log: ServiceLog
  let stop: StopFlag
  let intake: Intake
  /// Set once standard input has ended. The service reads it only if nothing else can bring records.
  private let inputOver = StopFlag()

  init(_ options: LiveOptions, _ stage: LogStage, _ log: ServiceLog, _ stop: StopFlag) {
    self.options = options
    self.stage = stage
    self.log = log
    self.stop = stop
    intake = Intake(stage.file, stream: stage.stream(.input))
  }

  func run() -> Int32 {
    if let choice = options.settings.idleChoice { log.warning("\(.text, choice.text). To change it: \(.reason, choice.fix)") }
    StopWatchdog.start(stop, log: log)
    let observatory = Observatory(stop: stop)
    let manager = ServiceManager(environment: Console.variable, observatory: observatory, log: log)
    defer { manager?.finish() }
    let refusalLog = RefusalLog(log) { observatory.hindrance = $0 }
    let gate = LiveGate(intake, options, stage, refusalLog).gate
    var server: HTTPServer?
    if let address = options.http {
      do throws(HTTPFault) {
        server = try HTTPServer(
          address, token: options.httpToken, observatory: observatory,
          identity: ServiceIdentity(group: LogStage.group, instance: Console.hostName), gate: gate, log: log)
      } catch {
        log.error("http: \(.reason, error)")
        return 1
      }
    }
    defer { server?.stop() }
    let webSockets: WebSocketIntake?
    do throws(TextFile.Failure) {
      webSockets = try startSources()
    } catch {
      log.error("a source cannot be read: \(.reason, error.description)")
      return 1
    }
    let printer = options.prints ? LivePrinter(stage, stop) : nil
    let keeper = LogKeeper(stage.file, keepMs: options.keepMs, refusalLog: refusalLog, log: log) { [stop] in stop.set() }
    defer {
      keeper.stop()
    }
    let code = serve(observatory)
    webSockets?.stop()
    intake.appender.stop()
    printer?.stop()
    return printer?.hasFailed == true ? 1 : keeper.code(code)
  }

  private func serve(_ observatory: Observatory) -> Int32 {
    var configuration = ServiceConfiguration(topics: LogStage.topics)
    configuration.settings = options.settings
    configuration.map = options.map
    // There is one partition only, so a room cannot be in two.
    configuration.limits.roomFromBody = true
    configuration.limits.maxAgeMs = options.maxAgeMs
    configuration.commitIntervalMs = options.commitIntervalMs
    configuration.acceptsReset = options.acceptReset
    // Snapshots are inexpensive on one machine's disk, and make restarts fast. A small file needs them sooner, as only what
    // precedes a snapshot may be deleted.
    configuration.checkpointGifts = Int(min(250_000, options.sizeMax >> 13))
    configuration.checkpointBytes = Int(options.sizeMax >> 4)
    configuration.checkpointIntervalMs = 10_000
    return stage.run(
      configuration, log: log, stop: stop, observatory: observatory, inputOver: endsWithInput ? inputOver : nil)
  }

  /// Whether nothing but standard input can bring records.
  private var endsWithInput: Bool {
    options.http == nil && options.sources.allSatisfy { $0.place == .standardInput || $0.place == .post }
  }

  private func startSources() throws(TextFile.Failure) -> WebSocketIntake? {
    var servers: [WebSocketIntake.Server] = []
    for source in options.sources {
      let origin = Intake.Origin(map: source.map ?? options.defaultMap, room: source.room, isWrapped: options.isWrapped)
      switch source.place {
      case .standardInput: readStandardInput(origin)
      case .post: break
      case .webSocket(let url):
        var hello: [String] = []
        if let file = source.hello {
          hello = try TextFile.read(file, limit: 64 << 10).get().split(separator: "\n").map(String.init)
        }
        var password: String?
        if let file = source.password {
          password = String(try TextFile.read(file, limit: 1024, named: "the file of password=").get().prefix { !$0.isNewline })
        }
        servers.append(.init(url, name: source.text, origin: origin, hello: hello, password: password))
      }
    }
    if !options.sources.contains(where: { $0.place == .standardInput }), Self.isPiped {
      readStandardInput(Intake.Origin(map: options.defaultMap, room: nil, isWrapped: options.isWrapped))
    }
    if servers.isEmpty { return nil }
    let webSockets = WebSocketIntake(servers, intake, log: log)
    guard webSockets.start() else {
      throw TextFile.Failure(
        description: "the WebSocket client cannot start: give at most 16 servers; with fewer, the system is out of memory")
    }
    return webSockets
  }

  /// Whether another program writes to standard input: a pipe, a socket or a file, not a terminal and not /dev/null.
  static var isPiped: Bool {
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0 else { return false }
    return [S_IFIFO, S_IFREG, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }

  private func readStandardInput(_ origin: Intake.Origin) {
    log.info("reading standard input")
    _ = StandardInput(intake, origin, log: log) { [log, inputOver, endsWithInput] lines in
      if endsWithInput {
        log.info("standard input has ended after \(.count, lines) lines; the program exits when all instructions are written")
      } else {
        log.info("standard input has ended after \(.count, lines) lines; the other sources continue")
      }
      inputOver.set()
    }
  }
}
