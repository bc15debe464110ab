internal import ComboCore
internal import ComboWire
internal import Glibc

/// Which gifts of a room somebody asks about.
package struct GiftQuestion: Equatable, Sendable {
  package var room: [UInt8]
  /// Ids, byte by byte; nil: any.
  package var sender: [UInt8]?
  package var gift: [UInt8]?
  package var id: [UInt8]?
  /// Gifts of this time or later, and before the other one, in milliseconds since the Unix epoch: by when they were taken in, or by
  /// their own time.
  package var since = Int64.min
  package var until = Int64.max
  /// The partition of the input; nil: it is found by the room.
  package var partition: Int32?

  package init(room: [UInt8]) { self.room = room }

  /// Whether it asks for more than all gifts of the room in a time.
  package var namesGift: Bool { sender != nil || gift != nil || id != nil }
  /// Whether a gift of another room may be what is looked for.
  var mayBeElsewhere: Bool { id != nil || sender != nil }
  /// Whether it asks for gifts of a time.
  package var namesTime: Bool { since > .min || until < .max }

  /// Whether a gift is one of those, whatever its room and its time.
  func fits(_ other: Gift) -> Bool {
    (id?.elementsEqual(other.id) ?? true) && (sender?.elementsEqual(other.senderID) ?? true)
      && (gift?.elementsEqual(other.giftID) ?? true)
  }

  func isAbout(_ room: Bytes) -> Bool {
    guard room.count == self.room.count, let start = room.baseAddress else { return false }
    return memcmp(start, self.room, room.count) == 0
  }

  func holds(_ time: Int64?) -> Bool { time.map { since <= $0 && $0 < until } ?? false }

  /// Whether an event is a gift that is asked for, whatever its room.
  /// - Parameters:
  ///   - now: when it was taken in; nil: it was not.
  ///   - recordTime: its record's time.
  func isAsked(_ event: Event, at now: Int64?, recordTime: Int64?) -> Bool {
    event.kind == .gift && fits(event.gift) && isInTime(event, at: now, recordTime: recordTime)
  }

  /// Whether an event is of the time that is asked for, by when it was taken in or by its own time.
  func isInTime(_ event: Event, at now: Int64?, recordTime: Int64?) -> Bool {
    !namesTime || holds(now) || holds(event.ts >= 0 ? event.ts : recordTime)
  }
}
