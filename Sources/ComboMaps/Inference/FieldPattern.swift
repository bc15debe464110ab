internal import ComboCore
internal import ComboWire
internal import Glibc

/// The names of a field of a gift, on known platforms and in general, and the form of its values.
struct FieldPattern: Sendable {
  let field: String
  /// Whole names or their ends, the most certain first.
  let names: [String]
  /// Words in its name or above it that show whose id it is.
  let words: [String]
  /// Words in its name or above it that show that it belongs to somebody or something else.
  let not: [String]
  /// Parts of names that lower the score.
  let less: [String]
  /// The minimum score.
  let least: Int
  /// The doubt that is reported if the pattern is used; empty for none.
  let doubt: String
  /// Whether a value can be one of the field.
  let fits: @Sendable (String) -> Bool

  private init(
    _ field: String, _ names: String, words: String = "", not: String = "", less: String = "", least: Int = 30,
    doubt: String = "", fits: @escaping @Sendable (String) -> Bool = Self.isID
  ) {
    (self.names, self.words, self.not, self.less) = (Self.list(names), Self.list(words), Self.list(not), Self.list(less))
    (self.field, self.least, self.doubt, self.fits) = (field, least, doubt, fits)
  }

  private static func list(_ words: String) -> [String] { words.split { $0 == " " || $0 == "\n" }.map(String.init) }

  private static let people = """
    user sender from viewer giver gifter fan donor donator member supporter author chatter customer account payer buyer audience
    advertiser
    """
  private static let hosts = "anchor host streamer broadcaster presenter"
  private static let others = "target receiver recipient giftee gifted touser tolist receive seat ruid dest toid touid \(hosts)"
  private static let gifts = "gift present prop item goods product sticker gf"
  private static let giftNames = "giftname gfname propname presentname itemname goodsname name title gift"
  private static let personNames = "nickname nick uname username sendernick nn displayname uniqueid login name sendnick"
  /// Words for numbers of a person, or of something besides the gift.
  private static let notCounts = """
    user sender viewer author medal rank fans badges super gifter cumulative lifetime fanticket msgparamsender month community
    bomb watching likecount cumlative
    """
  /// Words for the delivery of a record, and for an earlier state.
  private static let aside = ["subscription", "transport", "condition", "before", "old"]
  /// Names of envelopes, which do not describe their contents.
  private static let envelopes = ["message", "msg", "event", "data", "payload", "body", "raw", "content"]
  /// Words for receivers, the most likely first if several arrays may hold them.
  static let receivers = list(others)
  /// The most certain names of a gift's price, and of a record's own number.
  static let (prices, counts) = (all["gift.value"]![0].names.prefix(6), all["count"]![0].names.prefix(8))

  /// The patterns of each field, the most certain first. If nothing fits one, the next counts.
  static let all = Dictionary(
    grouping: [
      FieldPattern(
        "gift.id", "giftid gfid itemtype iitemtype presentid propid secgiftid", words: gifts,
        not: """
          user sender receiver room group batch type gifter giftee gifted community recipient member total subscription author
          channel viewer owner image icon picture properties monitorextra
          """, less: "send blind origin combo gifttype", least: 35),
      FieldPattern("gift.id", giftNames, not: "\(others) \(people)", doubt: "no id was found, so the name is used"),
      FieldPattern(
        "gift.id", "msgparamsubplan subplan subtier tier plan subscriptiontype level", not: "badges", least: 40,
        doubt: "nothing else names the gift, so what a subscription costs is used", fits: { isID($0) && !$0.contains(".") }),
      FieldPattern("gift.show.name", giftNames),
      FieldPattern("gift.show.avatar", "giftimg gifticon icon picurl giftpic image img pic url", fits: { _ in true }),
      FieldPattern(
        "sender.id", "uid userid openid useruuid senderuid senderid unionid principalid secopenid chatteruserid", words: people,
        not: "\(others) gift room medal master guard combo group msg message subscription session",
        less: "shortid displayid uniqueid", least: 40),
      FieldPattern(
        "sender.id", "\(personNames) \(people)", not: "\(others) \(gifts)", doubt: "no id was found, so the name is used"),
      FieldPattern(
        "receiver.id", "", words: others, not: "\(gifts) room medal sender from condition broadcaster index", least: 40),
      FieldPattern("person.show.name", personNames),
      FieldPattern(
        "person.show.avatar",
        "avatar avatarurl face uface headurl headimg ic icon profilepictureurl profilepicture picture portrait",
        fits: { _ in true }),
      FieldPattern(
        "room", "room rid channel cid roomid liveid livestreamid livechatid chatroomid broadcasteruserid broadcasterid",
        words: "room live channel stream session chatroom rid studio", not: "\(gifts) user name title type area plan source",
        less: "\(people) condition", least: 45),
      // The receiver of a gift may be somebody else in the host's room.
      FieldPattern(
        "room", "", words: "\(hosts) owner", not: "\(gifts) sender name", least: 40,
        doubt: "no room was found, so the host is used"),
      FieldPattern(
        "ts",
        """
        sendtime sendtimems ts timestamp createtime time createdat eventtime clienttimestamp publishedat tmisentts timestampusec at
        sentat createdtime date ctime msgtime
        """, not: "medal", less: "expire start birth reg update", least: 10, fits: { unit(of: $0) != nil }),
      FieldPattern(
        "id",
        """
        msgid messageid eventid tid orderid uuid payid strpayid transactionid txid uniqueno payflowid requestid serialno logid
        traceid id
        """, not: "\(people) \(others) group combo streak merge batch gift present goods product sticker session",
        less: "source recipient associated parent reply", least: 20, fits: { isID($0) && GiftMark.words(in: $0).isEmpty }),
      FieldPattern(
        "gift.value",
        """
        diamondcount diamondcost diamonds giftprice unitprice price value jewelsamount coinspergift coins coin cost worth pc
        amountmicros amount
        """, not: "total sum discount remain balance original donovalue level \(people)", less: "combo blind", least: 25,
        doubt: "it may be the worth of one gift, or that of all of the record", fits: { (Double($0) ?? -1) >= 0 }),
      FieldPattern(
        "streak", "groupid comboid combokey mergekey streakid streak bcid", words: "group combo streak merge batch",
        less: "community origin batchcombo", least: 40),
      FieldPattern(
        "ends", "repeatend comboend isend end finish finished isfinal final islast last",
        fits: { ["0", "1", "true", "false"].contains($0) }),
      // Numbers that continue within a streak.
      FieldPattern("total", "repeatcount combocount combonum combo combohits hits", not: notCounts, fits: isCount),
      FieldPattern(
        "count",
        """
        giftnum num giftcount gfcnt quantity qty count itemcount groupcount sendcount batchsize massgiftcount
        giftmembershipscount number bits amount total times totalcount
        """, not: notCounts, less: "combo", least: 15, fits: isCount),
    ], by: \.field)

