internal import ComboCore

/// A map out of a survey of fields.
struct MapGuess {
  private let survey: FieldSurvey
  private let gifts: GiftMark?
  private(set) var doubts: [String]

  init(_ survey: FieldSurvey, _ gifts: GiftMark?, _ doubts: [String]) {
    self.survey = survey
    self.gifts = gifts
    self.doubts = doubts
  }

  /// What names a field has on platforms that are known, the likeliest first; the words above it that speak for it.
  private struct Names {
    let last: [String]
    let above: [String]
    /// With these above it, it is something else.
    var not: [String] = []
  }

  private static let sender = ["user", "sender", "from", "viewer", "giver", "fromuser", "senderinfo", "userinfo"]
  private static let receiver = [
    "receiver", "touser", "to", "anchor", "host", "receiveuserinfo", "anchorinfo", "receiverinfo", "recipient", "streamer",
  ]
  private static let gift = ["gift", "giftdetails", "giftinfo", "gift_details", "item", "prop", "giftdata"]

  // MARK: - Candidates

  /// The field that fits best; with how far it is ahead of the next.
  private func best(_ names: Names, where fits: (FieldSample) -> Bool = { _ in true }) -> (field: FieldSample, isSure: Bool)? {
    var ranked: [(field: FieldSample, score: Int)] = []
    for field in survey.fields where fits(field) {
      guard let place = names.last.firstIndex(of: field.last) else { continue }
      let parent = FieldSample.plain(field.path.dropLast().last ?? "")
      if names.not.contains(parent) { continue }
      var score = 100 - 4 * place - 5 * field.path.count
      // `id` says little by itself.
      if names.above.contains(parent) { score += 40 } else if field.last == "id" || field.last == "name" { continue }
      score += field.count == survey.records ? 10 : 0
      ranked.append((field, score))
    }
    ranked.sort { ($1.score, $0.field.pointer) < ($0.score, $1.field.pointer) }
    guard let first = ranked.first else { return nil }
    return (first.field, ranked.count < 2 || first.score - ranked[1].score >= 8)
  }

  private mutating func pick(
    _ what: String, _ names: Names, isNeeded: Bool = false, where fits: (FieldSample) -> Bool = { _ in true }
  ) -> FieldSample? {
    guard let (field, isSure) = best(names, where: fits) else {
      if isNeeded { doubts.append("\(what): nothing looks like it; write the pointer in place of /TO-DO") }
      return nil
    }
    if !isSure { doubts.append("\(what): \(field.pointer) is one of several that it may be") }
    return field
  }

  private static func isID(_ field: FieldSample) -> Bool {
    field.values.allSatisfy { (1...256).contains($0.utf8.count) && $0 != "true" && $0 != "false" }
  }

  private static func isCount(_ field: FieldSample) -> Bool {
    field.values.allSatisfy { Int64($0).map { (0...1_000_000_000).contains($0) } ?? false }
  }

  // MARK: - The map

  mutating func map() -> String {
    let senders = Self.sender
    let room = pick(
      "room",
      Names(
        last: ["roomid", "rid", "liveroomid", "roomno", "liveid", "channelid", "broadcasterid", "broadcasteruserid", "room"],
        above: []),
      where: Self.isID)
    let sender = pick(
      "sender.id",
      Names(
        last: ["senderuid", "senderid", "lsenderuid", "fromuid", "fromuserid", "userid", "uid", "openid", "gifterid", "id"],
        above: senders,
        not: Self.receiver + Self.gift + ["sendmaster"]), isNeeded: true, where: Self.isID)
    let receiver = pick(
      "receiver.id",
      Names(
        last: [
          "receiverid", "touid", "touserid", "anchorid", "hostid", "ruid", "lpresenteruid", "presenteruid", "uid", "userid", "id",
        ],
        above: Self.receiver), where: { field in Self.isID(field) && Self.isOfReceiver(field) })
    let gift = pick(
      "gift.id", Names(last: ["giftid", "gfid", "propid", "iitemtype", "itemid", "itemtype", "id"], above: Self.gift),
      isNeeded: true, where: Self.isID)
    let value = pick(
      "gift.value", Names(last: ["diamondcount", "price", "giftprice", "value", "coin", "cost", "pc"], above: Self.gift),
      where: { $0.values.allSatisfy { (Double($0) ?? -1) >= 0 } })
    if let value { doubts.append("gift.value: \(value.pointer) is what one gift is worth, if it is not what all of them are") }
    let id = pick(
      "id",
      Names(
        last: ["msgid", "messageid", "eventid", "tid", "orderid", "uuid", "payid", "strpayid", "transactionid", "id"], above: [""]
      ),
      where: Self.isID)
    if id == nil { doubts.append("id: nothing names a gift, so one that is sent twice counts twice") }
    var fields: [String] = []
    func add(_ line: String) { fields.append("        " + line) }
    if let room {
      add("\"room\": \(Self.quoted(room.pointer))")
    } else {
      doubts.append("room: none was found, so it is the record's key")
    }
    if let ts = time() { add("\"ts\": \(ts)") }
    if let id { add("\"id\": \(Self.quoted(id.pointer))") }
    let names = ["nickname", "nick", "uname", "username", "senderuname", "ssendernick", "nn", "displayname", "name"]
    let pictures = ["avatar", "avatarurl", "face", "uface", "headurl", "headimg", "ic", "icon", "profilepictureurl"]
    add("\"sender\": \(party(sender, names, pictures, senders))")
    if let receiver {
      add("\"receiver\": \(party(receiver, ["uname", "nickname", "username", "runame", "name"], pictures, Self.receiver))")
    }
    var parts = ["\"id\": \(Self.quoted(gift?.pointer ?? "/TO-DO"))"]
    if let value { parts.append("\"value\": \(Self.quoted(value.pointer))") }
    if let show = show(
      gift, ["giftname", "gfname", "propname", "name"], ["giftimg", "gifticon", "icon", "picurl", "giftpic"], Self.gift)
    {
      parts.append(show)
    }
    add("\"gift\": {\(parts.joined(separator: ", "))}")
    fields += amount().map { "        " + $0 }
    return text(fields)
  }

