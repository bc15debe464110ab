internal import ComboWire

/// What fields are called, on platforms that are known and in general.
enum FieldWords {
  static let sender = [
    "user", "sender", "from", "viewer", "giver", "gifter", "fan", "donor", "member", "supporter", "author", "chatter", "customer",
    "account",
    "payer", "buyer", "audience",
  ]
  static let receiver = [
    "receiver", "receive", "touser", "target", "anchor", "host", "streamer", "broadcaster", "recipient", "giftee", "presenter",
    "ruid", "seat",
    "gifted", "dest",
  ]
  /// Whose room it is; a gift may be to somebody else in it.
  static let host = ["anchor", "host", "streamer", "broadcaster", "presenter", "owner"]
  static let gift = ["gift", "present", "prop", "item", "goods", "product", "sticker", "gf"]
  static let room = ["room", "live", "channel", "stream", "session", "chatroom", "rid", "studio"]
  static let combo = ["group", "combo", "streak", "merge", "batch"]

  /// What envelopes are called: it says nothing of what is in them.
  static let envelopes = ["message", "msg", "event", "data", "payload", "body", "raw", "content"]
  /// What is told of how a record is delivered.
  static let aside = ["subscription", "transport", "condition"]

  /// Whether a name has one of these words in it. A short word must be the whole name, or begin it.
  static func has(_ name: String, _ words: [String]) -> Bool {
    words.contains { word in
      if word == "gift", ["gifter", "gifted", "giftee"].contains(where: name.hasPrefix) { return false }
      if word == "present", name.contains("presenter") { return false }
      return name == word
        || (word.utf8.count > 4 ? name.contains(word) : name.hasPrefix(word) && !(word == "from" && name.count > 10))
    } || (words == receiver && (name == "to" || name.hasPrefix("toid") || name.hasPrefix("touid")))
  }

  /// Whether it names something: an id, or what may stand for one.
  /// - Parameter isLoose: a type, a key or a code may stand for it.
  static func isIdentity(_ name: String, isLoose: Bool = true) -> Bool {
    (["id", "uuid", "no", "idstr"] + (isLoose ? ["code", "key", "number", "type"] : [])).contains {
      name == $0 || name.hasSuffix($0)
    }
      && !["video", "paid", "grid", "android", "void", "valid"].contains { name.hasSuffix($0) }
  }

  static let personNames = [
    "nickname", "nick", "uname", "username", "senderuname", "ssendernick", "nn", "displayname", "uniqueid", "login", "name",
    "sendnick",
  ]
  static let pictures = [
    "avatar", "avatarurl", "face", "uface", "headurl", "headimg", "ic", "icon", "profilepictureurl", "profilepicture", "picture",
    "portrait",
  ]
  static let giftNames = ["giftname", "gfname", "propname", "presentname", "itemname", "goodsname", "name", "title"]
  static let giftPictures = ["giftimg", "gifticon", "icon", "picurl", "giftpic", "image", "img", "pic", "url"]
}
