internal import ComboEdge
internal import ComboHTTP
internal import ComboKafka
internal import ComboSystem
internal import Synchronization

/// Reads the configuration again, while the service runs, and takes in what can change.
///
/// At once: the level and the format of the log, and the token of HTTP. By a fresh start within the process, with a last
/// commit before it: all that librdkafka is made with, since it takes its properties, certificates and keys in only when a
/// client is made. If the brokers cannot be reached with what is new, all stays as it was.
final class Reload: Sendable {
  /// What the next service is made with.
  struct Current {
    var kafka: [KafkaProperty]
    var files: [[UInt8]?]
  }

  private let table: ConfigTable
  private let log: ServiceLog
  private let stop: StopFlag
  private let read: @Sendable () -> Configuration.Outcome
  /// Until there is a server, nobody asks.
  private let server = Mutex<HTTPServer?>(nil)
  private let current: Mutex<Current>

  /// Options that need no restart.
  static let live: Set<String> = ["config", "log-level", "log-format", "http-token-file", "kafka", "kafka-file"]

  /// librdkafka's properties that name files which it reads when a client is made.
  private static let fileProperties: Set<String> = [
    "ssl.ca.location", "ssl.certificate.location", "ssl.key.location", "ssl.keystore.location", "ssl.crl.location",
  ]

  /// - Parameters:
  ///   - table: what the process was started with.
  ///   - read: reads it again.
  init(
    _ options: ServiceOptions, _ table: ConfigTable, log: ServiceLog, stop: StopFlag,
    read: @escaping @Sendable () -> Configuration.Outcome
  ) {
    self.table = table
    self.log = log
    self.stop = stop
    self.read = read
    current = Mutex(Current(kafka: options.kafka, files: Self.files(options.kafka)))
  }

  /// What the next service is to be made with.
  var kafka: [KafkaProperty] { current.withLock { $0.kafka } }

  /// Whose token may change.
  func serves(_ server: HTTPServer?) { self.server.withLock { $0 = server } }

  /// Blocks while the brokers are asked. Always on the same thread.
  func run() {
    log.info("reading the configuration again")
    guard case .read(let invocation, let table, let faults) = read() else { return }
    guard faults.isEmpty, case .run(let options) = invocation else {
      for fault in faults { log.error("the configuration is left as it was: \(.reason, fault)") }
      return
    }
    let before = current.withLock { $0 }
    log.hide(before.kafka.secrets + options.kafka.secrets)
    let new = Current(kafka: options.kafka, files: Self.files(options.kafka))
    let isOtherKafka = new.kafka != before.kafka || new.files != before.files
    if isOtherKafka, let fault = Self.fault(options, log) {
      log.error("the configuration is left as it was: \(.reason, fault)")
      return
    }
    log.level = options.logLevel
    log.format = options.logFormat
    server.withLock { $0?.demand(options.httpToken) }
    let missed = table.differences(from: self.table).filter { !Self.live.contains($0) }
    if !missed.isEmpty {
      log.warning("only a restart takes in what has changed of \(.options, missed.map { "--\($0)" }.joined(separator: ", "))")
    }
    if isOtherKafka {
      current.withLock { $0 = new }
      log.info("the service begins anew with the Kafka properties and certificates as they are now")
      stop.askForFreshStart()
    }
    log.info("the configuration was read again")
  }

  /// Why nothing can be done with these properties; nil: clients can be made, and brokers answer.
  private static func fault(_ options: ServiceOptions, _ log: ServiceLog) -> String? {
    do throws(EdgeError) {
      let properties = try options.kafkaProperties(log: log)
      try options.tryProducer(properties)
      _ = try ControlClient(properties).cluster(withinMs: 5000)
      return nil
    } catch {
      return error.message
    }
  }

  private static func files(_ properties: [KafkaProperty]) -> [[UInt8]?] {
    properties.filter { fileProperties.contains($0.key) }.map { try? TextFile.bytes(of: $0.value, limit: 1 << 20).get() }
  }
}
