internal import ComboWire

/// A guess as a rule of a map.
extension RuleGuess {
  /// The rule. It leaves alone what has no gift in it that it can read: if that names a gift, it is a bad event all the same.
  var rule: String {
    var fields: [String] = []
    func add(_ name: String, _ value: String?) { if let value { fields.append("        \"\(name)\": \(value)") } }
    let units = Set((time?.all ?? []).flatMap { column in column.values.keys.compactMap(column.said).map(FieldPattern.unit) })
    add("room", room.map { reach($0) })
    add("ts", time.map { reach($0, unit: units.count == 1 ? units.first! ?? .auto : .auto) })
    add("id", id.map { reach($0) })
    add("sender", "{\(party(sender, .personName, .personPicture))}")
    add("receiver", receiver.map { "{\(party($0, .personName, .personPicture))}" })
    add("gift", "{\(gift == nil ? "\"id\": {\"const\": \(quoted(giftName))}" : party(gift, .giftName, .giftPicture))\(worth)}")
    add("count", count.map { reach($0) } ?? (total == nil && isEach ? "{\"const\": 1}" : nil))
    add("total", total.map { all in times.map { "{\"product\": [\(reach(all)), \(reach($0))]}" } ?? reach(all) })
    add("streak", streak.map { reach($0) })
    add("ends", end.map { reach($0) })
    var parts = mark == nil && sender == nil ? [] : ["\"when\": \(condition)"]
    if !root.isEmpty { parts.append("\"root\": \(quoted(MapCompiler.written(root)))") }
    parts += ["\"event\": \"gift\"", "\"fields\": {\n\(fields.joined(separator: ",\n"))\n      }"]
    if let id, total != nil { parts.append("\"ids\": \"\(id.column.isDistinct ? "new" : "kept")\"") }
    return "    {\n\(parts.map { "      " + $0 }.joined(separator: ",\n"))\n    }"
  }

  private var condition: String {
    let needed = [gift ?? count ?? total ?? receiver, anonymity == nil ? sender : nil].compactMap { $0 }
    let parts = needed.map { "{\"at\": [\($0.all.map { quoted($0.pointer) }.joined(separator: ", "))], \"exists\": true}" }
    return "[\(((mark.map { [$0.condition] } ?? []) + parts).joined(separator: ", "))]"
  }

  /// A member that only gifts have.
  var giftKey: String? {
    gift.flatMap { FieldPattern.has($0.column.leaf.last, ["gift", "gf", "present"]) ? LeafPath.name($0.column.leaf.path) : nil }
  }

  /// The name of all gifts if no field names them: what they are, or the mark of gifts.
  private var giftName: String {
    if table.columns.contains(where: { $0.leaf.last == "bits" }) { return "bits" }
    let said = LeafPath.plain([mark?.value, receiver?.column.pointer, sender?.column.pointer].compactMap { $0 }.joined())
    let known = [
      ("sticker", "super-sticker"), ("member", "membership"), ("sponsorshipsgift", "membership"), ("cheer", "bits"),
      ("subscription", "subscription"), ("giftee", "subscription"), ("gifted", "subscription"), ("subgift", "subscription"),
    ]
    return known.first { said.contains($0.0) }?.1 ?? mark?.value ?? "gift"
  }

  /// What one gift is worth; of what is told in millionths of a currency, hundredths.
  private var worth: String {
    guard let value else { return gift == nil && giftName == "bits" ? ", \"value\": {\"const\": 1}" : "" }
    let isMicros = value.column.leaf.last.hasSuffix("micros")
    return ", \"value\": " + (isMicros ? "{\"product\": [\(reach(value)), {\"const\": 0.0001}]}" : reach(value))
  }

  /// Where the rule finds a column, from where it stands.
  private func reach(_ pick: Pick, unit: TimeUnit = .ms) -> String {
    let pointers = pick.all.map { column in
      let path = column.leaf.path
      let isBelow = path.starts(with: root)
      return quoted(
        (isBelow ? "" : "^") + (path == root ? "" : MapCompiler.written(Array(path.dropFirst(isBelow ? root.count : 0)))))
    }
    // A 0 is nobody's id, and says that something else stands for it.
    let isZero =
      (pick.all.count > 1 || FieldPattern.isIdentity(pick.column.leaf.last))
      && pick.all.contains { $0.values.values.contains("0") }
    if pointers.count == 1, !isZero, unit == .ms { return pointers[0] }
    return "{\"at\": \(pointers.count == 1 ? pointers[0] : "[\(pointers.joined(separator: ", "))]")"
      + (isZero ? ", \"unless\": [\"0\"]" : "") + (unit == .ms ? "" : ", \"unit\": \"\(unit.rawValue)\"") + "}"
  }

  /// The id, with name and picture next to it.
  private func party(_ pick: Pick?, _ name: FieldPattern, _ picture: FieldPattern) -> String {
    guard let pick else { return "\"id\": \"/TO-DO\"" }
    func beside(_ pattern: FieldPattern) -> String? {
      let near = table.columns.filter { $0.parent == pick.column.parent && $0.leaf.path != pick.column.leaf.path }
      return near.max { pattern.score($0.leaf) ?? 0 < pattern.score($1.leaf) ?? 0 }
        .flatMap { pattern.score($0.leaf) ?? 0 < 30 ? nil : reach(Pick(column: $0)) }
    }
    var place = reach(pick)
    if let anonymity, pick.column.leaf.path == sender?.column.leaf.path {
      // Only where the record says so.
      let test = "{\"at\": \(reach(Pick(column: anonymity))), \"is\": [true, 1, \"true\"]}"
      place = "[\(place), {\"when\": \(test), \"then\": {\"const\": \"anonymous\"}}]"
    }
    let shown = [
      beside(name).map { "\"name\": \($0)" }, beside(picture).map { "\"avatar\": {\"at\": \($0), \"max\": 500}" },
    ].compactMap { $0 }
    return "\"id\": \(place)" + (shown.isEmpty ? "" : ", \"show\": {\(shown.joined(separator: ", "))}")
  }
}
