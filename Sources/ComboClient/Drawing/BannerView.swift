/// A view of a ``BannerPool`` with its banner: everything that is needed to draw it at any moment.
///
/// Times are the viewer's own, in milliseconds.
public struct BannerView: Identifiable, Sendable {
  /// The phase of a banner as a viewer sees it.
  public enum Phase: Sendable {
    /// The banner slides in.
    case entering
    /// Its number changes.
    case counting
    /// It rests.
    case lingering
    /// It slides out.
    case leaving
  }

  /// The view's own number, starting at 0. It never changes, since views are reused.
  public let id: Int
  /// The banner in this view, or nil if the view is free.
  public private(set) var banner: RoomBanner?
  /// The last milestone that was passed, or nil.
  public private(set) var milestone: Int?
  /// The time at which the milestone was passed, or nil.
  public private(set) var milestoneAt: Int64?
  /// The time at which the banner began to leave, or nil if it is not leaving.
  public private(set) var leftAt: Int64?

  private(set) var epoch: Int64 = 0
  private var enteredAt: Int64 = 0
  private var countedAt: Int64?
  private var countBefore = 0
  private var movedAt: Int64?
  private var placeBefore = 0.0

  init(id: Int) {
    self.id = id
  }

  /// The phase at `now`.
  public func phase(at now: Int64, _ motion: BannerMotion = BannerMotion()) -> Phase {
    if leftAt != nil { return .leaving }
    if Self.progress(enteredAt, motion.enterMs, now) < 1 { return .entering }
    return Self.progress(countedAt, motion.countMs, now) < 1 ? .counting : .lingering
  }

  /// The number to draw at `now`: the banner's count, or a number on the way to it.
  public func number(at now: Int64, _ motion: BannerMotion = BannerMotion()) -> Int {
    guard let banner else { return 0 }
    let part = Self.progress(countedAt, motion.countMs, now)
    if part >= 1 { return banner.count }
    return countBefore + Int(Double(banner.count - countBefore) * Self.easeOut(part))
  }

  /// The height at `now`, in slots: the banner's slot, or a height on the way to it.
  public func place(at now: Int64, _ motion: BannerMotion = BannerMotion()) -> Double {
    guard let banner else { return 0 }
    return placeBefore + (Double(banner.slot) - placeBefore) * Self.easeOut(Self.progress(movedAt, motion.enterMs, now))
  }

  /// The presence on screen at `now`: 0 before it slides in and after it has slid out, 1 when it is fully there.
  public func presence(at now: Int64, _ motion: BannerMotion = BannerMotion()) -> Double {
    guard banner != nil else { return 0 }
    let exit = leftAt == nil ? 0 : Self.progress(leftAt, motion.exitMs, now)
    return Self.easeOut(Self.progress(enteredAt, motion.enterMs, now)) * (1 - exit * exit * exit)
  }

  /// Whether it changes with time alone.
  public func isMoving(at now: Int64, _ motion: BannerMotion = BannerMotion()) -> Bool {
    guard banner != nil else { return false }
    return leftAt != nil || phase(at: now, motion) != .lingering || Self.progress(movedAt, motion.enterMs, now) < 1
  }

  // MARK: - The pool's actions

  mutating func put(_ banner: RoomBanner, of epoch: Int64, now: Int64) {
    self.banner = banner
    self.epoch = epoch
    enteredAt = now
    leftAt = nil
    countedAt = nil
    movedAt = nil
    milestone = nil
    milestoneAt = nil
    placeBefore = Double(banner.slot)
  }

  /// Replaces the banner by its new state. The number is animated if `runs`, otherwise set at once.
  mutating func change(to banner: RoomBanner, runs: Bool, now: Int64, _ motion: BannerMotion) {
    guard let old = self.banner, old != banner else { return }
    if old.count != banner.count {
      countBefore = number(at: now, motion)
      countedAt = runs ? now : nil
    }
    if old.slot != banner.slot {
      placeBefore = place(at: now, motion)
      movedAt = now
    }
    self.banner = banner
  }

  mutating func mark(_ milestone: Int, now: Int64) {
    self.milestone = milestone
    milestoneAt = now
  }

  mutating func leave(count: Int?, now: Int64) {
    if let count, count != banner?.count {
      banner?.count = count
      countedAt = nil
    }
    leftAt = now
  }

  mutating func release() {
    banner = nil
    leftAt = nil
    milestone = nil
    milestoneAt = nil
  }

  /// The progress from 0 at `start` to 1 after this many milliseconds; 1 if it never started.
  private static func progress(_ start: Int64?, _ durationMs: Int, _ now: Int64) -> Double {
    guard let start, durationMs > 0 else { return 1 }
    return min(1, max(0, Double(now - start) / Double(durationMs)))
  }

  private static func easeOut(_ part: Double) -> Double { 1 - (1 - part) * (1 - part) * (1 - part) }
}

/// The durations of movements, in milliseconds: the service's settings with the same names.
public struct BannerMotion: Equatable, Sendable {
  /// How long a banner slides in or moves up.
  public var enterMs: Int
  /// How long a number change is animated.
  public var countMs: Int
  /// How long a banner slides out.
  public var exitMs: Int

  /// Creates durations, by default those of the service.
  public init(enterMs: Int = 250, countMs: Int = 250, exitMs: Int = 250) {
    self.enterMs = enterMs
    self.countMs = countMs
    self.exitMs = exitMs
  }
}
