internal import ComboWire

/// What a rule for some records could be, and what is unsure in it.
struct RuleGuess {
  typealias Column = SampleTable.Column

  /// A column, and those that stand in for it in rows where it says nothing.
  struct Pick {
    var column: Column
    var others: [Column] = []

    var all: [Column] { [column] + others }
    /// What a row has.
    func value(_ row: Int) -> String? { all.lazy.compactMap { $0.said(row) }.first }
  }

  let mark: GiftMark?
  private(set) var table: SampleTable
  /// Up to the last array that it goes through.
  private(set) var root: [String]
  private(set) var doubts: [String] = []
  private(set) var gift, sender, receiver, room, time, id, value, count, total, times, streak, end: Pick?
  private var used: Set<[String]> = []

  /// - Parameter refused: pointers of ids that different gifts share.
  init(_ samples: Samples, _ records: [Int], _ mark: GiftMark?, _ refused: Set<[String]>) {
    self.mark = mark
    // Who gives what to whom says through which arrays the rule goes.
    root = mark.map { LeafPath($0.path).array } ?? []
    table = SampleTable(samples, records, root: root, mark: mark, isWide: true)
    findParties()
    root = [gift, sender, receiver].compactMap { $0?.column.leaf.array }.max { $0.count < $1.count } ?? root
    let others = Set(table.columns.lazy.filter(\.isOfReceivers).map(\.leaf.array)).filter { !root.starts(with: $0) }
    table = SampleTable(samples, records, root: root, mark: mark)
    (doubts, used) = ([], [])
    findParties()
    for array in others {
      doubts.append("receiver: \(MapCompiler.written(array.dropLast())) is another array that may hold receivers; it is left out")
    }
    if sender == nil { doubts.append("sender.id: no field looks like it; replace /TO-DO with the pointer") }
    if room == nil { doubts.append("room: no field was found, so the record's key is used") }
    time = pick("ts", .time)
    if time == nil { doubts.append("ts: no time was found; a replay needs one") }
    value = pick("gift.value", .value) { [home = gift?.column.parent] in
      // An amount is money only where it is a gift's own.
      let isOwn = FieldPattern.has($0.leaf.above.first ?? "", FieldPattern.gift.words)
      return $0.leaf.last == "amount" && !isOwn ? -100 : isOwn || $0.parent == home ? 20 : 0
    }
    if let value {
      doubts.append("gift.value: \(value.column.pointer) may be the worth of one gift, or that of all of the record")
    }
    findAmount(refused)
    let left = table.columns.filter { !used.contains($0.leaf.path) }.map(\.pointer).sorted()
    if !left.isEmpty { doubts.append("left out: \(left.prefix(30).joined(separator: ", "))\(left.count > 30 ? ", …" : "")") }
  }

  /// Whether it has what a gift needs: a sender, and a gift, or how many, or an id where something is called a gift.
  var isGift: Bool {
    guard let sender else { return false }
    let isNamed = id != nil && mark != nil || sender.column.leaf.path.contains { !GiftMark.words(in: $0).isEmpty }
    return gift != nil || count != nil || total != nil || isEach || isNamed
  }

  /// Whether each element of an array is one receiver.
  var isEach: Bool { receiver.map { $0.column.isOfReceivers } ?? false }

  /// The field that says that a sender is not named.
  var anonymity: Column? {
    guard let path = sender?.column.leaf.path else { return nil }
    return table.columns.first { $0.leaf.last.hasSuffix("anonymous") && path.starts(with: $0.parent) }
  }

  /// A sender with a gift.
  private func pair(_ row: Int) -> [String]? { sender?.value(row).flatMap { one in gift?.value(row).map { [one, $0] } } }

  /// Whether all records of one kind have a sender and a gift that one of the other has.
  func tells(_ other: RuleGuess) -> Bool {
    let (mine, theirs) = (Set(table.rows.indices.compactMap(pair)), Set(other.table.rows.indices.compactMap(other.pair)))
    return !mine.isEmpty && !theirs.isEmpty && (mine.isSubset(of: theirs) || theirs.isSubset(of: mine))
  }

