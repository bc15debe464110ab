internal import CKafka
internal import Synchronization

/// librdkafka's last statistics of its clients, unparsed: taking them in costs the polling thread a pointer, and reading is
/// left to the caller.
package final class ClientStatistics: Sendable {
  /// The interval, in milliseconds.
  static let intervalMs = 5000

  /// One text of librdkafka's.
  package final class Text: @unchecked Sendable {
    // The proof: it is never written to.
    private let start: UnsafeMutablePointer<CChar>
    private let count: Int

    package init(owning start: UnsafeMutablePointer<CChar>, count: Int) {
      self.start = start
      self.count = count
    }

    deinit { rd_kafka_mem_free(nil, start) }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
  }

  private let texts = Mutex<[String: Text]>([:])

  package init() {}

  /// - Parameter client: of a few that are known beforehand; a newer client of that name takes the place of the older.
  package func took(_ text: Text, of client: String) {
    // The old text is freed outside of the lock.
    _ = texts.withLock { $0.updateValue(text, forKey: client) }
  }

  package var all: [(client: String, text: Text)] {
    texts.withLock { texts in texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
  }
}
