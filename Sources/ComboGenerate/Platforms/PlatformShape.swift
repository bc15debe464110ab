internal import ComboSystem

/// A platform's format of gifts, for `generate --as`. Each platform has its own file; ``all`` lists them.
package struct PlatformShape: Sendable {
  /// The name, for `--as` and of the built-in map.
  package let name: String
  /// The numbers of gifts that a tap may have.
  var batches = [1]
  /// Whether a record that is sent again has another id.
  var isRenumbered = false
  /// The sender's id, as the map reads it.
  var senderID: @Sendable (PlatformGift) -> String = { String($0.senderNumber) }
  /// The id of a kind of gift, as the map reads it.
  var giftID: @Sendable (PlatformGift) -> String = { String($0.giftNumber) }
  /// The record before the taps of a streak of several, if the platform has one.
  var opening: (@Sendable (PlatformGift) -> String)?
  /// The record of a tap.
  let tap: @Sendable (PlatformGift) -> String
  /// Returns the record that marks a streak's end, or nil for a streak without one, or nil if the platform has none.
  var closing: (@Sendable (PlatformGift) -> String?)?

  package static let all: [PlatformShape] = [
    .tiktok, .douyin, .bilibili, .bilibiliOpen, .douyu, .huya, .kuaishou, .acfun, .twitch, .youtube, .kick, .streamElements,
    .streamlabs, .chzzk, .soop, .trovo, .rumble, .niconico,
  ]
}

/// The properties of one record.
package struct PlatformGift: Sendable {
  /// The number of the room, from 0; likewise `sender` and `present`.
  package var room: Int
  package var sender: Int
  var present: Int
  /// Gifts per tap.
  package var batch: Int
  /// The number of taps so far, including this one; in an opening or closing record, that of all.
  var hits: Int
  /// The number of taps of the whole streak.
  var taps: Int
  /// The unique number of the streak.
  package var streak: Int
  /// The time of sending, in milliseconds.
  package var ts: Int64
  /// The time at which its streak began.
  package var began: Int64
  /// The unique number of the record.
  package var number: Int

  /// The time of sending as a text.
  var time: String { Timestamp.text(ts) }
  var roomNumber: Int { 1_000_000 + room }
  var senderNumber: Int { 100_000_000 + room * 1_000_000 + sender }
  var hostNumber: Int { 50_000_000 + room }
  var giftNumber: Int { 5000 + present }
  /// The number has as many digits as ids of real messages: more than a double holds.
  var messageNumber: Int { 7_100_000_000_000_000_000 + number * 1000 + 7 }
  var senderName: String { GiftWords.viewers[sender % GiftWords.viewers.count] }
  package var hostName: String { GiftWords.hosts[room % GiftWords.hosts.count] }
  var giftName: String { GiftWords.presents[present % GiftWords.presents.count].name }
  package var value: Int { GiftWords.presents[present % GiftWords.presents.count].value }
  /// Expensive gifts are sent one by one.
  var isStreaking: Bool { value < 500 }
  /// The number of gifts so far.
  package var total: Int { batch * hits }
}
