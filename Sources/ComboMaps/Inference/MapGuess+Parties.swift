internal import ComboCore
internal import ComboWire

/// Who gives what to whom, and where.
extension MapGuess {
  mutating func findParties() {
    let people = FieldWords.receiver + FieldWords.host
    findGift()
    list = receivers()
    if gift == nil { findPlan() }
    if gift == nil {
      doubts.append(
        "gift.id: no field names the gift, so every gift is \(Self.quoted(giftName)); write its id or a pointer")
    }
    let array = list?.array
    sender = pick("sender.id", least: 40, where: Self.isID) { field in
      var score = Self.fit(
        field, FieldWords.sender,
        not: people + ["gift", "room", "medal", "master", "guard", "combo", "group", "msg", "message", "subscription", "session"])
      if [
        "uid", "userid", "openid", "useruuid", "senderuid", "lsenderuid", "unionid", "principalid", "secopenid", "chatteruserid",
      ]
      .contains(field.last) {
        score += 25
      }
      if field.last.contains("sender") || field.last.contains("gifter") { score += 15 }
      if ["shortid", "displayid", "uniqueid"].contains(field.last) { score -= 10 }
      return array.map { field.path.starts(with: $0) } == true ? -100 : score
    }
    if sender == nil {
      sender = pick("sender.id", isNeeded: true, where: Self.isID) { field in
        let isName = FieldWords.personNames.contains {
          field.last == $0 || field.last.hasSuffix($0) && FieldWords.has(field.last, FieldWords.sender)
        }
        let isOthers =
          FieldWords.has(field.last, people) || field.above.contains { FieldWords.has($0, people + FieldWords.gift) }
          || field.last.contains("recipient")
        return (isName || FieldWords.sender.contains(field.last) ? 60 : -100) - (isOthers ? 80 : 0)
      }
      if let sender { doubts.append("sender.id: no id was found, so the name is used, \(sender.pointer)") }
    }
    room =
      pick("room", least: 45, where: Self.isID) { field in
        var score = Self.fit(
          field, FieldWords.room, not: FieldWords.gift + ["user", "name", "title", "type", "area", "plan", "source"])
        if ["room", "rid", "channel", "roomid", "liveid", "livestreamid", "livechatid", "chatroomid"].contains(field.last) {
          score = max(score, 52)
        }
        if ["broadcasteruserid", "broadcasterid"].contains(field.last) { score = max(score, 60) }
        return score - (field.above.contains { FieldWords.has($0, FieldWords.sender + ["condition"]) } ? 15 : 0)
      } ?? hostRoom()
    if list != nil { return }
    receiver = pick("receiver.id", least: 40, where: Self.isID) { field in
      Self.fit(
        field, FieldWords.receiver, not: FieldWords.gift + ["room", "medal", "sender", "from", "condition", "broadcaster"])
    }
  }

  private mutating func findGift() {
    let others = [
      "user", "sender", "receiver", "room", "combo", "group", "batch", "type", "gifter", "giftee", "gifted", "community",
      "recipient",
      "member", "total", "subscription", "author", "channel", "viewer", "owner",
    ]
    // What has a price is a gift.
    let prices = ["diamonds", "diamondcount", "diamondcost", "price", "giftprice"]
    let priced = Set(survey.fields.filter { prices.contains($0.last) }.map { Array($0.path.dropLast()) })
    gift = pick("gift.id", least: 35, where: Self.isID) { field in
      let isPlain = ["giftid", "gfid", "itemtype", "iitemtype", "presentid", "propid", "secgiftid"].contains(field.last)
      return Self.fit(field, FieldWords.gift, not: others) + (isPlain ? 15 : 0)
        - (field.last.contains("send") || field.last.contains("blind") || field.last.contains("origin") ? 20 : 0)
        - (field.last.hasSuffix("type") && !isPlain ? 15 : 0)
        // What is to be drawn, and whose it is, is below it.
        - (field.above.contains { ["image", "icon", "picture", "properties", "monitorextra"].contains($0) } ? 60 : 0)
        - (field.above.contains { $0.contains("combo") || $0.contains("blind") } ? 25 : 0)
        + (field.last == "id" && priced.contains(Array(field.path.dropLast())) ? 35 : 0)
    }
    if gift != nil { return }
    gift = pick("gift.id", where: Self.isID) { field in
      let place = FieldWords.giftNames.firstIndex(of: field.last) ?? 99
      if place < FieldWords.giftNames.count - 2 { return 60 }
      return place < 99 && field.above.first.map { FieldWords.has($0, FieldWords.gift) } == true ? 50 : -100
    }
    if let gift { doubts.append("gift.id: no id was found, so the name is used, \(gift.pointer)") }
  }

  /// Of subscriptions, what they cost stands for the gift.
  private mutating func findPlan() {
    if survey.fields.contains(where: { $0.last == "bits" && Self.isCount($0) }) { return }
    gift = pick("gift.id", where: { Self.isID($0) && !$0.values.contains { $0.contains(".") } }) { field in
      let names = ["msgparamsubplan", "subplan", "subtier", "tier", "plan", "subscriptiontype", "level"]
      guard let place = names.firstIndex(of: field.last) else { return -100 }
      return 60 - place - (field.above.contains { ["badges", "subscription"].contains($0) } ? 60 : 0)
    }
    if let gift { doubts.append("gift.id: nothing else names the gift, so the plan is used, \(gift.pointer)") }
  }

