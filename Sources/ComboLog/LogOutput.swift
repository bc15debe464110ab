package import ComboEdge
internal import ComboSystem
internal import Synchronization

/// The transactional producer on a ``LogFile``: it collects the rooms' instructions, and writes them with the group's offsets in
/// one SQLite transaction.
package final class LogOutput: OutputEdge, @unchecked Sendable {
  // Sendable: what is collected is behind a lock; all else belongs to the loop's thread.

  /// Returns the offsets of input and journal that a state record needs to restore the partition, or nil if it needs none.
  package typealias HeldOffsets = @Sendable (_ key: Bytes, _ value: Bytes) -> (input: Int64, journal: Int64)?

  private let log: LogFile
  private let group: String
  private let streams: LogStreams
  private let held: HeldOffsets
  private let isStopping: @Sendable () -> Bool
  private let warn: @Sendable (String) -> Void
  private let gate = Lock()
  private let batch = LogBatch()
  private var holds: [(stream: Int, offset: Int64)] = []
  private var owner: UInt64?

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
    owner = log.takeOver(group)
    discard()
  }

  package func begin() throws(TransactionFault) {
    if owner == nil { throw .fatal("there is no producer") }
  }

  package func produce(
    _ topic: Topic, partition: Int32?, key: Bytes?, value: Bytes?, timestamp: Int64?, headers: [RecordHeader]
  ) {
    let stream = streams.stream(topic, partition, key)
    let headers = headers.isEmpty ? [] : LogHeaders.bytes(headers)
    gate.lock()
    defer { gate.unlock() }
    batch.append(stream, key: key, value: value, timestamp: timestamp, headers: headers)
    if topic == .state, let key, let value, let partition, let offsets = held(key, value) {
      holds.append((streams[.input, partition], offsets.input))
      holds.append((streams[.journal, partition], offsets.journal))
    }
  }

  package func commit(_ offsets: [CommittedOffset]) throws(TransactionFault) {
    guard let owner else { throw .fatal("there is no producer") }
    gate.lock()
    defer { gate.unlock() }
    let positions = offsets.map {
      LogPosition(stream: streams[.input, $0.partition], offset: $0.offset ?? 0, metadata: $0.metadata)
    }
    let deadline = MonotonicClock.nowMs + Self.fullMs
    var isWarned = false
    while true {
      do throws(LogFault) {
        try log.commit(batch, group: group, positions: positions, holds: holds, owner: owner)
        batch.removeAll()
        holds.removeAll()
        return
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

  package func abort() { discard() }

  package func serve() {}

  private func discard() {
    gate.lock()
    defer { gate.unlock() }
    batch.removeAll()
    holds.removeAll()
  }
}
