package import ComboEdge
internal import ComboWire

extension InputRecord {
  /// The hash by which the journal recognizes a record.
  package var fingerprint: UInt64 { XXH3.fingerprint(key: key, value: value) }
}

extension ReadEdge {
  /// Returns the fingerprint of the input's record right before an offset; nil if it no longer exists, or if `isCancelled` ended
  /// the reading. Blocks.
  package func fingerprint(
    _ partition: Int32, before offset: Int64, unless isCancelled: () -> Bool = { false }
  ) throws(EdgeError) -> UInt64? {
    var found: UInt64?
    try read(.input, partition, from: offset - 1, to: offset, unless: isCancelled) { record in
      found = record.fingerprint
      return false
    }
    return found
  }
}
