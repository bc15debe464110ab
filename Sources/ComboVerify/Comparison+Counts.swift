extension Comparison {
  /// The numbers of what was compared.
  package struct Counts: Equatable, Sendable {
    var equal = 0
    /// At the journal's end, and perhaps not written yet.
    var pending = 0
    /// Derived, but its partition of the output was read only up to a transaction that is open.
    var unread = 0
    /// Derived, but deleted from the output by its retention.
    var deleted = 0
    /// Derived, but of a time that is not to be compared.
    package var skipped = 0
    /// Epochs in which all gifts were counted and accounted for.
    var countedEpochs = 0
    /// Epochs with banners on screen or waiting.
    var openEpochs = 0
    package var gifts: Int64 = 0
    /// Gifts that waited, or were still to be counted on screen, when their room began anew.
    var leftByResets: Int64 = 0

    package init() {}

    package mutating func add(_ other: Self) {
      equal += other.equal
      pending += other.pending
      deleted += other.deleted
      skipped += other.skipped
      unread += other.unread
      countedEpochs += other.countedEpochs
      openEpochs += other.openEpochs
      gifts += other.gifts
      leftByResets += other.leftByResets
    }
  }
}
