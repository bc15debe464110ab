extension Comparison {
  /// The numbers of compared instructions and gifts.
  package struct Counts: Equatable, Sendable {
    var equal = 0
    /// Instructions that were derived at the journal's end, and may not have been written yet.
    var pending = 0
    /// Derived instructions whose partition of the output was read only up to an open transaction.
    var unread = 0
    /// Derived instructions that retention has deleted from the output.
    var deleted = 0
    /// Instructions outside the time to compare, derived or not.
    package var skipped = 0
    /// Epochs in which all gifts were counted and accounted for.
    var countedEpochs = 0
    /// Epochs with banners on screen or waiting.
    var openEpochs = 0
    /// Gifts of these epochs that no instruction has accounted for yet.
    var openGifts: Int64 = 0
    package var gifts: Int64 = 0
    /// Gifts that waited, or were still to be counted on screen, when their room began a new epoch by a reset.
    var leftByResets: Int64 = 0

    package mutating func add(_ other: Self) {
      equal += other.equal
      pending += other.pending
      deleted += other.deleted
      skipped += other.skipped
      unread += other.unread
      countedEpochs += other.countedEpochs
      openEpochs += other.openEpochs
      openGifts += other.openGifts
      gifts += other.gifts
      leftByResets += other.leftByResets
    }
  }
}