  /// `uid` may be a sender's or a receiver's: here a word must say so.
  private static func isOfReceiver(_ field: FieldSample) -> Bool {
    receiver.contains(FieldSample.plain(field.path.dropLast().last ?? ""))
      || ["receiverid", "touid", "touserid", "anchorid", "hostid", "ruid", "lpresenteruid", "presenteruid"].contains(field.last)
  }

  private func party(_ id: FieldSample?, _ names: [String], _ pictures: [String], _ above: [String]) -> String {
    var parts = ["\"id\": \(Self.quoted(id?.pointer ?? "/TO-DO"))"]
    if let show = show(id, names, pictures, above) { parts.append(show) }
    return "{\(parts.joined(separator: ", "))}"
  }

  /// Name and picture, beside the id.
  private func show(_ id: FieldSample?, _ names: [String], _ pictures: [String], _ above: [String]) -> String? {
    guard let id else { return nil }
    func beside(_ wanted: [String]) -> FieldSample? {
      let near = survey.fields.filter { $0.path.dropLast() == id.path.dropLast() && !$0.values.contains(where: \.isEmpty) }
      for name in wanted { if let field = near.first(where: { $0.last == name }) { return field } }
      return best(Names(last: wanted, above: above), where: { above.contains(FieldSample.plain($0.path.dropLast().last ?? "")) })?
        .field
    }
    var parts: [String] = []
    if let name = beside(names) { parts.append("\"name\": \(Self.quoted(name.pointer))") }
    if let picture = beside(pictures) { parts.append("\"avatar\": {\"at\": \(Self.quoted(picture.pointer)), \"max\": 500}") }
    return parts.isEmpty ? nil : "\"show\": {\(parts.joined(separator: ", "))}"
  }

  /// A time is known by its magnitude.
  private mutating func time() -> String? {
    let names = [
      "ts", "timestamp", "time", "createtime", "sendtime", "clienttimestamp", "eventtime", "publishedat", "at", "date",
    ]
    var found: [(field: FieldSample, unit: TimeUnit, place: Int)] = []
    for field in survey.fields {
      guard let place = names.firstIndex(of: field.last) ?? (field.last.contains("time") ? names.count : nil) else { continue }
      var units: Set<TimeUnit> = []
      for value in field.values { if let unit = Self.unit(value) { units.insert(unit) } }
      if units.count == 1, field.count == survey.records { found.append((field, units.first!, place + field.path.count)) }
    }
    guard let first = found.min(by: { ($0.place, $0.field.pointer) < ($1.place, $1.field.pointer) }) else {
      doubts.append("ts: no time was found; a replay needs one")
      return nil
    }
    return first.unit == .ms
      ? Self.quoted(first.field.pointer) : "{\"at\": \(Self.quoted(first.field.pointer)), \"unit\": \"\(first.unit.rawValue)\"}"
  }

