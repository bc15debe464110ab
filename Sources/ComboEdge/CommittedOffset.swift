/// The position that a group has committed of a partition, or is to commit.
package struct CommittedOffset: Equatable, Sendable {
  package let partition: Int32
  /// The next record to read; nil: no offset was ever committed (or it has expired).
  package let offset: Int64?
  /// Its metadata.
  package let metadata: String

  package init(partition: Int32, offset: Int64?, metadata: String) {
    self.partition = partition
    self.offset = offset
    self.metadata = metadata
  }

  /// The number of the journal's last entry, which the service keeps there; nil: there is none.
  package var entry: Int64? { Int64(metadata).flatMap { (0...1 << 60).contains($0) ? $0 : nil } }
}
