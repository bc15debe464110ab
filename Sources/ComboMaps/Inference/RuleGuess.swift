internal import ComboWire

/// A proposed rule for some records, with the doubts about it.
struct RuleGuess {
  let mark: GiftMark?
  /// The pointer up to the last array that the rule goes through.
  private(set) var root: [String]
  private(set) var doubts: [String] = []
  /// The samples as a table, and the record of each row.
  private var columns: [Column], rows: [Int]
  /// The columns of each field: its own, and those that replace it in rows where it has no value.
  private var picks: [String: [Column]] = [:]
  /// The gifts that it reads in the samples.
  var gifts: [MapInference.Gift] = []

  subscript(field: String) -> [Column] { picks[field] ?? [] }

  init(_ samples: Samples, _ records: [Int], _ mark: GiftMark?) {
    self.mark = mark
    // Sender, receiver and gift determine the arrays that the rule goes through.
    root = mark.map { Column($0.path).array } ?? []
    (columns, rows) = samples.table(of: records, root: root, mark: mark)
    let parties = ["gift.id", "receiver.id", "sender.id"]
    for field in parties { pick(field) }
    root = parties.compactMap { self[$0].first?.array }.max { $0.count < $1.count } ?? root
    (columns, rows) = samples.table(of: records, root: root, mark: mark)
    columns.removeAll { !root.starts(with: $0.array) }
    (picks, doubts) = ([:], [])
    for field in parties + ["room", "ts", "gift.value"] { pick(field) }
    findAmount()
    for field in ["id", "anonymous"] { pick(field) }
    for party in ["sender", "receiver", "gift"] where picks["\(party).id"] != nil {
      for show in ["name", "avatar"] { pick("\(party).show.\(show)") }
    }
    let left = columns.filter { !isUsed($0) }.map(\.pointer).sorted()
    if !left.isEmpty { doubts.append("left out: \(left.prefix(30).joined(separator: ", "))\(left.count > 30 ? ", …" : "")") }
  }

  /// Whether there is a sender, and a gift, a number, receivers, a mark with an id or money, or a sender named for a gift.
  var isGift: Bool {
    guard let sender = self["sender.id"].first else { return false }
    let isNamed =
      mark != nil && (picks["id"] ?? picks["gift.value"]) != nil || sender.path.contains { !GiftMark.words(in: $0).isEmpty }
    return ["gift.id", "count", "total"].contains { picks[$0] != nil } || isEach || isNamed
  }

  /// Whether the records name no gifts, but have a number of bits.
  private var hasBits: Bool { columns.contains { $0.last == "bits" } }

  /// Whether each element of an array is one receiver.
  private var isEach: Bool { self["receiver.id"].first?.receivers != nil }

  /// The senders with their gifts, if a field names these.
  private var pairs: Set<[String]> { Set(self["gift.id"].isEmpty ? [] : gifts.map { [$0.fields[3], $0.fields[5]] }) }

  /// Whether it reads only gifts that a rule for records of another type reads too, or the other way round.
  func repeats(_ other: RuleGuess) -> Bool {
    let (fewer, more) = pairs.count < other.pairs.count ? (pairs, other.pairs) : (other.pairs, pairs)
    return mark != nil && mark?.path == other.mark?.path && !fewer.isEmpty && fewer.isSubset(of: more)
  }

  /// The rank among rules that read the same gifts: by pairs of sender and gift, then an id, a count, and the number of gifts.
  var worth: (Int, Int, Int, Int) { (pairs.count, self["id"].count.signum(), self["count"].count.signum(), gifts.count) }

  // MARK: - Choosing

  private func isUsed(_ column: Column) -> Bool {
    column.path == mark?.path || picks.values.contains { $0.contains { $0.path == column.path } }
  }

