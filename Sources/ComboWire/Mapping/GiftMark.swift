/// The field that distinguishes gifts from other records, with the values of gifts.
struct GiftMark {
  let field: FieldSample
  let values: [String]

  private static let names = [
    "cmd", "type", "msgtype", "messagetype", "noticetype", "method", "event", "eventtype", "eventname", "action", "kind", "op",
    "command",
    "opcode", "bizcode", "msgid",
  ]
  private static let words = ["gift", "dgb", "cheer", "present", "reward", "donat", "senditem"]

  init?(_ survey: FieldSurvey, _ doubts: inout [String]) {
    let candidates = Self.names.flatMap { name in
      survey.fields.filter { $0.last == name && $0.path.count <= 5 && $0.count * 2 >= survey.records }
        .sorted { ($0.path.count, $0.pointer) < ($1.path.count, $1.pointer) }
    }
    for field in candidates {
      let values = Set(field.values.filter { value in Self.words.contains { value.lowercased().contains($0) } }).sorted()
      if values.isEmpty { continue }
      self.field = field
      self.values = values
      return
    }
    // No value says so: which of them have what a gift has?
    let gifts = Set(survey.fields.filter { FieldWords.has($0.last, ["gift", "price", "present"]) }.flatMap(\.owners))
    for field in candidates {
      let all = Set(field.values)
      if all.count < 2 || all.count > 40 { continue }
      let values = Set(zip(field.owners, field.values).filter { gifts.contains($0.0) }.map(\.1)).sorted()
      if values.isEmpty { continue }
      self.field = field
      self.values = values
      doubts.append(
        "when: \(values.map(MapGuess.quoted).joined(separator: ", ")) of \(field.pointer) are taken for gifts, since they have a price or a gift's"
          + " field; their names do not say so")
      return
    }
    doubts.append("when: no field tells gifts from other records, so all are taken for gifts")
    return nil
  }
}
