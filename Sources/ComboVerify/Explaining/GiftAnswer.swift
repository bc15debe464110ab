internal import ComboCore
package import ComboWire

/// What became of a gift that was asked for, and where it stands in the input.
package struct ExplainedGift: Equatable, Sendable {
  package var fate: GiftFate
  package var partition: Int32
  package var offset: Int64
  /// How many banners were to come out of the queue before its own when it had been taken in; nil: its own did not wait.
  package var waitingBefore: Int?
  /// What its gifts are worth together.
  package var worth = 0.0
  /// Of a duplicate: where the gift stands whose id is remembered; nil: before what was derived.
  package var firstOffset: Int64?
  /// For how much of its wait no service ran its room, in milliseconds: in an outage, or while the partition was restored.
  package var awayMs: Int64 = 0
  /// Of one that still waits: whether its room has no slots, so that nothing is shown.
  package var isPaused = false
  /// When it was sent, in milliseconds since the Unix epoch; nil: not known.
  package var sentAt: Int64?
  /// nil: `redrive` did not send it.
  package var redriven: Redriven?
}

/// What became of a record before `redrive` sent it to where it is.
package struct Redriven: Equatable, Sendable {
  /// The header by which `redrive` counts the rounds of a record.
  package static let header = "combo.redriven"
  /// The header of a receipt in the dead-letter topic: the places that were sent back in its transaction, with commas between.
  package static let receipt = "combo.redrive.receipt"

  /// How often it was sent back.
  package var rounds: Int
  /// The dead letters that it was, the oldest first, as far as they were read.
  package var letters: [Letter] = []

  /// A record of the input that became a dead letter.
  package struct Letter: Equatable, Sendable {
    package var offset: Int64
    /// The record's time, in milliseconds since the Unix epoch.
    package var time: Int64?
    package var reason: String
  }
}

/// Names a gift by its ids. Owns their texts.
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

  /// Of a gift whose bytes are borrowed.
  init(_ gift: Gift) {
    id = Array(gift.id)
    sender = Array(gift.senderID)
    receiver = Array(gift.receiverID)
    self.gift = Array(gift.giftID)
  }
}

/// A record that is, or may be, the gift asked for, of which no engine was told; or a gift that is nearly the one asked for.
package struct GiftMiss: Equatable, Sendable {
  /// Why.
  package enum Kind: String, Sendable {
    /// It is a bad event.
    case deadLetter = "dead_letter"
    /// The map drops it.
    case dropped
    /// The gift is of another room.
    case otherRoom = "other_room"
    /// The group has not committed it yet.
    case notCommitted = "not_committed"
    /// It was taken in, but what its room was like then is not known.
    case beforeJournal = "before_journal"
    /// An operator had it skipped.
    case passedOver = "passed_over"
    /// The group began to read behind it.
    case beforeGroup = "before_group"
    /// Its producer's transaction was aborted.
    case aborted
    /// A gift of the room, but of another sender, of another kind, or of another time than asked for.
    case otherSender = "other_sender"
    case otherGift = "other_gift"
    case otherTime = "other_time"
  }

  package var kind: Kind
  package var partition: Int32
  package var offset: Int64
  /// When it was taken in, else its own time, in milliseconds since the Unix epoch.
  package var time: Int64?
  /// What else there is to say: the reason of a dead letter, the map's rule, the other room.
  package var detail = ""
  /// nil: the record could not be read.
  package var name: GiftName?
  /// Whether it only may be what is asked for: the record cannot be read, but has these texts among its values.
  package var isGuess: Bool
  /// nil: `redrive` did not send it.
  package var redriven: Redriven?

  package init(
    kind: Kind, partition: Int32, offset: Int64, time: Int64? = nil, detail: String = "", name: GiftName? = nil,
    isGuess: Bool = false, redriven: Redriven? = nil
  ) {
    self.kind = kind
    self.partition = partition
    self.offset = offset
    self.time = time
    self.detail = detail
    self.name = name
    self.isGuess = isGuess
    self.redriven = redriven
  }
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

/// What was read to answer a question.
package struct ExplainedPartition: Equatable, Sendable {
  package var number: Int32
  /// Whether any event of the room was in it.
  package var hasRoom = false
  /// The offsets of the input that can be read, and the one behind them: but for the records of open transactions.
  package var from: Int64 = 0
  package var end: Int64 = 0
  /// Whether a transaction of a producer was open there.
  package var isHeldUp = false
  /// Up to this offset they were read.
  package var seenTo: Int64 = 0
  /// Up to this time and this entry the group has come, as far as it was looked at; nil: there is no entry.
  package var clock: Int64?
  package var entry: Int64 = 0
  /// From this time on the room was known; nil: it never was.
  package var knownSince: Int64?
  package var records = 0
  /// What could not be read or derived, in sentences.
  package var faults: [String] = []
}
