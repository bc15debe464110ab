/// The settings of a room's engine. All durations are whole milliseconds.
///
/// The allowed values are in ``IntegerSetting/range`` and ``Setting/fault``; those of a room's own settings are in
/// ``IntegerSetting/roomRange`` and ``Setting/roomFault``.
public struct Settings: Equatable, Sendable {
  /// The maximum number of banners on screen; 0 pauses the room.
  public var slots = 2
  /// How long a banner slides in.
  public var enterMs = 250
  /// How long the number animation takes. Two number changes of one banner are at least this far apart.
  public var countMs = 250
  /// How long a banner stays after its last number animation.
  public var lingerMs = 3000
  /// How long a banner stays after its last number animation while the room is busy.
  public var busyLingerMs = 250
  /// A room is busy while more than this many banners wait.
  public var busyThreshold = 10
  /// The time on screen after which a banner accepts no more gifts if another one waits for its slot; 0 for no limit.
  public var holdMs = 10_000
  /// The minimum time on screen of a banner that leaves early because others wait.
  public var dwellMs = 0
  /// The maximum of a gift's own linger; with 0, gifts have none.
  public var maxLingerMs = 10_000
  /// How long a banner slides out.
  public var exitMs = 250
  /// How long a combo can continue from its old count after its banner has left.
  public var reuseMs = 5000
  /// The number of combos that are remembered after they left.
  public var maxHistory = 1000
  /// The maximum number of waiting banners.
  public var maxQueue = 40
  /// The time for which banners that overflow are summed before they are reported together; with 0, each is reported by itself.
  public var skipMs = 1000
  /// The waiting banner that a gift may join.
  public var queueMerge = QueueMerge.anywhere
  /// Longer lingers for banners of a higher worth, by ascending value.
  public var tiers: [Tier] = []
  /// The banner that leaves the queue first.
  public var queueOrder = QueueOrder.fifo
  /// The waiting time after which a banner rises by one rank in `tier` order; 0 for never.
  public var promoteMs = 0
  /// The counts that get a special effect, ascending.
  public var milestones: [Int] = []
  /// Whether the end of a combo is reported.
  public var finals = false
  /// How often the whole screen is emitted; 0 for never.
  public var screenMs = 5000
  /// How long gift ids are remembered; 0 for not at all.
  public var dedupeMs = 10_000
  /// The maximum number of remembered gift ids; 0 for none.
  public var maxIds = 2000
  /// How long running totals are remembered.
  public var streakMs = 60_000
  /// The maximum number of remembered running totals.
  public var maxStreaks = 1000
  /// The time after which an idle room may be forgotten, unless another memory lasts longer.
  public var restMs = 60_000

  /// Creates the default settings.
  public init() {}

  /// Creates the default settings under these rules.
  public init(_ rules: Rules) { if !rules.sumsSkips { maxQueue = 1000 } }

  /// How long an engine must be idle before a new one replaces it.
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

/// The waiting banner of its combo that a gift may join.
public enum QueueMerge: String, CaseIterable, Sendable {
  /// Any waiting banner of the combo.
  case anywhere
  /// Only if it is the last in the queue.
  case tail
}

/// The banner that leaves the queue first.
public enum QueueOrder: String, CaseIterable, Sendable {
  /// First in, first out.
  case fifo
  /// The highest rank first.
  case tier
}

/// The lingers of banners that are worth `value` or more.
public struct Tier: Equatable, Sendable {
  /// The minimum worth; above 0.
  public var value: Double
  /// The linger in milliseconds.
  public var lingerMs: Int
  /// The linger in milliseconds while the room is busy.
  public var busyLingerMs: Int

  /// Creates a tier. ``OwnSettings/add(_:)`` and ``Settings/apply(_:)`` check whether its values are allowed.
  public init(value: Double, lingerMs: Int, busyLingerMs: Int) {
    self.value = value
    self.lingerMs = lingerMs
    self.busyLingerMs = busyLingerMs
  }
}
