internal import ComboEdge
internal import ComboWire

extension InputRecord {
  /// The hash by which the journal recognizes a record.
  package var fingerprint: UInt64 { XXH3.fingerprint(key: key, value: value) }
}
