package import ComboEdge
internal import Synchronization

/// The request versions that a broker supports. The broker's version is inferred from them, because Kafka does not report it.
package struct BrokerVersions: Equatable, Sendable {
  /// The supported versions, by the number of the request in Kafka's protocol.
  package private(set) var versions: [Int: ClosedRange<Int>] = [:]

  private enum Request: Int {
    case produce = 0
    case fetch = 1
    case joinGroup = 11
    case initProducerID = 22
    case addPartitionsToTxn = 24
    case addOffsetsToTxn = 25
    case endTxn = 26
    case txnOffsetCommit = 28
  }

  package init() {}

  /// Reads a line of librdkafka's log. The versions are only there, at level debug.
  package mutating func read(_ line: String) {
    // `…  ApiKey JoinGroup (11) Versions 0..9`
    let words = line.split(separator: " ")
    guard let place = words.firstIndex(of: "Versions"), place > 0, place + 1 < words.count,
      let number = Int(words[place - 1].dropFirst().dropLast())
    else { return }
    let range = words[place + 1].split(separator: ".", omittingEmptySubsequences: true).compactMap { Int($0) }
    guard range.count == 2, case let (least, most) = (range[0], range[1]), least <= most else { return }
    versions[number] = least...most
  }

  private func most(_ request: Request) -> Int { versions[request.rawValue]?.upperBound ?? -1 }

  /// The broker's version, as precisely as possible.
  package var kafka: String? {
    if versions.isEmpty { return nil }
    switch most(.produce) {
    case 13...: return "4.1 or later"
    case 12: return "4.0"
    case 11: return "3.8 or 3.9"
    case 10: return "3.7"
    default: break
    }
    switch most(.fetch) {
    case 14...: return "3.5 or 3.6"
    case 13: return "3.1 to 3.4"
    case 12: return "2.7 to 3.0"
    default: return hasGroupTransactions ? "2.5 or 2.6" : "before 2.5"
    }
  }

  /// The requests of transactions that the broker does not support, empty if it supports transactions.
  package var missingTransactions: [String] {
    [
      (Request.initProducerID, "InitProducerId"), (.addPartitionsToTxn, "AddPartitionsToTxn"),
      (.addOffsetsToTxn, "AddOffsetsToTxn"),
      (.endTxn, "EndTxn"), (.txnOffsetCommit, "TxnOffsetCommit"),
    ].filter { most($0.0) < 0 }.map(\.1)
  }

  /// Whether the group can fence a transaction (KIP-447), on which exactly-once delivery relies.
  package var hasGroupTransactions: Bool { most(.txnOffsetCommit) >= 3 }

  /// Whether librdkafka 2.0 can join a group: Kafka 4.0.0 lacks the oldest two versions of that request, 4.0.1 does not.
  package var hasOldJoin: Bool { (versions[Request.joinGroup.rawValue]?.lowerBound ?? 0) <= 1 }

  /// Requests the versions of only the broker at `address`.
  /// - Throws: An error if it cannot be reached.
  package static func ask(_ address: String, as properties: KafkaProperties, withinMs: Int64) throws(EdgeError) -> BrokerVersions
  {
    let versionLog = VersionLog()
    let client = try ControlClient(
      properties.with(brokers: address, presets: [.init(key: "debug", value: "feature")], log: versionLog.log))
    _ = try client.cluster(withinMs: withinMs)
    return versionLog.versions.withLock { $0 }
  }

  private final class VersionLog: Sendable {
    let versions = Mutex(BrokerVersions())

    var log: KafkaLog {
      KafkaLog { [self] level, _, text in
        if level == .debug { versions.withLock { $0.read(text) } }
      }
    }
  }
}
