/// The settings of a room's engine. All durations are whole milliseconds.
///
/// The allowed values are in ``IntegerSetting/range`` and ``Setting/fault``; those of a room's own settings in ``IntegerSetting/roomRange`` and
/// ``Setting/roomFault``.
public struct Settings: Equatable, Sendable {
  /// Banners on screen at once; 0 = paused.
  public var slots = 2
  /// How long a banner slides in.
  public var enterMs = 250
  /// How long the number animation takes: no two number changes of one banner come closer together.
  public var countMs = 250
  /// How long a banner stays after its last number animation.
  public var lingerMs = 3000
  /// The same, while the room is busy.
  public var busyLingerMs = 250
  /// A room is busy while more than this many banners wait.
  public var busyThreshold = 10
  /// A banner takes no more gifts once it has been on screen for this long, if another one waits for its slot; 0: no limit.
  public var holdMs = 10_000
  /// The minimum time on screen of a banner that leaves early because others wait.
  public var dwellMs = 0
  /// A gift's own linger counts up to this; 0: gifts have none.
  public var maxLingerMs = 10_000
  /// How long a banner slides out.
  public var exitMs = 250
  /// How long after a banner is gone its combo can continue from the old count.
  public var reuseMs = 5000
  /// The number of combos that are remembered after they left.
  public var maxHistory = 1000
  /// Banners that may wait.
  public var maxQueue = 40
  /// For how long banners that overflow are summed before they are reported together; 0: each is reported by itself.
  public var skipMs = 1000
  /// Which waiting banner a gift may join.
  public var queueMerge = QueueMerge.anywhere
  /// Longer lingers for more worth; values rising.
  public var tiers: [Tier] = []
  /// Which banner leaves the queue first.
  public var queueOrder = QueueOrder.fifo
  /// In `tier` order: one rank up for each full `promoteMs` waited; 0 = never.
  public var promoteMs = 0
  /// Counts worth a special effect, rising.
  public var milestones: [Int] = []
  /// Whether the end of a combo is reported.
  public var finals = false
  /// How often the whole screen is emitted; 0 = never.
  public var screenMs = 5000
  /// For how long gift ids are remembered; 0 = off.
  public var dedupeMs = 10_000
  /// The number of gift ids that are remembered; 0 = off.
  public var maxIds = 2000
  /// For how long running totals are remembered.
  public var streakMs = 60_000
  /// The number of running totals that are remembered.
  public var maxStreaks = 1000
  /// The time after which an idle room may be forgotten, if no other memory lasts longer.
  public var restMs = 60_000

  /// The defaults.
  public init() {}

  /// The defaults under these rules.
  public init(_ rules: Rules) { if !rules.sumsSkips { maxQueue = 1000 } }

  /// How long an engine must be idle before a new one takes its place.
  public var rest: Int { max(max(restMs, reuseMs), max(dedupeMs, streakMs)) }

  /// The number of `tiers` that have a value at or below `value`.
  func tier(of value: Double) -> Int {
    var (low, high) = (0, tiers.count)
    while low < high {
      let middle = (low + high) / 2
      if tiers[middle].value <= value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Which waiting banner of its combo a gift may join.
public enum QueueMerge: String, CaseIterable, Sendable {
  /// Wherever it waits.
  case anywhere
  /// Only the last one to have come.
  case tail
}

/// Which banner leaves the queue first.
public enum QueueOrder: String, CaseIterable, Sendable {
  /// First in, first out.
  case fifo
  /// The highest rank first.
  case tier
}

/// From `value` on, a banner lingers this long.
public struct Tier: Equatable, Sendable {
  /// The worth from which it holds; above 0.
  public var value: Double
  /// In milliseconds.
  public var lingerMs: Int
  /// In milliseconds, while the room is busy.
  public var busyLingerMs: Int

  /// A tier; whether its values are allowed is checked by ``OwnSettings/add(_:)`` and ``Settings/apply(_:)``.
  public init(value: Double, lingerMs: Int, busyLingerMs: Int) {
    self.value = value
    self.lingerMs = lingerMs
    self.busyLingerMs = busyLingerMs
  }
}
