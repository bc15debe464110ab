internal import CKafka

/// The headers of a record to be produced. Producing takes them.
package struct RecordHeaders: ~Copyable {
  private let pointer: OpaquePointer

  package init() { pointer = rd_kafka_headers_new(8) }

  /// Those of a record that came in, byte for byte, to which more can be added.
  package init(copying message: KafkaMessage) {
    var headers: OpaquePointer?
    if rd_kafka_message_headers(message.pointer, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR, let headers {
      pointer = rd_kafka_headers_copy(headers)
    } else {
      pointer = rd_kafka_headers_new(8)
    }
  }

  deinit { rd_kafka_headers_destroy(pointer) }

  /// Adds one at the end; a name may be there several times.
  package func add(_ name: String, _ value: String) {
    var value = value
    value.withUTF8 { add(name, bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Adds one with a value of bytes, or without a value.
  package func add(_ name: String, bytes: UnsafeRawBufferPointer?) {
    guard let bytes else {
      rd_kafka_header_add(pointer, name, -1, nil, 0)
      return
    }
    // Without a pointer it would be a header without a value.
    rd_kafka_header_add(pointer, name, -1, bytes.baseAddress ?? emptyBytes, bytes.count)
  }

  /// Gives the handle away.
  package consuming func release() -> OpaquePointer {
    let pointer = pointer
    discard self
    return pointer
  }
}

/// A pointer to no bytes: librdkafka takes the null pointer for "none", which is something else than "empty".
///
/// `nonisolated(unsafe)`: never written to.
nonisolated(unsafe) let emptyBytes = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
