/// A platform's format of gifts, for `generate --as`. Each platform has its own file; ``all`` lists them.
package struct PlatformShape: Sendable {
  /// The name, for `--as` and of the built-in map.
  package let name: String
  /// The numbers of gifts that a tap may have.
  let batches: [Int]
  /// The sender's id, as the map reads it.
  let senderID: @Sendable (PlatformGift) -> String
  /// The id of a kind of gift, as the map reads it.
  let giftID: @Sendable (PlatformGift) -> String
  /// The record before the taps of a streak of several, if the platform has one.
  let opening: (@Sendable (PlatformGift) -> String)?
  /// The record of a tap.
  let tap: @Sendable (PlatformGift) -> String
  /// Returns the record that marks a streak's end, or nil for a streak without one, or nil if the platform has none.
  let closing: (@Sendable (PlatformGift) -> String?)?
  /// Whether a record that is sent again has another id.
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
