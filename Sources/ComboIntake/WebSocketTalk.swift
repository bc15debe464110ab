internal import CWebSocket
internal import ComboSystem
internal import ComboWire

/// Classifies and creates messages other than records.
enum WebSocketTalk {
  enum Kind: Equatable {
    case record
    /// A response to a request, or a keep-alive.
    case nothing
    /// - Parameter challenge: The challenge, or nil if no password is required.
    case streamerBotHello(Challenge?)
    case streamerBotLogin(isDone: Bool)
    case socketIO
  }

  /// The challenge whose response proves that a client knows the password.
  struct Challenge: Equatable {
    var salt: String
    var challenge: String

    /// Computes the response, or returns nil if that fails.
    func answer(_ password: String) -> String? {
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 45) { text in
        cws_answer(password, salt, challenge, text.baseAddress) == 0 ? nil : String(cString: text.baseAddress!)
      }
    }
  }

  static func kind(of bytes: UnsafeRawBufferPointer) -> Kind {
    guard let first = bytes.first(where: { $0 != 0x20 && !(0x09...0x0d).contains($0) }) else { return .nothing }
    if first == UInt8(ascii: "0"), contains(bytes, #"0{"sid":"#, within: 16) { return .socketIO }
    if first == UInt8(ascii: "{") {
      if contains(bytes, #""request":"Hello""#, within: 200) || contains(bytes, #""request": "Hello""#, within: 200) {
        guard contains(bytes, #""authentication""#, within: bytes.count) else { return .streamerBotHello(nil) }
        return .streamerBotHello(
          Challenge(salt: text("salt", in: bytes) ?? "", challenge: text("challenge", in: bytes) ?? ""))
      }
      if contains(bytes, #""\#(loginID)""#, within: bytes.count), let status = text("status", in: bytes) {
        return .streamerBotLogin(isDone: status == "ok")
      }
      if contains(bytes, #""id":"\#(id)""#, within: bytes.count), contains(bytes, #""status""#, within: bytes.count) {
        return .nothing
      }
    }
    return .record
  }

  private static func contains(_ bytes: UnsafeRawBufferPointer, _ text: String, within: Int) -> Bool {
    ByteSearch.find(Array(text.utf8), in: UnsafeRawBufferPointer(rebasing: bytes.prefix(within))) != nil
  }

  /// The text of the first member with this name, at any depth, or nil if there is none.
  private static func text(_ name: String, in bytes: UnsafeRawBufferPointer) -> String? {
    guard var place = ByteSearch.find(Array("\"\(name)\"".utf8), in: bytes) else { return nil }
    place += name.utf8.count + 2
    while place < bytes.count, [0x20, 0x09, 0x0a, 0x0d, 0x3a].contains(bytes[place]) { place += 1 }
    guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return nil }
    var end = place + 1
    while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
    guard end < bytes.count else { return nil }
    return JSONValue(UnsafeRawBufferPointer(rebasing: bytes[place...end]))?.string
  }

  private static let id = "combo-consumer"
  private static let loginID = "combo-consumer-login"

  /// - Parameter answer: The response to the challenge, in base64.
  static func login(_ answer: String) -> String {
    #"{"request":"Authenticate","id":"\#(loginID)","authentication":"\#(answer)"}"#
  }

  /// The subscription that Streamer.bot needs before it sends anything.
  static let subscribe =
    #"{"request":"Subscribe","id":"combo-consumer","events":{"#
    + #""Twitch":["Cheer","Sub","ReSub","GiftSub","GiftBomb"],"#
    + #""YouTube":["SuperChat","SuperSticker","NewSponsor","MembershipGift","GiftMembershipReceived"],"#
    + #""Kick":["Subscription","Resubscription","GiftSubscription","MassGiftSubscription"]}}"#
}
