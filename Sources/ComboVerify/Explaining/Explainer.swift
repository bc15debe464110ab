package import ComboEdge
internal import ComboRooms
package import ComboSystem
package import ComboWire

/// Says what became of gifts, derived from a group's input and journal.
///
/// Reads only, is no member of the group, and may run beside a live service: what that commits meanwhile is left out. Of the partition of the
/// room one room is derived; memory does not grow with input or journal. Uses one thread.
package struct Explainer {
  /// What came of it, beside the gifts that were handed out.
  package struct Outcome {
    /// In the order in which they were read.
    package var partitions: [ExplainedPartition] = []
    package var gifts = 0
    /// The first of what was missed in the room's partition, and how many there are.
    package var misses: [GiftMiss] = []
    package var missCount = 0
    /// Gifts of other rooms that may be what is looked for; only where nothing else was found.
    package var elsewhere: [GiftMiss] = []

    /// Whether the question has an answer.
    package var hasFound: Bool { gifts > 0 || missCount > 0 || !elsewhere.isEmpty }
  }

  private let reader: WatchedReading
  private let topics: TopicIdentity
  private let log: ServiceLog
  /// The version of the engine's rules; tests alone set another one.
  var rules = ServiceConfiguration.engineVersion
  /// In which of so many partitions a producer puts a room.
  var placement: (Bytes, Int) -> Int = KeyPartitioner.partition
  private let notice: @Sendable (String) -> Void
  /// Called now and then with a number of offsets that were run through.
  package var progress: (Int) -> Void = { _ in }

  /// - Parameter notice: hears what is waited for, and where else is looked, in sentences.
  package init(
    _ reader: any ReadEdge, topics: TopicIdentity, log: ServiceLog = ServiceLog(.error),
    notice: @escaping @Sendable (String) -> Void
  ) {
    self.reader = WatchedReading(reader, topics: topics, say: notice)
    self.topics = topics
    self.log = log
    self.notice = notice
  }

  /// Answers a question. Throws if there can be no answer: a ``VerifyFault`` or an `EdgeError`.
  /// - Parameter answer: takes each gift that was found, in the order of the room's gifts; false: no more is wanted.
  package func run(_ question: GiftQuestion, _ answer: @escaping (ExplainedGift) -> Bool) throws -> Outcome {
    let partitions = try reader.partitions(.input)
    if let asked = question.partition, !partitions.contains(asked) {
      throw VerifyFault("\(topics.input) has no partition \(asked): it has \(partitions.count)")
    }
    let own = question.partition ?? Int32(question.room.withUnsafeBytes { placement($0, partitions.count) })
    var outcome = Outcome()
    var wantsMore = true
    let task = PartitionExplainer.Task(
      question: question, topics: topics, reader: reader, rules: rules, log: log,
      answer: { gift in
        outcome.gifts += 1
        wantsMore = answer(gift)
        return wantsMore
      }, progress: progress)
    func explain(_ number: Int32) throws {
      let explainer = PartitionExplainer(number, task)
      try explainer.run()
      outcome.partitions.append(explainer.report)
      outcome.misses += explainer.misses
      outcome.missCount += explainer.missCount
      outcome.elsewhere += explainer.elsewhere
    }
    try explain(own)
    let others = partitions.filter { $0 != own }
    if question.partition == nil, outcome.gifts + outcome.missCount == 0, !others.isEmpty {
      if !outcome.partitions[0].hasRoom {
        notice(
          "partition \(own), where Kafka's default partitioner puts the room, has nothing of it: reading the other \(others.count)"
            + " partitions; --partition N reads one")
        for number in others where wantsMore { try explain(number) }
      } else if question.mayBeElsewhere, outcome.elsewhere.isEmpty {
        notice(
          "the room's partition \(own) does not have it: looking for it in other rooms, in the other \(others.count) partitions")
        for number in others { outcome.elsewhere += try PartitionExplainer(number, task).look() }
      }
    }
    if outcome.gifts + outcome.missCount > 0 { outcome.elsewhere = [] }
    return outcome
  }
}
