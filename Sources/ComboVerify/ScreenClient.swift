/// A client of one epoch of a room. It draws the instructions by the rules of engine.md, and adds up the gifts that they account
/// for. Independent of the engine.
package struct ScreenClient {
  /// A banner on screen that has not been dismissed.
  package struct Banner: Equatable {
    package var number: Int64 = 0
    package var slot: Int64 = 0
    package var base: Int64 = 0
    /// The count shown.
    package var count: Int64 = 0
    package var combo: UInt64 = 0
  }

  /// Whether the screen is known completely: from the epoch's first instruction, or else from a `screen` on.
  package private(set) var isKnown: Bool
  package private(set) var banners: [Banner] = []
  /// Whether it has drawn the epoch from its first instruction on.
  package private(set) var isWhole: Bool
  /// The gifts accounted for: shown, added, left to a dismissal, or skipped. Mod 2^64, because a topic may hold anything.
  package private(set) var accounted: Int64 = 0
  /// The sum of these gifts, each multiplied by its combo's identity. Sums that differ combo by combo also differ here, but for
  /// one chance in 2^63.
  private(set) var fingerprint: UInt64 = 0
  /// The gifts of the combos that have ended, from `final`s, and their sum, each multiplied by its combo's identity.
  private(set) var ended: Int64 = 0
  private(set) var endedFingerprint: UInt64 = 0
  /// The number of `screen`s that equal the drawing.
  package private(set) var screens = 0
  /// The part of ``accounted`` that comes from sums of skips, which name no combo.
  private(set) var summed: Int64 = 0
  private(set) var lastAt = Int64.min

  /// - Parameter isWhole: Whether it begins with the epoch's first instruction.
  package init(isWhole: Bool) {
    self.isWhole = isWhole
    isKnown = isWhole
  }

  /// Marks the screen as unknown until the next `screen`, as instructions are missing.
  mutating func loseTrack() {
    isKnown = false
    isWhole = false
    banners = []
  }

  /// Draws an instruction. Returns its fault, as the end of a sentence that begins with its place, or nil.
  package mutating func draw(_ instruction: InstructionText) -> String? {
    if instruction.at < lastAt { return "its time, \(instruction.at), is before \(lastAt), the time of an earlier instruction" }
    lastAt = instruction.at
    switch instruction.operation {
    case .show: return show(instruction)
    case .update: return update(instruction)
    case .moveUp: return moveUp(instruction)
    case .dismiss: return dismiss(instruction)
    case .skip:
      count(instruction.count, of: instruction.combo)
      return index(of: instruction.banner) == nil ? nil : "it skips banner \(instruction.banner), which is on screen"
    case .skipSum:
      accounted &+= instruction.count
      summed &+= instruction.count
      return nil
    case .final:
      ended &+= instruction.count
      endedFingerprint &+= UInt64(bitPattern: instruction.count) &* instruction.combo
      return index(of: instruction.banner) == nil ? nil : "it ends the combo of banner \(instruction.banner), which is on screen"
    case .screen: return screen(instruction)
    }
  }

  private func index(of banner: Int64) -> Int? { banners.firstIndex { $0.number == banner } }

  private mutating func count(_ gifts: Int64, of combo: UInt64) {
    accounted &+= gifts
    fingerprint &+= UInt64(bitPattern: gifts) &* combo
  }

  private mutating func show(_ instruction: InstructionText) -> String? {
    count(instruction.count - instruction.base, of: instruction.combo)
    var fault: String?
    if index(of: instruction.banner) != nil { fault = "it shows banner \(instruction.banner), which is on screen" }
    if let other = banners.first(where: { $0.slot == instruction.slot }) {
      fault = fault ?? "it shows a banner in slot \(instruction.slot), where banner \(other.number) is"
    }
    if instruction.count <= instruction.base {
      fault = fault ?? "it shows \(instruction.count), though \(instruction.base) were there before"
    }
    if fault == nil || isKnown {
      banners.append(
        Banner(
          number: instruction.banner, slot: instruction.slot, base: instruction.base, count: instruction.count,
          combo: instruction.combo))
    }
    return isKnown ? fault : nil
  }

  private mutating func update(_ instruction: InstructionText) -> String? {
    guard let index = index(of: instruction.banner) else { return absent(instruction, "it counts") }
    count(instruction.added, of: banners[index].combo)
    let before = banners[index].count
    banners[index].count = instruction.count
    if banners[index].slot != instruction.slot { return wrongSlot(banners[index], instruction) }
    if before + instruction.added != instruction.count || instruction.added <= 0 {
      return "it adds \(instruction.added) to come to \(instruction.count), but \(before) were shown"
    }
    return nil
  }

  private mutating func moveUp(_ instruction: InstructionText) -> String? {
    guard let index = index(of: instruction.banner) else { return absent(instruction, "it moves") }
    var fault: String?
    if let other = banners.first(where: { $0.slot == instruction.slot }) {
      fault = "it moves banner \(instruction.banner) to slot \(instruction.slot), where banner \(other.number) is"
    }
    if banners[index].slot + 1 != instruction.slot {
      fault = fault ?? "it moves banner \(instruction.banner) from slot \(banners[index].slot) to \(instruction.slot)"
    }
    banners[index].slot = instruction.slot
    return fault
  }

  private mutating func dismiss(_ instruction: InstructionText) -> String? {
    guard let index = index(of: instruction.banner) else { return absent(instruction, "it dismisses") }
    let banner = banners.remove(at: index)
    count(instruction.count - banner.count, of: banner.combo)
    if banner.slot != instruction.slot { return wrongSlot(banner, instruction) }
    return instruction.count < banner.count ? "it dismisses at \(instruction.count), but \(banner.count) were shown" : nil
  }

  private mutating func screen(_ instruction: InstructionText) -> String? {
    var stated: [Banner] = []
    instruction.forEachBanner { stated.append($0) }
    let wasKnown = isKnown
    let drawn = banners.sorted { $0.slot < $1.slot }
    isKnown = true
    banners = stated
    if !wasKnown { return nil }
    screens += 1
    if drawn == stated { return nil }
    func words(_ banners: [Banner]) -> String {
      banners.isEmpty
        ? "nothing" : banners.map { "banner \($0.number) in slot \($0.slot) at \($0.count)" }.joined(separator: ", ")
    }
    return "the screen is said to be \(words(stated)), but a client has drawn \(words(drawn))"
  }

  private mutating func absent(_ instruction: InstructionText, _ what: String) -> String? {
    isWhole = false
    return isKnown ? "\(what) banner \(instruction.banner), which is not on screen" : nil
  }

  private func wrongSlot(_ banner: Banner, _ instruction: InstructionText) -> String {
    "banner \(banner.number) is in slot \(banner.slot), not in \(instruction.slot)"
  }
}
