internal import ComboCore
internal import ComboWire

/// How many gifts a record tells.
extension MapGuess {
  enum Amount {
    /// No field says how many.
    case one
    /// Each record tells its own; with what the number is to be multiplied.
    case count(Pick, times: FieldSample?)
    /// Each record tells how many there have been so far.
    case total(FieldSample, times: FieldSample?, streak: Pick?, end: FieldSample?)
  }

  /// Names of numbers that go on within a streak, the surest first.
  private static let running = ["repeatcount", "combocount", "combonum", "combo", "combohits", "hits"]
  /// Names of a record's own number.
  private static let single = [
    "giftnum", "num", "giftcount", "gfcnt", "quantity", "qty", "count", "iitemcount", "itemcount", "groupcount", "sendcount",
    "batchsize", "massgiftcount", "giftmembershipscount", "number", "repeatcount", "combocount", "bits", "amount", "total",
    "times",
    "hits",
  ]
  /// What says of how many gifts each hit is.
  private static let batches = ["batchsize", "groupcount", "count", "giftcount"]

  mutating func findAmount() {
    if let each = list?.count {
      used.insert(each.path)
      (amount, isCounted) = (.count(Pick(field: each), times: nil), true)
      return
    }
    let streak = pick("streak", least: 30, where: { Self.isID($0) }) { field in
      let isNamed = ["groupid", "comboid", "combokey", "mergekey", "streakid", "streak", "bcid"].contains(field.last)
      let isOthers = field.last.contains("community") || field.last.contains("origin") || field.last.contains("batchcombo")
      return (isNamed ? 70 : FieldWords.isIdentity(field.last) && FieldWords.has(field.last, FieldWords.combo) ? 40 : -100)
        - (isOthers ? 60 : 0)
    }
    let end = survey.fields.first { field in
      isReachable(field) && ["end", "finish", "final", "last"].contains { field.last.contains($0) }
        && !field.last.contains("time") && !field.last.contains("friend") && !field.last.contains("send")
        && field.values.allSatisfy { ["0", "1", "true", "false"].contains($0) }
    }
    let numbers = survey.fields.filter { !used.contains($0.path) && Self.isCount($0) && isReachable($0) && !Self.isOthers($0) }
    if streak == nil, let id, !hasNewIDs, let total = total(numbers, id, nil), total.why == .grows {
      // An update under the same id has a higher number.
      takeTotal(total.field, .grows, id, nil, numbers)
      self.id = nil
    } else if let total = total(numbers, streak, end) {
      takeTotal(total.field, total.why, streak, end, numbers)
    } else {
      if let streak { used.subtract(streak.all.map(\.path)) }
      takeCount(streak)
    }
  }

  /// Whether a number is somebody's, or of something beside the gift.
  private static func isOthers(_ field: FieldSample) -> Bool {
    let above = field.above
    return above.contains {
      FieldWords.has($0, ["user", "sender", "viewer", "author", "medal", "rank", "fans", "badges"] + FieldWords.aside)
    }
      || FieldWords.has(
        field.last, ["super", "gifter", "cumulative", "lifetime", "fanticket", "sender", "msgparamsender", "month"])
      || ["community", "bomb", "viewer", "watching"].contains { field.last.contains($0) } || field.last.contains("cumulative")
      || field.last.contains("month") || field.last.contains("sendercount")
      || field.last.contains("total") && field.last != "total" && field.last != "totalcount"
  }

  private enum Why { case grows, ends, named }

  private mutating func takeTotal(
    _ total: FieldSample, _ why: Why, _ streak: Pick?, _ end: FieldSample?, _ numbers: [FieldSample]
  ) {
    used.insert(total.path)
    isCounted = true
    switch why {
    case .grows:
      doubts.append(
        "total: \(total.pointer) never falls while \(streak?.pointer ?? "sender and gift") stays the same, so it is taken for a running total; if"
          + " each record has only its own gifts, name it count and leave out streak")
    case .ends:
      doubts.append(
        "total: \(total.pointer) is taken for a running total because \(end!.pointer) marks an end; the samples do not show that it grows"
      )
    case .named:
      doubts.append(
        "total: \(total.pointer) is taken for a running total because \(streak!.pointer) names a streak; the samples do not show that it grows"
      )
    }
    var times: FieldSample?
    if total.last != "repeatcount" {
      times =
        Self.batches.lazy.compactMap { name in
          numbers.first { $0.last == name && $0.path != total.path && $0.path.dropLast() == total.path.dropLast() }
        }.first
    }
    if let times {
      used.insert(times.path)
      doubts.append("total: \(times.pointer) is taken for the gifts of each hit, so the total is the product of both")
    }
    if streak == nil {
      if let end { used.insert(end.path) }
      doubts.append("streak: no field names one, so two streaks of the same sender, gift and number may count as one")
    }
    amount = .total(total, times: times, streak: streak, end: streak == nil ? end : nil)
  }

