internal import ComboCore
internal import ComboWire

extension Settings {
  /// The longest that a room without settings of its own may be awake without a word or an event, in milliseconds: its last banner's
  /// life, and its rest.
  var silenceMax: Int64 {
    // One that is paused may wait without end.
    if slots == 0 { return .max }
    let linger = tiers.reduce(max(lingerMs, busyLingerMs)) { max($0, $1.lingerMs, $1.busyLingerMs) }
    // A gift's own streak_ms holds a room awake.
    return Int64(max(rest, Int(EventDecoder.longestStreakMs)) + enterMs + countMs + linger + exitMs)
  }
}
