/// Why a service takes partitions over. Commands that move a group only take over: they read no records.
package enum Purpose: Equatable, Sendable {
  /// To take records in.
  case service
  /// Only to bring partitions back whose time lies ahead of the clock, which resets them.
  case bringClocksBack
  /// Only to continue at these offsets of the input, by partition. A partition that stands there already, or behind, stays.
  case seek([Int32: Int64])

  /// The offset at which a partition is to continue; nil: where it stands.
  package func target(of partition: Int32) -> Int64? {
    if case .seek(let targets) = self { targets[partition] } else { nil }
  }
}
