internal import CKafka
internal import ComboSystem
internal import Synchronization

/// librdkafka's last statistics of its clients, unparsed: storing them costs the polling thread a pointer; the caller parses
/// them.
package final class ClientStatistics: Sendable {
  /// The interval of the statistics, in milliseconds.
  static let intervalMs = 5000

  /// A statistics text allocated by librdkafka.
  package final class Text: Sendable {
    /// Never modified.
    private let start: SharedPointer<UnsafeMutablePointer<CChar>>
    private let count: Int

    package init(owning start: UnsafeMutablePointer<CChar>, count: Int) {
      self.start = SharedPointer(start)
      self.count = count
    }

    deinit { rd_kafka_mem_free(nil, start.pointer) }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start.pointer, count: count) }
  }

  private let texts = Mutex<[String: Text]>([:])

  package init() {}

  /// - Parameter client: One of a few fixed names; a newer client replaces the older one of that name.
  package func store(_ text: Text, of client: String) {
    // The old text is freed outside the lock.
    _ = texts.withLock { $0.updateValue(text, forKey: client) }
  }

  package var all: [(client: String, text: Text)] {
    texts.withLock { texts in texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
  }
}
