internal import ComboClient

/// A room's banners as the terminal shows them: those of a ``ComboClient/RoomScreen``, with the times of their changes.
struct RoomStage: Equatable, Sendable {
  /// A banner as it is shown. Times are those of the viewer's clock, in milliseconds.
  struct Banner: Equatable, Sendable {
    let number: Int
    var slot: Int
    /// The number from which the count is animated, and the final one.
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

    /// Creates a banner whose number starts at its count, never at ×0.
    init(_ banner: RoomBanner, at now: Int64) {
      number = banner.number
      slot = banner.slot
      countBefore = banner.count
      count = banner.count
      changed = now
      entered = now
      sender = "?"
      gift = "?"
      show(banner)
    }

    /// Copies the banner's names.
    mutating func show(_ banner: RoomBanner) {
      sender = RoomStage.name(banner.sender) ?? "?"
      receiver = RoomStage.name(banner.receiver)
      gift = RoomStage.name(banner.gift) ?? "?"
      icon = banner.gift?.text("icon")
    }

    /// The number shown while it counts from `countBefore` to `count`, which takes `countMs`.
    func countShown(at now: Int64, countMs: Int) -> Int {
      let elapsed = now - changed
      if countMs <= 0 || elapsed >= Int64(countMs) { return count }
      return countBefore + Int(Double(count - countBefore) * Double(max(0, elapsed)) / Double(countMs))
    }
  }

  /// The banners on screen, and whether they are known completely.
  private(set) var screen = RoomScreen()
  /// The banners to draw, including those that are leaving.
  private(set) var banners: [Banner] = []
  /// The combos that ended most recently, the newest last: sender, gift and total.
  private(set) var ended: [String] = []
  private static let endedMax = 3

  var isKnown: Bool { screen.isKnown }
  var seq: Int64 { screen.seq }

  /// Marks the screen as empty, for a room that has been silent for longer than any banner stays.
  mutating func beginEmpty() {
    self = RoomStage()
    screen.beginEmpty()
  }

  /// Applies an instruction at the viewer's time `now`. Returns false if it repeats an earlier one, or is about an unknown
  /// banner.
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

  /// Formats a combo that has ended.
  static func text(of combo: ComboCount) -> String {
    let to = name(combo.receiver).map { " → \($0)" } ?? ""
    let icon = combo.gift?.text("icon").map { "\($0) " } ?? ""
    return "\(name(combo.sender) ?? "?")\(to)  \(icon)\(name(combo.gift) ?? "?") ×\(combo.count) in all"
  }

  fileprivate static func name(_ data: DisplayData?) -> String? { data.map(\.name).flatMap { $0.isEmpty ? nil : $0 } }

  /// Removes banners that have slid out.
  mutating func sweep(at now: Int64, exitMs: Int) {
    banners.removeAll { $0.left.map { now - $0 >= Int64(exitMs) } ?? false }
  }

  /// Updates the banners from the screen after it has applied an operation.
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
      // A banner that comes with a `screen` has been there for a while.
      if isScreen { new.entered = .min / 2 }
      banners.append(new)
    }
    // A leaving banner that the viewer's clock kept too long makes room.
    let held = banners.filter { $0.left == nil }.map(\.slot)
    banners.removeAll { $0.left != nil && held.contains($0.slot) }
    switch operation {
    case .show(let banner, let milestone): mark(banner.number, milestone)
    case .update(let number, _, _, let milestone): mark(number, milestone)
    default: break
    }
  }

  private mutating func change(_ index: Int, to banner: RoomBanner, isScreen: Bool, at now: Int64) {
    if banners[index].count != banner.count {
      banners[index].countBefore = isScreen ? banner.count : banners[index].count
      banners[index].count = banner.count
      banners[index].changed = now
    }
    // Names change only with a `screen`.
    if isScreen { banners[index].show(banner) }
    banners[index].slot = banner.slot
  }

  private mutating func mark(_ number: Int, _ milestone: Int?) {
    guard let index = banners.firstIndex(where: { $0.number == number && $0.left == nil }) else { return }
    banners[index].milestone = milestone
  }
}
