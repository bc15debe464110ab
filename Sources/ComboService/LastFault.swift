internal import ComboEdge
internal import ComboSystem

/// The fault that readiness names while transactions fail.
struct LastFault {
  private(set) var reason: String?
  private var deniedAt: Int64?

  /// The time for which other faults are taken for consequences of a right that was denied: the next transactions begin with
  /// what the failed one has left. Longer than the pause between two attempts.
  static let deniedMs: Int64 = 15_000

  mutating func failed(_ fault: TransactionFault, at now: Int64) {
    if fault.error.isDenied {
      deniedAt = now
    } else if let deniedAt, now - deniedAt < Self.deniedMs {
      return
    }
    reason = fault.reason
  }
}

/// A right to write that was denied to a transaction, until it is back. The failed transaction's records are written again, but a
/// checkpoint only a minute later, and other transactions are committed meanwhile.
struct DeniedWrite {
  private var fault = ""
  /// The topics to which the transaction wrote, and that no later one was committed to.
  private(set) var topics: Set<Topic> = []
  /// Whether a transaction was committed since. If so, the right to read the input, which a commit requires too, is not missing.
  private var isWrite = false
  /// Whether the fault names the topic, which not every version of librdkafka does.
  private var isNamed = false

  /// The right that is missing; nil if none is.
  var reason: String? {
    if topics.isEmpty { return nil }
    if isNamed || !isWrite { return fault }
    let words = Topic.allCases.filter(topics.contains).map { "the \($0.word) topic" }
    return "The right Write is missing on \(words.joined(separator: " or ")): \(fault)"
  }

  /// - Parameter topics: The topics to which the transaction wrote.
  mutating func failed(_ error: EdgeError, writingTo topics: Set<Topic>) {
    if !error.isTopicDenied || topics.isEmpty { return }
    fault = error.message
    isNamed = error.topic != nil
    if let topic = error.topic {
      self.topics = [topic]
      return
    }
    // Those that were committed to since an earlier failure are not the reason.
    if self.topics.isDisjoint(with: topics) { (self.topics, isWrite) = (topics, false) }
  }

  /// Called when a transaction that wrote to these topics was committed.
  mutating func committed(_ topics: Set<Topic>) {
    self.topics.subtract(topics)
    isWrite = true
  }

  /// Called when another right explains the failure, or another member may have the partition whose records were denied.
  mutating func forget() { topics = [] }
}

/// A right that was denied to the group's member, until it is back. The client reports a denied right to read once, and not its
/// return: the input is read to see it.
struct DeniedRight {
  private(set) var reason: String?
  private var isOfInput = false
  private var at: Int64 = 0

  /// The time after which a right on the group counts as restored if its denial is not reported again, as it is every 30 s.
  static let keptMs: Int64 = 60_000

  mutating func failed(_ error: EdgeError, at now: Int64) {
    if error.code != .notAuthorized { return }
    (isOfInput, at) = (error.isTopicDenied, now)
    // Reading also requires the right to describe, which may be denied alone.
    let isNamed = !isOfInput || error.message.contains("The right ")
    reason = isNamed ? error.message : "The right Read or Describe is missing on the input: \(error.message)"
  }

  /// Called when the group has accepted the member, or its offsets.
  mutating func wasAccepted() { if !isOfInput { reason = nil } }

  /// Called when the input was read, or could not be.
  mutating func answered(_ isReadable: Bool, at now: Int64) {
    if isReadable, isOfInput || now - at >= Self.keptMs { reason = nil }
  }
}

/// Detects that a right that was denied to the group's member is back.
final class RightProbe: QueryProbe<Bool> {
  var denied = DeniedRight()

  /// The time in which brokers deny a right to read, if they do.
  private static let deniedWithinMs: Int64 = 2000

  override var isIdle: Bool { denied.reason == nil }

  override func question(at now: Int64) -> (@Sendable () -> Bool)? {
    // A member whose topic is denied may have lost its partitions for that reason; any partition shows whether it may be read.
    let number = parts.partitions.owned.first ?? 0
    return { [reader = parts.edges.reader] in
      let deadline = Deadline(afterMs: Self.deniedWithinMs)
      do throws(EdgeError) {
        let (first, end) = try reader.bounds(.input, number)
        // A transaction may be open at the end, and an empty partition has no record.
        try reader.read(.input, number, from: max(first, end - 1), to: max(end, first + 1), unless: { deadline.isOver }) { _ in
          false
        }
        return true
      } catch {
        return false
      }
    }
  }

  override func take(_ isReadable: Bool, at now: Int64) -> Finding? {
    denied.answered(isReadable, at: now)
    return nil
  }
}
