/// `demo`: the service on a broker inside the process, fed with made-up gifts, drawn in the terminal.
enum DemoCommand {
  static func run(_ options: DemoOptions) -> Int32 {
    let stop = StopSignal()
    stop.watchSignals()
    do throws(KafkaError) {
      return try Demo(options, stop: stop, service: service).run()
    } catch {
      Console.say(error.message)
      return 1
    }
  }

  /// The service itself, as `run` runs it, but on brokers that cannot make topics.
  @Sendable
  private static func service(_ options: ServiceOptions, until stop: StopSignal) -> Int32 {
    let log = ServiceLog(options.logLevel)
    let flag = StopFlag()
    stop.onSet { flag.set() }
    do throws(KafkaError) {
      let properties = try options.kafkaProperties(log: log)
      guard let service = try Service.build(options, properties, hasAdmin: false, log: log, stop: flag) else { return 1 }
      return service.run()
    } catch {
      log.error(error.message)
      return 1
    }
  }
}
