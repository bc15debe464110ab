internal import ComboSystem

/// Instructions as lines of text, for where nothing can be drawn.
enum PlainLines {
  /// A line for what a viewer would notice, or nil.
  static func line(for instruction: JSONValue, in stage: Stage) -> String? {
    guard let room = instruction["room"]?.string, let number = instruction["banner"]?.integer,
      let operation = instruction["op"]?.string, ["show", "update", "dismiss"].contains(operation),
      let banner = stage.rooms.first(where: { $0.name == room })?.screen.banners.first(where: { $0.number == number })
    else { return nil }
    let sign = operation == "show" ? "+" : operation == "update" ? "·" : "-"
    let star = operation == "dismiss" ? "" : banner.milestone.map { "  ★ \($0)" } ?? ""
    return line(sign, room, banner) + star
  }

  /// A banner behind a sign.
  static func line(_ sign: String, _ room: String, _ banner: RoomScreen.Banner) -> String {
    let to = banner.receiver.map { " → \($0)" } ?? ""
    let icon = banner.icon.map { "\($0) " } ?? ""
    return DisplayWidth.harmless("\(sign) \(room)  \(banner.sender)\(to)  \(icon)\(banner.gift) ×\(banner.count)")
  }
}
