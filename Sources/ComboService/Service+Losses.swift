package import ComboEdge

/// The loss of the service's topics, or of their cluster.
extension Service {
  /// Ends the service if a topic was deleted while it ran: records produced to it only ever time out.
  /// - Returns: Whether the service ends.
  func endsAsTopicIsGone() -> Bool {
    for topic in Topic.allCases {
      // Brokers that do not answer are another matter.
      guard let partitions = try? edges.reader.partitions(topic) else { return false }
      if partitions.isEmpty {
        isGone(topic)
        return true
      }
    }
    return false
  }

  /// Ends the service because a topic is gone. The next service creates the topic, or waits for it.
  package func isGone(_ topic: Topic) { isLost(LostTopic(topic, "is gone: somebody has deleted it")) }

  /// Ends the service because a topic is gone, or was created again by the brokers themselves: the next service sets it up.
  func isLost(_ lost: LostTopic) {
    if endsElsewhere() { return }
    let next = lost.topic == .input ? "" : ". It starts again, and creates what is missing"
    fatal = "its \(lost.topic.word) topic \(lost.what)\(next)"
    loss = .unknownTopic
  }

  /// Ends the service if the brokers belong to another cluster: nothing may be claimed or created there, and none of its topics
  /// was deleted.
  /// - Returns: Whether the service ends.
  func endsElsewhere() -> Bool {
    guard let other = edges.otherCluster?() else { return false }
    fatal = other
    loss = .unknownTopic
    return true
  }
}
