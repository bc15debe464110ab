/// Bytes with another owner.
@usableFromInline package typealias Bytes = UnsafeRawBufferPointer

/// A record that is handed out, borrowed: valid during the call, unless it is lasting.
@usableFromInline
package struct InputRecord {
  package var partition: Int32
  @usableFromInline package var offset: Int64
  /// nil: the record has none.
  @usableFromInline package var key: Bytes?
  /// nil: the record has none.
  @usableFromInline package var value: Bytes?
  /// Whether the next one that is handed out may be another partition's, or none may come. Where it is false, the next one is of the
  /// same partition.
  package var endsRun = true
  /// Whether key and value stay as they are, with 64 more bytes that can be read after the value, until the next poll with the same
  /// `hold`, or ``GroupEdge/release()``.
  @usableFromInline package var isLasting = false
  private var source: (reader: any RecordSource.Type, record: UnsafeRawPointer)?

  /// - Parameter source: what reads the record's time and headers, and the pointer that it needs for that. nil: the record has neither.
  package init(
    partition: Int32, offset: Int64, key: Bytes? = nil, value: Bytes? = nil,
    source: (reader: any RecordSource.Type, record: UnsafeRawPointer)? = nil, endsRun: Bool = true, isLasting: Bool = false
  ) {
    self.partition = partition
    self.offset = offset
    self.key = key
    self.value = value
    self.source = source
    self.endsRun = endsRun
    self.isLasting = isLasting
  }

  /// nil: the record has no time.
  @usableFromInline package var time: RecordTime? { source.flatMap { $0.reader.time(of: $0.record) } }

  /// All headers, in order. Copies them.
  package var headers: [RecordHeader] { source.map { $0.reader.headers(of: $0.record) } ?? [] }

  /// Calls `body` with the value of the last header of this name, if there is one with a value.
  @usableFromInline
  package func withLastHeader(_ name: String, _ body: (Bytes) -> Void) {
    if let source { source.reader.withLastHeader(name, of: source.record, body) }
  }
}

/// When a record was made.
@usableFromInline
package struct RecordTime: Equatable, Sendable {
  /// In milliseconds since the Unix epoch.
  @usableFromInline package var ms: Int64
  /// Whether it is the time at which the broker appended the record, and not the producer's.
  package var isAppendTime = false

  package init(ms: Int64, isAppendTime: Bool = false) {
    self.ms = ms
    self.isAppendTime = isAppendTime
  }
}

/// Reads what is seldom asked of a record, from the memory where an edge keeps it: nothing is copied for records whose time and headers
/// nobody asks for. Any thread, while the record is handed out.
package protocol RecordSource {
  /// - Parameter record: the pointer that the ``InputRecord`` was made with.
  static func time(of record: UnsafeRawPointer) -> RecordTime?
  static func headers(of record: UnsafeRawPointer) -> [RecordHeader]
  static func withLastHeader(_ name: String, of record: UnsafeRawPointer, _ body: (Bytes) -> Void)
}

/// A header of a record.
package struct RecordHeader: Equatable, Sendable {
  package var name: String
  package var value: [UInt8]?

  package init(name: String, value: [UInt8]? = nil) {
    self.name = name
    self.value = value
  }
}
