internal import ComboEdge
internal import ComboHTTP
internal import ComboKafka
internal import ComboService
internal import ComboSystem

/// `serve`: serves any room over HTTP, from the output topic.
enum ServeCommand {
  static func run(_ options: ServeOptions) -> Int32 {
    let session = CommandSession(options.logLevel, options.logFormat, hiding: options.kafka)
    let log = session.log
    defer { log.flush() }
    let observatory = Observatory(stop: session.stop)
    do throws(EdgeError) {
      var properties = try KafkaProperties(brokers: options.brokers, clientID: "combo-consumer-serve", options.kafka, log: log)
      let statistics = ClientStatistics()
      properties.statistics = statistics
      let server: HTTPServer
      do throws(HTTPFault) {
        server = try HTTPServer(
          options.http, token: options.httpToken, observatory: observatory,
          identity: ServiceIdentity(
            group: options.output, instance: Console.hostName, librdkafka: LibrdkafkaProperties.versionText),
          statistics: { statistics.figures() },
          readersMax: options.readers, origins: options.origins, isPublic: options.isPublic, hasLowPriority: false, log: log)
      } catch {
        log.error("http: \(.reason, error)")
        return 1
      }
      defer { server.stop() }
      let mirror = try OutputMirror(options, properties, observatory, log)
      try mirror.run()
      return 0
    } catch {
      log.error("serve cannot continue: \(.reason, error)")
      return error.exitCode
    }
  }
}
