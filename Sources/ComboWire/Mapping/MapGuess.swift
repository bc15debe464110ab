internal import ComboCore

/// A rule out of a survey of one kind of records.
struct MapGuess {
  /// A rule as a map has it.
  struct Rule {
    let text: String
    /// A member that only gifts have.
    var giftKey: String?
  }

  let survey: FieldSurvey
  let mark: (field: FieldSample, value: String)?
  private(set) var doubts: [String] = []
  private(set) var rule: Rule?
  private(set) var sender: FieldSample?
  private(set) var gift: FieldSample?
  private(set) var id: FieldSample?
  private var hasReceivers = false
  /// Below what the rule's pointers are: up to the last array that it goes through.
  private var root: [String] = []
  private var used: Set<[String]> = []
  private var hasRoot = false

  init(_ survey: FieldSurvey, _ mark: (field: FieldSample, value: String)?) {
    self.survey = survey
    self.mark = mark
    if let mark { used.insert(mark.field.path) }
    rule = make()
  }

  /// Whether it has what a gift needs.
  var isGift: Bool { sender != nil && (gift != nil || hasReceivers) }

  /// A rule that drops these records.
  func dropping(_ reason: String) -> Rule {
    Rule(text: "    {\"when\": \(condition ?? "[]"), \"drop\": \"\(reason)\"}")
  }

  /// Whether all records of another kind have a sender and a gift that one of these has.
  func tellsTheSame(as other: MapGuess) -> Bool {
    guard let sender, let gift, let theirs = other.sender, let their = other.gift else { return false }
    func pairs(_ sender: FieldSample, _ gift: FieldSample) -> Set<String> {
      let gifts = gift.byOwner
      return Set(sender.byOwner.compactMap { owner, value in gifts[owner].map { "\(value)\u{0}\($0)" } })
    }
    let (mine, all) = (pairs(sender, gift), pairs(theirs, their))
    return !mine.isEmpty && !all.isEmpty && (all.isSubset(of: mine) || mine.isSubset(of: all))
  }

  func isBetter(than other: MapGuess) -> Bool {
    if (id != nil) != (other.id != nil) { return id != nil }
    return survey.records > other.survey.records
  }

  // MARK: - Fields

  /// The field that fits best, with a doubt if another one fits nearly as well.
  private mutating func pick(
    _ what: String, isNeeded: Bool = false, least: Int = 30, where fits: (FieldSample) -> Bool = { _ in true },
    _ score: (FieldSample) -> Int
  ) -> FieldSample? {
    var ranked: [(field: FieldSample, score: Int)] = []
    for field in survey.fields where !used.contains(field.path) && isReachable(field) && fits(field) {
      let all = score(field) - 3 * field.path.count - 6 * field.stars + (field.count == survey.records ? 10 : 0)
      if all >= least { ranked.append((field, all)) }
    }
    ranked.sort { ($1.score, $0.field.pointer) < ($0.score, $1.field.pointer) }
    guard let first = ranked.first else {
      if isNeeded { doubts.append("\(what): nothing looks like it; write the pointer in place of /TO-DO") }
      return nil
    }
    if ranked.count > 1, first.score - ranked[1].score < 8, ranked[1].field.byOwner != first.field.byOwner {
      doubts.append("\(what): \(first.field.pointer) is one of several that it may be; another is \(ranked[1].field.pointer)")
    }
    used.insert(first.field.path)
    return first.field
  }

  /// Whether a number is that of an array's elements, in all records.
  private static func counts(_ number: FieldSample, _ elements: FieldSample) -> Bool {
    let each = Dictionary(elements.owners.map { ($0, 1) }, uniquingKeysWith: +)
    return number.byOwner.allSatisfy { owner, value in each[owner].map(String.init) == value }
  }

