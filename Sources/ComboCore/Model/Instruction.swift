/// One display instruction. Its display data is borrowed from the engine and valid until
/// ``InstructionSink/say(_:)`` returns.
public struct Instruction {
  /// The time at which the engine was created, in milliseconds since the Unix epoch.
  public let epoch: Int64
  /// The sequence number within the epoch: 1, 2, 3 … without gaps.
  public let seq: Int
  /// The time of the step, in milliseconds since the Unix epoch; never decreasing.
  public let at: Int64
  /// The operation that a screen performs.
  public let operation: Operation
  /// The waiting time of the longest waiting gift that a `show` or an `update` shows, in milliseconds; for an `update`, its
  /// upper bound. -1 if the instruction shows none. For metrics; not part of the instruction.
  package var waited: Int64 = -1
  /// The worth of the gifts of a `skip`. For metrics.
  package var worth = 0.0

  /// An operation of a screen.
  public enum Operation {
    /// A banner enters at the bottom. `milestone` is the largest one above `base` and not above `count`.
    case show(banner: Int, count: Int, base: Int, milestone: Int?, display: Display)
    /// A banner's number changes, by `added` to `count`.
    case update(banner: Int, slot: Int, count: Int, added: Int, milestone: Int?)
    /// A banner moves to `slot`.
    case moveUp(banner: Int, slot: Int)
    /// A banner slides out.
    case dismiss(banner: Int, slot: Int, count: Int, reason: DismissReason)
    /// A waiting banner with `count` gifts will never be shown.
    case skip(banner: Int, count: Int, reason: SkipReason, display: Display)
    /// `banners` waiting banners will never be shown, with `count` gifts worth `value` together. `reason` is never `retracted`.
    case skipSum(banners: Int, count: Int, value: Double, reason: SkipReason)
    /// A combo's run has ended, with `count` gifts in all. `banner` is the last of the run.
    case final(banner: Int, count: Int, reason: FinalReason, display: Display)
    /// The whole screen, for clients that join late; lowest slot first.
    case screen([ScreenBanner])
  }

  /// A banner on the current screen.
  public struct ScreenBanner {
    /// Its number.
    public let banner: Int
    /// Its slot; 0 is the bottom.
    public let slot: Int
    /// The count on screen.
    public let count: Int
    /// The count that it took over.
    public let base: Int
    /// Its display data, borrowed.
    public let display: Display
  }
}

/// The reason why a banner leaves.
public enum DismissReason: String, Sendable {
  case idle, busy, turn, closed, retracted
}

/// The reason why a banner is never shown.
public enum SkipReason: String, Sendable {
  case overflow, closed, retracted
}

/// The reason why a combo's run has ended.
public enum FinalReason: String, Sendable {
  /// No gift continued it in time.
  case over
  /// Its last banner was skipped because too many waited.
  case overflow
  case closed, retracted
}

/// Receives the instructions of an engine, in order.
public protocol InstructionSink {
  /// Receives an instruction, during the engine's step and on its thread. Borrowed bytes are valid during the call only.
  mutating func say(_ instruction: Instruction)
  /// Receives the result of ``Engine/takeFollowed(_:at:to:)``, before the instructions it causes. Does nothing by default.
  mutating func took(_ gift: TakenGift)
  /// Reports that the count of the waiting `banner` now belongs to another one on screen, before the instructions that this
  /// causes. Does nothing by default.
  mutating func merged(_ banner: Int, into other: Int)
  /// Reports that a waiting banner is skipped at `at`, as part of a sum that is emitted next or later. Does nothing by default.
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

/// The result of a gift in an engine.
public struct TakenGift: Equatable, Sendable {
  /// The outcome of a gift.
  public enum Outcome: String, Sendable {
    /// It joined a banner on screen.
    case joined
    /// It joined a waiting banner.
    case waiting
    /// It created a new banner.
    case new
    /// Its id is remembered, so it has no effect.
    case duplicate
    /// Its total is late or repeated, so it has no effect.
    case stale
    /// It is older than the service's maximum age, so no engine received it. An engine never reports this outcome.
    case old
  }

  /// The time at which the engine was created.
  public var epoch: Int64
  /// The engine's time when it took the gift.
  public var at: Int64
  /// The outcome.
  public var outcome: Outcome
  /// The number of gifts that it counted.
  public var count: Int
  /// The number of the banner; 0 for a duplicate, stale or old gift.
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
