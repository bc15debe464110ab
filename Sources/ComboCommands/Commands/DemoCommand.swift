internal import ComboHTTP
internal import ComboLog
internal import ComboRooms
internal import ComboService
internal import ComboSystem
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
      return Console.fail(error.message)
    }
    defer { stage.file.close() }
    stage.warn(log)
    let observatory = Observatory(stop: flag)
    var server: HTTPServer?
    if let address = options.http {
      do throws(HTTPFault) {
        server = try HTTPServer(
          address, token: nil, observatory: observatory,
          identity: ServiceIdentity(group: "demo", input: "demo", instance: "demo"),
          isFlexible: true,
          log: log)
      } catch {
        return Console.fail(error.description)
      }
    }
    defer { server?.stop() }
    let keeper = LogKeeper(stage.file, keepMs: 3_600_000, log: log) { stop.set() }
    defer { keeper.stop() }
    let isServed = server != nil
    var configuration = ServiceConfiguration(topics: LogStage.topics)
    configuration.settings = options.settings
    let code = Demo(
      options: options, stage: stage, stop: stop, url: server?.address.url,
      service: { [configuration] stage, _ in
        stage.run(configuration, log: log, stop: flag, observatory: isServed ? observatory : nil)
      }
    ).run()
    return keeper.code(code)
  }
}
