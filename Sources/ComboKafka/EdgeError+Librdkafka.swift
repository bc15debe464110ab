package import CKafka
internal import ComboEdge

extension EdgeError {
  /// Creates an error from one of librdkafka or a broker.
  ///
  /// - Parameters:
  ///   - error: The number of the error.
  ///   - failed: The failed operation, as the beginning of a sentence: `cannot create topic "gifts"`.
  ///   - detail: librdkafka's message, or nil if it has no more than the number.
  ///   - brokers: The addresses of the brokers.
  package init(_ error: rd_kafka_resp_err_t, failed: String, detail: String? = nil, brokers: String) {
    let code = Code(error)
    let reason = detail.flatMap { $0.isEmpty ? nil : KafkaWords.plain($0) } ?? String(cString: rd_kafka_err2str(error))
    let name = String(cString: rd_kafka_err2name(error))
    // If a mechanism failed, the reason names it.
    let isScram = !LibrdkafkaProperties.hasSoundScram && reason.contains("mechanism SCRAM")
    let more =
      isScram
      ? " librdkafka before 2.6.1 (this is \(LibrdkafkaProperties.versionText)) cannot log in with SCRAM to brokers from 4.0 on, even"
        + " with the right password." : ""
    let remedy = Self.knownCause(error) ?? Self.remedy(code, brokers: brokers)
    self.init(
      code, "\(failed): \(reason) (\(name)). \(remedy)\(more)", number: error.rawValue,
      // These disappear once the brokers are healthy again.
      isRetriable: [.unreachable, .timedOut, .queueFull].contains(code) || error.isTransient)
  }

  /// The cause of some errors whose code alone is too vague, or nil for any other.
  private static func knownCause(_ error: rd_kafka_resp_err_t) -> String? {
    switch error {
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND:
      "Fewer replicas of a partition are in sync than its topic's min.insync.replicas requires: bring the brokers back. "
        + "The service then continues by itself."
    case RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT, RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS:
      "A transaction is still open, for example of an instance that was just killed. Brokers end it when its transaction.timeout.ms is over,"
        + " for this service 10 s unless --kafka sets it. If it stays open for longer, see docs/operating.md#an-open-transaction."
    case RD_KAFKA_RESP_ERR__WAIT_COORD, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
      RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
      RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
      "The brokers have no coordinator for it at the moment, for example because one has just stopped or started. No action is needed."
    case RD_KAFKA_RESP_ERR__FENCED, RD_KAFKA_RESP_ERR_PRODUCER_FENCED, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH:
      "The brokers ended its transaction because it was open for longer than transaction.timeout.ms, or another client has begun to use"
        + " this transactional id."
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED: "The right Read is missing on the group. \(remedy(.notAuthorized))"
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
      "The right Write is missing on the transactional id. \(remedy(.notAuthorized))"
    case RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT:
      "session.timeout.ms must lie between the brokers' group.min.session.timeout.ms and group.max.session.timeout.ms, by default 6 s and"
        + " 30 min: change one of them."
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
      "A partition has no leader at the moment: no broker with a copy of it is alive, or the election is not over yet. "
        + "Reading and writing continue once it has a leader."
    default: nil
    }
  }

  private static func remedy(_ code: Code, brokers: String = "") -> String {
    switch code {
    case .badProperty: "Correct or remove the property."
    case .unreachable:
      "Check that --brokers (\(brokers)) is right, that the brokers run, that this host may open the port, and that security.protocol"
        + " matches the listener."
    case .timedOut: "The brokers at \(brokers) are slow or busy; try again."
    case .authentication:
      "Check security.protocol, the sasl.* and ssl.* properties (--kafka KEY=VALUE) against the brokers' listener at \(brokers)."
    case .notAuthorized:
      "Grant this client's principal the permission on the brokers (kafka-acls.sh); `combo-consumer check` names it. A running service then"
        + " continues by itself."
    case .unknownTopic: "Check the topic's name, or create it."
    case .unknownPartition: "The topic has fewer partitions than that; check its name and that it was not recreated."
    case .topicExists: "If it is the right topic, no action is needed."
    case .invalidRequest: "Check the topic's name, partitions, replicas and settings against what the brokers allow."
    case .offsetOutOfRange: "The partition no longer holds that offset: it was deleted by retention, or the topic was recreated."
    case .positionLost: "The partition is restored, and reading continues from the committed offset."
    case .fenced:
      "Another instance uses the same id. \(EdgeError.fencedAdvice); then stop the older one."
    case .memberLost: "The group has continued without this instance, which joins again by itself."
    case .otherTopic: "\(EdgeError.fencedAdvice)."
    case .otherAssignor:
      "All instances of a group must use librdkafka 2.6.1 or later, or all an older one (this is \(LibrdkafkaProperties.versionText)):"
        + " stop all instances of one kind before you start the first of the other kind. This instance keeps trying."
    case .pollTooLate: "The service was too slow or stopped for too long; it joins the group again by itself."
    case .badTimestamp:
      "Compare the clocks of this machine and the brokers (combo-consumer check does). If they agree, one of them was ahead earlier: raise the"
        + " topic's message.timestamp.after.max.ms and message.timestamp.before.max.ms."
    case .recordTooLarge: "Raise max.message.bytes of the topic and message.max.bytes of this client, or make the record smaller."
    case .queueFull:
      "The brokers take records more slowly than they are produced; raise queue.buffering.max.messages or slow down."
    case .undelivered: "Everything since the last commit is undone and produced again."
    case .unsupported: "Use Kafka 2.5 or later (but not 4.0.0), and librdkafka 2.0.2 or later."
    case .fatal: "The client must be created again."
    case .other: "See the broker's log for more."
    }
  }
}

