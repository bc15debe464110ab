internal import ComboCore
package import ComboEdge
package import ComboRooms
package import ComboSystem
internal import ComboWire

/// Derives a group's partitions beside the instances that own them, and compares the result with their output.
///
/// It only reads, and does not join the group. A partition begins at its newest checkpoint; output from before the shadow reached
/// the journal's end is not compared. If the options are the group's, every byte must be the same. If they differ, the partitions
/// continue as after a restart with these options, and equal and different instructions are counted.
///
/// Used by one thread. It holds the rooms, as the service does, and up to ``bytesMax`` of instructions that wait for their
/// counterparts.
package final class Shadow {
  /// The size above which all partitions restart.
  static let bytesMax = 256 << 20
  private static let retryMs: Int64 = 10_000

  private let reader: any ReadEdge
  private let configuration: ServiceConfiguration
  private let log: ServiceLog
  private let cancellation: Cancellation
  private let nowMs: () -> Int64
  private let ledger: ShadowLedger
  private var partitions: [ShadowPartition] = []
  /// The offset up to which each partition of the output was read; empty before the first read.
  private var positions: [Int32: Int64] = [:]
  /// The offsets of the output before which records need not have been derived.
  private var bounds: [Int32: Int64] = [:]
  private var share: OutputShare
  private var roundNumber = 0
  /// Whether the options have been compared with the group's.
  private var isModeKnown = false
  private var reportedLosses: [Int32: String] = [:]

  /// - Parameter configuration: The configuration that this program would use as an instance of the group.
  package init(
    _ reader: any ReadEdge, _ configuration: ServiceConfiguration, log: ServiceLog, cancellation: Cancellation = Cancellation(),
    nowMs: @escaping () -> Int64 = { MonotonicClock.nowMs }
  ) {
    self.reader = reader
    self.configuration = configuration
    share = OutputShare(of: configuration.topics.input)
    self.log = log
    self.cancellation = cancellation
    self.nowMs = nowMs
    ledger = ShadowLedger { log.error("the shadow differs: \(.reason, $0)") }
  }

  package var report: ShadowReport {
    var report = ledger.report
    report.partitions = partitions.count { $0.isFollowed }
    return report
  }

  /// Follows the group up to its present commits. Throws an `EdgeError` if the brokers did not respond, after which it can be
  /// called again, and a ``VerifyFault`` if the shadow cannot continue.
  package func round() throws {
    roundNumber += 1
    try findPartitions()
    // Snapshots must not be newer than the journal, and the journal's end must not be newer than the output that is read.
    let beginning = partitions.filter { !$0.isFollowed && nowMs() >= $0.dueAt }
    for partition in beginning { try attempt(partition) { try partition.readState() } }
    if positions.isEmpty {
      var ends: [Int32: Int64] = [:]
      for number in try reader.partitions(.output) { ends[number] = try reader.stableEnd(.output, number) }
      positions = ends
    }
    let ends = try partitions.map { try reader.bounds(.journal, $0.number) }
    for (partition, journal) in zip(partitions, ends) {
      if cancellation.isCancelled { return }
      if partition.isFollowed {
        try attempt(partition) { try partition.step(to: journal.end) }
      } else if beginning.contains(where: { $0 === partition }) {
        try begin(partition, journal)
      }
    }
    let outputEnds = try reader.partitions(.output).map { ($0, try reader.bounds(.output, $0)) }
    if beginning.contains(where: \.isFollowed) { for (number, output) in outputEnds { bounds[number] = output.end } }
    for (number, output) in outputEnds { try readOutput(number, output) }
    if cancellation.isCancelled { return }
    settle()
  }

  private func findPartitions() throws {
    let count = try reader.partitions(.journal).count
    while partitions.count < count {
      partitions.append(
        ShadowPartition(
          PartitionTopics(Int32(partitions.count), configuration, reader, log: log, cancellation: cancellation), ledger,
          own: configuration.derivation(after: nil, agreed: .newest), knownRules: configuration.knownRules))
    }
  }

  private func begin(_ partition: ShadowPartition, _ journal: (first: Int64, end: Int64)) throws {
    var group: Derivation?
    try attempt(partition) { group = try partition.begin(from: journal.first, to: journal.end) }
    guard let group, partition.isFollowed else {
      if !partition.isFollowed { partition.lose(until: nowMs() + Self.retryMs) }
      return
    }
    reportedLosses[partition.number] = nil
    share.hasUnnamed = !group.namesInput
    if !isModeKnown {
      isModeKnown = true
      ledger.report.otherOptions = partition.own.differences(from: group)
      ledger.isStrict = ledger.report.isStrict
      if !ledger.isStrict {
        log.warning(
          "the options here differ from the group's, so differences are expected: \(.reason, ledger.report.otherOptions.joined(separator: ", "))"
        )
      }
    }
    log.info(
      "the shadow follows partition \(.partition, partition.number) from entry \(.entry, partition.entry) on, with \(.rooms, partition.rooms) rooms"
    )
  }

  /// Runs `body` for a partition. If it fails permanently, the partition is restarted later.
  private func attempt(_ partition: ShadowPartition, _ body: () throws -> Void) throws {
    let reason: String
    do {
      try body()
      return
    } catch PartitionTopics.Stop.cancelled {
      return
    } catch PartitionTopics.Stop.refused(let sentence) {
      throw VerifyFault(sentence)
    } catch let fault as FormatFault where fault.code != .broken {
      throw VerifyFault("partition \(partition.number): \(fault)")
    } catch PartitionTopics.Stop.kafka(let error) {
      reason = error.message
    } catch let lost as ShadowPartition.Lost {
      reason = lost.reason
    } catch let other as OtherRules {
      reason =
        "version \(other.rules) of the engine's rules made entry \(other.n), and this program has version \(configuration.knownRules.upperBound)"
    } catch {
      reason = "\(error)"
    }
    ledger.report.restarts += 1
    partition.lose(until: nowMs() + Self.retryMs)
    if reportedLosses[partition.number] != reason {
      reportedLosses[partition.number] = reason
      log.warning(
        "the shadow restarts partition \(.partition, partition.number) from its newest checkpoint, trying every 10 s: \(.reason, reason)"
      )
    }
  }

  // MARK: - The output

  private func readOutput(_ number: Int32, _ output: (first: Int64, end: Int64)) throws {
    // A partition that was added to the output is read from its beginning. Records deleted by retention cannot be read.
    let start = max(positions[number] ?? 0, output.first)
    positions[number] = start
    try reader.read(.output, number, from: start, to: output.end, unless: { cancellation.isCancelled }) { record in
      if share.has(record) { ledger.read(record, round: roundNumber) }
      positions[number] = record.offset + 1
      return ledger.bytes <= Self.bytesMax
    }
    if !cancellation.isCancelled, ledger.bytes <= Self.bytesMax { positions[number] = output.end }
  }

  private func settle() {
    if ledger.bytes > Self.bytesMax {
      log.warning("the shadow is too far behind, and restarts all partitions from their newest checkpoints")
      for partition in partitions { partition.lose(until: .min) }
      ledger.discardAll()
      ledger.report.restarts += 1
      positions = [:]
      return
    }
    let isWhole = partitions.allSatisfy(\.isFollowed)
    ledger.settle(
      round: roundNumber,
      isSaid: { partition, n in partitions[Int(partition)].isSaid(n) },
      isOurs: { place in isWhole && place.offset >= bounds[place.partition] ?? 0 },
      isAtLeastOnce: partitions.contains(where: \.isAtLeastOnce))
  }
}

extension Derivation {
  /// Returns the differences between this derivation and the group's, one phrase each.
  fileprivate func differences(from group: Derivation) -> [String] {
    var phrases: [String] = []
    if rules != group.rules { phrases.append("version \(rules) of the engine's rules, in the group \(group.rules)") }
    for (own, other) in zip(settings.all, group.settings.all) where own != other {
      if case .integer(_, let here) = own, case .integer(_, let there) = other {
        phrases.append("\(own.name) \(here), in the group \(there)")
      } else {
        phrases.append("another \(own.name)")
      }
    }
    if mapping != group.mapping { phrases.append("a different map") }
    if limits != group.limits { phrases.append("different limits of events") }
    return phrases
  }
}
