internal import ComboCore
internal import ComboWire

/// What a rule for one kind of records could be, and what is unsure in it.
struct MapGuess {
  /// A field, and what stands in for it in records that lack it.
  struct Pick {
    var field: FieldSample
    var others: [FieldSample] = []

    var all: [FieldSample] { [field] + others }
    var pointer: String { field.pointer }

    /// The records in which one of them has a value.
    var owners: Set<Int> {
      all.reduce(into: []) { found, field in
        for (owner, value) in zip(field.owners, field.values) where MapGuess.isSaid(value) { found.insert(owner) }
      }
    }
  }

  /// Receivers in an array.
  struct Receivers {
    let array: [String]
    let id: FieldSample
    /// The number that each receives, if it is told.
    let count: FieldSample?
  }

  let survey: FieldSurvey
  let mark: GiftMark?
  var doubts: [String] = []
  var sender: Pick?
  var gift: Pick?
  var receiver: Pick?
  var room: Pick?
  var id: Pick?
  var list: Receivers?
  var time: (pick: Pick, unit: TimeUnit)?
  var value: Pick?
  var amount = Amount.one
  /// Whether a field says how many, or which bits.
  var isCounted = false
  /// Below what the rule's pointers are: up to the last array that it goes through.
  var root: [String] = []
  var used: Set<[String]> = []
  var hasRoot = false

  init(_ survey: FieldSurvey, _ mark: GiftMark?) {
    self.survey = survey
    self.mark = mark
    if let mark { used.insert(mark.path) }
    findParties()
    findRoot()
    findTime()
    findID()
    findValue()
    findAmount()
  }

  /// Whether it has what a gift needs.
  var isGift: Bool { sender != nil && (gift != nil || list != nil || isCounted || isNamed) }

  /// Whether what the sender is in is called a gift.
  private var isNamed: Bool { sender.map { pick in pick.field.path.contains { !GiftMark.words(in: $0).isEmpty } } ?? false }

  /// The records that it reads, by their place, from 1.
  var covered: Set<Int> {
    guard let sender else { return [] }
    var owners = sender.owners
    if canBeAnonymous { owners.formUnion(1...survey.records) }
    if let gift { owners.formIntersection(gift.owners) }
    if let list { owners.formIntersection(list.id.owners) }
    if gift == nil, list == nil, case .count(let pick, _) = amount { owners.formIntersection(pick.owners) }
    return owners
  }

  /// Whether a field says that a sender is not named.
  var canBeAnonymous: Bool { survey.fields.contains { ["isanonymous", "anonymous", "chatterisanonymous"].contains($0.last) } }

  /// Whether all records of another kind have a sender and a gift that one of these has.
  func tellsTheSame(as other: MapGuess) -> Bool {
    guard let sender = sender?.field, let gift = gift?.field, let theirs = other.sender?.field, let their = other.gift?.field
    else {
      return false
    }
    func pairs(_ sender: FieldSample, _ gift: FieldSample) -> Set<String> {
      let gifts = gift.byOwner
      return Set(sender.byOwner.compactMap { owner, value in gifts[owner].map { "\(value)\u{0}\($0)" } })
    }
    let (mine, all) = (pairs(sender, gift), pairs(theirs, their))
    return !mine.isEmpty && !all.isEmpty && (all.isSubset(of: mine) || mine.isSubset(of: all))
  }

  func isBetter(than other: MapGuess) -> Bool {
    if (id != nil) != (other.id != nil) { return id != nil }
    if isCounted != other.isCounted { return isCounted }
    return survey.records > other.survey.records
  }

  // MARK: - Choosing

