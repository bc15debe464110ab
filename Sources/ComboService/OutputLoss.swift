package import ComboEdge
internal import ComboRooms
internal import ComboSystem
package import ComboWire
internal import Synchronization

/// Detects that the output was deleted and recreated. The right to describe the topic is enough: records are not read.
package struct OutputLoss {
  private let reader: any ReadEdge
  private let topics: TopicIdentity

  /// The evidence, for `run` and `check`.
  package static let reason = "it does not hold the instructions that the journal records. They are not written again"

  package init(_ reader: any ReadEdge, of topics: TopicIdentity) {
    self.reader = reader
    self.topics = topics
  }

  /// Whether instructions are missing that the journal records as written: the output was recreated while no instance ran.
  package func happenedBeforeStart() throws(EdgeError) -> Bool {
    for partition in try reader.partitions(.journal) {
      var said: [(n: Int64, clock: Int64)] = []
      var saidTo = Int64.min
      try reader.readJournalTail(partition, of: topics) { taken in
        if case .first = taken { (said, saidTo) = ([], .min) }
        guard let entry = taken.counting else { return true }
        // If no room is awake, an entry may have led to dead letters only.
        if entry.said > 0, entry.rooms > 0 { said.append((entry.n, entry.clock)) }
        saidTo = max(saidTo, entry.saidTo ?? entry.n)
        return true
      }
      if let clock = said.last(where: { $0.n <= saidTo })?.clock { return try reader.outputHoldsNothing(upTo: clock) }
    }
    return false
  }
}

extension ReadEdge {
  /// Whether no partition of the output holds a record of this time or older, although retention has removed none. An aborted
  /// trial is a record as well, but a newer one.
  func outputHoldsNothing(upTo clock: Int64) throws(EdgeError) -> Bool {
    let partitions = try partitions(.output)
    for partition in partitions {
      let (first, end) = try bounds(.output, partition)
      if first > 0 { return false }
      if end > 0, try offset(.output, partition, atMs: clock + 1) != first { return false }
    }
    // A deleted topic is reported elsewhere.
    return !partitions.isEmpty
  }
}

/// The time of the output that a running service has written, by which it detects that the topic was recreated.
final class OutputMemory: Sendable {
  /// The time of instructions written since the last check; nil if none were.
  private let writtenUpTo = Mutex<Int64?>(nil)

  /// Records that instructions of up to this time are in the output.
  func wrote(upTo clock: @autoclosure () -> Int64?) {
    writtenUpTo.withLock { if $0 == nil { $0 = clock() } }
  }

  /// Checks the output. ``GroupMemory`` finds partitions that have become shorter.
  /// - Parameter comparesTimes: Whether its records have the timestamps that the service gave them.
  /// - Returns: The evidence that instructions are gone; nil if they are all there.
  func loss(_ reader: any ReadEdge, comparesTimes: Bool) throws(EdgeError) -> String? {
    let clock = writtenUpTo.withLock { clock in
      defer { clock = nil }
      return clock
    }
    guard comparesTimes, let clock else { return nil }
    do throws(EdgeError) {
      return try reader.outputHoldsNothing(upTo: clock) ? "it no longer holds what was written before" : nil
    } catch {
      // The next check uses the earlier time, which finds more.
      writtenUpTo.withLock { $0 = clock }
      throw error
    }
  }
}

/// Checks that the output still holds what the service wrote.
final class OutputProbe: QueryProbe<String?> {
  override var everyMs: Int64 { 15_000 }
  override var isIdle: Bool { !parts.partitions.hasJoined }

  override func question(at now: Int64) -> (@Sendable () -> String?)? {
    let (reader, memory) = (parts.edges.reader, parts.outputMemory)
    let comparesTimes = parts.configuration.comparesOutputTimes
    // Brokers that do not answer are reported elsewhere.
    return { (try? memory.loss(reader, comparesTimes: comparesTimes)) ?? nil }
  }

  override func take(_ reason: String?, at now: Int64) -> Finding? {
    guard let reason else { return nil }
    parts.log.error(
      """
      the output was deleted and recreated, or has lost records: \(.reason, reason). Lost instructions are not written again; \
      each room writes its whole screen within screen-ms
      """)
    return nil
  }
}
