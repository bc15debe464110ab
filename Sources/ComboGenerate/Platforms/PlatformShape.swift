/// A platform's format of gifts, which `generate --as` writes. One file a platform; ``all`` lists them.
package struct PlatformShape: Sendable {
  /// The name for `--as` and of the built-in map.
  package let name: String
  /// The number of gifts that one tap may have.
  let batches: [Int]
  /// The sender's id, as the map reads it.
  let senderID: @Sendable (PlatformGift) -> String
  /// The id of a kind of gift, as the map reads it.
  let giftID: @Sendable (PlatformGift) -> String
  /// The record before the taps of a streak of several, if the platform has one.
  let opening: (@Sendable (PlatformGift) -> String)?
  /// The record of a tap.
  let tap: @Sendable (PlatformGift) -> String
  /// The record that marks a streak's end, if the platform has one; nil for a streak without.
  let closing: (@Sendable (PlatformGift) -> String?)?
  /// Whether a record that is sent again comes under another id.
  let isRenumbered: Bool

  package init(
    _ name: String, batches: [Int] = [1], isRenumbered: Bool = false,
    senderID: @escaping @Sendable (PlatformGift) -> String = { String($0.senderNumber) },
    giftID: @escaping @Sendable (PlatformGift) -> String = { String($0.giftNumber) },
    opening: (@Sendable (PlatformGift) -> String)? = nil, tap: @escaping @Sendable (PlatformGift) -> String,
    closing: (@Sendable (PlatformGift) -> String?)? = nil
  ) {
    self.name = name
    self.batches = batches
    self.senderID = senderID
    self.giftID = giftID
    self.opening = opening
    self.tap = tap
    self.closing = closing
    self.isRenumbered = isRenumbered
  }

  package static let all: [PlatformShape] = [
    .tiktok, .douyin, .bilibili, .bilibiliOpen, .douyu, .huya, .kuaishou, .acfun, .twitch, .youtube, .kick, .streamElements,
    .streamlabs, .chzzk, .soop, .trovo, .rumble, .niconico,
  ]
}

/// The facts of one record.
package struct PlatformGift: Sendable {
  /// From 0 on; so are `sender` and `present`.
  package var room: Int
  package var sender: Int
  var present: Int
  /// Gifts a tap.
  package var batch: Int
  /// Taps so far, this one included; in an opening and a closing record, all of them.
  var hits: Int
  /// Taps of the whole streak.
  var taps: Int
  /// Unlike that of any other streak.
  package var streak: Int
  /// When it was sent, in milliseconds.
  package var ts: Int64
  /// When its streak began.
  package var began: Int64
  /// Unlike that of any other record.
  package var number: Int

  package init(
    room: Int, sender: Int, present: Int, batch: Int, hits: Int, taps: Int, streak: Int, ts: Int64, began: Int64, number: Int
  ) {
    self.room = room
    self.sender = sender
    self.present = present
    self.batch = batch
    self.hits = hits
    self.taps = taps
    self.streak = streak
    self.ts = ts
    self.began = began
    self.number = number
  }

  var roomNumber: Int { 1_000_000 + room }
  var senderNumber: Int { 100_000_000 + room * 1_000_000 + sender }
  var hostNumber: Int { 50_000_000 + room }
  var giftNumber: Int { 5000 + present }
  /// As long as the ids of real messages: more digits than a double holds.
  var messageNumber: Int { 7_100_000_000_000_000_000 + number * 1000 + 7 }
  var senderName: String { GiftWords.viewers[sender % GiftWords.viewers.count] }
  package var hostName: String { GiftWords.hosts[room % GiftWords.hosts.count] }
  var giftName: String { GiftWords.presents[present % GiftWords.presents.count].name }
  package var value: Int { GiftWords.presents[present % GiftWords.presents.count].value }
  /// Expensive gifts are sent one by one.
  var isStreaking: Bool { value < 500 }
  /// Gifts so far.
  package var total: Int { batch * hits }
}
