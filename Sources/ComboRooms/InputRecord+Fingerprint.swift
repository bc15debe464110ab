internal import ComboEdge
internal import ComboWire

extension InputRecord {
  /// By what the journal knows a record again.
  package var fingerprint: UInt64 { XXH3.fingerprint(key: key, value: value) }
}
