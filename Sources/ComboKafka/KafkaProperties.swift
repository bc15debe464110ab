package import ComboEdge
internal import ComboSystem

/// The configuration of all Kafka clients of the process: the brokers and the user's librdkafka properties.
///
/// It is created once at the start, and reports all detectable faults then rather than when a client is created later.
package struct KafkaProperties: Sendable {
  /// The bootstrap addresses, `host:port,host:port`.
  package let brokers: String
  /// The clients' name, by which brokers log and apply quotas.
  package let clientID: String
  package internal(set) var log: KafkaLog
  /// A suffix of the clients' name, including one that the user chose.
  var clientIDSuffix = ""
  /// The store for the statistics of clients that are polled often, or nil to disable them.
  package var statistics: ClientStatistics?
  /// The file of tokens for SASL/OAUTHBEARER, or nil if none are needed.
  let tokenFile: String?
  private let logLevel: KafkaLog.Level
  private let presets: [KafkaProperty]
  private let overrides: [KafkaProperty]

  /// - Parameters:
  ///   - brokers: The bootstrap addresses, `host:port,host:port`.
  ///   - clientID: The name that brokers log.
  ///   - overrides: The user's properties, in order; a later one of the same key wins. Each applies to all kinds of clients that
  ///     have it.
  ///   - presets: Properties chosen by the program, which the user's override.
  ///   - logLevel: librdkafka's lines up to this level are passed to `log`.
  ///   - log: The receiver of log lines.
  /// - Throws: One error that names every invalid property with the reason.
  package init(
    brokers: String, clientID: String = "combo-consumer", overrides: [KafkaProperty] = [], presets: [KafkaProperty] = [],
    logLevel: KafkaLog.Level = .warning, log: KafkaLog = .none
  ) throws(EdgeError) {
    self.brokers = brokers
    self.clientID = clientID
    self.overrides = overrides
    self.presets = presets
    self.logLevel = logLevel
    self.log = log
    var reason: EdgeError?
    do throws(EdgeError) {
      tokenFile = try BearerToken.file(presets + overrides)
    } catch {
      tokenFile = nil
      reason = error
    }
    try check(reason)
  }

  /// Returns these properties with other brokers, more presets and another log, which gets librdkafka's debug lines too.
  package func with(brokers: String, presets more: [KafkaProperty], log: KafkaLog) throws(EdgeError) -> KafkaProperties {
    try KafkaProperties(
      brokers: brokers, clientID: clientID, overrides: overrides, presets: presets + more, logLevel: .debug, log: log)
  }

  /// The time for which the group waits for a silent member of the service.
  package var sessionTimeoutMs: Int64 {
    (presets + overrides).last { $0.key == "session.timeout.ms" }.flatMap { Int64($0.value) } ?? Self.defaultSessionTimeoutMs
  }
  static let defaultSessionTimeoutMs: Int64 = 10_000

  /// The texts that no error may show.
  package var secrets: [String] { (presets + overrides).secrets }

  /// Returns a configuration with these properties. `own` overrides the presets, and the user's properties override `own`.
  package func configuration(_ kind: ClientKind, _ own: [(String, String)] = []) throws(EdgeError) -> ClientConfiguration {
    let configuration = ClientConfiguration(kind: kind)
    try configuration.set("bootstrap.servers", brokers)
    try configuration.set("client.id", clientID)
    try configuration.set("socket.nagle.disable", "true")
    try configuration.set("log_level", String(logLevel.rawValue))
    // Brokers routinely close idle connections.
    try configuration.set("log.connection.close", "false")
    // A broker whose machine is gone closes no connection; only this timeout detects it. By then, others have taken over its
    // partitions. For a transactional producer, librdkafka derives the timeout from a transaction's and would refuse a higher
    // one.
    let answer = "socket.timeout.ms"
    let isTransactional = own.contains { $0.0 == "transactional.id" }
    if !isTransactional { try configuration.set(answer, "10000") }
    for (key, value) in own { try configuration.set(key, value) }
    for override in presets + overrides where LibrdkafkaProperties.applies(override.key, to: kind) {
      // The default, which older libraries do not have as a property.
      if override.key == Self.groupProtocol { continue }
      if isTransactional, override.key == answer { continue }
      // A record that librdkafka refuses would be retried endlessly. The brokers decide what a topic accepts.
      if override.key == "message.max.bytes", let least = own.first(where: { $0.0 == override.key }).flatMap({ Int($0.1) }),
        Int(override.value).map({ $0 < least }) ?? false
      {
        continue
      }
      try configuration.set(override.key, override.value)
    }
    if !clientIDSuffix.isEmpty {
      let chosen = (presets + overrides).last { $0.key == "client.id" }?.value ?? clientID
      try configuration.set("client.id", chosen + clientIDSuffix)
    }
    return configuration
  }

  private func check(_ other: EdgeError?) throws(EdgeError) {
    var faults = other.map { [$0.message] } ?? []
    if brokers.isEmpty {
      faults.append("No Kafka brokers are given; use --brokers HOST:PORT.")
    } else if let wrong = brokers.split(separator: ",", omittingEmptySubsequences: false).first(where: { !Self.isAddress($0) }) {
      faults.append(
        "\"\(wrong)\" is not the address of a Kafka broker; use --brokers HOST:PORT,HOST:PORT with ports from 1 to 65535.")
    }
    faults += (presets + overrides).compactMap { Self.fault(of: $0.key, $0.value) }
    if !faults.isEmpty { throw EdgeError(.badProperty, faults.joined(separator: " ")) }
  }

  /// Whether it is `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`, optionally after a security protocol and `://`.
  static func isAddress(_ text: Substring) -> Bool {
    var rest = text.drop { $0 == " " }
    while rest.last == " " { rest.removeLast() }
    for scheme in ["PLAINTEXT://", "SSL://", "SASL_PLAINTEXT://", "SASL_SSL://"] where rest.uppercased().hasPrefix(scheme) {
      rest = rest.dropFirst(scheme.count)
    }
    var host = rest
    if rest.first == "[" {
      guard let close = rest.firstIndex(of: "]") else { return false }
      host = rest[rest.index(after: rest.startIndex)..<close]
      rest = rest[rest.index(after: close)...]
      if rest.isEmpty { return !host.isEmpty }
    } else if let colon = rest.lastIndex(of: ":") {
      host = rest[..<colon]
      rest = rest[colon...]
      if host.contains(where: { $0 == "/" || $0 == ":" }) { return false }
    } else {
      return !host.isEmpty && !host.contains { $0 == "/" || $0.isWhitespace }
    }
    guard rest.first == ":", let port = Int(rest.dropFirst()), (1...65_535).contains(port) else { return false }
    return !host.isEmpty && !host.contains(where: \.isWhitespace)
  }

  /// The reason, as a sentence, why a property or its value is not allowed, or nil if it is allowed.
  package static func fault(of key: String, _ value: String) -> String? {
    // librdkafka accepts a topic's property under both names.
    let name = key.hasPrefix("topic.") ? String(key.dropFirst(6)) : key
    // It is no topic's property.
    if key == groupProtocol {
      // docs/decisions/0014
      if value == "classic" { return nil }
      return value.lowercased() != "consumer"
        ? "The Kafka property \(key) must be classic here, not \(Sentence.quoted(value))."
        : "The Kafka property \(key) must be classic here: with \(Sentence.quoted(value)), a crashed instance would block its own replacement"
          + " until its session times out, and a transaction could be refused although its partitions have not moved."
    }
    if let reason = reserved[name] { return "The Kafka property \(key) cannot be set here: \(reason)." }
    do throws(EdgeError) {
      try ClientConfiguration(kind: .consumer).set(key, value)
      return nil
    } catch {
      return error.message
    }
  }

  private static let groupProtocol = "group.protocol"

  /// Properties on which the service's guarantees depend, with the reason why users may not set them.
  private static let reserved: [String: String] = {
    let exactlyOnce = "offsets are committed in the transaction that writes the results"
    let idempotence = "the producer must write each record exactly once and in order"
    let restart = "the journal and --from decide where to begin"
    let addresses = "use --brokers"
    return [
      "bootstrap.servers": addresses, "metadata.broker.list": addresses,
      "group.id": "use --group", "group.instance.id": "use --instance",
      "enable.auto.commit": exactlyOnce, "auto.commit.enable": exactlyOnce, "enable.auto.offset.store": exactlyOnce,
      "auto.commit.interval.ms": exactlyOnce, "offset.store.method": exactlyOnce, "offset.store.path": exactlyOnce,
      "offset.store.sync.interval.ms": exactlyOnce,
      "isolation.level": "records of aborted transactions must never be counted",
      "auto.offset.reset": restart,
      "enable.partition.eof": "the service needs to know where a partition ends",
      "partition.assignment.strategy": "it depends on the version of librdkafka, because some versions have bugs",
      "transactional.id": "it is derived from the group and the instance",
      "enable.idempotence": idempotence, "enable.gapless.guarantee": idempotence, "acks": idempotence,
      "request.required.acks": idempotence,
      "partitioner": "any consumer must find a room's partition by its key",
      "delivery.report.only.error": "the service requests the delivery reports that it needs",
      "blacklist": "the service reads the topics that its options name",
      "allow.auto.create.topics": "the service creates missing topics with the right settings itself",
      "test.mock.num.brokers": "the demo command needs no broker",
      "log.queue": "librdkafka's log goes to the service's own",
      "enable.sasl.oauthbearer.unsecure.jwt": "unsigned tokens prove nothing",
    ]
  }()
}
