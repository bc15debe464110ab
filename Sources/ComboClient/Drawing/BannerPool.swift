/// The views of one room: at most slots + 1, created when they are needed, and reused.
///
/// The additional view is needed because a leaving banner still slides out while another enters. If more leave at once, the view
/// of the one that has been leaving longest is reused. A room with more slots than expected gets more views.
///
/// Call ``follow(_:after:now:)`` after every instruction that a ``RoomScreen`` has processed, and draw ``views`` in each frame.
public struct BannerPool: Sendable {
  /// All views created so far, in use or not. A view's `id` is its index.
  public private(set) var views: [BannerView] = []
  /// The number of slots, as far as it is known.
  public private(set) var slots: Int
  /// The durations of movements. A `screen` with the room's own times changes them.
  public private(set) var motion: BannerMotion

  /// Creates a pool without views.
  ///
  /// - Parameters:
  ///   - slots: The service's setting.
  ///   - motion: The service's times.
  public init(slots: Int = 2, motion: BannerMotion = BannerMotion()) {
    self.slots = min(max(1, slots), DisplayInstruction.slotMax + 1)
    self.motion = motion
  }

  /// Updates the views to the banners of `screen` at the viewer's time `now` in milliseconds.
  ///
  /// - Parameters:
  ///   - screen: The room's screen, after it has processed the instruction.
  ///   - instruction: The last instruction, or nil if there was none.
  ///   - now: The viewer's time.
  public mutating func follow(_ screen: RoomScreen, after instruction: DisplayInstruction?, now: Int64) {
    take(screen.times)
    sweep(now: now)
    var last: (number: Int, count: Int)?
    if case .dismiss(let number, let count?, _) = instruction?.operation { last = (number, count) }
    for index in views.indices where views[index].banner != nil && views[index].leftAt == nil {
      let number = views[index].banner!.number
      if views[index].epoch != screen.epoch || !screen.banners.contains(where: { $0.number == number }) {
        let isLast = views[index].epoch == screen.epoch && last?.number == number
        views[index].leave(count: isLast ? last?.count : nil, now: now)
      }
    }
    // Only an update's number is animated; a screen's is set at once.
    var runs = false
    if case .update = instruction?.operation { runs = true }
    for banner in screen.banners {
      if let index = index(of: banner.number, epoch: screen.epoch), views[index].leftAt == nil {
        views[index].change(to: banner, runs: runs, now: now, motion)
      } else {
        let index = index(of: banner.number, epoch: screen.epoch) ?? free(now: now)
        views[index].put(banner, of: screen.epoch, now: now)
      }
      slots = max(slots, banner.slot + 1)
    }
    switch instruction?.operation {
    case .show(let banner, let milestone?): mark(banner.number, screen.epoch, milestone, now: now)
    case .update(let number, _, _, let milestone?): mark(number, screen.epoch, milestone, now: now)
    default: break
    }
  }

  /// Lets every banner slide out, because the connection has been lost for too long.
  public mutating func clear(now: Int64) {
    for index in views.indices where views[index].banner != nil && views[index].leftAt == nil {
      views[index].leave(count: nil, now: now)
    }
  }

  /// Frees the views whose banners have slid out. ``follow(_:after:now:)`` also does this.
  public mutating func sweep(now: Int64) {
    for index in views.indices {
      if let left = views[index].leftAt, now - left >= Int64(motion.exitMs) { views[index].release() }
    }
  }

  /// Whether something moves at `now`, so that another frame is needed.
  public func isMoving(at now: Int64) -> Bool { views.contains { $0.isMoving(at: now, motion) } }

  private mutating func take(_ times: RoomTimes) {
    if let enter = times.enterMs { motion.enterMs = enter }
    if let count = times.countMs { motion.countMs = count }
    if let exit = times.exitMs { motion.exitMs = exit }
    if let count = times.slots { slots = min(max(1, count), DisplayInstruction.slotMax + 1) }
  }

  private mutating func mark(_ number: Int, _ epoch: Int64, _ milestone: Int, now: Int64) {
    if let index = index(of: number, epoch: epoch) { views[index].mark(milestone, now: now) }
  }

  private func index(of number: Int, epoch: Int64) -> Int? {
    views.firstIndex { $0.banner?.number == number && $0.epoch == epoch }
  }

  /// Returns a view for a banner: a free one, a new one, or that of the banner that has been leaving longest.
  private mutating func free(now: Int64) -> Int {
    if let index = views.firstIndex(where: { $0.banner == nil }) { return index }
    let leaving = views.indices.filter { views[$0].leftAt != nil }.min { views[$0].leftAt! < views[$1].leftAt! }
    // There are more banners than slots and none leaves, so the room has more slots than expected.
    if leaving == nil { slots = max(slots, min(views.count, DisplayInstruction.slotMax + 1)) }
    if views.count <= slots {
      views.append(BannerView(id: views.count))
      return views.count - 1
    }
    let index = leaving ?? 0
    views[index].release()
    return index
  }
}
