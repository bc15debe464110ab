package import CKafka
internal import CPrefetch
package import ComboEdge

/// A record borrowed from librdkafka: everything it points to is freed with its batch.
package struct KafkaMessage {
  package let pointer: UnsafeMutablePointer<rd_kafka_message_t>

  package var partition: Int32 { pointer.pointee.partition }
  package var offset: Int64 { pointer.pointee.offset }

  /// The key, or nil if the record has none (an empty key is an empty buffer).
  package var key: UnsafeRawBufferPointer? {
    guard let start = pointer.pointee.key else { return nil }
    return UnsafeRawBufferPointer(start: start, count: pointer.pointee.key_len)
  }

  /// The value, or nil if the record has none, which deletes the key in a compacted topic.
  package var value: UnsafeRawBufferPointer? {
    guard let start = pointer.pointee.payload else { return nil }
    return UnsafeRawBufferPointer(start: start, count: pointer.pointee.len)
  }

  /// Whether ``paddingBytes`` more bytes are readable after the value because they are in the same memory page. They may change
  /// at any time.
  var isPadded: Bool {
    guard let start = pointer.pointee.payload, pointer.pointee.len > 0 else { return false }
    let last = UInt(bitPattern: start) &+ UInt(pointer.pointee.len) &- 1
    return last & (Self.pageBytesMin &- 1) &+ Self.paddingBytes < Self.pageBytesMin
  }

  static let paddingBytes = UInt(64)
  /// The smallest page size of any processor.
  private static let pageBytesMin: UInt = 4096

  /// The timestamp in milliseconds since the epoch, or nil if the record has none.
  package var timestampMs: Int64? { time?.ms }

  /// The timestamp and its source, or nil if the record has none.
  package var time: RecordTime? {
    var type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
    let ms = rd_kafka_message_timestamp(pointer, &type)
    switch type {
    case RD_KAFKA_TIMESTAMP_CREATE_TIME: return RecordTime(ms: ms, isAppendTime: false)
    case RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME: return RecordTime(ms: ms, isAppendTime: true)
    default: return nil
    }
  }

  /// Calls `body` with the value of the last header of this name, if it exists and has a value.
  package func withLastHeader(_ name: String, _ body: (UnsafeRawBufferPointer) -> Void) {
    var headers: OpaquePointer?
    guard rd_kafka_message_headers(pointer, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR, let headers else { return }
    var value: UnsafeRawPointer?
    var size = 0
    guard rd_kafka_header_get_last(headers, name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR, let value else { return }
    body(UnsafeRawBufferPointer(start: value, count: size))
  }

  /// Calls `body` with the name and the value, or nil, of each header in order. librdkafka parses headers at the first call only.
  package func forEachHeader(_ body: (_ name: String, _ value: UnsafeRawBufferPointer?) -> Void) {
    var headers: OpaquePointer?
    guard rd_kafka_message_headers(pointer, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR, let headers else { return }
    var index = 0
    var name: UnsafePointer<CChar>?
    var value: UnsafeRawPointer?
    var size = 0
    while rd_kafka_header_get_all(headers, index, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR {
      if let name {
        body(String(cString: name), value.map { UnsafeRawBufferPointer(start: $0, count: size) })
      }
      index += 1
    }
  }
}

extension KafkaMessage: RecordSource {
  /// The reader of an ``InputRecord``'s time and headers.
  var source: (reader: any RecordSource.Type, record: UnsafeRawPointer) { (Self.self, UnsafeRawPointer(pointer)) }

  private init(_ record: UnsafeRawPointer) {
    pointer = UnsafeMutablePointer(mutating: record.assumingMemoryBound(to: rd_kafka_message_t.self))
  }

  package static func time(of record: UnsafeRawPointer) -> RecordTime? { KafkaMessage(record).time }

  package static func headers(of record: UnsafeRawPointer) -> [RecordHeader] {
    var headers: [RecordHeader] = []
    KafkaMessage(record).forEachHeader { headers.append(RecordHeader(name: $0, value: $1.map { [UInt8]($0) })) }
    return headers
  }

  package static func withLastHeader(_ name: String, of record: UnsafeRawPointer, _ body: (Bytes) -> Void) {
    KafkaMessage(record).withLastHeader(name, body)
  }
}

/// A reusable buffer for the messages of one poll. For one thread at a time.
package final class MessageBatch {
  /// The number of messages that it can hold.
  package let capacity: Int
  /// The number of messages that it holds.
  package private(set) var count = 0
  private let slots: UnsafeMutablePointer<UnsafeMutablePointer<rd_kafka_message_t>?>

  package init(capacity: Int) {
    precondition(capacity > 0, "a batch holds at least one message")
    self.capacity = capacity
    slots = .allocate(capacity: capacity)
    slots.initialize(repeating: nil, count: capacity)
  }

  deinit {
    release()
    slots.deallocate()
  }

  package var isEmpty: Bool { count == 0 }

  /// - Precondition: `index` is in `0..<count`.
  package subscript(index: Int) -> KafkaMessage {
    precondition(index >= 0 && index < count, "no message at this place of the batch")
    return KafkaMessage(pointer: slots[index].unsafelyUnwrapped)
  }

  /// Releases all messages. Do it early: each pins the fetch response that contains it.
  package func release() {
    for index in 0..<count {
      if index + Self.headAhead < count { prefetch_lines(slots[index + Self.headAhead], Self.headLength) }
      rd_kafka_message_destroy(slots[index])
    }
    count = 0
  }

  /// Calls `body` with each message in order, and prefetches later ones, which another thread has written. The messages stay in
  /// the batch.
  /// - Parameter body: Receives a borrowed message, and whether the next one is of another partition or does not exist.
  @inline(__always)
  func deliver(to body: (_ message: KafkaMessage, _ endsRun: Bool) -> Void) {
    for index in 0..<count {
      if index + Self.headAhead < count { prefetch_lines(slots[index + Self.headAhead], Self.headLength) }
      if index + Self.valueAhead < count {
        let message = self[index + Self.valueAhead]
        if let key = message.key { prefetch(key.baseAddress) }
        if let value = message.value { prefetch_lines(value.baseAddress, min(value.count, Self.valueLength)) }
      }
      let message = self[index]
      body(message, index + 1 == count || self[index + 1].partition != message.partition)
    }
  }

  // The distances of prefetching, in messages, and its lengths, in bytes. The value's length suffices for most gifts.
  private static let headAhead = 16
  private static let headLength = 128
  private static let valueAhead = 12
  private static let valueLength = 384

  /// Waits up to `maxWaitMs` for one message from the queue. librdkafka's batch call would wait for a full batch.
  /// - Returns: Whether a message arrived, which may be an error.
  func waitForOne(from queue: OpaquePointer, maxWaitMs: Int32) -> Bool {
    precondition(count == 0, "the batch must be released before it is filled again")
    guard rd_kafka_consume_batch_queue(queue, maxWaitMs, slots, 1) == 1 else { return false }
    count = 1
    return true
  }

  /// Adds all messages that are available without waiting, up to `max` in all.
  func addWaiting(from queue: OpaquePointer, max: Int = .max) {
    let room = min(max, capacity) - count
    guard room > 0 else { return }
    let taken = rd_kafka_consume_batch_queue(queue, 0, slots + count, room)
    if taken > 0 { count += taken }
  }

  /// Retains the messages for which `keep` returns true, in order, and destroys the others.
  @inline(__always)
  package func filter(_ keep: (UnsafeMutablePointer<rd_kafka_message_t>) -> Bool) {
    var kept = 0
    for index in 0..<count {
      let message = slots[index].unsafelyUnwrapped
      if keep(message) {
        slots[kept] = message
        kept += 1
      } else {
        rd_kafka_message_destroy(message)
      }
    }
    count = kept
  }
}
