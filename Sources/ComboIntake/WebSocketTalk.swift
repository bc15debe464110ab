internal import CWebSocket

/// Classifies and creates messages other than records.
enum WebSocketTalk {
  enum Kind: Equatable {
    case record
    /// A response to a request, or a keep-alive.
    case nothing
    /// - Parameter challenge: The challenge; nil if no password is required.
    case streamerBotHello(Challenge?)
    case streamerBotLogin(isDone: Bool)
    case socketIO
  }

  /// The proof that a client knows the password.
  struct Challenge: Equatable {
    var salt: String
    var challenge: String

    /// Computes the response; nil if that fails.
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
    place(of: text, in: bytes, from: 0, to: min(bytes.count, within)) != nil
  }

  private static func place(of text: String, in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
    let wanted = Array(text.utf8)
    let last = end - wanted.count
    if last < start { return nil }
    return (start...last).first { place in
      bytes[place] == wanted[0] && bytes[place..<place + wanted.count].elementsEqual(wanted)
    }
  }

  /// The text of the first member with this name, at any depth; nil if there is none.
  private static func text(_ name: String, in bytes: UnsafeRawBufferPointer) -> String? {
    guard var place = place(of: "\"\(name)\"", in: bytes, from: 0, to: bytes.count) else { return nil }
    place += name.utf8.count + 2
    while place < bytes.count, [0x20, 0x09, 0x0a, 0x0d, 0x3a].contains(bytes[place]) { place += 1 }
    guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return nil }
    place += 1
    var text: [UInt8] = []
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
      case UInt8(ascii: "\\") where place + 5 < bytes.count && bytes[place + 1] == UInt8(ascii: "u"):
        // Some servers write `+` in base64 in this form.
        let digits = String(decoding: bytes[place + 2..<place + 6], as: UTF8.self)
        guard let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) else { return nil }
        text += Array(String(Character(scalar)).utf8)
        place += 6
      case UInt8(ascii: "\\") where place + 1 < bytes.count:
        text.append(bytes[place + 1])
        place += 2
      default:
        text.append(bytes[place])
        place += 1
      }
    }
    return nil
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
