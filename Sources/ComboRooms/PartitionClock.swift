package import ComboSystem

/// A partition's own time. It never falls: while the wall clock is behind, it follows the monotonic one.
package struct PartitionClock {
  /// The latest time.
  package private(set) var last: Int64
  private var monotonic: Int64
  /// Whether the rooms have not come to the present yet. Meanwhile the clock is at the time that they have come to.
  package private(set) var isBehind = false

  /// A clock that shows `start` now.
  package init(_ start: Int64, _ time: any TimeSource) {
    last = start
    monotonic = time.monotonicMs()
  }

  /// The current time.
  package func time(wall: Int64, monotonic now: Int64) -> Int64 { wall >= last ? wall : last + max(0, now - monotonic) }

  /// The time for new input; it never falls.
  package mutating func now(wall: Int64, monotonic now: Int64) -> Int64 {
    if isBehind { return last }
    last = time(wall: wall, monotonic: now)
    monotonic = max(monotonic, now)
    return last
  }

  /// By how much it is ahead of the wall clock.
  package func lead(over wall: Int64) -> Int64 { last - wall }

  /// The time for the next entry: the rooms are advanced to it.
  package mutating func target(wall: Int64, monotonic: Int64) -> Int64 {
    isBehind ? time(wall: wall, monotonic: monotonic) : now(wall: wall, monotonic: monotonic)
  }

  /// An entry was to come to `target`, and came to `time`.
  package mutating func came(to time: Int64, of target: Int64) {
    isBehind = time < target
    last = time
  }
}
