internal import ComboSystem

/// A room's banners as a client shows them, from the room's instructions.
///
/// It keeps (`epoch`, `seq`): what is not above is a repetition; after a gap, or joining in mid-stream, it shows nothing until
/// the next `screen`; a new epoch begins with an empty screen.
struct RoomScreen: Equatable, Sendable {
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
    let sender: String
    let receiver: String?
    let gift: String
    let icon: String?

    /// The number on its way from `countBefore` to `count`, which takes `countMs`.
    func countShown(at now: Int64, countMs: Int) -> Int {
      let elapsed = now - changed
      if countMs <= 0 || elapsed >= Int64(countMs) { return count }
      return countBefore + (count - countBefore) * Int(max(0, elapsed)) / countMs
    }
  }

  private(set) var epoch = Int64.min
  private(set) var seq = 0
  /// Whether all that is on screen is known.
  private(set) var isKnown = false
  /// Those that are leaving included.
  private(set) var banners: [Banner] = []

  /// Whether nothing is on screen, though no instruction has said so.
  private var isKnownEmpty = false

  /// Says that nothing is on screen, as when a room has been silent for longer than any that shows something. Then a `show` can
  /// be followed without a `screen` before it.
  mutating func beginEmpty() {
    self = RoomScreen()
    isKnown = true
    isKnownEmpty = true
  }

  /// Takes an instruction in at the viewer's time `now`; false if it was a repetition or cannot be followed yet.
  @discardableResult
  mutating func apply(_ instruction: JSONValue, at now: Int64) -> Bool {
    guard let epoch = instruction["epoch"]?.integer, let seq = instruction["seq"]?.integer else { return false }
    if epoch < self.epoch || epoch == self.epoch && seq <= self.seq { return false }
    let isNew = epoch > self.epoch
    if isNew || seq != self.seq + 1 {
      banners = []
      // An epoch begins with seq 1; else something was missed, unless there was nothing to miss.
      isKnown = isNew && seq == 1 || isKnownEmpty && instruction["op"]?.string == "show"
    }
    isKnownEmpty = false
    self.epoch = Int64(epoch)
    self.seq = seq
    let operation = instruction["op"]?.string
    if !isKnown && operation != "screen" { return false }
    switch operation {
    case "show": show(instruction, at: now)
    case "update": update(instruction, at: now)
    case "move_up": moveUp(instruction)
    case "dismiss": dismiss(instruction, at: now)
    case "screen": screen(instruction, at: now)
    default: break  // `skip`, and whatever comes with later versions, change nothing on screen
    }
    return true
  }

  /// Forgets banners that have slid out.
  mutating func sweep(at now: Int64, exitMs: Int) {
    banners.removeAll { $0.left.map { now - $0 >= Int64(exitMs) } ?? false }
  }

  private mutating func show(_ instruction: JSONValue, at now: Int64) {
    guard var banner = Self.banner(instruction, at: now) else { return }
    banner.milestone = instruction["milestone"]?.integer
    place(banner)
  }

  private mutating func update(_ instruction: JSONValue, at now: Int64) {
    guard let index = index(instruction), let count = instruction["count"]?.integer else { return }
    banners[index].countBefore = banners[index].count
    banners[index].count = count
    banners[index].changed = now
    banners[index].milestone = instruction["milestone"]?.integer
  }

  private mutating func moveUp(_ instruction: JSONValue) {
    guard let index = index(instruction), let slot = instruction["slot"]?.integer else { return }
    var banner = banners.remove(at: index)
    banner.slot = slot
    place(banner)
  }

  private mutating func dismiss(_ instruction: JSONValue, at now: Int64) {
    guard let index = index(instruction) else { return }
    if let count = instruction["count"]?.integer { banners[index].count = count }
    banners[index].left = now
  }

  private mutating func screen(_ instruction: JSONValue, at now: Int64) {
    let before = banners
    banners.removeAll { $0.left == nil }
    for entry in instruction["banners"]?.array ?? [] {
      guard var banner = Self.banner(entry, at: now) else { continue }
      // One that is known goes on as it was; a new one need not slide in.
      if let known = before.first(where: { $0.number == banner.number }) {
        banner.entered = known.entered
        banner.countBefore = known.countBefore
        banner.changed = known.changed
        banner.milestone = known.milestone
      } else {
        banner.entered = .min / 2
      }
      place(banner)
    }
    isKnown = true
  }

  /// A leaving banner that the viewer's clock let stay too long makes room.
  private mutating func place(_ banner: Banner) {
    banners.removeAll { $0.slot == banner.slot && $0.left != nil }
    banners.append(banner)
  }

  private func index(_ instruction: JSONValue) -> Int? {
    guard let number = instruction["banner"]?.integer else { return nil }
    return banners.firstIndex { $0.number == number }
  }

  private static func banner(_ entry: JSONValue, at now: Int64) -> Banner? {
    guard let number = entry["banner"]?.integer, let slot = entry["slot"]?.integer, let count = entry["count"]?.integer else {
      return nil
    }
    return Banner(
      number: number, slot: slot, countBefore: entry["base"]?.integer ?? 0, count: count, changed: now, entered: now,
      sender: name(entry["sender"]) ?? "?", receiver: name(entry["receiver"]), gift: name(entry["gift"]) ?? "?",
      icon: entry["gift"]?["icon"]?.string)
  }

  /// What to call a sender, a receiver or a gift: its `name`, else its id.
  private static func name(_ object: JSONValue?) -> String? {
    for field in ["name", "id"] {
      switch object?[field] {
      case .string(let text): return text
      case .number(let text): return text
      default: continue
      }
    }
    return nil
  }
}
