internal import CKafka
package import ComboEdge
internal import ComboSystem

/// The headers of a record to be produced. Producing consumes them.
package struct RecordHeaders: ~Copyable {
  private let pointer: OpaquePointer

  package init() { pointer = rd_kafka_headers_new(8) }

  /// Copies headers in the service's form; nil if there are none.
  package init?(_ headers: [RecordHeader]) {
    if headers.isEmpty { return nil }
    self.init()
    for header in headers {
      if let value = header.value {
        value.withUnsafeBytes { add(header.name, bytes: $0) }
      } else {
        add(header.name, bytes: nil)
      }
    }
  }

  deinit { rd_kafka_headers_destroy(pointer) }

  /// Appends a header; a name may occur several times.
  package func add(_ name: String, _ value: String) {
    var value = value
    value.withUTF8 { add(name, bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Appends a header with bytes as its value, or without a value.
  package func add(_ name: String, bytes: UnsafeRawBufferPointer?) {
    guard let bytes else {
      rd_kafka_header_add(pointer, name, -1, nil, 0)
      return
    }
    // Without a pointer, it would be a header without a value.
    rd_kafka_header_add(pointer, name, -1, bytes.baseAddress ?? emptyBytes.pointer, bytes.count)
  }

  /// Transfers the handle to the caller.
  package consuming func release() -> OpaquePointer {
    let pointer = pointer
    discard self
    return pointer
  }
}

/// A pointer to no bytes: for librdkafka, the null pointer means "none", which differs from "empty".
let emptyBytes = SharedPointer(UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)))
