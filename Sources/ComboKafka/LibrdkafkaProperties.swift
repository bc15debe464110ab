internal import CKafka
internal import Glibc

/// Producer or consumer: librdkafka's two kinds of clients.
package enum ClientKind: Sendable {
  case producer, consumer

  package var word: String { self == .producer ? "producer" : "consumer" }
}

/// The properties and the version of the librdkafka that is loaded.
package enum LibrdkafkaProperties {
  /// As `0xMMmmrrpp`: major, minor, revision, pre-release.
  package static var version: Int32 { rd_kafka_version() }

  /// `2.0.2`.
  package static var versionText: String { String(cString: rd_kafka_version_str()) }

  /// Whether a client of this kind has the property. One that is not listed (a hidden or unknown one) counts as
  /// everybody's, so that setting it shows.
  static func applies(_ property: String, to kind: ClientKind) -> Bool {
    guard let kinds = kinds[property] else { return true }
    return kind == .producer ? kinds.producer : kinds.consumer
  }

  /// True if librdkafka's table names the property. It names none of the hidden ones.
  static func isListed(_ property: String) -> Bool { kinds[property] != nil }

  /// Read from librdkafka's own table, because there is no call for it, and a property given to the wrong kind of
  /// client would be warned of at every start.
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
      let (name, kind) = (trimmed(cells[0]), trimmed(cells[1]))
      let before = kinds[name] ?? (false, false)
      kinds[name] = (before.producer || kind != "C", before.consumer || kind != "P")
    }
    return kinds
  }()

  private static func trimmed(_ cell: Substring.UTF8View.SubSequence) -> String {
    String(cell.filter { $0 != UInt8(ascii: " ") }.map { Character(UnicodeScalar($0)) })
  }
}

extension LibrdkafkaProperties {
  /// Up to 2.6.0 cooperative-sticky loses assignments and may spin (fixed in 2.6.1).
  package static var hasSoundCooperativeAssignor: Bool { version >= 0x0206_01ff }

  /// Newer ones (seen with 2.14.0, not with 2.0.2) fetch a resumed partition up to a second later if nothing else was fetched.
  static var resumesLate: Bool { version >= 0x0206_01ff }

  /// From 2.2.0 on it has a property for how long a fetch is put off when the queue is full (`fetch.queue.backoff.ms`).
  static var looksAgainAtFullQueues: Bool { version >= 0x0202_00ff }

  /// Up to 2.6.0 it sends a nonce of SCRAM twice, which brokers from 4.0 on refuse as invalid credentials.
  package static var hasSoundScram: Bool { version >= 0x0206_01ff }

  /// In 2.0 `rd_kafka_seek_partitions` takes its time-out for a thousand times less than it is (fixed in 2.1.0).
  static var seekTimesOutTooEarly: Bool { version < 0x0201_0000 }
}