  private mutating func takeCount(_ streak: Pick?) {
    let count = pick("count", least: 20, where: { Self.isCount($0) }) { field in
      if Self.isOthers(field) { return -100 }
      guard let place = Self.single.firstIndex(where: { field.last == $0 || $0.count > 4 && field.last.hasSuffix($0) }) else {
        return -100
      }
      // What is told of a combo is told again.
      let isRepeated = field.above.contains { $0.contains("combo") } || field.last.contains("super")
      return 62 - 2 * place + (Self.single[place] == field.last ? 6 : 0) - (isRepeated ? 30 : 0)
    }
    guard let count else {
      doubts.append("count: no field was found, so each record is one gift")
      return
    }
    if let list, Self.counts(count.field, list.id) {
      doubts.append("count: \(count.pointer) is the number of receivers, so each receives one gift")
      isCounted = true
      return
    }
    if let streak {
      doubts.append(
        "count: \(streak.pointer) looks like a streak, but the samples do not show that \(count.pointer) grows in it: samples of a whole streak"
          + " would show it")
    }
    isCounted = count.field.last != "groupcount"
    amount = .count(count, times: nil)
  }

  /// Whether a number is that of an array's elements, in all records.
  private static func counts(_ number: FieldSample, _ elements: FieldSample) -> Bool {
    let each = Dictionary(elements.owners.map { ($0, 1) }, uniquingKeysWith: +)
    return number.byOwner.allSatisfy { owner, value in each[owner].map(String.init) == value }
  }

  /// A number that goes on within a streak: the samples show it, or its name, an end or a streak's name say so.
  private func total(_ numbers: [FieldSample], _ streak: Pick?, _ end: FieldSample?) -> (field: FieldSample, why: Why)? {
    func isNamed(_ field: FieldSample, _ name: String) -> Bool {
      field.last == name || name.count > 4 && field.last.hasSuffix(name)
    }
    let own = numbers.filter { field in
      Self.single.prefix(9).contains { field.last == $0 || $0.count > 5 && isNamed(field, $0) }
        && !Self.running.contains { isNamed(field, $0) }
    }
    let named = Self.running.flatMap { name in numbers.filter { isNamed($0, name) } }
      // A number of a combo that lies deeper than the record's own is told beside it.
      .filter { field in !own.contains { $0.path.count < field.path.count } && !(field.last == "hits" && !own.isEmpty) }
    for field in named + own + numbers.filter({ ["total", "totalcount", "amount", "times", "batchsize"].contains($0.last) }) {
      if grows(field, streak, isNamed: named.contains { $0.path == field.path }) { return (field, .grows) }
    }
    guard let field = named.first ?? (own.isEmpty ? nil : own.first { ["count", "giftcount"].contains($0.last) }) else {
      return nil
    }
    let isRunning = named.first != nil
    if let end, streak == nil ? true : isRunning && end.values.contains(where: { $0 == "1" || $0 == "true" }) {
      return (field, .ends)
    }
    return isRunning && streak != nil ? (field, .named) : nil
  }

  /// Whether a number grows while the streak stays the same, or sender and gift do.
  private func grows(_ field: FieldSample, _ streak: Pick?, isNamed: Bool) -> Bool {
    let groups: [Int: String]
    if let streak {
      groups = streak.field.byOwner
    } else if let sender, let gift {
      let gifts = gift.field.byOwner
      groups = sender.field.byOwner.reduce(into: [:]) { $0[$1.key] = "\($1.value)\u{0}\(gifts[$1.key] ?? "")" }
    } else {
      return false
    }
    var last: [String: Int64] = [:]
    var (grown, fallen) = (0, 0)
    for (owner, value) in field.byOwner.sorted(by: { $0.key < $1.key }) {
      guard let number = Int64(value), let group = groups[owner], Self.isSaid(group) else { continue }
      if let before = last[group] {
        if number > before { grown += 1 }
        if number < before { fallen += 1 }
      }
      last[group] = streak == nil ? number : max(last[group] ?? 0, number)
    }
    return grown > 0 && (isNamed || fallen == 0 && (streak != nil || grown > 1))
  }
}
