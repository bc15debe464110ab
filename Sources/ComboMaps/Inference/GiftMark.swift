internal import ComboWire

/// A field's value that says of a record that it is a gift: `cmd` is `SEND_GIFT`.
struct GiftMark: Hashable {
  let path: [String]
  let value: String

  var pointer: String { MapCompiler.written(path) }
  /// The field's own name.
  var name: String { path.last { $0 != PointerTable.each } ?? "" }

  /// How fields are called that say what a record is, the likeliest first.
  static let names = [
    "cmd", "type", "msgtype", "messagetype", "noticetype", "signaltype", "subscriptiontype", "method", "event", "eventtype",
    "eventname", "notice", "action", "kind", "op", "command", "opcode", "payloadtype", "iuri", "uri", "bizcode", "msgid",
  ]
  /// What the names of gifts have in them.
  static let words = [
    "gift", "dgb", "cheer", "present", "reward", "donat", "senditem", "supersticker", "paidsticker", "jewel", "bits.use",
    "bits-events",
  ]

  /// What words a value's name has in it.
  static func words(in value: String) -> [String] {
    let plain = FieldSample.plain(value)
    return words.filter { plain.contains($0) }
  }

  /// The marks of one record, of the field that is nearest to its root; of several of one depth, of the likeliest.
  static func marks(_ survey: FieldSurvey) -> [GiftMark] {
    let found = survey.fields.compactMap { field -> (field: FieldSample, place: Int)? in
      guard let place = names.firstIndex(of: field.last), field.values.contains(where: { !words(in: $0).isEmpty }) else {
        return nil
      }
      return (field, place)
    }
    guard let first = found.min(by: { ($0.field.path.count, $0.place) < ($1.field.path.count, $1.place) }) else { return [] }
    var values: [String] = []
    for value in first.field.values where !words(in: value).isEmpty && !values.contains(value) { values.append(value) }
    return values.map { GiftMark(path: first.field.path, value: $0) }
  }
}
