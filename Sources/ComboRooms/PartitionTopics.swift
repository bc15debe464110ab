package import ComboCore
package import ComboEdge
package import ComboSystem
package import ComboWire

/// The contents of the topics for one partition: its state, its journal, its input. It only reads, and needs no group: restorers,
/// audits and tools all use it.
package struct PartitionTopics: Sendable {
  package let number: Int32
  package let configuration: ServiceConfiguration
  package let reader: any ReadEdge
  package let log: ServiceLog
  package let cancellation: Cancellation

  package init(
    _ number: Int32, _ configuration: ServiceConfiguration, _ reader: any ReadEdge, log: ServiceLog,
    cancellation: Cancellation = Cancellation()
  ) {
    self.number = number
    self.configuration = configuration
    self.reader = reader
    self.log = log
    self.cancellation = cancellation
  }

  /// The reason why reading has no result.
  package enum Stop: Error {
    case cancelled
    case refused(String)
    /// See ``otherRules(in:after:)``.
    case otherRules(Rules, String)
    case kafka(EdgeError)
    /// The group, the journal and the input contradict each other.
    case contradiction(String)
    /// The state is not available, so all rooms begin a new epoch.
    case lost(reason: String, offsets: Int64)
    /// See ``Restorer/examine(from:history:)``.
    case examined(clock: Int64, rules: Rules, Strangers?)

    /// Whether the contents are the reason, and not the reading itself.
    var isAboutWhatWasFound: Bool {
      switch self {
      case .refused, .otherRules, .contradiction, .lost: true
      case .cancelled, .kafka, .examined: false
      }
    }
  }

  package var topics: TopicIdentity { configuration.topics }
  package var input: String { "\(topics.input) partition \(number)" }

  /// Returns the command that sets the group's offset, as it is to be typed.
  func resettingOffsets(_ to: String) -> String {
    "kafka-consumer-groups.sh --bootstrap-server \(configuration.brokers) --group \(topics.group) --topic \(topics.input):\(number)"
      + " --reset-offsets \(to) --execute"
  }
}
