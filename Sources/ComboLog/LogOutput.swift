package import ComboEdge
internal import ComboSystem
internal import Synchronization

/// The transactional producer on a ``LogFile``: it collects the rooms' instructions, and writes them with the group's offsets in
/// one SQLite transaction.
package final class LogOutput: OutputEdge {
  /// Returns the offsets of input and journal that a state record needs to restore the partition, or nil if it needs none.
  package typealias HeldOffsets = @Sendable (_ key: Bytes, _ value: Bytes) -> (input: Int64, journal: Int64)?

  private let log: LogFile
  private let group: String
  private let streams: LogStreams
  private let held: HeldOffsets
  private let isStopping: @Sendable () -> Bool
  private let warn: @Sendable (String) -> Void
  private let collected = Mutex(Collected())

  private struct Collected {
    var batch = LogBatch()
    var holds: [(stream: Int, offset: Int64)] = []
    var owner: UInt64?

    mutating func discard() {
      batch.removeAll()
      holds.removeAll()
    }
  }

  /// The time for which a commit waits for space on a full disk before it fails.
  private static let fullMs: Int64 = 20_000

  /// - Parameters:
  ///   - held: Called for each state record.
  ///   - isStopping: Returns whether a commit must stop waiting for space on the disk.
  ///   - warn: Called when a commit waits.
  package init(
    _ log: LogFile, group: String, names: TopicNames, held: @escaping HeldOffsets = { _, _ in nil },
    isStopping: @escaping @Sendable () -> Bool = { false }, warn: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(EdgeError) {
    self.log = log
    self.group = group
    streams = try LogStreams(log, names)
    self.held = held
    self.isStopping = isStopping
    self.warn = warn
  }

  package func renew() {
    let owner = log.takeOver(group)
    collected.withLock { collected in
      collected.owner = owner
      collected.discard()
    }
  }

  package func begin() throws(TransactionFault) {
    if collected.withLock({ $0.owner }) == nil { throw .fatal("there is no producer") }
  }

  package func produce(
    _ topic: Topic, partition: Int32?, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader]
  ) {
    let stream = streams.stream(topic, partition, key)
    let headers = headers.isEmpty ? [] : LogHeaders.bytes(headers)
    collected.withLock { collected in
      collected.batch.append(stream, key: key, value: value, timestamp: timestamp, headers: headers)
      if topic == .state, let key, let value, let partition, let offsets = held(key, value) {
        collected.holds.append((streams[.input, partition], offsets.input))
        collected.holds.append((streams[.journal, partition], offsets.journal))
      }
    }
  }

  package func commit(_ offsets: [CommittedOffset]) throws(TransactionFault) {
    let positions = offsets.map {
      LogPosition(stream: streams[.input, $0.partition], offset: $0.offset ?? 0, metadata: $0.metadata)
    }
    try collected.withLock { collected throws(TransactionFault) in try commit(&collected, positions) }
  }

  private func commit(_ collected: inout Collected, _ positions: [LogPosition]) throws(TransactionFault) {
    guard let owner = collected.owner else { throw .fatal("there is no producer") }
    let deadline = MonotonicClock.nowMs + Self.fullMs
    var isWarned = false
    while true {
      do throws(LogFault) {
        try log.commit(collected.batch, group: group, positions: positions, holds: collected.holds, owner: owner)
        return collected.discard()
      } catch {
        switch error.code {
        case .fenced, .gone, .damaged: throw .fatal(error.message)
        case .failed: throw .indefinite(error.message)
        case .full where !isStopping() && MonotonicClock.nowMs < deadline:
          if !isWarned { warn(error.message) }
          isWarned = true
          MonotonicClock.sleep(ms: 500)
        default: throw .abort(error.message)
        }
      }
    }
  }

  package func abort() { collected.withLock { $0.discard() } }

  package func serve() {}
}
