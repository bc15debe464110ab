package import ComboCore

/// The knowledge about one room while its partition is derived again: how far the output agrees, what a client has drawn, how
/// many gifts it was given.
package final class RoomProof {
  package let name: [UInt8]
  package let key: RoomKey
  /// Its part of the output; nil: none.
  package let output: OutputIndex.Room?

  /// Whether its state is known, so that what is derived must be in the output.
  package var isKnown: Bool
  /// Its state is known but for settings of its own, which it may have had before the derivation began.
  var mayHaveOwn = false
  /// Its settings are known again, but what it did under those that are not may still show, until its next epoch.
  var isSettling = false
  /// The differences meanwhile.
  package var doubts = Findings()
  /// The places of the claims made meanwhile.
  var doubtedClaims: [Int] = []
  /// The last time at which it may have done anything, by the partition's clock and by all shifts until then.
  var lastSeen: (clock: Int64, shifted: Int64)

  /// The epoch of its instructions; nil: there are none yet.
  package var epoch: Int64?
  var outputEpoch: OutputIndex.Epoch?
  /// The partitions of the output in which something of it was found, in that order.
  var foundIn: [Int32] = []
  /// The partitions in which it may be, once they were needed.
  package var places: [Int]?
  /// Its place among the claims; nil: none in this epoch yet.
  var claim: Int?
  package var client = ScreenClient(isWhole: false)
  var recount = Recount()
  /// The count is that of the whole epoch.
  package var isWhole = false
  /// The epoch was checked, and is not counted any more.
  var isSettled = false

  /// The room's own settings.
  package var own = OwnSettings()
  /// The limits of its memory, and the service's settings from which they were computed.
  package var limits: Recount.Limits?
  package var slots = 0
  /// Whether `finals` was on in the whole epoch.
  var tellsFinals = true
  var settingsSerial = -1
  /// As many banners were on screen when one was shown.
  var peak = 0

  package init(
    _ name: [UInt8], _ key: RoomKey, output: OutputIndex.Room?, isKnown: Bool, lastSeen: (clock: Int64, shifted: Int64)
  ) {
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
  /// Later instructions would have been derived too. Not if the room was lost, or had unknown settings.
  var isEndKnown = true
}