  /// Returns the score of a column apart from its names.
  private func bonus(_ field: String, _ column: Column) -> Int {
    func isBeside(_ other: Column?) -> Bool { other.map { $0.parent == column.parent } ?? false }
    switch field {
    case "gift.id" where column.receivers != nil: return -100
    case "gift.id":
      // An object with a price is a gift, unless its id never repeats, like that of a record.
      let hasPrice = columns.contains { Vocabulary.list("prices").contains($0.last) && isBeside($0) }
      return column.last == "id" && hasPrice && !(column.isDistinct && rows.count > 2) ? 35 : 0
    case "receiver.id":
      let isBare = column.path.last == PointerTable.each
      return column.receivers.map { (isBare ? 110 : FieldPattern.isIdentity(column.last) ? 75 : 0) - $0 } ?? 0
    case "gift.value":
      // An amount is money only if it is a price, or belongs to a gift.
      let isOwn = FieldPattern.has(column.above.first ?? "", Vocabulary.list("gifts"))
      return column.last == "amount" && !isOwn && !isPrice(column) ? -100 : isOwn || isBeside(self["gift.id"].first) ? 20 : 0
    case "count":
      // A number beside the receivers is what each of them receives.
      let isNone = isPrice(column) || Vocabulary.patterns(of: "total")[0].score(column) != nil
      return isNone ? -100 : isEach && column.array == root ? 40 : 0
    // Streaks and channels have such ids as cid, too.
    case "room": return ["room", "roomid"].contains(column.last) ? 20 : 0
    case "id": return column.isShared ? -200 : isBeside(self["sender.id"].first) ? 6 : 0
    case _ where field.contains(".show."): return isBeside(self[field.prefix { $0 != "." } + ".id"].first) ? 0 : -200
    default: return 0
    }
  }

  /// Returns the columns that fit a pattern, the best first.
  private func ranked(_ field: String, _ pattern: FieldPattern? = nil) -> [Column] {
    let pattern = pattern ?? Vocabulary.patterns(of: field)[0]
    return columns.compactMap { column -> (column: Column, score: Int)? in
      guard let fit = pattern.score(column), !isUsed(column) else { return nil }
      let score = fit + bonus(field, column) + (column.values.count == rows.count ? 10 : 0)
      return score >= pattern.least && !column.filled.isEmpty && column.filled.allSatisfy(pattern.fits) ? (column, score) : nil
    }.sorted { ($1.score, $0.column.pointer) < ($0.score, $1.column.pointer) }.map(\.column)
  }

  /// Picks the first of `given`, or if nil the best column of the first pattern that fits, and those that fill in for it.
  private mutating func pick(_ field: String, _ given: [Column]? = nil) {
    let patterns = Vocabulary.patterns(of: field)
    for pattern in patterns.prefix(field == "gift.id" && hasBits ? 1 : 3) where picks[field] == nil {
      for column in given ?? ranked(field, pattern) where self[field].count < 4 {
        let isNew = column.values.keys.contains { column.filled($0) != nil && filled(field, $0) == nil }
        if isNew { picks[field, default: []].append(column) }
      }
      if let first = self[field].first, !pattern.doubt.isEmpty { doubts.append("\(field): \(first.pointer): \(pattern.doubt)") }
    }
    if picks[field] == nil, !patterns[0].missing.isEmpty { doubts.append("\(field): \(patterns[0].missing)") }
  }

  /// Returns the value of a row in the first column of a field that has one.
  private func filled(_ field: String, _ row: Int) -> String? { self[field].lazy.compactMap { $0.filled(row) }.first }

  // MARK: - How many