  /// Of rules that tell the same gifts, the best has an id, a number, and the most rows.
  func isBetter(than other: RuleGuess) -> Bool {
    func worth(_ guess: RuleGuess) -> (Int, Int, Int) {
      (guess.id == nil ? 0 : 1, guess.count == nil ? 0 : 1, guess.table.rows.count)
    }
    return worth(self) > worth(other)
  }

  // MARK: - Choosing

  /// The columns that fit, the best first.
  private func ranked(_ pattern: FieldPattern, bonus: (Column) -> Int = { _ in 0 }) -> [(column: Column, score: Int)] {
    table.columns.compactMap { column -> (column: Column, score: Int)? in
      guard !used.contains(column.leaf.path), let fit = pattern.score(column.leaf) else { return nil }
      let score = fit + bonus(column) + (column.values.count == table.rows.count ? 10 : 0)
      let said = column.values.keys.compactMap(column.said)
      return score >= pattern.least && !said.isEmpty && said.allSatisfy(pattern.fits) ? (column, score) : nil
    }.sorted {
      ($1.score, $0.column.leaf.path.count, $0.column.pointer) < ($0.score, $1.column.leaf.path.count, $1.column.pointer)
    }
  }

  /// The best of them, with a doubt if another one fits nearly as well, and with those that stand in for it.
  private mutating func pick(_ what: String, _ pattern: FieldPattern, bonus: (Column) -> Int = { _ in 0 }) -> Pick? {
    let ranked = ranked(pattern, bonus: bonus)
    guard let first = ranked.first else { return nil }
    let pick = pick(ranked.map(\.column))
    if let second = ranked.dropFirst().first, first.score - second.score < 8, second.column.values != first.column.values {
      doubts.append("\(what): \(first.column.pointer) is one of several candidates; another is \(second.column.pointer)")
    }
    if !pattern.doubt.isEmpty { doubts.append("\(pattern.doubt), \(first.column.pointer)") }
    return pick
  }

  /// The first, with those that stand in for it.
  private mutating func pick(_ ranked: [Column]) -> Pick? {
    guard var pick = ranked.first.map({ Pick(column: $0) }) else { return nil }
    for other in ranked {
      let isNew = other.values.keys.contains { other.said($0) != nil && pick.value($0) == nil }
      if isNew, pick.others.count < 3 { pick.others.append(other) }
    }
    used.formUnion(pick.all.map(\.leaf.path))
    return pick
  }

  private mutating func findParties() {
    if let mark { used.insert(mark.path) }
    let prices = Set(table.columns.filter { FieldPattern.value.names.prefix(6).contains($0.leaf.last) }.map(\.parent))
    let hasBits = table.columns.contains { $0.leaf.last == "bits" }
    /// Each element of an array of receivers is one, and nothing else.
    func inReceivers(_ column: Column, _ score: Int) -> Int { column.isOfReceivers ? score : 0 }
    // What has a price is a gift.
    gift =
      pick("gift.id", .gift) { inReceivers($0, -100) + ($0.leaf.last == "id" && prices.contains($0.parent) ? 35 : 0) }
      ?? pick("gift.id", .giftName) { inReceivers($0, -100) } ?? (hasBits ? nil : pick("gift.id", .plan))
    receiver = pick("receiver.id", .receiver) {
      let place = FieldPattern.receiver.words.firstIndex { [list = $0.list] in FieldPattern.has(list, [$0]) } ?? 0
      return inReceivers(
        $0, ($0.leaf.path.last == PointerTable.each ? 110 : FieldPattern.isIdentity($0.leaf.last) ? 75 : 0) - place)
    }
    sender = pick("sender.id", .sender) { inReceivers($0, -100) } ?? pick("sender.id", .senderName) { inReceivers($0, -100) }
    room = pick("room", .room) ?? pick("room", .host)
  }

  // MARK: - How many

