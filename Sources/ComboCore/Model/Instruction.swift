/// One display instruction. Its display data is borrowed from the engine and valid until
/// ``InstructionSink/say(_:)`` returns.
public struct Instruction {
  /// The time at which the engine was created, in milliseconds since the Unix epoch.
  public let epoch: Int64
  /// 1, 2, 3 … within the epoch, without gaps.
  public let seq: Int
  /// The time of the step, in milliseconds since the Unix epoch; never falling.
  public let at: Int64
  /// What is to be done.
  public let operation: Operation
  /// Of a `show` or an `update`: how long the gift that has waited longest of those that it shows has waited, in milliseconds; of an `update`
  /// the longest that it can have been. -1: it shows none. Not part of what is said: for metrics.
  package var waited: Int64 = -1
  /// Of a `skip`: what the gifts are worth. As above.
  package var worth = 0.0

  package init(epoch: Int64, seq: Int, at: Int64, operation: Operation, waited: Int64 = -1, worth: Double = 0) {
    self.epoch = epoch
    self.seq = seq
    self.at = at
    self.operation = operation
    self.waited = waited
    self.worth = worth
  }

  /// What a screen does.
  public enum Operation {
    /// A banner enters at the bottom. `milestone` is the largest one above `base` and not above `count`.
    case show(banner: Int, count: Int, base: Int, milestone: Int?, display: Display)
    /// A banner's number changes, by `added` to `count`.
    case update(banner: Int, slot: Int, count: Int, added: Int, milestone: Int?)
    /// A banner moves to `slot`.
    case moveUp(banner: Int, slot: Int)
    /// A banner slides out.
    case dismiss(banner: Int, slot: Int, count: Int, reason: DismissReason)
    /// A waiting banner will never be shown; `count` gifts with it.
    case skip(banner: Int, count: Int, reason: SkipReason, display: Display)
    /// So many banners that waited will never be shown, with `count` gifts that are worth `value` together. The reason is never `retracted`.
    case skipSum(banners: Int, count: Int, value: Double, reason: SkipReason)
    /// A combo's run has ended; `count` gifts in all. `banner` is the last of the run.
    case final(banner: Int, count: Int, reason: FinalReason, display: Display)
    /// The whole screen, for clients that join late; lowest slot first.
    case screen([ScreenBanner])
  }

  /// A banner as the screen stands.
  public struct ScreenBanner {
    /// Its number.
    public let banner: Int
    /// Where it is; 0 is the bottom.
    public let slot: Int
    /// The count on screen.
    public let count: Int
    /// The count that it took over.
    public let base: Int
    /// Its display data, borrowed.
    public let display: Display
  }
}

/// Why a banner leaves.
public enum DismissReason: String, Sendable {
  case idle, busy, turn, closed, retracted
}

/// Why a banner is never shown.
public enum SkipReason: String, Sendable {
  case overflow, closed, retracted
}

/// Why a combo's run has ended.
public enum FinalReason: String, Sendable {
  /// No gift continued it in time.
  case over
  /// Its last banner was skipped since too many waited.
  case overflow
  case closed, retracted
}

/// Takes what an engine says, in order.
public protocol InstructionSink {
  /// Called during the engine's step, on its thread. Borrowed bytes must be copied here or not at all.
  mutating func say(_ instruction: Instruction)
  /// A gift was taken by ``Engine/takeFollowed(_:at:to:)``: called before the instructions that it causes. The default does nothing.
  mutating func took(_ gift: TakenGift)
  /// The count of the waiting `banner` now belongs to another one, on screen: called before the instructions that it causes. Does nothing by
  /// default.
  mutating func merged(_ banner: Int, into other: Int)
  /// A waiting banner is skipped at `at`, as part of a sum that is said later or next. Does nothing by default.
  mutating func summed(_ banner: Int, at: Int64, _ reason: SkipReason)
}

extension InstructionSink {
  /// Does nothing.
  public mutating func took(_ gift: TakenGift) {}
  /// Does nothing.
  public mutating func merged(_ banner: Int, into other: Int) {}
  /// Does nothing.
  public mutating func summed(_ banner: Int, at: Int64, _ reason: SkipReason) {}
}

/// What an engine did with a gift.
public struct TakenGift: Equatable, Sendable {
  /// Where it went.
  public enum Outcome: String, Sendable {
    /// A banner on screen.
    case joined
    /// A banner that waits.
    case waiting
    /// A banner of its own.
    case new
    /// Its id is remembered: it has no effect.
    case duplicate
    /// Its total is late or repeated: it has no effect.
    case stale
    /// Nowhere: it is older than the service's maximum age, so that no engine saw it. Never told by an engine.
    case old
  }

  /// When the engine was created.
  public var epoch: Int64
  /// Its time when it took the gift.
  public var at: Int64
  /// Where the gift went.
  public var outcome: Outcome
  /// How many it counted.
  public var count: Int
  /// The banner; 0 for a duplicate, a stale or an old one.
  public var banner: Int
  /// The count that a new banner took over.
  public var base: Int

  package init(epoch: Int64, at: Int64, outcome: Outcome, count: Int, banner: Int, base: Int) {
    self.epoch = epoch
    self.at = at
    self.outcome = outcome
    self.count = count
    self.banner = banner
    self.base = base
  }
}
