internal import ComboEdge
internal import ComboKafka
internal import ComboService
internal import ComboSystem

/// `reset-clock`: brings back partitions whose time lies ahead of the clock.
enum ResetClockCommand {
  static func run(_ options: ServiceOptions) -> Int32 {
    let log = ServiceLog(options.logLevel, format: options.logFormat)
    log.hide(options.kafka.secrets)
    defer { log.flush() }
    let stop = StopFlag()
    let signals = StopSignal()
    signals.onSet { stop.set() }
    signals.watchSignals()
    do throws(EdgeError) {
      let properties = try options.kafkaProperties(log: log)
      guard let service = try Service.build(options, properties, log: log, stop: stop, bringsClocksBack: true) else { return 1 }
      return run(service, of: options, stop)
    } catch {
      Console.say(error.message)
      return error.code == .badProperty ? 2 : 1
    }
  }

  private static func run(_ service: Service, of options: ServiceOptions, _ stop: StopFlag) -> Int32 {
    let all = (try? service.edges.reader.partitions(.input).count) ?? 0
    service.join()
    while service.isRunning, !service.hasTakenOver { service.turn() }
    let looked = service.hasTakenOver ? service.ownedCount : 0
    let isStopped = stop.isSet
    let code = service.stop()
    // Its clients go with the process.
    _ = Unmanaged.passRetained(service)
    if code != 0 || isStopped { return 1 }
    let back = service.totals.clocksBroughtBack
    _ = Console.tell("\(back) of \(looked) partitions brought back to this machine's clock.\n")
    if looked < all {
      Console.say(
        "only \(looked) of \(all) partitions were checked: other instances have the rest. Stop them, and run this again")
      return 1
    }
    return 0
  }
}