  /// The field that fits best, with a doubt if another one fits nearly as well, and with those that stand in for it.
  /// - Parameters:
  ///   - least: what it must score.
  ///   - score: how well a field fits, by its name and those above it.
  mutating func pick(
    _ what: String, isNeeded: Bool = false, least: Int = 30, where fits: (FieldSample) -> Bool = { _ in true },
    _ score: (FieldSample) -> Int
  ) -> Pick? {
    var ranked: [(field: FieldSample, score: Int)] = []
    for field in survey.fields where !used.contains(field.path) && isReachable(field) && fits(field) {
      var all = score(field) - min(2 * field.path.count, 12) - 5 * field.stars + (field.count == survey.records ? 10 : 0)
      if field.above.contains(where: FieldWords.aside.contains) { all -= 60 }
      if all >= least { ranked.append((field, all)) }
    }
    ranked.sort { ($1.score, $0.field.path.count, $0.field.pointer) < ($0.score, $1.field.path.count, $1.field.pointer) }
    guard let first = ranked.first else {
      if isNeeded { doubts.append("\(what): no field looks like it; replace /TO-DO with the pointer") }
      return nil
    }
    if ranked.count > 1, first.score - ranked[1].score < 8, ranked[1].field.byOwner != first.field.byOwner {
      doubts.append("\(what): \(first.field.pointer) is one of several candidates; another is \(ranked[1].field.pointer)")
    }
    var pick = Pick(field: first.field)
    used.insert(first.field.path)
    // A field that is 0 or missing in some records may have others that stand in for it.
    for other in ranked.dropFirst() where pick.others.count < 3 {
      let had = pick.owners
      if had.count == survey.records { break }
      if Set(zip(other.field.owners, other.field.values).filter { Self.isSaid($0.1) }.map(\.0)).isSubset(of: had) { continue }
      pick.others.append(other.field)
      used.insert(other.field.path)
    }
    return pick
  }

  static func isSaid(_ value: String) -> Bool { !value.isEmpty && value != "0" }

  static func isID(_ field: FieldSample) -> Bool {
    field.values.allSatisfy { $0.utf8.count <= 256 && $0 != "true" && $0 != "false" }
      && field.values.contains(where: isSaid)
      && !field.values.contains { $0.hasPrefix("http") || $0.hasPrefix("//") || $0.contains("\n") }
  }

  static func isCount(_ field: FieldSample) -> Bool {
    field.values.allSatisfy { Int64($0).map { (0...1_000_000_000).contains($0) } ?? false } && field.values.contains { $0 != "0" }
  }

  // MARK: - The root

  /// Whether a rule that goes through the root's arrays comes to it.
  func isReachable(_ field: FieldSample) -> Bool {
    guard hasRoot, let last = field.path.lastIndex(of: PointerTable.each) else { return true }
    return root.starts(with: field.path[...last])
  }

  /// Up to the last array that sender, gift or receiver are in; what is in another one is left out.
  private mutating func findRoot() {
    let fields = [gift?.field, sender?.field, list?.id ?? receiver?.field, list?.count].compactMap { $0 }
    let roots = fields.compactMap { field in field.path.lastIndex(of: PointerTable.each).map { Array(field.path[...$0]) } }
    if let longest = roots.max(by: { $0.count < $1.count }) {
      for root in roots where !longest.starts(with: root) {
        doubts.append(
          "\(MapCompiler.written(root)): it is an array besides \(MapCompiler.written(longest)), but a rule goes through only one of them"
        )
      }
      root = longest
    }
    hasRoot = true
    func keep(_ pick: Pick?, _ what: String) -> Pick? {
      guard var pick else { return nil }
      pick.others = pick.others.filter(isReachable)
      if isReachable(pick.field) { return pick }
      doubts.append("\(what): \(pick.pointer) is in a different array than the gifts, so it is left out")
      return nil
    }
    gift = keep(gift, "gift.id")
    sender = keep(sender, "sender.id")
    receiver = keep(receiver, "receiver.id")
    room = keep(room, "room")
  }

  // MARK: - Time and id

