/// The purpose for which a service takes partitions over. Commands that move a group only take over: they read no records.
package enum Purpose: Equatable, Sendable {
  /// Consuming records.
  case service
  /// Only bringing back partitions whose time is ahead of the clock, which resets them.
  case bringClocksBack
  /// Only continuing at these offsets of the input, by partition. A partition that is already at its offset, or past it, stays.
  case seek([Int32: Int64])

  /// Returns the offset at which a partition is to continue; nil if it keeps its position.
  package func target(of partition: Int32) -> Int64? {
    if case .seek(let targets) = self { targets[partition] } else { nil }
  }
}
