package import ComboSystem

/// A partition's own time. It never falls: while the wall clock is behind, it follows the monotonic one.
package struct PartitionClock {
  /// The latest time.
  package private(set) var last: Int64
  private var monotonic: Int64
  /// Whether the rooms have not reached the present yet. Meanwhile the clock shows the time that they have reached.
  package private(set) var isBehind = false

  /// Creates a clock that shows `start` now.
  package init(_ start: Int64, _ time: any TimeSource) {
    last = start
    monotonic = time.monotonicMs()
  }

  package func time(wall: Int64, monotonic now: Int64) -> Int64 { wall >= last ? wall : last + max(0, now - monotonic) }

  /// Returns the time for new input. It never falls.
  package mutating func now(wall: Int64, monotonic now: Int64) -> Int64 {
    if isBehind { return last }
    last = time(wall: wall, monotonic: now)
    monotonic = max(monotonic, now)
    return last
  }

  /// Returns how far it is ahead of the wall clock, in milliseconds.
  package func lead(over wall: Int64) -> Int64 { last - wall }

  /// Returns the time for the next entry, to which the rooms are advanced.
  package mutating func target(wall: Int64, monotonic: Int64) -> Int64 {
    isBehind ? time(wall: wall, monotonic: monotonic) : now(wall: wall, monotonic: monotonic)
  }

  /// Records that an entry for `target` reached `time`.
  package mutating func came(to time: Int64, of target: Int64) {
    isBehind = time < target
    last = time
  }
}
