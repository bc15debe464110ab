internal import ComboClient

/// A room's banners as the terminal shows them: what a ``ComboClient/RoomScreen`` has, and since when.
struct RoomStage: Equatable, Sendable {
  /// A banner as it is shown. Times are the viewer's own, in milliseconds.
  struct Banner: Equatable, Sendable {
    let number: Int
    var slot: Int
    /// Where the number comes from, and goes to.
    var countBefore: Int
    var count: Int
    var changed: Int64
    var entered: Int64
    var left: Int64?
    var milestone: Int?
    var sender: String
    var receiver: String?
    var gift: String
    var icon: String?

    /// Its number begins at its count, never at ×0.
    init(_ banner: RoomBanner, at now: Int64) {
      number = banner.number
      slot = banner.slot
      countBefore = banner.count
      count = banner.count
      changed = now
      entered = now
      sender = "?"
      gift = "?"
      dress(banner)
    }

    /// Takes the banner's names.
    mutating func dress(_ banner: RoomBanner) {
      sender = RoomStage.name(banner.sender) ?? "?"
      receiver = RoomStage.name(banner.receiver)
      gift = RoomStage.name(banner.gift) ?? "?"
      icon = banner.gift?.text("icon")
    }

    /// The number on its way from `countBefore` to `count`, which takes `countMs`.
    func countShown(at now: Int64, countMs: Int) -> Int {
      let elapsed = now - changed
      if countMs <= 0 || elapsed >= Int64(countMs) { return count }
      return countBefore + Int(Double(count - countBefore) * Double(max(0, elapsed)) / Double(countMs))
    }
  }

  /// The banners on screen, and whether that is all.
  private(set) var screen = RoomScreen()
  /// Those that are leaving included.
  private(set) var banners: [Banner] = []
  /// The combos that ended last, the newest last: sender, gift and total.
  private(set) var ended: [String] = []
  private static let endedMax = 3

  var isKnown: Bool { screen.isKnown }
  var seq: Int64 { screen.seq }

  /// Marks the screen as empty, as when a room has been silent for longer than any banner stays.
  mutating func beginEmpty() {
    self = RoomStage()
    screen.beginEmpty()
  }

  /// Takes an instruction in at the viewer's time `now`; false if it was a repetition, or is about a banner that is not known.
  @discardableResult
  mutating func apply(_ instruction: DisplayInstruction, at now: Int64) -> Bool {
    let before = (screen.epoch, screen.seq)
    let verdict = screen.take(instruction)
    if verdict.clears { banners = [] }
    if verdict.draws { follow(instruction.operation, at: now) }
    let isNew = (screen.epoch, screen.seq) != before
    if isNew, case .final(let combo) = instruction.operation {
      ended = ended.suffix(Self.endedMax - 1) + [Self.text(of: combo)]
    }
    return verdict != .wait && isNew
  }

  /// A combo that has ended, as text.
  static func text(of combo: ComboCount) -> String {
    let to = name(combo.receiver).map { " → \($0)" } ?? ""
    let icon = combo.gift?.text("icon").map { "\($0) " } ?? ""
    return "\(name(combo.sender) ?? "?")\(to)  \(icon)\(name(combo.gift) ?? "?") ×\(combo.count) in all"
  }

  fileprivate static func name(_ data: DisplayData?) -> String? { data.map(\.name).flatMap { $0.isEmpty ? nil : $0 } }

  /// Forgets banners that have slid out.
  mutating func sweep(at now: Int64, exitMs: Int) {
    banners.removeAll { $0.left.map { now - $0 >= Int64(exitMs) } ?? false }
  }

  /// Shows what the screen has now, after the operation that it has drawn.
  private mutating func follow(_ operation: DisplayInstruction.Operation, at now: Int64) {
    var isScreen = false
    if case .screen = operation { isScreen = true }
    for index in banners.indices where banners[index].left == nil {
      guard let banner = screen.banners.first(where: { $0.number == banners[index].number }) else {
        if case .dismiss(_, let count?, _) = operation { banners[index].count = count }
        banners[index].left = now
        continue
      }
      change(index, to: banner, isScreen: isScreen, at: now)
    }
    for banner in screen.banners where !banners.contains(where: { $0.number == banner.number && $0.left == nil }) {
      var new = Banner(banner, at: now)
      // A banner of a screen has been there for a while.
      if isScreen { new.entered = .min / 2 }
      banners.append(new)
    }
    // A leaving banner that the viewer's clock let stay too long makes room.
    let held = banners.filter { $0.left == nil }.map(\.slot)
    banners.removeAll { $0.left != nil && held.contains($0.slot) }
    switch operation {
    case .show(let banner, let milestone): praise(banner.number, milestone)
    case .update(let number, _, _, let milestone): praise(number, milestone)
    default: break
    }
  }

  private mutating func change(_ index: Int, to banner: RoomBanner, isScreen: Bool, at now: Int64) {
    if banners[index].count != banner.count {
      banners[index].countBefore = isScreen ? banner.count : banners[index].count
      banners[index].count = banner.count
      banners[index].changed = now
    }
    // Only a screen brings other names.
    if isScreen { banners[index].dress(banner) }
    banners[index].slot = banner.slot
  }

  private mutating func praise(_ number: Int, _ milestone: Int?) {
    guard let index = banners.firstIndex(where: { $0.number == number && $0.left == nil }) else { return }
    banners[index].milestone = milestone
  }
}
