internal import ComboEdge
internal import ComboKafka

/// The topics that belong to a group, with the settings that they are made with. `run` makes them so, and `check --print-topics` prints them.
struct TopicPlan {
  /// One topic. All have as many partitions as the input.
  struct Topic: Equatable {
    let name: String
    /// Its purpose, in a few words.
    let purpose: String
    let settings: [(String, String)]

    static func == (one: Topic, other: Topic) -> Bool {
      one.name == other.name && one.settings.elementsEqual(other.settings, by: ==)
    }
  }

  /// The largest record that the service writes.
  static let recordBytesMax = 8 << 20

  let topics: [Topic]

  /// - Parameter input: the settings of the input: the journal is kept for as long as that.
  init(_ names: TopicNames, _ input: TopicSettings) {
    let common = [
      ("max.message.bytes", String(Self.recordBytesMax)),
      // Instructions bear their partition's time, which may be ahead of the brokers' where a clock was; bad events bear any.
      ("message.timestamp.after.max.ms", String(Int64.max)), ("message.timestamp.before.max.ms", String(Int64.max)),
    ]
    let retention = input.isDeleted ? input.retentionMs : nil
    var topics = [
      Topic(name: names.output, purpose: "display instructions", settings: [("cleanup.policy", "delete")] + common),
      Topic(name: names.deadLetter, purpose: "bad events", settings: [("cleanup.policy", "delete")] + common),
    ]
    if let screens = names.screens {
      topics.append(
        Topic(
          name: screens, purpose: "each room's newest screen",
          settings: [("cleanup.policy", "compact"), ("segment.ms", "3600000")] + common))
    }
    topics.append(
      Topic(
        name: names.journal, purpose: "the journal, kept for as long as the input",
        settings: [
          ("cleanup.policy", "delete"), ("retention.ms", retention.map { String($0) } ?? "-1"), ("retention.bytes", "-1"),
        ] + common))
    topics.append(
      Topic(name: names.state, purpose: "snapshots of the rooms", settings: [("cleanup.policy", "compact")] + common))
    self.topics = topics
  }

  /// Whether brokers before Kafka 3.6 do not know a setting.
  static func isTimeBound(_ setting: String) -> Bool { setting.hasPrefix("message.timestamp.") }
}

/// Topics in the form of tools that manage them.
struct TopicText {
  enum Format: String, CaseIterable, Sendable {
    case strimzi, terraform
  }

  let topics: [TopicPlan.Topic]
  let partitions: Int
  let replicas: Int
  /// Whether the brokers know bounds of time.
  var hasTimeBounds = true

  private func settings(_ topic: TopicPlan.Topic) -> [(String, String)] {
    topic.settings.filter { hasTimeBounds || !TopicPlan.isTimeBound($0.0) }
  }

  func text(_ format: Format) -> String {
    switch format {
    case .strimzi: topics.map(strimzi).joined()
    case .terraform: topics.map(terraform).joined(separator: "\n")
    }
  }

  /// A `KafkaTopic`. Names of Kubernetes objects have lower-case letters, digits, `-` and `.` only, so the topic's stands beside it.
  private func strimzi(_ topic: TopicPlan.Topic) -> String {
    let name = Self.name(topic.name, others: "-.", by: "-").lowercased()
    return """
      ---
      # \(topic.purpose)
      apiVersion: kafka.strimzi.io/v1
      kind: KafkaTopic
      metadata:
        name: \(name)
        labels:
          strimzi.io/cluster: CLUSTER
      spec:
        topicName: "\(topic.name)"
        partitions: \(partitions)
        replicas: \(replicas)
        config:

      """ + settings(topic).map { "    \($0.0): \"\($0.1)\"\n" }.joined()
  }

  /// A resource of the provider Mongey/kafka.
  private func terraform(_ topic: TopicPlan.Topic) -> String {
    let settings = settings(topic)
    let width = settings.map(\.0.utf8.count).max() ?? 0
    return """
      # \(topic.purpose)
      resource "kafka_topic" "\(Self.name(topic.name, others: "_", by: "_"))" {
        name               = "\(topic.name)"
        partitions         = \(partitions)
        replication_factor = \(replicas)
        config = {

      """
        + settings.map { name, value in
          "    \"\(name)\"\(String(repeating: " ", count: width - name.utf8.count)) = \"\(value)\"\n"
        }.joined() + "  }\n}\n"
  }

  /// A topic's name with letters, digits and these others only.
  private static func name(_ topic: String, others: String, by other: String) -> String {
    topic.map { character in
      character.isASCII && (character.isLetter || character.isNumber) || others.contains(character) ? String(character) : other
    }.joined()
  }
}
