/// Bytes with another owner.
@usableFromInline package typealias Bytes = UnsafeRawBufferPointer

/// A delivered record, borrowed: valid during the call, unless it is lasting.
@usableFromInline
@safe package struct InputRecord {
  package var partition: Int32
  @usableFromInline package var offset: Int64
  /// The key, or nil if the record has none.
  @usableFromInline package var key: Bytes?
  /// The value, or nil if the record has none.
  @usableFromInline package var value: Bytes?
  /// Whether the next delivered record may be of another partition, or missing. If false, it is of the same partition.
  package var endsRun = true
  /// Whether key and value, and 64 readable bytes after the value, stay as they are until the next poll with the same `hold`, or
  /// ``GroupEdge/release()``.
  @usableFromInline package var isLasting = false
  private var source: (reader: any RecordSource.Type, record: UnsafeRawPointer)?

  /// - Parameter source: The reader of the record's time and headers, and the pointer that it needs, or nil if the record has
  ///   neither.
  package init(
    partition: Int32, offset: Int64, key: Bytes? = nil, value: Bytes? = nil,
    source: (reader: any RecordSource.Type, record: UnsafeRawPointer)? = nil, endsRun: Bool = true, isLasting: Bool = false
  ) {
    self.partition = partition
    self.offset = offset
    unsafe self.key = unsafe key
    unsafe self.value = unsafe value
    unsafe self.source = unsafe source
    self.endsRun = endsRun
    self.isLasting = isLasting
  }

  /// The time of the record, or nil if it has none.
  @usableFromInline package var time: RecordTime? { unsafe source.flatMap { unsafe $0.reader.time(of: $0.record) } }

  /// All headers, in order. Copies them.
  package var headers: [RecordHeader] { unsafe source.map { unsafe $0.reader.headers(of: $0.record) } ?? [] }

  /// Calls `body` with the value of the last header of this name, if there is one with a value.
  @usableFromInline
  package func withLastHeader(_ name: String, _ body: (Bytes) -> Void) {
    if let source = unsafe source { unsafe source.reader.withLastHeader(name, of: source.record, body) }
  }
}

@usableFromInline
package struct RecordTime: Equatable, Sendable {
  /// The time in milliseconds since the Unix epoch.
  @usableFromInline package var ms: Int64
  /// Whether the broker set it when it appended the record, and not the producer.
  package var isAppendTime = false

  package init(ms: Int64, isAppendTime: Bool = false) {
    self.ms = ms
    self.isAppendTime = isAppendTime
  }
}

/// Reads rarely used data of a record from the edge's memory, so that nothing is copied unless it is needed. Any thread, while
/// the record is delivered.
package protocol RecordSource {
  /// - Parameter record: The pointer that the ``InputRecord`` was made with.
  static func time(of record: UnsafeRawPointer) -> RecordTime?
  static func headers(of record: UnsafeRawPointer) -> [RecordHeader]
  static func withLastHeader(_ name: String, of record: UnsafeRawPointer, _ body: (Bytes) -> Void)
}

package struct RecordHeader: Equatable, Sendable {
  package var name: String
  package var value: [UInt8]?

  package init(name: String, value: [UInt8]? = nil) {
    self.name = name
    self.value = value
  }
}
