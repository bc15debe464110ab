internal import ComboCore
internal import ComboRooms
internal import ComboWire

/// Whether a room's state is known where the derivation has come to.
///
/// Where it is not, it becomes known by a rest: once it was silent for longer than it can have stayed awake, its next gift finds a new engine.
struct RoomStanding {
  private(set) var isKnown = false
  /// Up to this entry the room's snapshot holds: nothing before is derived.
  private(set) var silentUpTo: Int64 = -1
  /// When something of it was seen last, all shifts taken off.
  private var lastSeen = Int64.min
  /// It may have settings of its own, with which it does not rest.
  private var mayHaveOwn = false

  init() {}

  init(_ start: DerivationStart) {
    isKnown = start.isKnown
    silentUpTo = start.silent.keys.max() ?? -1
    lastSeen = start.partition.clock - start.partition.shifted
  }

  /// An event of the room comes.
  /// - Returns: whether the room can take it in.
  mutating func admits(_ kind: Event.Kind, _ own: OwnSettings?, at now: Int64, shifted: Int64, _ settings: Settings) -> Bool {
    if isKnown { return true }
    // Whether it begins to have settings of its own or not: what it had before does not matter then.
    let mayWake = kind == .roomSettings || kind == .gift && !mayHaveOwn
    let silence = settings.silenceMax
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
