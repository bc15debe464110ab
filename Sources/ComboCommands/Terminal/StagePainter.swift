internal import ComboCore
internal import ComboSystem

/// Draws rooms side by side, as many as fit.
struct StagePainter: Sendable {
  /// The number of banner slots of a room, and the durations of animations.
  var settings = Settings()
  /// The maximum number of rooms side by side.
  var columnsMax = Int.max
  /// The first line.
  var title = ""
  /// The last lines; if there is little space, only the last of these.
  var footer: [String] = []

  private static let cardWidth = 40
  /// The column at which numbers end in a wide terminal, unless the texts are longer: a number far from its name is hard to read.
  private static let numberColumn = 78
  private static let border = Frame.Style(color: 240)

  /// Draws the stage at the viewer's time `now`, in milliseconds.
  func frame(_ stage: Stage, at now: Int64, width: Int, height: Int) -> Frame {
    var frame = Frame(width: width, height: height)
    frame.write(title, x: 1, y: 0, style: Frame.Style(color: 213, isBold: true))
    let footer = footer.suffix(max(0, height - 1))
    for (index, line) in footer.enumerated() {
      frame.write(line, x: 1, y: height - footer.count + index, style: Frame.Style(color: 245))
    }

    let columns = max(1, min(columnsMax, width / Self.cardWidth, stage.rooms.count))
    let cardWidth = width / columns
    let cardHeight = settings.slots + 2
    let rows = max(0, (height - 1 - footer.count) / cardHeight)
    for (index, room) in stage.rooms.prefix(columns * rows).enumerated() {
      let x = index % columns * cardWidth
      let y = 1 + index / columns * cardHeight
      paint(room.name, room.screen, into: &frame, x: x, y: y, width: cardWidth, at: now)
    }
    return frame
  }

  private func paint(
    _ name: String, _ screen: RoomStage, into frame: inout Frame, x: Int, y: Int, width: Int, at now: Int64
  ) {
    guard width >= 8 else { return }
    let line = String(repeating: "─", count: width - 2)
    frame.write("╭\(line)╮", x: x, y: y, style: Self.border)
    frame.write(" \(name) ", x: x + 2, y: y, style: Frame.Style(color: 250), clip: x + 2..<x + width - 2)
    for row in 1..<settings.slots + 1 {
      frame.write("│", x: x, y: y + row, style: Self.border)
      frame.write("│", x: x + width - 1, y: y + row, style: Self.border)
    }
    frame.write("╰\(line)╯", x: x, y: y + settings.slots + 1, style: Self.border)
    // A banner whose slot no longer exists is not drawn; the room's own settings may have had more slots.
    for banner in screen.banners where banner.slot < settings.slots {
      paint(banner, into: &frame, y: y + settings.slots - banner.slot, columns: x + 1..<x + width - 1, at: now)
    }
  }

  /// Draws a banner, which slides in from the left and out to the left. Its number is to the right of its texts.
  private func paint(_ banner: RoomStage.Banner, into frame: inout Frame, y: Int, columns: Range<Int>, at now: Int64) {
    let shift = shift(banner, width: columns.count, at: now)
    let isLeaving = banner.left != nil
    let count = banner.countShown(at: now, countMs: settings.countMs)
    let isFresh = now - banner.changed < Int64(settings.countMs)

    let number = "\(banner.milestone == nil ? "" : "★ ")×\(count)"
    let gift = " \(banner.icon.map { "\($0) " } ?? "")\(banner.gift)"
    let receiver = banner.receiver.map { " → \($0)" } ?? ""
    let numberWidth = DisplayWidth.columns(of: number)
    let textEnd = columns.lowerBound + 1 + DisplayWidth.columns(of: banner.sender + receiver + gift)
    let numberEnd = max(columns.lowerBound + Self.numberColumn, textEnd + 1 + numberWidth)
    let numberStart = min(columns.upperBound - 1, numberEnd) - numberWidth + shift
    var style = Frame.Style(color: Self.color(of: count), isBold: true, isDim: isLeaving)
    if isFresh, !isLeaving { style.color = 231 }

    let textClip = columns.lowerBound..<max(columns.lowerBound, min(columns.upperBound, numberStart - 1))
    var x = columns.lowerBound + 1 + shift
    x = frame.write(banner.sender, x: x, y: y, style: Frame.Style(color: 117, isBold: true, isDim: isLeaving), clip: textClip)
    x = frame.write(receiver, x: x, y: y, style: Frame.Style(color: 245, isDim: isLeaving), clip: textClip)
    frame.write(gift, x: x, y: y, style: Frame.Style(color: 223, isDim: isLeaving), clip: textClip)
    frame.write(number, x: numberStart, y: y, style: style, clip: columns)
  }

  /// The offset of a banner from its place, in columns: 0, or negative to the left.
  private func shift(_ banner: RoomStage.Banner, width: Int, at now: Int64) -> Int {
    let (enterMs, exitMs) = (settings.enterMs, settings.exitMs)
    if let left = banner.left {
      return exitMs <= 0 ? -width : -Int(min(Int64(exitMs), max(0, now - left))) * width / exitMs
    }
    if enterMs <= 0 || now - banner.entered >= Int64(enterMs) { return 0 }
    return -(enterMs - Int(max(0, now - banner.entered))) * width / enterMs
  }

  private static func color(of count: Int) -> UInt8 {
    switch count {
    case ..<10: 252
    case ..<100: 221
    case ..<1000: 208
    default: 199
    }
  }
}
