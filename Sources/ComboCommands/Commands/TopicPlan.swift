internal import ComboEdge
internal import ComboKafka

/// The topics of a group, with the settings with which they are created. `run` creates them, and `check --print-topics` prints
/// them.
struct TopicPlan {
  /// A topic. All topics have as many partitions as the input.
  struct Topic {
    let name: String
    /// The topic's purpose in a few words.
    let purpose: String
    let settings: [(String, String)]
  }

  /// The largest record that the service writes, and the limit of the topics that it creates.
  static let recordBytesMax = 8 << 20

  let topics: [Topic]

  /// - Parameter input: The settings of the input, whose retention also applies to the journal.
  init(_ names: TopicNames, _ input: TopicSettings) {
    let common = [
      ("max.message.bytes", String(Self.recordBytesMax)),
      // The timestamps of instructions follow their partition's time, which may be ahead of the brokers' clocks; bad events have
      // any timestamp.
      ("message.timestamp.after.max.ms", String(Int64.max)), ("message.timestamp.before.max.ms", String(Int64.max)),
    ]
    func topic(_ name: String, _ purpose: String, _ policy: String, _ own: [(String, String)] = []) -> Topic {
      Topic(name: name, purpose: purpose, settings: [("cleanup.policy", policy)] + own + common)
    }
    let retention = [("retention.ms", input.retentionMs.map { String($0) } ?? "-1"), ("retention.bytes", "-1")]
    topics =
      [topic(names.output, "display instructions", "delete"), topic(names.deadLetter, "bad events", "delete")]
      + (names.screens.map { [topic($0, "each room's newest screen", "compact", [("segment.ms", "3600000")])] } ?? [])
      + [
        topic(names.journal, "the journal, kept for as long as the input", "delete", retention),
        topic(names.state, "snapshots of the rooms", "compact"),
      ]
  }

  /// Returns the settings to change so that the journal is kept for at least as long as the input: none if it is.
  static func missingRetention(of journal: TopicSettings, _ input: TopicSettings) -> [(String, String)] {
    guard journal.isDeleted else { return [] }
    let needed = input.retentionMs
    let isTooShort = journal.retentionMs.map { own in needed.map { own < $0 } ?? true } ?? false
    return (isTooShort ? [("retention.ms", needed.map { String($0) } ?? "-1")] : [])
      + (journal.retentionBytes != nil ? [("retention.bytes", "-1")] : [])
  }

  /// Whether the setting is unknown to brokers before Kafka 3.6.
  static func isTimeBound(_ setting: String) -> Bool { setting.hasPrefix("message.timestamp.") }
}

/// Formats topics for the tools that manage them.
struct TopicText {
  enum Format: String, CaseIterable, Sendable {
    case strimzi, terraform
  }

  let topics: [TopicPlan.Topic]
  let partitions: Int
  let replicas: Int
  /// Whether the brokers support the bounds of timestamps.
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

  /// A `KafkaTopic`. Names of Kubernetes objects may only have lower-case letters, digits, `-` and `.`, and each part between
  /// dots begins and ends with a letter or a digit, so `topicName` holds the real name.
  private func strimzi(_ topic: TopicPlan.Topic) -> String {
    let parts = Self.name(topic.name, others: "-.", by: "-").lowercased().split(separator: ".").compactMap { part in
      part.firstIndex { $0 != "-" }.flatMap { first in part.lastIndex { $0 != "-" }.map { String(part[first...$0]) } }
    }
    let name = parts.isEmpty ? "topic" : parts.joined(separator: ".")
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

  /// A resource of the Terraform provider Mongey/kafka, whose name must not begin with a digit.
  private func terraform(_ topic: TopicPlan.Topic) -> String {
    let name = Self.name(topic.name, others: "_", by: "_")
    let settings = settings(topic)
    let width = settings.map(\.0.utf8.count).max() ?? 0
    return """
      # \(topic.purpose)
      resource "kafka_topic" "\(name.first!.isNumber ? "_" : "")\(name)" {
        name               = "\(topic.name)"
        partitions         = \(partitions)
        replication_factor = \(replicas)
        config = {

      """
        + settings.map { name, value in
          "    \"\(name)\"\(String(repeating: " ", count: width - name.utf8.count)) = \"\(value)\"\n"
        }.joined() + "  }\n}\n"
  }

  /// Returns a topic's name with `other` in place of each character that is no ASCII letter or digit and not in `others`.
  private static func name(_ topic: String, others: String, by other: String) -> String {
    topic.map { character in
      character.isASCII && (character.isLetter || character.isNumber) || others.contains(character) ? String(character) : other
    }.joined()
  }
}
