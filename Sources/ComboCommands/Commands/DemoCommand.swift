internal import ComboEdge
internal import ComboHTTP
internal import ComboKafka
internal import ComboService
internal import ComboSystem

/// `demo`: the service on a broker inside the process, fed with made-up gifts, drawn in the terminal.
enum DemoCommand {
  static func run(_ options: DemoOptions) -> Int32 {
    let stop = StopSignal()
    stop.watchSignals()
    let flag = StopFlag()
    stop.onSet { flag.set() }
    let lookout = Lookout(stop: flag)
    let statistics = ClientStatistics()
    var server: HTTPServer?
    if let address = options.http {
      do throws(HTTPFault) {
        server = try HTTPServer.start(
          address, token: nil, lookout: lookout,
          identity: ServiceIdentity(group: "demo", input: "demo", instance: "demo", librdkafka: LibrdkafkaProperties.versionText),
          statistics: { statistics.figures() }, isFlexible: true, log: ServiceLog(options.logLevel))
      } catch {
        Console.say(error.description)
        return 1
      }
    }
    defer { server?.stop() }
    let isServed = server != nil
    do throws(EdgeError) {
      return try Demo(
        options, stop: stop, url: server?.address.url,
        service: { options, _ in
          service(options, until: flag, lookout: isServed ? lookout : nil, statistics: isServed ? statistics : nil)
        }
      ).run()
    } catch {
      Console.say(error.message)
      return 1
    }
  }

  /// The service itself, as `run` runs it, but on brokers that cannot make topics.
  private static func service(
    _ options: ServiceOptions, until stop: StopFlag, lookout: Lookout?, statistics: ClientStatistics?
  ) -> Int32 {
    let log = ServiceLog(options.logLevel)
    do throws(EdgeError) {
      var properties = try options.kafkaProperties(log: log)
      properties.statistics = statistics
      guard
        let service = try Service.build(options, properties, hasAdmin: false, log: log, stop: stop, lookout: lookout)
      else { return 1 }
      return service.run()
    } catch {
      log.error("the service cannot go on: \(.reason, error)")
      return 1
    }
  }
}
