package import ComboSystem
package import ComboWire

/// A partition as its last owner left it.
package struct RestoredPartition {
  package let partition: Partition
  package let records: RoomRecords
  /// The output of its last entries that may be missing.
  package let unsaid: HeldBack
  /// The state of its journal before the offset `journalEnd`.
  package let terms: JournalTerms
  package let journalEnd: Int64
  /// The reset, if it could not be restored as it was.
  package let reset: JournalEntry.Reset?
  /// Records of the input that were deleted before they were read.
  package var neverTaken: Int64 = 0
  /// The derivation of its last owner; nil if it is new, or that is not known.
  package let derivation: Derivation?
  package let summary: LogMessage
}
