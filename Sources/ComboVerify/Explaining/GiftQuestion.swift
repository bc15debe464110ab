internal import ComboCore
internal import ComboEdge
internal import ComboWire
internal import Glibc

/// A question about gifts of a room.
package struct GiftQuestion: Equatable, Sendable {
  package var room: [UInt8]
  /// The ids to match byte by byte, or nil for any.
  package var sender: [UInt8]?
  package var gift: [UInt8]?
  package var id: [UInt8]?
  /// The earliest time of the gifts, and the time that they must precede, in milliseconds since the Unix epoch. A gift's time is
  /// that of its processing, or its own time.
  package var since = Int64.min
  package var until = Int64.max
  /// The partition of the input, or nil to find it by the room.
  package var partition: Int32?

  package init(room: [UInt8]) { self.room = room }

  /// Whether it requests particular gifts, and not all gifts of the room in a span of time.
  package var namesGift: Bool { sender != nil || gift != nil || id != nil }
  /// Whether a gift of another room may be meant.
  var mayBeElsewhere: Bool { id != nil || sender != nil }
  /// Whether it requests gifts of a span of time.
  package var namesTime: Bool { since > .min || until < .max }

  /// Whether a gift has the requested ids, whatever its room and time.
  func fits(_ other: Gift) -> Bool {
    unsafe (id?.elementsEqual(other.id) ?? true) && (sender?.elementsEqual(other.senderID) ?? true)
      && (gift?.elementsEqual(other.giftID) ?? true)
  }

  /// Returns the room as records name it, without the service's prefix. It is unchanged if `derivation` is nil.
  func roomInRecords(_ derivation: Derivation?) -> [UInt8] { derivation.map { Array($0.limits.withoutPrefix(room)) } ?? room }

  func isAbout(_ room: Bytes) -> Bool {
    guard room.count == self.room.count, let start = room.baseAddress else { return false }
    return unsafe memcmp(start, self.room, room.count) == 0
  }

  func holds(_ time: Int64?) -> Bool { time.map { since <= $0 && $0 < until } ?? false }

  /// Whether an event is a requested gift, whatever its room.
  /// - Parameter now: The time at which it was processed, or nil if it was not.
  func isAsked(_ event: Event, _ record: InputRecord, at now: Int64?) -> Bool {
    event.kind == .gift && fits(event.gift) && isInTime(event, record, at: now)
  }

  /// Whether an event is in the requested span, by the time of its processing or by its own time.
  func isInTime(_ event: Event, _ record: InputRecord, at now: Int64?) -> Bool {
    !namesTime || holds(now) || holds(event.time(in: record))
  }
}

extension Event {
  /// Returns its own time or, if it has none, that of its record.
  func time(in record: InputRecord) -> Int64? { ts >= 0 ? ts : record.time?.ms }
}
