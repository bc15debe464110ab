internal import ComboEdge
internal import ComboHTTP
internal import ComboLog
internal import ComboRooms
internal import ComboService
internal import ComboSystem
internal import ComboWire
internal import Glibc

/// `demo`: the service on a log of its own, fed with made-up gifts, drawn in the terminal.
enum DemoCommand {
  static func run(_ options: DemoOptions) -> Int32 {
    let stop = StopSignal()
    stop.watchSignals()
    signal(SIGPIPE, SIG_IGN)
    let flag = StopFlag()
    stop.onSet { flag.set() }
    let log = ServiceLog(options.logLevel)
    let stage: LogStage
    do throws(LogFault) {
      var limits = LogFile.Limits()
      limits.sizeMax = 256 << 20
      stage = try LogStage(LogStage.place(options.data, name: "demo.db"), limits: limits)
    } catch {
      Console.report(error.message)
      return 1
    }
    defer { stage.file.close() }
    stage.warn(log)
    let observatory = Observatory(stop: flag)
    var server: HTTPServer?
    if let address = options.http {
      do throws(HTTPFault) {
        server = try HTTPServer.start(
          address, token: nil, observatory: observatory,
          identity: ServiceIdentity(group: "demo", input: "demo", instance: "demo"),
          isFlexible: true,
          log: log)
      } catch {
        Console.report(error.description)
        return 1
      }
    }
    defer { server?.stop() }
    let keeper = LogKeeper(stage.file, keepMs: 3_600_000, log: log) { stop.set() }
    defer { keeper.stop() }
    let isServed = server != nil
    let code = Demo(
      options, stage, stop: stop, url: server?.address.url,
      service: { stage, _ in service(options, on: stage, log, until: flag, observatory: isServed ? observatory : nil) }
    ).run()
    return keeper.code(code)
  }

  /// Runs the service as `live` does.
  private static func service(
    _ options: DemoOptions, on stage: LogStage, _ log: ServiceLog, until stop: StopFlag, observatory: Observatory?
  ) -> Int32 {
    var configuration = ServiceConfiguration(topics: LogStage.topics)
    configuration.settings = options.settings
    do throws(EdgeError) {
      return try stage.service(configuration, log: log, stop: stop, observatory: observatory).run()
    } catch {
      log.error("the service cannot continue: \(.reason, error)")
      return 1
    }
  }
}
