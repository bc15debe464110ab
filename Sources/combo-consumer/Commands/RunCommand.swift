internal import ComboCore

/// `run`: the service.
enum RunCommand {
  static func run(_ options: ServiceOptions) -> Int32 {
    let log = ServiceLog(options.logLevel)
    let stop = StopFlag()
    Signals.stopOnInterrupt(stop)
    let watchdog = StopWatchdog(stop, log: log)
    defer { withExtendedLifetime(watchdog) {} }
    do throws(KafkaError) {
      let properties = try options.kafkaProperties(log: log)
      guard let service = try Service.build(options, properties, log: log, stop: stop) else { return stop.isSet ? 0 : 1 }
      if options.progress { service.progress = Progress { Console.write($0 + "\n", to: 1) } }
      return service.run()
    } catch {
      log.error(error.message)
      return error.code == .badProperty ? 2 : 1
    }
  }
}