  /// A time is known by its magnitude, or by its shape.
  private mutating func findTime() {
    let names = [
      "sendtime", "sendtimems", "ts", "timestamp", "createtime", "time", "createdat", "eventtime", "clienttimestamp",
      "publishedat",
      "tmisentts", "messagetimestamp", "timestampusec", "at", "sentat", "createdtime", "date", "ctime",
    ]
    var units: [[String]: TimeUnit] = [:]
    for field in survey.fields where isReachable(field) {
      let found = Set(field.values.filter(Self.isSaid).map { Self.unit($0) })
      if !found.isEmpty, !found.contains(nil) { units[field.path] = found.count == 1 ? found.first! : .auto }
    }
    let records = survey.records
    let found = pick("ts", least: 20, where: { units[$0.path] != nil }) { field in
      let isTime = field.last.contains("time") || field.last.hasSuffix("at") || field.last.hasSuffix("ts")
      let place = names.firstIndex(of: field.last) ?? (isTime ? 20 : 22)
      if place == 22, FieldWords.isIdentity(field.last) || field.count < records { return -100 }
      let isLater =
        ["expire", "start", "medal", "birth", "reg", "update"].contains { field.last.contains($0) } || field.last.hasPrefix("end")
      let isOthers = field.above.contains { FieldWords.has($0, ["medal", "subscription", "transport"]) }
      return 90 - 3 * min(place, 22) - (isLater ? 20 : 0) - (isOthers ? 20 : 0)
    }
    guard let found else {
      doubts.append("ts: no time was found; a replay needs one")
      return
    }
    let all = Set(found.all.compactMap { units[$0.path] })
    time = (found, all.count == 1 ? all.first! : .auto)
    let isNamed = names.contains(found.field.last) || found.field.last.contains("time") || found.field.last.hasSuffix("at")
    if !isNamed { doubts.append("ts: \(found.pointer) looks like a time, but only by its value") }
  }

  /// The unit in which a number is a time between 2001 and 2100; or a text that is one.
  private static func unit(_ value: String) -> TimeUnit? {
    guard let number = Double(value) else {
      var value = value
      return value.withUTF8 { TimeReader.rfc3339(Bytes($0)) } == nil ? nil : .rfc3339
    }
    let units: [(TimeUnit, Double)] = [(.s, 1), (.ms, 1e3), (.us, 1e6), (.ns, 1e9)]
    return units.first { number >= 1e9 * $0.1 && number < 4.2e9 * $0.1 }?.0
  }

  private mutating func findID() {
    let names = [
      "msgid", "messageid", "eventid", "tid", "orderid", "uuid", "payid", "strpayid", "transactionid", "txid", "uniqueno",
      "payflowid", "requestid", "serialno", "logid", "traceid", "id",
    ]
    let people =
      FieldWords.sender + FieldWords.receiver + FieldWords.gift + FieldWords.combo + ["subscription", "transport", "session"]
    let home = sender?.field.path.dropLast()
    func isOwn(_ field: FieldSample) -> Bool {
      Self.isID(field) && !["source", "recipient", "associated", "parent", "reply"].contains { field.last.contains($0) }
        && field.values.allSatisfy { GiftMark.words(in: $0).isEmpty }
    }
    id = pick("id", least: 20, where: isOwn) { field in
      guard let place = names.firstIndex(where: { field.last == $0 || $0.count > 5 && field.last.hasSuffix($0) }) else {
        return -100
      }
      let isOthers = field.above.first.map { FieldWords.has($0, people) && !FieldWords.has($0, ["gifts", "userstate"]) } ?? false
      return 62 - place + (field.last == names[place] ? 8 : 0) + (field.path.dropLast() == home ? 6 : 0)
        - (field.last == "id" && isOthers ? 100 : 0)
    }
  }

  /// Whether no id comes twice.
  var hasNewIDs: Bool {
    guard let id = id?.field else { return true }
    return Set(id.values).count == id.values.count
  }
}
