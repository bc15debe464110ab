internal import ComboCore
internal import ComboWire

extension Settings {
  /// The maximum time, in milliseconds, for which a room without its own settings may be awake without an instruction or an
  /// event: the life of its last banner, and its rest.
  var silenceMax: Int64 {
    // A paused room may wait forever.
    if slots == 0 { return .max }
    // A gift's own streak_ms keeps a room awake.
    return Int64(max(rest, Int(EventDecoder.longestStreakMs)) + bannerMs)
  }

  /// The maximum time for which it may be awake without an event, whatever its banners do. They may wait for one another.
  var eventSilenceMax: Int64 {
    silenceMax == .max ? .max : silenceMax + Int64((maxQueue + slots) * (bannerMs + countMs) + skipMs)
  }

  /// The maximum time from an instruction about a banner to its end, if no other one and no gift comes.
  private var bannerMs: Int {
    let linger = tiers.reduce(max(lingerMs, busyLingerMs, maxLingerMs)) { max($0, $1.lingerMs, $1.busyLingerMs) }
    return enterMs + countMs + linger + exitMs
  }
}
