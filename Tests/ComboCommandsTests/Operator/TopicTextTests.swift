import ComboEdge
import Testing

@testable import ComboCommands
@testable import ComboKafka

@Suite("Topics for other tools")
struct TopicTextTests {
  private func text(
    output: String = "Live_Banners", screens: String? = nil, retention: String = "604800000", hasTimeBounds: Bool = true
  ) -> TopicText {
    let names = TopicNames(
      input: "gifts", output: output, journal: "gifts.g.combo-journal", state: "gifts.g.combo-state",
      deadLetter: "gifts.g.combo-dead-letter", screens: screens)
    let input = TopicSettings(values: ["retention.ms": .init(text: retention, isOwn: true)])
    var text = TopicText(topics: TopicPlan(names, input).topics, partitions: 12, replicas: 3)
    text.hasTimeBounds = hasTimeBounds
    return text
  }

  @Test("a KafkaTopic for each, with a name that Kubernetes accepts and the topic's own beside it")
  func strimzi() {
    let all = text(screens: "newest").text(.strimzi)
    #expect(all.split(separator: "---\n").count == 5)
    #expect(
      all.hasPrefix(
        """
        ---
        # display instructions
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaTopic
        metadata:
          name: live-banners
          labels:
            strimzi.io/cluster: CLUSTER
        spec:
          topicName: "Live_Banners"
          partitions: 12
          replicas: 3
          config:
            cleanup.policy: "delete"
            max.message.bytes: "8388608"

        """), "\(all)")
  }

  @Test("the names of resources are valid whatever a topic begins and ends with")
  func names() {
    for (topic, name) in [("_gifts", "gifts"), ("a._b-.c_", "a.b.c"), ("_", "topic"), ("2024", "2024")] {
      #expect(text(output: topic).text(.strimzi).contains("  name: \(name)\n"), "\(topic)")
    }
    #expect(text(output: "2024").text(.terraform).contains(#"resource "kafka_topic" "_2024" {"#))
  }

  @Test("a resource for each, and the journal is kept for as long as the input")
  func terraform() {
    let all = text().text(.terraform)
    #expect(
      all.contains(
        """
        # the journal, kept for as long as the input
        resource "kafka_topic" "gifts_g_combo_journal" {
          name               = "gifts.g.combo-journal"
          partitions         = 12
          replication_factor = 3
          config = {
            "cleanup.policy"                  = "delete"
            "retention.ms"                    = "604800000"
            "retention.bytes"                 = "-1"
            "max.message.bytes"               = "8388608"
            "message.timestamp.after.max.ms"  = "9223372036854775807"
            "message.timestamp.before.max.ms" = "9223372036854775807"
          }
        }

        """), "\(all)")
    #expect(text(retention: "-1").text(.terraform).contains(#""retention.ms"                    = "-1""#))
    #expect(!text(hasTimeBounds: false).text(.terraform).contains("timestamp"))
  }

  @Test("only what deletes the journal before the input is changed")
  func retention() {
    func changes(_ journal: [String: String], input: String) -> [String: String] {
      func settings(_ values: [String: String]) -> TopicSettings {
        TopicSettings(values: values.mapValues { .init(text: $0, isOwn: true) })
      }
      let all = TopicPlan.missingRetention(of: settings(journal), settings(["retention.ms": input]))
      return Dictionary(uniqueKeysWithValues: all)
    }
    #expect(changes(["retention.ms": "1000"], input: "5000") == ["retention.ms": "5000"])
    #expect(changes(["retention.ms": "1000"], input: "-1") == ["retention.ms": "-1"])
    #expect(changes(["retention.ms": "-1"], input: "5000") == [:])
    #expect(changes(["retention.ms": "9000", "retention.bytes": "7"], input: "5000") == ["retention.bytes": "-1"])
    #expect(changes(["retention.ms": "1", "cleanup.policy": "compact"], input: "5000") == [:])
  }
}