extension EdgeError.Code {
  package init(_ error: rd_kafka_resp_err_t) {
    self =
      switch error {
      case RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, RD_KAFKA_RESP_ERR__RESOLVE,
        RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
        .unreachable
      case RD_KAFKA_RESP_ERR__TIMED_OUT, RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
        RD_KAFKA_RESP_ERR__WAIT_COORD, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE,
        RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS, RD_KAFKA_RESP_ERR_NOT_COORDINATOR,
        RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT, RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS,
        RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NOT_CONTROLLER, RD_KAFKA_RESP_ERR__MSG_TIMED_OUT,
        RD_KAFKA_RESP_ERR__RETRY, RD_KAFKA_RESP_ERR__IN_PROGRESS, RD_KAFKA_RESP_ERR__PREV_IN_PROGRESS,
        RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND:
        .timedOut
      case RD_KAFKA_RESP_ERR__AUTHENTICATION, RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED, RD_KAFKA_RESP_ERR__SSL,
        RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM, RD_KAFKA_RESP_ERR_ILLEGAL_SASL_STATE:
        .authentication
      case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED,
        RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED, RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
        .notAuthorized
      case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC: .unknownTopic
      case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION: .unknownPartition
      case RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS: .topicExists
      case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, RD_KAFKA_RESP_ERR_INVALID_PARTITIONS,
        RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR, RD_KAFKA_RESP_ERR_INVALID_CONFIG,
        RD_KAFKA_RESP_ERR_INVALID_REQUEST, RD_KAFKA_RESP_ERR_POLICY_VIOLATION, RD_KAFKA_RESP_ERR__INVALID_ARG,
        RD_KAFKA_RESP_ERR_INVALID_REPLICA_ASSIGNMENT:
        .invalidRequest
      case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE, RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET, RD_KAFKA_RESP_ERR__NO_OFFSET:
        .offsetOutOfRange
      case RD_KAFKA_RESP_ERR__FENCED, RD_KAFKA_RESP_ERR_PRODUCER_FENCED, RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH,
        RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
        .fenced
      case RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION, RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID,
        RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST:
        .memberLost
      case RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL: .otherAssignor
      case RD_KAFKA_RESP_ERR__MAX_POLL_EXCEEDED: .pollTooLate
      case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE: .recordTooLarge
      case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP: .badTimestamp
      case RD_KAFKA_RESP_ERR__QUEUE_FULL: .queueFull
      case RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION, RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE,
        RD_KAFKA_RESP_ERR_UNSUPPORTED_FOR_MESSAGE_FORMAT, RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED:
        .unsupported
      case RD_KAFKA_RESP_ERR__FATAL, RD_KAFKA_RESP_ERR__INCONSISTENT, RD_KAFKA_RESP_ERR__GAPLESS_GUARANTEE,
        RD_KAFKA_RESP_ERR__STATE, RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE:
        .fatal
      default: .other
      }
  }
}

extension rd_kafka_resp_err_t {
  /// Whether a retry is worthwhile, since brokers and coordinators move and load.
  var isTransient: Bool {
    // `_DESTROY_BROKER`, missing from headers before 2.9: the broker that was asked is no longer known.
    if rawValue == -137 { return true }
    return switch self {
    case RD_KAFKA_RESP_ERR__TRANSPORT, RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, RD_KAFKA_RESP_ERR__TIMED_OUT,
      RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE, RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR__WAIT_COORD,
      RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
      RD_KAFKA_RESP_ERR_NOT_COORDINATOR, RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT,
      RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
      RD_KAFKA_RESP_ERR_NOT_CONTROLLER, RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE, RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION,
      RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE, RD_KAFKA_RESP_ERR__RETRY,
      RD_KAFKA_RESP_ERR__IN_PROGRESS, RD_KAFKA_RESP_ERR__PREV_IN_PROGRESS, RD_KAFKA_RESP_ERR__OUTDATED,
      RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH, RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH,
      RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS, RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR:
      true
    default: false
    }
  }
}
