package import ComboCore

/// The state of one room while its partition is derived again: the output that agrees, the drawing of a client, and the number of
/// the room's gifts.
package final class RoomProof {
  package let name: [UInt8]
  package let key: RoomKey
  /// The room's part of the output, or nil if there is none.
  package let output: OutputIndex.Room?

  /// Whether its state is known, so that what is derived must be in the output.
  package var isKnown: Bool
  /// Whether its state is known except for its own settings, which it may have had before the derivation began.
  var mayHaveOwn = false
  /// Whether its settings are known again, but effects of the unknown ones may still show until its next epoch.
  var isSettling = false
  /// The differences found while ``mayHaveOwn`` is set.
  package var doubts = Findings()
  /// The indices of the claims made while ``mayHaveOwn`` is set.
  var doubtedClaims: [Int] = []
  /// The last time at which it may have been active, by the partition's clock, and all shifts up to then.
  var lastSeen: (clock: Int64, shifted: Int64)

  /// The epoch of its instructions, or nil if there are none yet.
  package var epoch: Int64?
  var outputEpoch: OutputIndex.Epoch?
  /// The partitions of the output in which its instructions were found, in that order.
  var foundIn: [Int32] = []
  /// The partitions in which it may be, computed when they are first needed.
  package var places: [Int]?
  /// The index of its current claim, or nil if there is none in this epoch yet.
  var claim: Int?
  package var client = ScreenClient(isWhole: false)
  var recount = Recount()
  /// Whether the count covers the whole epoch.
  package var isWhole = false
  /// Whether the epoch was checked, and is no longer counted.
  var isSettled = false

  /// The room's own settings.
  package var own = OwnSettings()
  /// The limits of its memory. `settingsSerial` identifies the service's settings from which they were computed.
  package var limits: Recount.Limits?
  package var slots = 0
  /// Whether `finals` was on in the whole epoch.
  var emitsFinals = true
  var settingsSerial = -1
  /// The maximum number of banners on screen when one was shown, since the last check.
  var peak = 0

  init(_ name: [UInt8], _ key: RoomKey, output: OutputIndex.Room?, isKnown: Bool, lastSeen: (clock: Int64, shifted: Int64)) {
    self.name = name
    self.key = key
    self.output = output
    self.isKnown = isKnown
    self.lastSeen = lastSeen
  }

  package var text: String { String(decoding: name, as: UTF8.self) }
}

/// A run of an epoch's records that were derived, from one partition of the input.
struct Claim {
  let epoch: OutputIndex.Epoch
  let partition: Int32
  let from: Int
  var upTo: Int
  /// Whether later instructions would have been derived, too: false if the room was lost, or had unknown settings.
  var isEndKnown = true
}
