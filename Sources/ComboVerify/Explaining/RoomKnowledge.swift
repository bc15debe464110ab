internal import ComboCore
internal import ComboRooms
internal import ComboWire

/// Whether a room's state is known at the position of the derivation.
///
/// An unknown room becomes known by a rest: after it has been silent for longer than it can stay awake, its next gift creates a
/// new engine.
struct RoomKnowledge {
  private(set) var isKnown = false
  /// The entry that the room's snapshot covers. Nothing before it is derived.
  private(set) var silentUpTo: Int64 = -1
  /// The time of the room's last event, or of the start, without shifts.
  private var lastSeen = Int64.min
  /// Whether it may have its own settings, with which it does not rest.
  private var mayHaveOwn = false

  init() {}

  init(_ start: DerivationStart) {
    isKnown = start.isKnown
    silentUpTo = start.silent.keys.max() ?? -1
    lastSeen = start.partition.clock - start.partition.shifted
  }

  /// Registers an event of the room.
  /// - Returns: Whether the room can process the event.
  mutating func admits(_ kind: Event.Kind, _ own: OwnSettings?, at now: Int64, shifted: Int64, _ settings: Settings) -> Bool {
    if isKnown { return true }
    // New settings replace the previous ones, whatever those were.
    let mayWake = kind == .roomSettings || kind == .gift && !mayHaveOwn
    let silence = settings.eventSilenceMax
    if mayWake, silence < .max, now - shifted - lastSeen > silence {
      isKnown = true
      return true
    }
    if kind == .roomClosed { mayHaveOwn = false }
    if let own { mayHaveOwn = !own.isEmpty }
    lastSeen = now - shifted
    return false
  }
}
