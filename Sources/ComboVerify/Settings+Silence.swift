internal import ComboCore
internal import ComboWire

extension Settings {
  /// The maximum time, in milliseconds, for which a room without its own settings may be awake without an instruction or an
  /// event: the life of its last banner, and its rest.
  var silenceMax: Int64 {
    // A paused room may wait forever.
    if slots == 0 { return .max }
    let linger = tiers.reduce(max(lingerMs, busyLingerMs)) { max($0, $1.lingerMs, $1.busyLingerMs) }
    // A gift's own streak_ms keeps a room awake.
    return Int64(max(rest, Int(EventDecoder.longestStreakMs)) + enterMs + countMs + linger + exitMs)
  }
}
