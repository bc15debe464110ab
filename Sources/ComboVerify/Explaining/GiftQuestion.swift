internal import ComboCore
internal import ComboEdge
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
  var mayBeElsewhere: Bool { id != nil || sender != nil && (since > .min || until < .max) }

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

  /// Whether a record that is no gift names all that is asked for: anywhere in its bytes, since nobody can tell its fields.
  func isNamed(in record: InputRecord) -> Bool {
    guard let value = record.value else { return false }
    let isOfRoom = record.key.map { room.elementsEqual($0) } ?? false
    return (isOfRoom || Self.find(room, in: value))
      && [sender, gift, id].allSatisfy { $0.map { Self.find($0, in: value) } ?? true }
  }

  private static func find(_ text: [UInt8], in value: Bytes) -> Bool {
    guard let first = text.first, var place = value.baseAddress else { return text.isEmpty }
    let end = place + value.count
    while end - place >= text.count, let found = memchr(place, Int32(first), end - place - text.count + 1) {
      if memcmp(found, text, text.count) == 0 { return true }
      place = UnsafeRawPointer(found) + 1
    }
    return false
  }
}
