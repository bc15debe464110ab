internal import CKafka
internal import Glibc

/// The kind of a librdkafka client.
package enum ClientKind: Sendable {
  case producer, consumer

  package var word: String { self == .producer ? "producer" : "consumer" }
}

/// The properties and the version of the loaded librdkafka.
package enum LibrdkafkaProperties {
  /// The version as `0xMMmmrrpp`: major, minor, revision, pre-release.
  package static var version: Int32 { rd_kafka_version() }

  /// The version as text: `2.0.2`.
  package static var versionText: String { String(cString: rd_kafka_version_str()) }

  /// Whether a client of this kind has the property. An unlisted one, hidden or unknown, applies to all, so that setting it fails
  /// visibly.
  static func applies(_ property: String, to kind: ClientKind) -> Bool {
    guard let kinds = kinds[property] else { return true }
    return kind == .producer ? kinds.producer : kinds.consumer
  }

  /// Whether librdkafka's table lists the property. It does not list the hidden ones.
  static func isListed(_ property: String) -> Bool { kinds[property] != nil }

  /// The kinds from librdkafka's own table. There is no call for them, and a property of the wrong kind causes a warning at every
  /// start.
  private static let kinds: [String: (producer: Bool, consumer: Bool)] = {
    var buffer: UnsafeMutablePointer<CChar>?
    var size = 0
    guard let file = open_memstream(&buffer, &size) else { return [:] }
    rd_kafka_conf_properties_show(file)
    fclose(file)
    defer { free(buffer) }
    guard let buffer else { return [:] }
    var kinds: [String: (producer: Bool, consumer: Bool)] = [:]
    let table = String(decoding: UnsafeRawBufferPointer(start: buffer, count: size), as: UTF8.self)
    for line in table.utf8.split(separator: UInt8(ascii: "\n")) {
      let cells = line.split(separator: UInt8(ascii: "|"), maxSplits: 2)
      guard cells.count == 3 else { continue }
      let (name, kind) = (KafkaProperty.trimmed(Substring(cells[0])), KafkaProperty.trimmed(Substring(cells[1])))
      let before = kinds[name] ?? (false, false)
      kinds[name] = (before.producer || kind != "C", before.consumer || kind != "P")
    }
    return kinds
  }()
}

extension LibrdkafkaProperties {
  /// Whether cooperative-sticky works: up to 2.6.0 it loses assignments and may spin (fixed in 2.6.1).
  package static var hasSoundCooperativeAssignor: Bool { version >= 0x0206_01ff }

  /// Whether a resumed partition may be fetched up to a second late if nothing else is (seen with 2.14.0, not with 2.0.2).
  static var resumesLate: Bool { version >= 0x0206_01ff }

  /// Whether it has `fetch.queue.backoff.ms`, the delay of a fetch when the queue is full (from 2.2.0 on).
  static var retriesFullQueues: Bool { version >= 0x0202_00ff }

  /// Whether SCRAM works: up to 2.6.0 a nonce is sent twice, which brokers from 4.0 on refuse as invalid credentials.
  package static var hasSoundScram: Bool { version >= 0x0206_01ff }

  /// Whether `rd_kafka_seek_partitions` interprets its time-out as a thousandth of it (in 2.0; fixed in 2.1.0).
  static var seekTimesOutTooEarly: Bool { version < 0x0201_0000 }
}