  /// How well a field names somebody or something: by its own name, and those above it.
  private static func fit(_ field: FieldSample, _ words: [String], not: [String]) -> Int {
    let (last, above) = (field.last, field.above)
    var score = FieldWords.isIdentity(last, isLoose: words == FieldWords.gift) ? 25 : -40
    if FieldWords.has(last, words) { score += 35 }
    if let parent = above.first, FieldWords.has(parent, words) {
      score += 30
    } else if above.dropFirst().contains(where: { FieldWords.has($0, words) }) {
      score += 8
    }
    if FieldWords.has(last, not) { score -= 70 }
    if above.contains(where: { FieldWords.has($0, not) }) { score -= 60 }
    return score
  }

  private static func isID(_ field: FieldSample) -> Bool {
    field.values.allSatisfy { (1...256).contains($0.utf8.count) && $0 != "true" && $0 != "false" }
      && field.values.contains { $0 != "0" }
      && !field.values.contains { $0.hasPrefix("http") || $0.hasPrefix("//") }
  }

  private static func isCount(_ field: FieldSample) -> Bool {
    field.values.allSatisfy { Int64($0).map { (0...1_000_000_000).contains($0) } ?? false } && field.values.contains { $0 != "0" }
  }

  // MARK: - The rule

  private mutating func make() -> Rule? {
    let people = FieldWords.receiver + FieldWords.host
    var time = time()
    gift = pick("gift.id", least: 35, where: Self.isID) {
      Self.fit(
        $0, FieldWords.gift,
        not: ["user", "sender", "receiver", "room", "combo", "group", "batch", "type", "gifter", "giftee", "gifted"])
        + ($0.last == "giftid" || $0.last == "gfid" ? 15 : 0) - ($0.last.contains("send") || $0.last.contains("blind") ? 20 : 0)
        + ($0.last.hasSuffix("type") ? -15 : 0)
    }
    if gift == nil {
      gift = pick("gift.id", where: Self.isID) { FieldWords.giftNames.dropLast(2).contains($0.last) ? 60 : -100 }
      if let gift { doubts.append("gift.id: no id was found, so it is the name, \(gift.pointer)") }
    }
    let list = receivers()
    hasReceivers = list != nil
    if gift == nil {
      doubts.append(
        "gift.id: nothing names the gift, so all of them are \(Self.quoted(giftName)); write what it is, or a pointer")
    }
    sender = pick("sender.id", least: 40, where: Self.isID) { field in
      var score = Self.fit(
        field, FieldWords.sender, not: people + ["gift", "room", "medal", "master", "guard", "combo", "group", "msg", "message"])
      if ["uid", "userid", "openid", "useruuid", "senderuid", "lsenderuid", "unionid"].contains(field.last) { score += 25 }
      if field.last.contains("sender") || field.last.contains("gifter") { score += 15 }
      return list.map { field.path.starts(with: $0.array) } == true ? -100 : score
    }
    if sender == nil {
      sender = pick("sender.id", isNeeded: true, where: Self.isID) { field in
        let isName = FieldWords.personNames.contains {
          field.last == $0 || field.last.hasSuffix($0) && FieldWords.has(field.last, FieldWords.sender)
        }
        return (isName ? 60 : -100)
          - (FieldWords.has(field.last, people) || field.above.contains { FieldWords.has($0, people) } ? 80 : 0)
      }
      if let sender { doubts.append("sender.id: no id was found, so it is the name, \(sender.pointer)") }
    }
    var room =
      pick("room", least: 45, where: Self.isID) { field in
        let score = Self.fit(field, FieldWords.room, not: FieldWords.gift + ["user", "name", "title", "type", "area"])
        return field.last == "room" || field.last == "rid" || field.last == "channel" ? max(score, 45) : score
      } ?? hostRoom()
    var receiver = list?.id
    if list == nil {
      receiver = pick("receiver.id", least: 40, where: Self.isID) { field in
        Self.fit(field, FieldWords.receiver, not: FieldWords.gift + ["room", "medal", "sender", "from"])
      }
    }
    root = rootPath([gift, sender, receiver].compactMap { $0 } + (list?.count.map { [$0] } ?? []))
    hasRoot = true
    func keep(_ field: FieldSample?, _ what: String) -> FieldSample? {
      guard let field, !isReachable(field) else { return field }
      doubts.append("\(what): \(field.pointer) is in another array than the gifts, so it is left out")
      return nil
    }
    gift = keep(gift, "gift.id")
    sender = keep(sender, "sender.id")
    receiver = keep(receiver, "receiver.id")
    room = keep(room, "room")
    if let field = time?.field, keep(field, "ts") == nil { time = nil }
    var fields: [String] = []
    func add(_ line: String) { fields.append("        " + line) }
    if let room {
      add("\"room\": \(reach(room))")
    } else {
      doubts.append("room: none was found, so it is the record's key")
    }
    if let time {
      add(
        "\"ts\": \(time.unit == .ms ? reach(time.field) : "{\"at\": \(reach(time.field)), \"unit\": \"\(time.unit.rawValue)\"}")")
    }
    pickID()
    if let id {
      add("\"id\": \(reach(id))")
    } else {
      doubts.append("id: nothing names a gift, so one that is sent twice counts twice")
    }
    add("\"sender\": {\(party(sender, FieldWords.personNames, FieldWords.pictures))}")
    if let receiver { add("\"receiver\": {\(party(receiver, FieldWords.personNames, FieldWords.pictures))}") }
    let worth = worth()
    add("\"gift\": {\(gift == nil ? nameless(worth) : party(gift, FieldWords.giftNames, FieldWords.giftPictures, value: worth))}")
    let amount = amount(list)
    fields += amount.lines.map { "        " + $0 }
    sayRest()
    var text = "    {\n"
    if let condition { text += "      \"when\": \(condition),\n" }
    if !root.isEmpty { text += "      \"root\": \(Self.quoted(MapCompiler.written(root))),\n" }
    text += "      \"event\": \"gift\",\n      \"fields\": {\n\(fields.joined(separator: ",\n"))\n      }"
    if id != nil, amount.isTotal { text += ",\n      \"ids\": \"\(hasNewIDs ? "new" : "kept")\"" }
    return Rule(text: text + "\n    }", giftKey: gift.flatMap { FieldWords.has($0.last, ["gift", "gf"]) ? $0.name : nil })
  }

  /// The name of all gifts if no field names them: the mark of gifts.
  private var giftName: String { mark?.value ?? "gift" }

  private func nameless(_ value: FieldSample?) -> String {
    "\"id\": {\"const\": \(Self.quoted(giftName))}" + (value.map { ", \"value\": \(reach($0))" } ?? "")
  }

  private var condition: String? {
    mark.map { "{\"at\": \(Self.quoted($0.field.pointer)), \"is\": \(Self.quoted($0.value))}" }
  }

  /// Whether a rule that goes through the root's arrays comes to it.
  private func isReachable(_ field: FieldSample) -> Bool {
    guard hasRoot, let last = field.path.lastIndex(of: PointerTable.each) else { return true }
    return root.starts(with: field.path[...last])
  }

  /// A pointer from where the rule stands.
  private func reach(_ field: FieldSample) -> String {
    let path = field.path
    let pointer =
      root.isEmpty || !path.starts(with: root)
      ? (root.isEmpty ? "" : "^") + MapCompiler.written(path)
      : path.count == root.count ? "" : MapCompiler.written(Array(path[root.count...]))
    return field.values.contains("0") && FieldWords.isIdentity(field.last)
      ? "{\"at\": \(Self.quoted(pointer)), \"unless\": [\"0\"]}" : Self.quoted(pointer)
  }

  /// Up to the last array that one of these fields is in; what is in another one is left out.
  private mutating func rootPath(_ fields: [FieldSample]) -> [String] {
    let roots = fields.compactMap { field in field.path.lastIndex(of: PointerTable.each).map { Array(field.path[...$0]) } }
    guard let longest = roots.max(by: { $0.count < $1.count }) else { return [] }
    for root in roots where !longest.starts(with: root) {
      doubts.append(
        "\(MapCompiler.written(root)): it is an array beside \(MapCompiler.written(longest)), of which a rule goes through one")
    }
    return longest
  }

  /// An array of receivers with their gifts.
  private mutating func receivers() -> (array: [String], id: FieldSample, count: FieldSample?)? {
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
        doubts.append("receiver: \(MapCompiler.written(other)) is another array that may hold those who receive; it is left out")
      }
      doubts.append(
        "receiver: each element of \(MapCompiler.written(list)) is taken for one who receives "
          + (count.map { "the number at \($0.pointer)" } ?? "the whole number"))
      return (list, id, count)
    }
    return nil
  }

  /// Without a room, that of its host.
  private mutating func hostRoom() -> FieldSample? {
    let found = pick("room", least: 40, where: Self.isID) {
      Self.fit($0, FieldWords.host, not: FieldWords.gift + ["sender", "name"])
    }
    if let found { doubts.append("room: no room was found, so it is that of its host, \(found.pointer)") }
    return found
  }

  private mutating func pickID() {
    let names = [
      "msgid", "messageid", "eventid", "tid", "orderid", "uuid", "payid", "strpayid", "transactionid", "txid", "uniqueno",
      "payflowid",
      "requestid", "serialno", "logid", "traceid", "id",
    ]
    let people = FieldWords.sender + FieldWords.receiver + FieldWords.gift + FieldWords.combo
    id = pick("id", least: 20, where: { Self.isID($0) }) { field in
      guard let place = names.firstIndex(where: { field.last == $0 || $0.count > 5 && field.last.hasSuffix($0) }) else {
        return -100
      }
      let isOthers = field.above.first.map { FieldWords.has($0, people) && !FieldWords.has($0, ["gifts"]) } ?? false
      return 60 - place - (field.last == "id" && isOthers ? 100 : 0)
    }
  }

  private var hasNewIDs: Bool {
    guard let id else { return true }
    return Set(id.values).count == id.values.count
  }

  private mutating func worth() -> FieldSample? {
    let names = [
      "diamondcount", "giftprice", "unitprice", "price", "value", "jewelsamount", "coins", "coin", "cost", "worth", "diamonds",
      "pc",
    ]
    let value = pick("gift.value", least: 25, where: { $0.values.allSatisfy { (Double($0) ?? -1) >= 0 } }) { field in
      guard let place = names.firstIndex(where: { field.last == $0 || $0.count > 4 && field.last.contains($0) }) else {
        return -100
      }
      let isTotal = FieldWords.has(field.last, ["total", "sum", "discount", "remain", "balance", "original"])
      return 60 - 2 * place + (field.above.first.map { FieldWords.has($0, FieldWords.gift) } == true ? 20 : 0)
        - (isTotal ? 50 : 0)
    }
    if let value { doubts.append("gift.value: \(value.pointer) is what one gift is worth, if it is not what all of them are") }
    return value
  }

  /// The id, with name and picture next to it.
  private mutating func party(_ id: FieldSample?, _ names: [String], _ pictures: [String], value: FieldSample? = nil) -> String {
    var parts = ["\"id\": \(id.map(reach) ?? "\"/TO-DO\"")"]
    if let value { parts.append("\"value\": \(reach(value))") }
    guard let id else { return parts.joined(separator: ", ") }
    let near = survey.fields.filter { $0.path.dropLast() == id.path.dropLast() && $0.path != id.path && !used.contains($0.path) }
    func beside(_ wanted: [String]) -> FieldSample? {
      for name in wanted {
        if let field = near.first(where: {
          $0.last == name || name.count > 3 && $0.last.hasSuffix(name) && $0.last.hasPrefix(id.last.prefix(3))
        }) {
          return field
        }
      }
      return nil
    }
    var shown: [String] = []
    if let name = beside(names) {
      used.insert(name.path)
      shown.append("\"name\": \(reach(name))")
    }
    if let picture = beside(pictures) {
      used.insert(picture.path)
      shown.append("\"avatar\": {\"at\": \(reach(picture)), \"max\": 500}")
    }
    if !shown.isEmpty { parts.append("\"show\": {\(shown.joined(separator: ", "))}") }
    return parts.joined(separator: ", ")
  }

  // MARK: - Time

  /// A time is known by its magnitude, or by its shape.
  private mutating func time() -> (field: FieldSample, unit: TimeUnit)? {
    let names = [
      "ts", "timestamp", "sendtime", "createtime", "time", "createdat", "eventtime", "clienttimestamp", "publishedat", "at",
      "date", "ctime",
    ]
    var found: [(field: FieldSample, unit: TimeUnit, place: Int)] = []
    for field in survey.fields where field.stars == 0 || field.path.first == PointerTable.each {
      let units = Set(field.values.map { Self.unit($0) })
      guard units.count == 1, let unit = units.first!, field.count == survey.records else { continue }
      let isLater = ["expire", "end", "start", "medal", "birth", "reg"].contains { field.last.contains($0) }
      let place = names.firstIndex(of: field.last) ?? (field.last.contains("time") || field.last.hasSuffix("at") ? 20 : 40)
      if place == 40, FieldWords.isIdentity(field.last) { continue }
      found.append((field, unit, place + field.path.count + (isLater ? 15 : 0)))
    }
    guard let first = found.min(by: { ($0.place, $0.field.pointer) < ($1.place, $1.field.pointer) }) else {
      doubts.append("ts: no time was found; a replay needs one")
      return nil
    }
    if first.place >= 40 { doubts.append("ts: \(first.field.pointer) looks like a time, by its value alone") }
    used.insert(first.field.path)
    return (first.field, first.unit)
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

  // MARK: - How many

  private static let running = [
    "repeatcount", "combocount", "hits", "combonum", "combo", "totalcount", "total", "count", "num", "giftcount", "giftnum",
    "gfcnt", "quantity",
    "batchsize", "iitemcount", "amount", "times",
  ]
  private static let single = [
    "giftnum", "num", "giftcount", "gfcnt", "quantity", "qty", "count", "iitemcount", "groupcount", "sendcount", "batchsize",
    "number",
    "repeatcount", "combocount", "massgiftcount", "giftmembershipscount", "amount", "total", "bits", "times", "hits",
  ]

  private mutating func amount(
    _ list: (array: [String], id: FieldSample, count: FieldSample?)?
  ) -> (lines: [String], isTotal: Bool) {
    if let each = list?.count {
      used.insert(each.path)
      return (["\"count\": \(reach(each))"], false)
    }
    let streak = pick("streak", least: 30, where: { Self.isID($0) && $0.values.contains { $0 != "0" } }) { field in
      let isNamed = ["groupid", "comboid", "combokey", "mergekey", "batchcomboid", "streakid", "streak", "bcid"].contains(
        field.last)
      return isNamed ? 70 : FieldWords.isIdentity(field.last) && FieldWords.has(field.last, FieldWords.combo) ? 40 : -100
    }
    let end = survey.fields.first { field in
      isReachable(field) && ["end", "finish", "final", "last"].contains { field.last.contains($0) }
        && !field.last.contains("time")
        && !field.last.contains("friend")
        && field.values.allSatisfy { ["0", "1", "true", "false"].contains($0) }
    }
    let numbers = survey.fields.filter { field in
      !used.contains(field.path) && Self.isCount(field) && isReachable(field)
        && Self.running.contains { field.last == $0 || $0.count > 4 && field.last.hasSuffix($0) }
    }
    if let (total, isShown) = total(numbers, streak, end) {
      used.insert(total.path)
      doubts.append(
        isShown
          ? "total: \(total.pointer) never falls while \(streak?.pointer ?? "sender and gift") stays, so it is taken for a running total; if each"
            + " record tells its own gifts alone, name it count and leave streak out"
          : "total: \(total.pointer) is taken for a running total, since \(end!.pointer) tells an end; the samples do not show that it grows"
      )
      var lines = ["\"total\": \(reach(total))"]
      if let streak { lines.append("\"streak\": \(reach(streak))") }
      if let end, streak == nil {
        used.insert(end.path)
        lines.append("\"ends\": \(reach(end))")
      }
      if streak == nil { doubts.append("streak: nothing names one, so two of the same sender, gift and number may count once") }
      return (lines, true)
    }
    let count = pick("count", least: 20, where: { Self.isCount($0) }) { field in
      guard let place = Self.single.firstIndex(where: { field.last == $0 || $0.count > 4 && field.last.hasSuffix($0) }) else {
        return -100
      }
      let isOthers = field.above.contains {
        FieldWords.has($0, FieldWords.sender + FieldWords.receiver + ["medal", "rank", "fans"])
      }
      return 60 - 2 * place - (isOthers ? 40 : 0)
        - (FieldWords.has(field.last, ["super", "gifter", "cumulative", "lifetime"]) ? 60 : 0)
    }
    guard let count else {
      doubts.append("count: none was found, so each record is one gift")
      return ([], false)
    }
    if let list, Self.counts(count, list.id) {
      doubts.append("count: \(count.pointer) is the number of those who receive, so each receives one")
      return (["\"count\": {\"const\": 1}"], false)
    }
    if let streak {
      doubts.append(
        "count: \(streak.pointer) looks like a streak, but the samples do not show that \(count.pointer) grows in it: samples of a whole streak"
          + " would tell")
    }
    return (["\"count\": \(reach(count))"], false)
  }

  /// A number that grows while the streak stays the same, or sender and gift do; and whether the samples show it.
  private func total(_ numbers: [FieldSample], _ streak: FieldSample?, _ end: FieldSample?) -> (FieldSample, isShown: Bool)? {
    let ranked = Self.running.compactMap { name in numbers.first { $0.last == name || name.count > 4 && $0.last.hasSuffix(name) }
    }
    let groups: [Int: String]
    if let streak {
      groups = streak.byOwner
    } else if let sender, let gift {
      let gifts = gift.byOwner
      groups = sender.byOwner.reduce(into: [:]) { $0[$1.key] = "\($1.value)\u{0}\(gifts[$1.key] ?? "")" }
    } else {
      return nil
    }
    for field in ranked {
      var last: [String: Int64] = [:]
      var grows = 0
      var falls = 0
      for (owner, value) in field.byOwner.sorted(by: { $0.key < $1.key }) {
        guard let number = Int64(value), let group = groups[owner] else { continue }
        if let before = last[group] {
          if number > before { grows += 1 }
          if number < before { falls += 1 }
        }
        last[group] = streak == nil ? number : max(last[group] ?? 0, number)
      }
      let isCumulative = ["repeatcount", "combocount", "hits", "combonum", "combo"].contains { field.last.hasSuffix($0) }
      if streak != nil ? grows > 0 && falls == 0 : grows > 0 && (isCumulative || falls == 0 && grows > 1) { return (field, true) }
    }
    // An end belongs to a running total.
    if let end, let field = ranked.first, streak == nil || end.values.contains(where: { $0 == "1" || $0 == "true" }) {
      return (field, false)
    }
    return nil
  }

  // MARK: - The rest

  /// Unused fields are listed.
  private mutating func sayRest() {
    let left = survey.fields.filter { !used.contains($0.path) }.map(\.pointer).sorted()
    if left.isEmpty { return }
    let shown = left.prefix(30).joined(separator: ", ")
    doubts.append("left out: \(shown)\(left.count > 30 ? ", and \(left.count - 30) more" : "")")
  }

  static func quoted(_ text: String) -> String {
    let buffer = ByteBuffer(capacity: 64)
    buffer.append(jsonString: text)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}
