/// A position in a partition that a group has committed, or is to commit.
package struct CommittedOffset: Equatable, Sendable {
  package let partition: Int32
  /// The next record to read, or nil if no offset was ever committed, or it has expired.
  package let offset: Int64?
  /// The metadata: the number of the journal's last entry and, where the log needs it, the member that commits, separated by
  /// tabs.
  package let metadata: String

  /// Whether the metadata must contain the member that commits.
  package var namesOwner = false

  package init(partition: Int32, offset: Int64?, metadata: String) {
    self.partition = partition
    self.offset = offset
    self.metadata = metadata
  }

  /// The number of the journal's last entry, which the service keeps in the metadata, or nil if none.
  package var entry: Int64? { Int64(metadata.prefix { $0 != "\t" }).flatMap { (0...1 << 60).contains($0) ? $0 : nil } }

  /// A member of the group that committed an offset.
  package struct Owner: Equatable, Hashable, Sendable {
    /// Its id, assigned by the group's coordinator.
    package let member: String
    package let transactionalID: String

    package init(member: String, transactionalID: String) {
      self.member = member
      self.transactionalID = transactionalID
    }
  }

  /// The member that committed it, or nil if the metadata does not contain it, as with other versions and tools.
  package var owner: Owner? {
    let parts = metadata.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count == 3 ? Owner(member: String(parts[1]), transactionalID: String(parts[2])) : nil
  }

  /// Returns the offset with this member in its metadata, if that must contain it.
  package func signed(by owner: Owner?) -> CommittedOffset {
    guard namesOwner, let owner else { return self }
    return CommittedOffset(
      partition: partition, offset: offset, metadata: "\(metadata)\t\(owner.member)\t\(owner.transactionalID)")
  }
}
