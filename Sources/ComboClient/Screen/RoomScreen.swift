/// The banners on one room's screen, derived from its instructions: a reducer without clock, network or views.
///
/// It tracks (`epoch`, `seq`); instructions that are not above it are repetitions. A new epoch begins with an empty screen. After
/// a gap, or when it joins in mid-stream, the screen is unknown until the next `screen`: until then it has the banners whose
/// `show` it has processed. It holds at most 100 banners, whatever the input. docs/client.md has the rules, Tests/Clients proves
/// them.
public struct RoomScreen: Equatable, Sendable {
  /// The action that an instruction requires of the client.
  public enum Verdict: String, Sendable {
    /// Draw it.
    case draw
    /// Remove the drawn banners, because they are no longer known. Do not draw this instruction.
    case clear
    /// First clear, then draw.
    case clearAndDraw = "clear, draw"
    /// Do nothing: its banner is unknown until the next `screen`.
    case wait
    /// Do nothing: it is a repetition, malformed, or does not change the screen.
    case ignore

    /// Whether to remove the banners drawn before.
    public var clears: Bool { self == .clear || self == .clearAndDraw }
    /// Whether to draw the instruction.
    public var draws: Bool { self == .draw || self == .clearAndDraw }
  }

  private static let bannersMax = DisplayInstruction.bannersMax

  /// The epoch of the last instruction; -1 before the first.
  public private(set) var epoch: Int64 = -1
  /// The number of the last instruction.
  public private(set) var seq: Int64 = 0
  /// Whether ``banners`` is complete.
  public private(set) var isKnown = false
  /// The banners on screen that are not leaving, lowest slot first.
  public private(set) var banners: [RoomBanner] = []
  /// The times and slots of the latest screen.
  public private(set) var times = RoomTimes()
  /// The number of gaps so far.
  public private(set) var gaps = 0
  /// The number of repetitions so far.
  public private(set) var repetitions = 0

  /// Creates an unknown screen.
  public init() {}

  /// Marks the room's screen as empty, for example after a silence longer than any banner stays. The last `epoch` and `seq`
  /// are kept.
  public mutating func beginEmpty() {
    banners = []
    isKnown = true
    isEmptyAtStart = epoch < 0
  }

  /// Whether a `show` with any number continues an empty screen if it is the first instruction.
  private var isEmptyAtStart = false

  /// Processes an instruction of this room. Costs little more than the search for its banner.
  public mutating func take(_ instruction: DisplayInstruction) -> Verdict {
    let (newEpoch, newSeq) = (instruction.epoch, instruction.seq)
    if newSeq == 0 { return .ignore }
    if newEpoch < epoch || newEpoch == epoch && newSeq <= seq {
      repetitions += 1
      return .ignore
    }
    var isCleared = false
    if newEpoch > epoch {
      if epoch >= 0, newSeq != 1 { gaps += 1 }
      isCleared = removeAll()
      // An epoch begins with seq 1; otherwise its beginning was missed, unless there was nothing to miss.
      isKnown = newSeq == 1
      if isEmptyAtStart, case .show = instruction.operation { isKnown = true }
      isEmptyAtStart = false
    } else if newSeq != seq + 1 {
      gaps += 1
      // A screen is complete, so banners that stay need not be removed first.
      if case .screen = instruction.operation {} else { isCleared = removeAll() }
      isKnown = false
    }
    epoch = newEpoch
    seq = newSeq
    let verdict = apply(instruction.operation)
    if !isCleared { return verdict }
    return verdict == .draw ? .clearAndDraw : .clear
  }

  /// Processes the screen with which a stream over HTTP begins. Its `seq` is that of the last instruction that it includes. A
  /// sleeping room has epoch 0 and seq 0: its screen is empty, and its earlier position is kept.
  public mutating func takeJoined(_ screen: DisplayInstruction) -> Verdict {
    guard case .screen = screen.operation else { return .ignore }
    if screen.epoch == 0, screen.seq == 0 {
      banners = []
      isKnown = true
      return .draw
    }
    // Older than the known screen: the service is still catching up.
    if screen.epoch < epoch || screen.epoch == epoch && screen.seq < seq {
      repetitions += 1
      return .ignore
    }
    // Banners of another epoch are different ones, even if their numbers are equal.
    let isCleared = screen.epoch > epoch && removeAll()
    isEmptyAtStart = false
    epoch = screen.epoch
    seq = screen.seq
    _ = apply(screen.operation)
    return isCleared ? .clearAndDraw : .draw
  }

  /// Removes all banners, and returns whether there were any.
  private mutating func removeAll() -> Bool {
    if banners.isEmpty { return false }
    banners.removeAll(keepingCapacity: true)
    return true
  }

  private mutating func apply(_ operation: DisplayInstruction.Operation) -> Verdict {
    switch operation {
    case .show(let banner, _):
      if let old = index(banner.number) {
        banners.remove(at: old)
      } else if banners.count >= Self.bannersMax {
        return .ignore
      }
      insert(banner)
      return .draw
    case .update(let number, let slot, let count, _):
      guard let index = index(number) else { return isKnown ? .ignore : .wait }
      banners[index].count = count
      if let slot { place(index, in: slot) }
      return .draw
    case .moveUp(let number, let slot):
      guard let index = index(number) else { return isKnown ? .ignore : .wait }
      place(index, in: slot)
      return .draw
    case .dismiss(let number, _, _):
      guard let index = index(number) else { return isKnown ? .ignore : .wait }
      banners.remove(at: index)
      return .draw
    case .screen(let there, let times):
      banners.removeAll(keepingCapacity: true)
      for banner in there {
        // If a banner occurs twice, the last one counts.
        if let old = index(banner.number) { banners.remove(at: old) }
        insert(banner)
      }
      self.times = times
      isKnown = true
      return .draw
    case .skip, .skipSum, .final, .unknown, .malformed:
      return .ignore
    }
  }

  @inline(__always)
  private func index(_ number: Int) -> Int? {
    for index in banners.indices where banners[index].number == number { return index }
    return nil
  }

  private mutating func place(_ index: Int, in slot: Int) {
    if banners[index].slot == slot { return }
    var banner = banners.remove(at: index)
    banner.slot = slot
    insert(banner)
  }

  private mutating func insert(_ banner: RoomBanner) {
    let index = banners.firstIndex { ($0.slot, $0.number) > (banner.slot, banner.number) } ?? banners.endIndex
    banners.insert(banner, at: index)
  }
}
