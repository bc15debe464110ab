internal import CKafka
internal import ComboEdge
internal import ComboSystem
internal import Synchronization

/// The context of a client's callbacks, passed as librdkafka's opaque pointer.
///
/// It is a long-lived context, passed unretained: `KafkaClient` holds it and destroys the handle first, after which no callback
/// occurs. The log callback runs on librdkafka's own threads, the others on the thread that polls or flushes.
package final class ClientCallbacks: Sendable {
  /// The minimum interval between errors of the same kind: a broker that is down causes several per second.
  static let repeatAfterMs: Int64 = 30_000

  private struct State {
    var lastConnectionFault: String?
    var lastPassedOnMs: [Int32: Int64] = [:]
  }

  private let kind: ClientKind
  private let brokers: String
  private let log: KafkaLog
  /// The store for the client's statistics and the client's name there, or nil if there are none.
  private let statistics: (sink: ClientStatistics, name: String)?
  /// The file of tokens for OAUTHBEARER, or nil if none are needed.
  private let tokenFile: String?
  private let state = Mutex(State())
  /// Receives the reports of a producer's records.
  private let deliveries: Deliveries?
  /// Receives the events of a group's member.
  private let member: MemberEvents?

  /// - Parameter statistics: The name under which the client's statistics are stored, or nil for none. Only for a client that is
  ///   polled often, since they wait in its queue.
  init(
    _ kind: ClientKind, _ properties: KafkaProperties, statistics name: String? = nil, deliveries: Deliveries? = nil,
    member: MemberEvents? = nil
  ) {
    statistics = name.flatMap { name in properties.statistics.map { ($0, name) } }
    (self.kind, self.deliveries, self.member) = (kind, deliveries, member)
    brokers = properties.brokers
    log = properties.log
    tokenFile = properties.tokenFile
  }

  /// Sets the callbacks.
  func install(_ configuration: borrowing ClientConfiguration) {
    let opaque = Unmanaged.passUnretained(self).toOpaque()
    configuration.withPointer { pointer in
      rd_kafka_conf_set_opaque(pointer, opaque)
      rd_kafka_conf_set_log_cb(pointer) { handle, level, facility, text in
        // Without a handle, the line is from before the client was complete.
        guard let opaque = handle.flatMap({ rd_kafka_opaque($0) }), let text else { return }
        ClientCallbacks.from(opaque).logLine(level, facility.map { String(cString: $0) } ?? "", String(cString: text))
      }
      rd_kafka_conf_set_error_cb(pointer) { handle, error, reason, opaque in
        guard let opaque else { return }
        ClientCallbacks.from(opaque).failed(
          rd_kafka_resp_err_t(rawValue: error), reason.map { String(cString: $0) } ?? "", handle)
      }
      if tokenFile != nil {
        // Tokens are fetched on a thread of librdkafka, so that clients that are not polled for a while also get them.
        rd_kafka_conf_enable_sasl_queue(pointer, 1)
        rd_kafka_conf_set_oauthbearer_token_refresh_cb(pointer) { handle, _, opaque in
          guard let handle, let opaque, let file = ClientCallbacks.from(opaque).tokenFile else { return }
          // Reported immediately: the thread that polls for errors may be waiting for a connection that needs this token.
          if let failure = BearerToken.refresh(handle, from: file, now: WallClock.nowMs) {
            ClientCallbacks.from(opaque).log.write(.error, "SASL", "no token: \(failure)")
          }
        }
      }
      if deliveries != nil {
        rd_kafka_conf_set_dr_msg_cb(pointer) { _, message, opaque in
          guard let opaque, let message else { return }
          // Without a reference count: it is called for each record that is delivered.
          Unmanaged<ClientCallbacks>.fromOpaque(opaque)._withUnsafeGuaranteedRef { $0.deliveries?.reported(message) }
        }
      }
      if member != nil {
        rd_kafka_conf_set_rebalance_cb(pointer) { handle, kind, partitions, opaque in
          guard let opaque, let handle, let partitions else { return }
          let isAssign = kind == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS
          ClientCallbacks.from(opaque).member?.rebalanced(Rebalance(isAssign ? .assign : .revoke, copying: partitions), handle)
        }
      }
      if statistics == nil { return }
      rd_kafka_conf_set_stats_cb(pointer) { _, text, count, opaque in
        guard let opaque, let text, let (sink, name) = ClientCallbacks.from(opaque).statistics else { return 0 }
        sink.store(ClientStatistics.Text(owning: text, count: count), of: name)
        // The text now belongs to this program.
        return 1
      }
    }
  }

  /// Starts the thread that fetches tokens, if any are needed. Call it once with the new client.
  func begin(_ handle: OpaquePointer) {
    guard tokenFile != nil, let error = rd_kafka_sasl_background_callbacks_enable(handle) else { return }
    log.write(.error, "SASL", "cannot fetch tokens: \(String(cString: rd_kafka_error_string(error)))")
    rd_kafka_error_destroy(error)
  }

  /// The properties that the client needs for statistics.
  var statisticsProperties: [(String, String)] {
    statistics == nil ? [] : [("statistics.interval.ms", String(ClientStatistics.intervalMs))]
  }

  static func from(_ opaque: UnsafeMutableRawPointer) -> ClientCallbacks {
    Unmanaged<ClientCallbacks>.fromOpaque(opaque).takeUnretainedValue()
  }

  /// Reports an error of the whole client, after rate limiting: to the delegate of a group's member, else to the log.
  private func report(_ error: EdgeError) {
    if let delegate = member?.delegate { return delegate.failed(error, partition: nil) }
    log.write(error.isRetriable ? .warning : .error, "ERROR", error.message)
  }

  /// Reports that the client's threads have not ended in time.
  func reportStuck() {
    log.write(
      .warning, "TERMINATE",
      "a librdkafka client did not end in time: its threads run until this process ends")
  }

  /// The reason why the last connection attempt failed, or nil once a broker has answered.
  var lastConnectionFault: String? { state.withLock { $0.lastConnectionFault } }

  func answered() {
    state.withLock {
      $0.lastConnectionFault = nil
      $0.lastPassedOnMs[RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN.rawValue] = nil
    }
  }

  /// Whether no error with this number was reported in the last `repeatAfterMs`.
  func shouldReport(_ number: Int32) -> Bool {
    let now = MonotonicClock.nowMs
    return state.withLock {
      if let last = $0.lastPassedOnMs[number], now - last < Self.repeatAfterMs { return false }
      $0.lastPassedOnMs[number] = now
      return true
    }
  }

  private func logLine(_ level: Int32, _ facility: String, _ text: String) {
    log.write(KafkaLog.Level(rawValue: level) ?? .debug, facility, text)
  }

  private func failed(_ number: rd_kafka_resp_err_t, _ reason: String, _ handle: OpaquePointer?) {
    switch number {
    case RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__RESOLVE, RD_KAFKA_RESP_ERR__TIMED_OUT:
      // This is one connection of possibly several; librdkafka logs it and retries. It is the reason if all are down.
      state.withLock { $0.lastConnectionFault = KafkaWords.plain(reason) }
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
      guard shouldReport(number.rawValue) else { return }
      let why = lastConnectionFault ?? reason
      report(
        EdgeError(
          number, failed: "The \(kind.word) cannot reach any Kafka broker and keeps trying", detail: why, brokers: brokers))
    case RD_KAFKA_RESP_ERR__FATAL:
      var text = [CChar](repeating: 0, count: 512)
      let cause = handle.map { rd_kafka_fatal_error($0, &text, text.count) } ?? number
      let detail = ControlClient.text(text)
      let code = EdgeError.Code(cause) == .fenced ? EdgeError.Code.fenced : .fatal
      let sentence = EdgeError(cause, failed: "The Kafka \(kind.word) has given up", detail: detail, brokers: brokers)
      report(EdgeError(code, sentence.message, number: cause.rawValue))
    default:
      if EdgeError.Code(number) == .authentication { state.withLock { $0.lastConnectionFault = reason } }
      guard shouldReport(number.rawValue) else { return }
      report(EdgeError(number, failed: "The Kafka \(kind.word) reports an error", detail: reason, brokers: brokers))
    }
  }
}
