/// A fault of a log, as a sentence for the operator, with a code.
package struct EdgeError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of a fault, for decisions by programs.
  package enum Code: Sendable {
    /// A property that librdkafka does not know or refuses, or that the service sets itself.
    case badProperty
    /// No broker answers: name, port, network, or the brokers are down. Passes by itself once they are up.
    case unreachable
    /// The broker was there but did not finish in time.
    case timedOut
    /// TLS or SASL: our identity was not accepted.
    case authentication
    /// Our identity was accepted, but lacks the right.
    case notAuthorized
    case unknownTopic
    case unknownPartition
    case topicExists
    /// A name, a number of partitions or replicas, or a topic setting that the broker refuses.
    case invalidRequest
    /// The requested offset is not, or no longer, in the partition.
    case offsetOutOfRange
    /// The position of a partition is uncertain; it must be started again.
    case positionLost
    /// Another producer or member with our id has taken over.
    case fenced
    /// The group no longer counts us as a member of this generation.
    case memberLost
    /// The group mistakes this static member for one that reads another topic, until that one's session has ended.
    case otherTopic
    /// Other members of the group assign the partitions in another way.
    case otherAssignor
    /// Not polled for longer than `max.poll.interval.ms`.
    case pollTooLate
    case recordTooLarge
    /// A record's time is further from the broker's than its topic allows.
    case badTimestamp
    /// The producer's own queue stayed full.
    case queueFull
    /// A record could not be delivered.
    case undelivered
    /// The broker or this librdkafka is too old or too new for the request.
    case unsupported
    /// The client has given up and must be created again.
    case fatal
    case other
  }

  /// The kind of failure.
  package let code: Code
  /// The failure, its place, and the remedy.
  package let message: String
  /// librdkafka's error number; 0 if the fault has none. Negative numbers are its own, positive ones the broker's.
  package let number: Int32
  /// Whether the same call may work later, without a fix.
  package let isRetriable: Bool
  /// The topic on which a right is missing; nil if it is unknown, or if nothing of the kind failed.
  package let topic: Topic?

  package var description: String { message }

  /// Whether a right on a topic was denied, TOPIC_AUTHORIZATION_FAILED of Kafka's protocol, and not one on something else.
  package var isTopicDenied: Bool { number == 29 }
  /// Whether a right is missing, also if the client has given up for that reason.
  package var isDenied: Bool { code == .notAuthorized || [29, 30, 31, 53].contains(number) }

  /// The remedy if two instances fence each other, as a sentence without its full stop.
  package static let fencedAdvice =
    "Give each instance of the group its own --instance, whatever inputs it reads, and its own --transactional-id where one is set"

  package init(_ code: Code, _ message: String, number: Int32 = 0, isRetriable: Bool = false, topic: Topic? = nil) {
    self.code = code
    self.message = message
    self.number = number
    self.isRetriable = isRetriable
    self.topic = topic
  }
}
