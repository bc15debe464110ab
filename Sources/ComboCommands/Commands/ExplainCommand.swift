internal import ComboCore
internal import ComboEdge
internal import ComboLog
internal import ComboSystem
internal import ComboVerify
internal import ComboWire
internal import Synchronization

/// `explain`: derives the fates of gifts from input and journal.
enum ExplainCommand {
  static func run(_ options: ExplainOptions) -> Int32 {
    options.source.read(history: .both, needed: [.input, .journal], options: "--input and --group") { reading, log in
      let progress = Mutex((meter: ProgressMeter(of: nil, unit: "records", isAlone: true), count: 0))
      var explainer = Explainer(
        reading, topics: options.source.topics, brokers: options.source.data == nil ? options.source.brokers : nil, log: log,
        notice: { Console.report($0) })
      explainer.progress = { count in
        progress.withLock { progress in
          progress.count += count
          progress.meter.update(progress.count)
        }
      }
      let answer = ExplainAnswer(options)
      let outcome = try explainer.run(options.question) { answer.add($0, $1) }
      progress.withLock { $0.meter.end($0.count) }
      return answer.end(outcome)
    }
  }
}

/// Writes answers to standard output, and faults and summaries to standard error.
final class ExplainAnswer {
  private let options: ExplainOptions
  private let room = ByteBuffer(capacity: 600)
  private let buffer = ByteBuffer(capacity: 1 << 16)
  private var words = GiftWords()
  private var ends: [String: Int] = [:]
  private var misses: [GiftMiss.Kind: Int] = [:]

  init(_ options: ExplainOptions) {
    self.options = options
    options.question.room.withUnsafeBytes { room.append(jsonString: $0) }
  }

  func add(_ finding: Finding, _ reach: ExplainedPartition) -> Bool {
    switch finding {
    case .gift(let gift):
      ends[gift.fate.endWord, default: 0] += 1
      return options.isJSON ? writeObject { gift.write(room: room.bytes, to: $0) } : write(words.text(of: gift))
    case .miss(let miss):
      misses[miss.kind, default: 0] += 1
      return add(miss, reach, isNearest: false)
    }
  }

  private func add(_ miss: GiftMiss, _ reach: ExplainedPartition?, isNearest: Bool) -> Bool {
    options.isJSON
      ? writeObject { miss.write(room: room.bytes, reach: reach, isNearest: isNearest, to: $0) }
      : write(words.text(of: miss, reach: reach))
  }

  private func writeObject(_ object: (ByteBuffer) -> Void) -> Bool {
    buffer.removeAll()
    object(buffer)
    buffer.append("\n")
    return Console.write(buffer.bytes, to: 1)
  }

  /// Writes the rest of the answer, and returns the exit code.
  func end(_ outcome: Explainer.Outcome) -> Int32 {
    var isWritten = true
    if !outcome.nearest.isEmpty, !options.isJSON {
      isWritten = write(
        outcome.hasFound ? "no gift matches for certain; the nearest ones:\n" : "no gift matches; the nearest ones:\n")
    }
    for miss in outcome.nearest where isWritten {
      isWritten = add(miss, outcome.partitions.first { $0.number == miss.partition }, isNearest: true)
    }
    for partition in outcome.partitions {
      for fault in partition.faults { Console.report("partition \(partition.number): \(fault)") }
    }
    let more = outcome.missCount - misses.values.reduce(0, +)
    if more > 0 {
      Console.report(
        "\(ProgressMeter.grouped(more)) more \(more == 1 ? "record" : "records") of the room did not become gifts: to list them, add --sender, --gift or --id"
      )
    }
    if !outcome.hasFound, outcome.nearest.isEmpty { isWritten = writeNothing(outcome) && isWritten }
    if outcome.gifts > 0, outcome.gifts + misses.count > 1 { Console.report(Self.sum(outcome.gifts, ends, misses)) }
    return isWritten && outcome.hasFound ? 0 : 1
  }