  /// The name of all gifts if no field names them: what they are, or the mark of gifts.
  var giftName: String {
    let plain = [mark?.value ?? "", list.map { MapCompiler.written($0.array) } ?? "", sender?.pointer ?? ""].map(
      FieldSample.plain
    )
    .joined()
    let known = [
      ("supersticker", "super-sticker"), ("paidsticker", "super-sticker"), ("membership", "membership"),
      ("sponsorshipsgift", "membership"),
      ("subscription", "subscription"), ("giftee", "subscription"), ("giftedusername", "subscription"),
      ("subgift", "subscription"),
      ("cheer", "bits"),
    ]
    if survey.fields.contains(where: { $0.last == "bits" && Self.isCount($0) }) { return "bits" }
    return known.first { plain.contains($0.0) }?.1 ?? mark?.value ?? "gift"
  }

  /// How well a field names somebody or something: by its own name, and those above it.
  private static func fit(_ field: FieldSample, _ words: [String], not: [String]) -> Int {
    let (last, above) = (field.last, field.above)
    var score = FieldWords.isIdentity(last, isLoose: words == FieldWords.gift) ? 25 : -40
    if FieldWords.has(last, words) { score += 35 }
    // What is called a renderer or an event of gifts is no gift itself.
    if let parent = above.first, FieldWords.has(parent, words),
      words != FieldWords.gift || words.contains(where: { parent.hasPrefix($0) || parent.hasSuffix($0) })
    {
      score += 30
    } else if above.dropFirst().contains(where: { FieldWords.has($0, words) }) {
      score += 8
    }
    if FieldWords.has(last, not) { score -= 70 }
    if above.contains(where: { !FieldWords.envelopes.contains($0) && FieldWords.has($0, not) }) { score -= 60 }
    return score
  }

  /// An array of receivers with their gifts.
  private mutating func receivers() -> Receivers? {
    func weight(_ path: [String]) -> Int {
      let name = FieldSample.plain(path.last { $0 != PointerTable.each } ?? "")
      let words = [
        "target", "receiver", "recipient", "giftee", "gifted", "touser", "tolist", "receive", "seat", "anchors", "hosts",
      ]
      return words.firstIndex { name.contains($0) }.map { 100 - 5 * $0 } ?? 0
    }
    let lists = survey.arrays.filter { weight($0) > 0 }.sorted { (weight($1), $0.count) < (weight($0), $1.count) }
    for (index, list) in lists.enumerated() {
      let inside = survey.fields.filter { $0.path.starts(with: list + [PointerTable.each]) && Self.isID($0) }
      let bare = inside.first { $0.path.count == list.count + 1 }
      let ids = inside.filter { FieldWords.isIdentity($0.last) && !FieldWords.has($0.last, ["index", "gift"]) }
      guard let id = bare ?? ids.min(by: { ($0.path.count, $0.pointer) < ($1.path.count, $1.pointer) }) else { continue }
      used.insert(id.path)
      let counts = ["num", "count", "giftcount", "giftnum", "quantity", "amount"]
      let count = inside.first { counts.contains($0.last) && Self.isCount($0) }
      for other in lists[(index + 1)...] {
        doubts.append("receiver: \(MapCompiler.written(other)) is another array that may hold receivers; it is left out")
      }
      doubts.append(
        "receiver: each element of \(MapCompiler.written(list)) is taken for one receiver of "
          + (count.map { "the number at \($0.pointer)" } ?? "the whole number"))
      return Receivers(array: list, id: id, count: count)
    }
    return nil
  }

  /// Without a room, that of its host.
  private mutating func hostRoom() -> Pick? {
    let found = pick("room", least: 40, where: Self.isID) {
      Self.fit($0, FieldWords.host, not: FieldWords.gift + ["sender", "name"])
    }
    if let found { doubts.append("room: no room was found, so the host is used, \(found.pointer)") }
    return found
  }

  /// What one gift is worth.
  mutating func findValue() {
    let names = [
      "diamondcount", "diamondcost", "giftprice", "giftunitprice", "unitprice", "price", "value", "jewelsamount", "coinspergift",
      "coins", "coin", "cost", "worth", "diamonds", "pc", "amount",
    ]
    value = pick("gift.value", least: 25, where: { $0.values.allSatisfy { (Double($0) ?? -1) >= 0 } }) { field in
      guard let place = names.firstIndex(where: { field.last == $0 || $0.count > 3 && field.last.contains($0) }) else {
        return -100
      }
      let isTotal = FieldWords.has(
        field.last, ["total", "sum", "discount", "remain", "balance", "original", "donovalue", "level"])
      let isOthers = field.above.contains {
        $0.contains("combo") || $0.contains("blind") || FieldWords.has($0, FieldWords.sender)
      }
      let isGifts = field.above.first.map { FieldWords.has($0, FieldWords.gift) } == true
      // An amount is money only where it is a gift's own.
      if field.last == "amount", !isGifts { return -100 }
      return 60 - 2 * place + (isGifts ? 20 : 0) - (isTotal ? 50 : 0) - (isOthers ? 40 : 0)
    }
    if let value {
      doubts.append("gift.value: \(value.pointer) is taken for the worth of one gift, but may be that of all gifts of the record")
    }
  }
}
