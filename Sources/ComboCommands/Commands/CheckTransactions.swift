internal import ComboEdge
internal import ComboKafka
internal import ComboRooms
internal import ComboSystem

/// Transactions that stay open.
extension Check {
  /// The time within which a transaction in use ends.
  private static let openMs: Int64 = 11_000
  private static let lookEveryMs: Int64 = 500

  /// Detects transactions that stay open, whichever producer began them. It takes a moment if none is open, and some seconds if
  /// one is.
  /// - Returns: The partitions of the input whose offsets an open transaction is to change.
  mutating func checkTransactions(_ control: ControlClient) -> [Int32] {
    var unstable: [Int32] = []
    do throws(EdgeError) {
      let (topics, offsets) = try findLasting(control)
      unstable = offsets
      for open in topics { add(open) }
      if !offsets.isEmpty {
        let list = "partition\(offsets.count == 1 ? "" : "s") \(offsets.map(String.init).joined(separator: ", "))"
        let reader = try? ReaderClient(properties, fetchWaitMs: 500, queuedKilobytes: 64).client
        report.fault(
          "an open transaction holds the offsets of group \"\(options.group)\" in \(list) of the input: a takeover waits until it ends",
          fix: control.offsetsRemedy(options.brokers, options.group, seenBy: reader))
      }
      if topics.isEmpty, offsets.isEmpty { report.ok("no transaction stays open in the topics, or on the group's offsets") }
    } catch {
      report.note("could not check whether transactions stay open: \(error.message)")
    }
    return unstable
  }

  private mutating func add(_ open: OpenTransaction) {
    let name = options.topicNames[open.topic]
    let since = open.since.map { "since \(Timestamp.text($0))" } ?? "for more than \(Self.openMs / 1000) s"
    // A takeover does not wait for one in journal or state.
    let verdict: CheckReport.Verdict = [.journal, .state].contains(open.topic) ? .note : .fault
    report.add(
      .init(
        verdict: verdict,
        text:
          "a transaction is open in partition \(open.partition) of the \(open.topic.word) \"\(name)\", from offset \(open.offset) on, \(since):"
          + " \(open.topic.effectOfOpenTransaction)",
        fix: OpenTransaction.remedy(options.brokers, name, open.partition, offset: open.offset)))
  }

  /// Returns the open transactions that every pass finds, and the partitions of the input whose offsets a transaction is to
  /// change.
  private func findLasting(_ control: ControlClient) throws(EdgeError) -> (topics: [OpenTransaction], offsets: [Int32]) {
    let reading = try KafkaReading(properties, control: control, names: options.topicNames)
    let deadline = Deadline(afterMs: Self.openMs)
    var topics = try findOpen(reading)
    var offsets = try pending(Array(0..<Int32(partitions[options.input] ?? 0)), control)
    while !topics.isEmpty || !offsets.isEmpty {
      MonotonicClock.sleep(ms: Self.lookEveryMs)
      let found = try findOpen(reading)
      topics = topics.filter { one in found.contains { $0.isSame(as: one) } }
      offsets = try pending(offsets, control)
      for index in topics.indices where topics[index].since == nil { topics[index] = reading.withTime(topics[index]) }
      let isOld = topics.allSatisfy { one in one.since.map { WallClock.nowMs - $0 >= Self.openMs } ?? false }
      if isOld && offsets.isEmpty || deadline.isOver { break }
    }
    return (topics, offsets)
  }

  private func findOpen(_ reading: KafkaReading) throws(EdgeError) -> [OpenTransaction] {
    var found: [OpenTransaction] = []
    for topic in [Topic.input, .output, .journal, .state] {
      guard let count = partitions[options.topicNames[topic]] else { continue }
      found += try reading.openTransactions(topic, Array(0..<Int32(count)))
    }
    return found
  }

  private func pending(_ numbers: [Int32], _ control: ControlClient) throws(EdgeError) -> [Int32] {
    try control.pendingOffsets(ofGroup: options.group, options.input, numbers)
  }
}