  /// A summary in one line: the outcomes of the gifts, and the records that are not gifts.
  static func sum(_ gifts: Int, _ ends: [String: Int], _ misses: [GiftMiss.Kind: Int]) -> String {
    func list(_ counts: [(String, Int)]) -> String {
      counts.sorted { $0.0 < $1.0 }.map { "\($0.0) \(ProgressMeter.grouped($0.1))" }.joined(separator: ", ")
    }
    var text = "\(Counted.text(gifts, "gifts")): \(list(ends.map { ($0.key, $0.value) }))"
    if !misses.isEmpty {
      let count = misses.values.reduce(0, +)
      text +=
        ". \(Counted.text(count, "records")) did not become \(count == 1 ? "a gift" : "gifts"): "
        + list(misses.map { ($0.key.sumWord, $0.value) })
    }
    return text
  }

  /// Writes that the gift was never seen.
  private func writeNothing(_ outcome: Explainer.Outcome) -> Bool {
    if options.isJSON { return writeObject { write(nothing: outcome, to: $0) } }
    let hasRoom = outcome.partitions.contains(where: \.hasRoom)
    let places = outcome.partitions.filter { $0.hasRoom || !hasRoom }.map {
      "partition \($0.number) (\(Self.offsets($0.from, $0.seenTo)))"
    }
    let input = Sentence.quoted(options.source.input)
    let what =
      hasRoom ? "never seen: no such gift in the room's input \(input)" : "never seen: no event of the room in the input \(input)"
    let question = options.question
    let since = question.since > .min ? " from \(Timestamp.text(question.since)) on" : ""
    let until = question.until < .max ? " until \(Timestamp.text(question.until))" : ""
    let searched = outcome.searched > 1 ? "; nor in any other room or partition (all \(outcome.searched) were searched)" : ""
    let isWritten = write("\(what)\(since)\(until), \(places.joined(separator: ", "))\(searched)\n")
    if question.namesTime {
      Console.report(
        "gifts before --since and after --until were not all searched: if the time zone may be wrong, try without them"
      )
    }
    return isWritten
  }

  /// Describes the offsets from `from` up to, but not including, `end`.
  static func offsets(_ from: Int64, _ end: Int64) -> String {
    end <= from ? "no records from offset \(from) on" : end == from + 1 ? "offset \(from)" : "offsets \(from) to \(end - 1)"
  }

  /// The JSON form of `writeNothing(_:)`.
  private func write(nothing outcome: Explainer.Outcome, to buffer: ByteBuffer) {
    buffer.append(#"{"room":"#, written: room.bytes)
    buffer.append(#","missed":"never_seen","room_seen":"#, outcome.partitions.contains(where: \.hasRoom))
    buffer.append(#","input":"#, jsonString: options.source.input)
    let question = options.question
    for (name, time) in [("since", question.since), ("until", question.until)] where time > .min && time < .max {
      buffer.append(",\"\(name)\":\(time)")
    }
    buffer.append(#","partitions":"#, outcome.partitions) { partition in
      buffer.append("{\"partition\":\(partition.number),\"from\":\(partition.from),\"to\":\(partition.seenTo)}")
    }
    buffer.append(",\"searched\":\(max(outcome.searched, outcome.partitions.count))}")
  }

  private func write(_ text: String) -> Bool { Console.print(text) == 0 }
}

extension GiftMiss.Kind {
  /// The kind as a summary names it.
  fileprivate var sumWord: String {
    switch self {
    case .deadLetter: "dead letters"
    case .dropped: "dropped by the map"
    case .otherRoom: "of another room"
    case .otherSender: "of another sender"
    case .otherGift: "of another kind"
    case .otherTime: "of another time"
    case .notCommitted: "not yet committed"
    case .beforeJournal: "not known"
    case .beforeGroup: "from before the group began"
    case .passedOver: "passed over"
    case .aborted: "aborted"
    }
  }
}

extension GiftFate {
  /// The outcome as a summary names it.
  fileprivate var endWord: String {
    switch (taken.outcome, end) {
    case (.duplicate, _): "duplicates"
    case (.stale, _): "late or repeated totals"
    case (.old, _): "too old"
    case (_, .seen): "seen"
    case (_, .skipped): "skipped"
    case (_, .forgotten): "forgotten"
    case (_, .open): "still waiting"
    }
  }
}