  // MARK: - Fitting

  /// Returns how well a pointer's names fit, or nil if they do not fit.
  func score(_ leaf: LeafPath) -> Int? {
    let place = names.firstIndex { leaf.last == $0 || $0.count > 4 && leaf.last.hasSuffix($0) }
    if words.isEmpty, place == nil { return nil }
    let isExact = names.contains(leaf.last)
    var score = place.map { 70 - 2 * $0 + (isExact ? 6 : 0) } ?? 0
    if !words.isEmpty {
      let isIdentity = Self.isIdentity(leaf.last)
      score = (isIdentity ? 25 : -40) + (Self.has(leaf.last, words) ? 35 : 0)
      // A name for a renderer or an event of gifts does not name a gift.
      if let parent = leaf.above.first, Self.has(parent, words),
        words.contains(where: { parent.hasPrefix($0) || parent.hasSuffix($0) })
      {
        score += 30
      } else if leaf.above.dropFirst().contains(where: { Self.has($0, words) }) {
        score += 8
      }
      if isExact { score = max(score + 25, isIdentity ? 65 : 52) }
    }
    if !isExact, Self.has(leaf.last, not) { score -= 70 }
    if leaf.above.contains(where: { !Self.envelopes.contains($0) && Self.has($0, not + Self.aside) }) { score -= 60 }
    if less.contains(where: { part in ([leaf.last] + leaf.above).contains { strstr($0, part) != nil } }) { score -= 25 }
    return score - min(2 * leaf.path.count, 12) - 5 * PointerTable.stars(leaf.path)
  }

  /// Whether a name contains one of these words. A short word must be the whole name, or begin it.
  static func has(_ name: String, _ words: [String]) -> Bool {
    words.contains { word in
      // A gifter is not a gift, and a presenter is not a present.
      if word == "gift", ["gifter", "gifted", "giftee"].contains(where: name.hasPrefix) { return false }
      if word == "present", name.contains("presenter") { return false }
      return name == word
        || (word.utf8.count > 4 ? strstr(name, word) != nil : name.hasPrefix(word) && !(word == "from" && name.count > 10))
    }
  }

  /// Whether the name is that of an id, or of something that may stand for one.
  static func isIdentity(_ name: String) -> Bool {
    ["id", "uuid", "no", "idstr", "idhash", "code", "key", "number", "type"].contains { name.hasSuffix($0) }
      && !["video", "paid", "grid", "android", "void", "valid"].contains { name.hasSuffix($0) }
  }

  // MARK: - Values

  /// Whether a value can be an id. An address, a flag, a sentence and a database type cannot.
  static func isID(_ value: String) -> Bool {
    (Int64(value) ?? 0) >= 0 && value.utf8.count <= 256 && !["true", "false"].contains(value)
      && !["http", "//"].contains(where: value.hasPrefix) && !value.contains { "\n(".contains($0) }
  }

  static func isCount(_ value: String) -> Bool { Int64(value).map { (0...1_000_000_000).contains($0) } ?? false }

  /// Returns the unit in which a number is a time between 2001 and 2100, or RFC 3339 for a text that is a time.
  static func unit(of value: String) -> TimeUnit? {
    var value = value
    guard let number = Double(value) else { return value.withUTF8 { TimeReader.rfc3339(Bytes($0)) }.map { _ in .rfc3339 } }
    let units: [(TimeUnit, Double)] = [(.s, 1), (.ms, 1e3), (.us, 1e6), (.ns, 1e9)]
    return units.first { number >= 1e9 * $0.1 && number < 4.2e9 * $0.1 }?.0
  }
}