  /// Each record tells its own number, or how many there have been so far: the samples show it, or an end or a streak beside it says so.
  private mutating func findAmount(_ refused: Set<[String]>) {
    streak = pick("streak", .streak)
    end = ranked(.end).first.map { Pick(column: $0.column) }
    // Beside receivers stands what each of them gets.
    let own = ranked(.count) { isEach && $0.leaf.array == root ? 40 : 0 }.map(\.column).filter {
      !isPrice($0) && FieldPattern.total.score($0.leaf) == nil
    }
    // A number of a combo that lies deeper than the record's own is told beside it.
    let sure = own.filter { FieldPattern.count.names.prefix(9).contains($0.leaf.last) }
    let running = ranked(.total).map(\.column).filter { one in
      !sure.contains { $0.leaf.path.count < one.leaf.path.count || one.leaf.last == "hits" }
    }
    let ids = ranked(.id) { [home = sender?.column.parent] in $0.parent == home ? 6 : 0 }.map(\.column)
      .filter { !refused.contains($0.leaf.path) }
    // An update under the same id has a higher number.
    let group = streak ?? ids.first.flatMap { $0.isDistinct ? nil : Pick(column: $0) }
    let shown = running.first { grows($0, group, isNamed: true) } ?? own.first { grows($0, group, isNamed: false) }
    let isEnded = streak == nil || end?.column.values.values.contains { $0 == "1" || $0 == "true" } == true && !running.isEmpty
    let ended = end == nil || !isEnded ? nil : running.first ?? own.first { ["count", "giftcount"].contains($0.leaf.last) }
    if let found = shown ?? ended ?? (streak == nil ? nil : running.first) {
      total = Pick(column: found)
      let beside = (ended != nil ? end : streak)?.column.pointer ?? ""
      var why = "has \(beside) beside it, though the samples do not show that it grows"
      if shown != nil { why = "never falls while \(group?.column.pointer ?? "sender and gift") stays the same" }
      doubts.append("total: \(found.pointer) \(why); if each record has only its own gifts, name it count and leave out streak")
      if shown != nil { streak = group }
      // Of how many gifts each hit is.
      let near = own.filter { $0.parent == found.parent && $0.leaf.path != found.leaf.path && found.leaf.last != "repeatcount" }
      times = near.first { ["batchsize", "groupcount", "count", "giftcount"].contains($0.leaf.last) }.map { Pick(column: $0) }
      if let times { doubts.append("total: each hit is taken for \(times.column.pointer) gifts") }
      if streak == nil { doubts.append("streak: no field names one, so two that are the same may count as one") }
      if streak != nil { end = nil }
    } else {
      (streak, end) = (nil, nil)
      takeCount(own + running)
    }
    id = pick(ids.filter { $0.leaf.path != streak?.column.leaf.path })
    if id == nil { doubts.append("id: no field identifies a gift, so a record that is sent twice counts twice") }
    used.formUnion([total, times, end].compactMap { $0?.column.leaf.path })
  }

  private mutating func takeCount(_ numbers: [Column]) {
    guard let number = numbers.first else { return doubts.append("count: no field was found, so each record is one gift") }
    let elements = Dictionary(table.rows.map { ($0.record, 1) }, uniquingKeysWith: +)
    if isEach, number.leaf.array != root, number.values.allSatisfy({ Int($1) == elements[table.rows[$0].record] }) {
      doubts.append("count: \(number.pointer) is the number of receivers, so each receives one gift")
    } else {
      count = pick(numbers)
    }
  }

  /// Whether a number that has no surer name is a price: it is told beside something else than the gift, or is always that of the gift.
  private func isPrice(_ column: Column) -> Bool {
    guard ["amount", "total", "number", "times"].contains(column.leaf.last), let gift else { return false }
    let prices = Set(column.values.compactMap { row, value in gift.value(row).map { [$0, value] } })
    let isOf = { (place: Int) in Set(prices.map { $0[place] }).count }
    return !gift.column.leaf.path.starts(with: column.parent)
      || isOf(1) > 1 && isOf(0) == prices.count && column.values.count > prices.count
  }

  /// Whether a number grows while sender and gift stay the same, and the streak, if there is one.
  private func grows(_ column: Column, _ group: Pick?, isNamed: Bool) -> Bool {
    var last: [[String]: Int64] = [:]
    var (grown, fallen) = (0, 0)
    for (row, value) in column.values.sorted(by: { $0.key < $1.key }) {
      let streak = group?.value(row)
      guard let number = Int64(value), group == nil ? pair(row) != nil : streak != nil else { continue }
      let before = last.updateValue(number, forKey: [streak ?? ""] + (pair(row) ?? [])) ?? number
      grown += number > before ? 1 : 0
      fallen += number < before ? 1 : 0
    }
    return grown > 0 && (isNamed || fallen == 0 && (group != nil || grown > 1))
  }
}