  /// The unit in which a number is a time between 2001 and 2100.
  private static func unit(_ value: String) -> TimeUnit? {
    guard let number = Double(value) else {
      var value = value
      return value.withUTF8 { TimeReader.rfc3339(Bytes($0)) } == nil ? nil : .rfc3339
    }
    let units: [(TimeUnit, Double)] = [(.s, 1), (.ms, 1e3), (.us, 1e6), (.ns, 1e9)]
    return units.first { number >= 1e9 * $0.1 && number < 4.2e9 * $0.1 }?.0
  }

  // MARK: - How many

  private mutating func amount() -> [String] {
    let streak = pick(
      "streak",
      Names(
        last: ["groupid", "comboid", "combokey", "mergekey", "batchcomboid", "streakid", "streak", "bcid", "originid"],
        above: ["comboinfo", "combosend", "combo"]), where: Self.isID)
    let numbers = [
      "repeatcount", "combocount", "hits", "total", "totalcount", "combonum", "count", "num", "giftcount", "giftnum", "gfcnt",
      "quantity",
      "batchsize", "iitemcount", "amount",
    ]
    if let streak, let total = runningTotal(numbers, by: streak) {
      doubts.append(
        "total: \(total.pointer) never falls while \(streak.pointer) stays, so it is taken for a running total; if each record tells its own"
          + " gifts alone, name it count and leave streak out")
      return ["\"total\": \(Self.quoted(total.pointer))", "\"streak\": \(Self.quoted(streak.pointer))"]
    }
    let counts = [
      "giftnum", "num", "giftcount", "gfcnt", "quantity", "count", "iitemcount", "groupcount", "batchsize", "repeatcount",
      "combocount",
    ]
    guard let count = pick("count", Names(last: counts, above: Self.gift), where: Self.isCount) else {
      doubts.append("count: none was found, so each record is one gift")
      return []
    }
    if let streak {
      doubts.append(
        "count: \(streak.pointer) looks like a streak, but the samples do not show that \(count.pointer) grows in it: samples of a whole streak"
          + " would tell")
    }
    return ["\"count\": \(Self.quoted(count.pointer))"]
  }

  /// A number that grows while the streak stays the same.
  private func runningTotal(_ names: [String], by streak: FieldSample) -> FieldSample? {
    for name in names {
      for field in survey.fields where field.last == name && Self.isCount(field) && field.count == streak.count {
        var last: [String: Int64] = [:]
        var grows = false
        var falls = false
        for (value, group) in zip(field.values, streak.values) {
          guard let number = Int64(value) else { continue }
          if let before = last[group] {
            if number > before { grows = true }
            if number < before { falls = true }
          }
          last[group] = max(last[group] ?? 0, number)
        }
        if grows, !falls { return field }
      }
    }
    return nil
  }

  // MARK: - The text

  private func text(_ fields: [String]) -> String {
    let condition = gifts?.condition
    let notes = doubts.map { "    " + Self.quoted($0) }.joined(separator: ",\n")
    return """
      {
        "map": 1,
        "name": "mine",
        "about": "Proposed from \(survey.records) \(survey.records == 1 ? "sample" : "samples"); see notes for what is unsure.",
        "notes": [
      \(notes)
        ],
        "rules": [
          {
      \(condition.map { "      \"when\": \($0),\n" } ?? "")      "event": "gift",
            "fields": {
      \(fields.joined(separator: ",\n"))
            }
          }
        ],
        "otherwise": {"drop": "not a gift"}
      }

      """
  }

  static func quoted(_ text: String) -> String {
    let buffer = ByteBuffer(capacity: 64)
    buffer.append(jsonString: text)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}

/// The field by which gifts are told from what else comes, with the values that gifts have.
struct GiftMark {
  let field: FieldSample
  let values: [String]

  init?(_ survey: FieldSurvey, _ doubts: inout [String]) {
    let names = ["cmd", "type", "msgtype", "messagetype", "method", "event", "eventtype", "action", "kind", "op"]
    for name in names {
      for field in survey.fields where field.last == name && field.path.count <= 3 {
        let values = Set(field.values.filter { $0.lowercased().contains("gift") || $0 == "dgb" }).sorted()
        if values.isEmpty { continue }
        self.field = field
        self.values = values
        if values.count > 1 {
          let list = values.map(MapGuess.quoted).joined(separator: ", ")
          doubts.append("when: \(list) of \(field.pointer) may tell the same gifts more than once")
        }
        return
      }
    }
    doubts.append("when: no field tells gifts from other records, so all are taken for gifts")
    return nil
  }

  /// As a map has it.
  var condition: String {
    let list = values.map(MapGuess.quoted)
    let wanted = list.count == 1 ? list[0] : "[\(list.joined(separator: ", "))]"
    return "{\"at\": \(MapGuess.quoted(field.pointer)), \"is\": \(wanted)}"
  }
}
