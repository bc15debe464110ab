internal import ComboCore
internal import ComboWire

/// A guess as a rule of a map.
extension MapGuess {
  /// A member that only gifts have.
  var giftKey: String? {
    gift.flatMap { FieldWords.has($0.field.last, ["gift", "gf", "present"]) ? $0.field.name : nil }
  }

  /// The rule.
  /// - Parameter isNarrow: it must leave alone what has no gift in it that it can read.
  mutating func rule(isNarrow: Bool) -> String {
    var fields: [String] = []
    func add(_ line: String) { fields.append("        " + line) }
    if let room {
      add("\"room\": \(reach(room))")
    } else {
      doubts.append("room: no field was found, so the record's key is used")
    }
    if let time {
      let all = time.pick.all.map { Self.quoted(pointer($0)) }
      let at = all.count == 1 ? all[0] : "[\(all.joined(separator: ", "))], \"unless\": [\"0\"]"
      add("\"ts\": \(time.unit == .ms ? reach(time.pick) : "{\"at\": \(at), \"unit\": \"\(time.unit.rawValue)\"}")")
    }
    if let id {
      add("\"id\": \(reach(id))")
    } else {
      doubts.append("id: no field identifies a gift, so a record that is sent twice counts twice")
    }
    add("\"sender\": {\(party(sender, FieldWords.personNames, FieldWords.pictures, isSender: true))}")
    let receivers = list.map { Pick(field: $0.id) } ?? receiver
    if let receivers { add("\"receiver\": {\(party(receivers, FieldWords.personNames, FieldWords.pictures))}") }
    add("\"gift\": {\(gift == nil ? nameless : party(gift, FieldWords.giftNames, FieldWords.giftPictures, value: value))}")
    var isTotal = false
    switch amount {
    case .one: if list != nil { add("\"count\": {\"const\": 1}") }
    case .count(let count, _): add("\"count\": \(reach(count))")
    case .total(let total, let times, let streak, let end):
      isTotal = true
      add("\"total\": \(times.map { "{\"product\": [\(reach(total)), \(reach($0))]}" } ?? reach(total))")
      if let streak { add("\"streak\": \(reach(streak))") }
      if let end { add("\"ends\": \(reach(end))") }
    }
    sayRest()
    var text = "    {\n"
    if let condition = condition(isNarrow: isNarrow) { text += "      \"when\": \(condition),\n" }
    if !root.isEmpty { text += "      \"root\": \(Self.quoted(MapCompiler.written(root))),\n" }
    text += "      \"event\": \"gift\",\n      \"fields\": {\n\(fields.joined(separator: ",\n"))\n      }"
    if id != nil, isTotal { text += ",\n      \"ids\": \"\(hasNewIDs ? "new" : "kept")\"" }
    return text + "\n    }"
  }

  /// A rule that drops these records, or makes them bad events.
  func refusing(_ reason: String, isBad: Bool = false) -> String {
    "    {\"when\": \(condition(isNarrow: false) ?? "[]"), \"\(isBad ? "bad" : "drop")\": \"\(reason)\"}"
  }

  private func condition(isNarrow: Bool) -> String? {
    var parts = mark.map { ["{\"at\": \(Self.quoted($0.pointer)), \"is\": \(Self.quoted($0.value))}"] } ?? []
    var needed = gift ?? list.map { Pick(field: $0.id) }
    if needed == nil, case .count(let count, _) = amount { needed = count }
    if isNarrow, let needed = needed ?? sender {
      parts.append("{\"at\": [\(needed.all.map { Self.quoted($0.pointer) }.joined(separator: ", "))], \"exists\": true}")
    }
    return parts.isEmpty ? nil : parts.count == 1 ? parts[0] : "[\(parts.joined(separator: ", "))]"
  }

  private var nameless: String {
    let isBits = giftName == "bits"
    return "\"id\": {\"const\": \(Self.quoted(giftName))}"
      + (value.map { ", \"value\": \(worth($0))" } ?? (isBits ? ", \"value\": {\"const\": 1}" : ""))
  }

  // MARK: - Pointers

  /// A pointer from where the rule stands.
  private func pointer(_ field: FieldSample) -> String {
    let path = field.path
    if root.isEmpty || !path.starts(with: root) { return (root.isEmpty ? "" : "^") + MapCompiler.written(path) }
    return path.count == root.count ? "" : MapCompiler.written(Array(path[root.count...]))
  }

  private func reach(_ field: FieldSample) -> String {
    let pointer = Self.quoted(pointer(field))
    return field.values.contains("0") && FieldWords.isIdentity(field.last)
      ? "{\"at\": \(pointer), \"unless\": [\"0\"]}" : pointer
  }

  private func reach(_ pick: Pick) -> String {
    if pick.others.isEmpty { return reach(pick.field) }
    return "{\"at\": [\(pick.all.map { Self.quoted(pointer($0)) }.joined(separator: ", "))], \"unless\": [\"0\"]}"
  }

  /// Of what is told in millionths of a currency, hundredths.
  private func worth(_ value: Pick) -> String {
    value.field.last.hasSuffix("micros") ? "{\"product\": [\(reach(value)), {\"const\": 0.0001}]}" : reach(value)
  }

  /// The id, with name and picture next to it.
  private mutating func party(
    _ pick: Pick?, _ names: [String], _ pictures: [String], value: Pick? = nil, isSender: Bool = false
  ) -> String {
    guard let pick else { return "\"id\": \"/TO-DO\"" }
    var parts: [String] = []
    if isSender, canBeAnonymous {
      parts.append("\"id\": [\(reach(pick)), {\"const\": \"anonymous\"}]")
    } else {
      parts.append("\"id\": \(reach(pick))")
    }
    if let value { parts.append("\"value\": \(worth(value))") }
    let id = pick.field
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
