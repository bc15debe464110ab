internal import ComboCore
package import ComboWire

/// The fate of a requested gift, and its position in the input.
package struct ExplainedGift: Equatable, Sendable {
  package var fate: GiftFate
  package var partition: Int32
  package var offset: Int64
  /// The number of banners ahead of its own in the queue when it was processed, or nil if its own did not wait.
  package var waitingBefore: Int?
  /// The total worth of its gifts.
  package var worth = 0.0
  /// The offset of the gift that it duplicates, or nil if it is no duplicate or that gift precedes the derived part.
  package var firstOffset: Int64?
  /// The part of its wait, in milliseconds, in which no service ran its room: during an outage or a restore of the partition.
  package var awayMs: Int64 = 0
  /// Whether it still waits in a room without slots, so that nothing is shown.
  package var isPaused = false
  /// The time at which it was sent, in milliseconds since the Unix epoch, or nil if unknown.
  package var sentAt: Int64?
  /// Its history if `redrive` sent it, or nil.
  package var redriven: Redriven?
}

/// The history of a record before `redrive` sent it to its present position.
package struct Redriven: Equatable, Sendable {
  /// The header in which `redrive` counts the rounds of a record.
  package static let header = "combo.redriven"
  /// The header of a receipt in the dead-letter topic: the places that its transaction sent back, separated by commas.
  package static let receipt = "combo.redrive.receipt"

  /// The number of times it was sent back.
  package var rounds: Int
  /// The dead letters that it became, oldest first, if they were read.
  package var letters: [Letter] = []

  /// A record of the input that became a dead letter.
  package struct Letter: Equatable, Sendable {
    package var offset: Int64
    /// The record's time, in milliseconds since the Unix epoch.
    package var time: Int64?
    package var reason: String
  }
}

/// The ids of a gift. Owns their texts.
package struct GiftName: Equatable, Sendable {
  package var id: [UInt8]
  package var sender: [UInt8]
  package var receiver: [UInt8]
  package var gift: [UInt8]

  init(_ fate: GiftFate) {
    id = fate.id
    sender = fate.sender
    receiver = fate.receiver
    gift = fate.gift
  }

  /// Copies the ids of a gift whose bytes are borrowed.
  init(_ gift: Gift) {
    id = unsafe Array(gift.id)
    sender = unsafe Array(gift.senderID)
    receiver = unsafe Array(gift.receiverID)
    self.gift = unsafe Array(gift.giftID)
  }
}

/// A record that is, or may be, the requested gift, but did not reach an engine; or a gift that nearly matches the request.
package struct GiftMiss: Equatable, Sendable {
  /// The reason for a miss.
  package enum Kind: String, Sendable {
    /// It is a bad event.
    case deadLetter = "dead_letter"
    /// The map drops it.
    case dropped
    /// It belongs to another room.
    case otherRoom = "other_room"
    /// The group has not committed it yet.
    case notCommitted = "not_committed"
    /// It was processed, but the state of its room at that time is unknown.
    case beforeJournal = "before_journal"
    /// An operator skipped it.
    case passedOver = "passed_over"
    /// The group began reading after it.
    case beforeGroup = "before_group"
    /// Its producer's transaction was aborted.
    case aborted
    /// It is a gift of the room, but of another sender, kind or time than requested.
    case otherSender = "other_sender"
    case otherGift = "other_gift"
    case otherTime = "other_time"
  }

  package var kind: Kind
  package var partition: Int32
  package var offset: Int64
  /// The time at which it was processed, or else its own time, in milliseconds since the Unix epoch.
  package var time: Int64?
  /// The details: the reason of a dead letter or a skip, the map's rule, or the other room.
  package var detail = ""
  /// The gift's ids, or nil if the record could not be read.
  package var name: GiftName?
  /// Whether it is only a guess: the record cannot be read, but its values contain the requested texts.
  package var isGuess = false
  /// Its history if `redrive` sent it, or nil.
  package var redriven: Redriven?
}

/// One part of an answer.
package enum Finding {
  case gift(ExplainedGift)
  case miss(GiftMiss)

  var offset: Int64 {
    switch self {
    case .gift(let gift): gift.offset
    case .miss(let miss): miss.offset
    }
  }
}

/// The part of a partition that was read to answer a question.
package struct ExplainedPartition: Equatable, Sendable {
  package var number: Int32
  /// Whether any event of the room was in it.
  package var hasRoom = false
  /// The offset from which the input was read, and its end, without records of open transactions.
  package var from: Int64 = 0
  package var end: Int64 = 0
  /// Whether a producer's transaction was open there.
  package var isHeldUp = false
  /// The offset up to which the input was read.
  package var seenTo: Int64 = 0
  /// The time of the group's last entry that was read, or nil if there is none. ``entry`` is its number.
  package var clock: Int64?
  package var entry: Int64 = 0
  /// The time from which the room was known, or nil if it never was.
  package var knownSince: Int64?
  package var records = 0
  /// The parts that could not be read or derived, as sentences.
  package var faults: [String] = []
}