  /// Decides whether each record has its own number or the total so far, from the samples, or from an end or a streak beside it.
  private mutating func findAmount() {
    pick("streak")
    let (own, ids, end, streak) = (ranked("count"), ranked("id"), ranked("ends").first, self["streak"])
    // A combo's number that is deeper than the record's own number does not replace it.
    let sure = own.filter { Vocabulary.list("counts").contains($0.last) }
    let running = ranked("total").filter { one in
      !sure.contains { $0.path.count < one.path.count || one.last == "hits" }
    }
    // An update under the same id has a higher number.
    if streak.isEmpty, let id = ids.first, !id.isDistinct { picks["streak"] = [id] }
    let shown = running.first { grows($0, isNamed: true) } ?? own.first { grows($0, isNamed: false) }
    if shown == nil { picks["streak"] = streak.isEmpty ? nil : streak }
    let ended = end == nil ? nil : running.first ?? own.first { ["count", "giftcount"].contains($0.last) }
    guard let total = shown ?? ended ?? (streak.isEmpty ? nil : running.first) else {
      picks["streak"] = nil
      // The number of receivers is not what each of them receives.
      let elements = Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +)
      let numbers = (own + running).filter { number in
        !isEach || number.array == root || number.values.contains { Int($1) != elements[rows[$0]] }
      }
      return pick("count", numbers)
    }
    picks["total"] = [total]
    let same = self["streak"].first.map { "\($0.pointer) stays" } ?? "sender and gift stay"
    let why = shown == nil ? "has an end or a streak beside it, but never grows" : "never falls while \(same) the same"
    doubts.append("total: \(total.pointer) \(why); if each record has only its own gifts, name it count and leave out streak")
    // The number of gifts of each hit.
    let near = own.filter { $0.parent == total.parent && $0.path != total.path && total.last != "repeatcount" }
    if let times = near.first(where: { ["batchsize", "groupcount", "count", "giftcount"].contains($0.last) }) {
      picks["times"] = [times]
      doubts.append("total: each hit is taken for \(times.pointer) gifts")
    }
    if picks["streak"] == nil {
      doubts.append("streak: no field names one, so two that are the same may count as one")
      picks["ends"] = end.map { [$0] }
    }
  }

  /// Whether a number without a sure name is a price: its object does not contain the gift's id, or each gift always has the same
  /// number. If no field names a gift, as for a tip, an amount beside a currency is money.
  private func isPrice(_ column: Column) -> Bool {
    let isMoney = column.last.hasSuffix("amount") && columns.contains { $0.last == "currency" && $0.parent == column.parent }
    guard let gift = self["gift.id"].first else { return isMoney }
    if !Vocabulary.list("counts-or-prices").contains(column.last) { return false }
    let prices = Set(column.values.compactMap { row, value in filled("gift.id", row).map { [$0, value] } })
    let (gifts, numbers) = (Set(prices.map(\.first)), Set(prices.map(\.last)))
    return !gift.path.starts(with: column.parent)
      || numbers.count > 1 && gifts.count == prices.count && column.values.count > prices.count
  }

  /// Whether a number grows while the sender, the gift and the streak, if there is one, stay the same.
  private func grows(_ column: Column, isNamed: Bool) -> Bool {
    var last: [[String?]: Int64] = [:]
    var (grown, fallen) = (0, 0)
    for (row, value) in column.values.sorted(by: { $0.key < $1.key }) {
      let (streak, sender, gift) = (filled("streak", row), filled("sender.id", row), filled("gift.id", row))
      guard let number = Int64(value), picks["streak"] == nil ? sender != nil && gift != nil : streak != nil else { continue }
      let before = last.updateValue(number, forKey: [streak, sender, gift]) ?? number
      grown += number > before ? 1 : 0
      fallen += number < before ? 1 : 0
    }
    return grown > 0 && (isNamed || fallen == 0 && (picks["streak"] != nil || grown > 1))
  }

  // MARK: - A rule of a map

  /// The rule as JSON. It ignores records without a gift that it can read; one that names a gift still becomes a bad event.
  var rule: String {
    let total = picks["times"] == nil ? reach("total") : "{\"product\": [\(reach("total")!), \(reach("times")!)]}"
    let fields =
      ["room", "ts", "id"].map { ($0, reach($0)) } + ["sender", "receiver", "gift"].map { ($0, party($0)) }
      + [("total", total)] + ["count", "streak", "ends"].map { ($0, reach($0)) } + [("refresh", MapReader.refresh(below: root))]
    let needed = ["gift.id", "count", "total", "receiver.id"].first { picks[$0] != nil }
    let there = [needed, picks["anonymous"] == nil ? "sender.id" : nil].compactMap { picks[$0 ?? ""] }.map { columns in
      #"{"at": [\#(columns.map { quoted($0.pointer) }.joined(separator: ", "))], "exists": true}"#
    }
    let when = ((mark.map { [$0.condition] } ?? []) + there).joined(separator: ", ")
    return object(
      [
        ("when", mark == nil && picks["sender.id"] == nil ? nil : "[\(when)]"),
        ("root", root.isEmpty ? nil : quoted(PointerTable.written(root))), ("event", quoted("gift")),
        ("fields", object(fields, indent: "      ")),
        ("ids", total == nil ? nil : self["id"].first.map { quoted($0.isDistinct ? "new" : "kept") }),
      ], indent: "    ")
  }

  /// Returns the id with the name and the picture beside it, and a gift's value. Millionths of a currency become hundredths.
  private func party(_ name: String) -> String? {
    var (id, value) = (reach("\(name).id"), reach("\(name).value"))
    if name == "sender", let known = id, let anonymous = reach("anonymous") {
      // Only if the record states it.
      let test = #"{"at": \#(anonymous), "is": [true, 1, "true"]}"#
      id = #"[\#(known), {"when": \#(test), "then": {"const": "anonymous"}}]"#
    }
    if let known = value, self["gift.value"][0].last.hasSuffix("micros") {
      value = #"{"product": [\#(known), {"const": 0.0001}]}"#
    }
    if name == "gift", id == nil {
      // No field names the gifts. They are called after their kind, or after the mark of gifts.
      let pointers = ["receiver.id", "sender.id"].map { self[$0].first?.pointer ?? "" }
      let words = Column.plain((mark?.value ?? "") + pointers.joined())
      let kind = hasBits ? "bits" : Vocabulary.known.gifts.first { words.contains($0.name) }?.text ?? mark?.value ?? "gift"
      if kind == "bits" { value = value ?? #"{"const": 1}"# }
      id = isGift ? #"{"const": \#(quoted(kind))}"# : quoted("/TO-DO")
    }
    guard let id = id ?? (name == "sender" ? quoted("/TO-DO") : nil) else { return nil }
    let picture = reach("\(name).show.avatar").map { object([("at", $0), ("max", "500")]) }
    let shown = object([("name", reach("\(name).show.name")), ("avatar", picture)])
    return object([("id", id), ("value", value), ("show", shown == "{}" ? nil : shown)])
  }

  /// Returns the source of a field, relative to the rule's root, or nil if there is none.
  private func reach(_ field: String) -> String? {
    let columns = self[field]
    if columns.isEmpty { return nil }
    let base = root.isEmpty ? 0 : PointerTable.written(root).count
    let pointers = columns.map { quoted($0.path.starts(with: root) ? String($0.pointer.dropFirst(base)) : "^" + $0.pointer) }
    // 0 is nobody's id. It shows that another field has the id.
    let canBeZero = columns.count > 1 || FieldPattern.isIdentity(columns[0].last)
    let isZero = canBeZero && columns.contains { $0.values.values.contains("0") }
    let units = field == "ts" ? Set(columns.flatMap(\.filled).compactMap(FieldPattern.unit)) : [.ms]
    let unit = units.count == 1 ? units.first! : .auto
    let at = columns.count == 1 ? pointers[0] : "[\(pointers.joined(separator: ", "))]"
    if columns.count == 1, !isZero, unit == .ms { return at }
    return object([("at", at), ("unless", isZero ? #"["0"]"# : nil), ("unit", unit == .ms ? nil : quoted(unit.rawValue))])
  }
}
