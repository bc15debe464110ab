internal import ComboClient
internal import ComboSystem

/// Formats instructions as lines of text, for output without a terminal.
enum PlainLines {
  /// Returns a line for a visible change, or nil if nothing visible changes.
  static func line(for instruction: DisplayInstruction, in stage: Stage) -> String? {
    let sign: String
    let number: Int
    switch instruction.operation {
    case .show(let banner, _): (sign, number) = ("+", banner.number)
    case .update(let banner, _, _, _): (sign, number) = ("·", banner)
    case .dismiss(let banner, _, _): (sign, number) = ("-", banner)
    case .final(let combo): return DisplayWidth.harmless("✓ \(instruction.room)  \(RoomStage.text(of: combo))")
    default: return nil
    }
    guard let banner = stage.screen(of: instruction.room)?.banners.last(where: { $0.number == number }) else { return nil }
    let star = sign == "-" ? "" : banner.milestone.map { "  ★ \($0)" } ?? ""
    return line(sign, instruction.room, banner) + star
  }

  /// Formats a banner after a sign.
  static func line(_ sign: String, _ room: String, _ banner: RoomStage.Banner) -> String {
    let to = banner.receiver.map { " → \($0)" } ?? ""
    let icon = banner.icon.map { "\($0) " } ?? ""
    return DisplayWidth.harmless("\(sign) \(room)  \(banner.sender)\(to)  \(icon)\(banner.gift) ×\(banner.count)")
  }
}
