internal import ComboEdge
internal import ComboHTTP
internal import ComboKafka
internal import ComboRegistry
internal import ComboRooms
internal import ComboSystem
internal import Synchronization

/// Reads the configuration again while the service runs, and applies the options that can change.
///
/// The level and format of the log and the HTTP token change at once. The combo settings, the map, the rules, and all that
/// librdkafka reads only when a client is created, such as properties, certificates and keys, need a fresh start within the
/// process, after a last commit. All other options need a restart; a warning names them. If the brokers cannot be reached with
/// the new properties, or an option is wrong, nothing changes.
final class Reload: Sendable {
  private let table: ConfigTable
  private let log: ServiceLog
  private let stop: StopFlag
  private let read: @Sendable () -> Configuration.Outcome
  /// The server whose token may change, or nil until there is one.
  private let server = Mutex<HTTPServer?>(nil)
  /// The options in effect, and the contents of the files that librdkafka's properties name.
  private let current: Mutex<(options: ServiceOptions, files: [[UInt8]?])>
  private let registry: SchemaRegistry?

  /// The options that need no restart of the process.
  static let live: Set<String> = Set([
    "config", "log-level", "log-format", "http-token-file", "kafka", "kafka-file", "map", "schemas", "framing", "rules",
    "input-settings",
  ])
  .union(OptionTable.options(of: .run).filter { $0.section == .combo }.map(\.name))

  /// The librdkafka properties that name files; librdkafka reads these when a client is created.
  private static let fileProperties: Set<String> = [
    "ssl.ca.location", "ssl.certificate.location", "ssl.key.location", "ssl.keystore.location", "ssl.crl.location",
  ]

  /// - Parameters:
  ///   - table: The configuration with which the process was started.
  ///   - read: Reads the configuration again.
  init(
    _ options: ServiceOptions, _ table: ConfigTable, log: ServiceLog, stop: StopFlag,
    read: @escaping @Sendable () -> Configuration.Outcome
  ) {
    self.table = table
    self.log = log
    self.stop = stop
    self.read = read
    current = Mutex((options, Self.files(options.kafka)))
    registry = options.registry
  }

  /// The options of the next service.
  var next: ServiceOptions { current.withLock { $0.options } }

  /// Sets the server whose token a reload may change.
  func setServer(_ server: HTTPServer?) { self.server.withLock { $0 = server } }

  /// Reads and applies the configuration. Blocks while the brokers respond. Always called on the same thread.
  func run() { run(read()) }

  /// Applies a configuration that was read again, as ``run()`` does.
  func run(_ outcome: Configuration.Outcome) {
    log.info("reading the configuration again")
    guard case .read(let invocation, let table, let faults) = outcome else { return }
    guard faults.isEmpty, case .run(let options) = invocation else {
      for fault in faults { log.error("the configuration was not changed because it has a fault: \(.reason, fault)") }
      return
    }
    if let registry {
      log.info("schemas that were refused are asked for again")
      registry.retry()
    }
    let before = current.withLock { $0 }
    log.hide(before.options.kafka.secrets + options.kafka.secrets)
    var new = (options: before.options, files: Self.files(options.kafka))
    new.options.adopt(options)
    let isOtherKafka = new.options.kafka != before.options.kafka || new.files != before.files
    if isOtherKafka, let fault = Self.fault(options) {
      log.error(
        """
        a trial of the new Kafka properties and certificates failed, and the service continues with the old configuration: \
        \(.reason, fault)
        """)
      return
    }
    log.level = options.logLevel
    log.format = options.logFormat
    server.withLock { $0?.setToken(options.httpToken) }
    let missed = table.differences(from: self.table).filter { !Self.live.contains($0) }
    if !missed.isEmpty {
      log.warning("these changed options need a restart: \(.options, missed.map { "--\($0)" }.joined(separator: ", "))")
    }
    if new.options == before.options, new.files == before.files {
      if missed.isEmpty { log.info("nothing has changed") }
      return
    }
    current.withLock { [new] in $0 = new }
    let (now, was) = (new.options, before.options)
    let isOtherEngine = now.settings != was.settings || now.map != was.map || now.rules != was.rules
    if isOtherKafka || isOtherEngine {
      log.info("the new configuration is valid; starting again with it")
      if isOtherKafka { log.info("the service starts again within the process, with the new Kafka properties and certificates") }
      if isOtherEngine {
        log.info("the service takes over its partitions again, with the new settings, map and rules")
      }
      stop.askForFreshStart()
    } else {
      log.info("the new configuration is in effect")
    }
  }

  /// Returns the reason why these properties do not work, or nil if clients can be created and brokers respond. The clients log
  /// nothing, as their lines would look like faults of the running service.
  private static func fault(_ options: ServiceOptions) -> String? {
    do throws(EdgeError) {
      let properties = try options.kafkaProperties(log: .silent)
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

extension ServiceOptions {
  /// Adopts the options that a reload can change.
  mutating func adopt(_ new: ServiceOptions) {
    (kafka, logLevel, logFormat, httpToken) = (new.kafka, new.logLevel, new.logFormat, new.httpToken)
    self.settings = new.settings
    self.defaultedSettings = new.defaultedSettings
    self.map = new.map
    self.rules = new.rules
  }
}
