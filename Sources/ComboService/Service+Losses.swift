internal import ComboEdge

/// The loss of the service's topics, or of their cluster.
extension Service {
  /// Ends the service if a topic was deleted while it ran: records produced to it only ever time out.
  /// - Returns: Whether the service ends.
  func endsAsTopicIsGone() -> Bool {
    for topic in Topic.allCases {
      // Brokers that do not answer are another matter.
      guard let partitions = try? edges.reader.partitions(topic) else { return false }
      if partitions.isEmpty {
        end(.gone(topic))
        return true
      }
    }
    return false
  }

  func end(_ lost: LostTopic) {
    if endsElsewhere(cluster()) { return }
    let next = lost.topic == .input ? "" : ". The service starts again, and creates what is missing"
    fatal = "its \(lost.topic.word) topic \(lost.what)\(next)"
    loss = .unknownTopic
  }

  /// Ends the service if the brokers belong to another cluster: nothing may be claimed or created there, and none of its topics
  /// was deleted.
  /// - Returns: Whether the service ends.
  private func endsElsewhere(_ cluster: ClusterAnswer) -> Bool {
    guard case .other(let other) = cluster else { return false }
    fatal = other
    loss = .unknownTopic
    return true
  }

  /// The cluster to which the brokers belong. Blocks for some seconds at most.
  func cluster() -> ClusterAnswer { edges.cluster?() ?? .own }

  /// Checks that producers may be created again, which register their transactional id.
  /// - Returns: Whether the service ends instead.
  /// - Throws: A retriable error if the brokers do not respond: the next ones that do may be of another cluster.
  func checkCluster() throws(EdgeError) -> Bool {
    let cluster = cluster()
    if cluster == .unknown {
      pause(ms: 200)
      throw EdgeError(.timedOut, "the brokers do not respond", isRetriable: true)
    }
    return endsElsewhere(cluster)
  }
}
