/// The settings that engines share, in one object, so that a million rooms do not hold a million copies.
public final class EngineSettings: Sendable {
  /// The values.
  public let values: Settings
  /// The version of the rules.
  public let rules: Rules
  /// The room's own settings, and the service's in their place; nil if that is this.
  let own: OwnSettings
  let service: EngineSettings?
  /// The object for all.
  let hashSeed = KeyHash.seed
  /// For how long skips are summed under these rules, in milliseconds; 0: not at all.
  let skipMs: Int
  /// The longest linger of its own that a gift has under these rules, in milliseconds.
  let ownLingerMax: Int

  /// An object of these values, under these rules.
  public init(_ values: Settings, rules: Rules = .newest) {
    self.values = values
    self.rules = rules
    own = OwnSettings()
    service = nil
    skipMs = rules.sumsSkips ? values.skipMs : 0
    ownLingerMax = rules.hasOwnLinger ? values.maxLingerMs : 0
  }

  /// Those of a room with settings of its own.
  private init(_ service: EngineSettings, own: OwnSettings) {
    values = service.values.with(own)
    rules = service.rules
    self.own = own
    self.service = service
    skipMs = rules.sumsSkips ? values.skipMs : 0
    ownLingerMax = rules.hasOwnLinger ? values.maxLingerMs : 0
  }

  /// These settings of the service with a room's own over them.
  func with(_ own: OwnSettings) -> EngineSettings { own.isEmpty ? self : EngineSettings(self, own: own) }
}

/// The combo engine of one room: takes gifts in, and emits the few instructions that a screen needs.
///
/// A pure state machine: it has no clock, no randomness and does no I/O. Its owner passes the time, calls
/// ``advance(to:to:)`` at the latest when ``nextDeadline`` has come, and passes the instructions on. The same inputs at the same
/// times give the same instructions; the number of calls in between makes no difference.
///
///                     enter_ms        count_ms                 linger            exit_ms
///     queued ──show──▶ entering ─────▶ counting ────────────▶ lingering ─dismiss─▶ leaving ─────▶ gone
///                         └── update ──▶ ▲ └─ update ─▶┘          │
///                                        └──────── update ◀───────┘ (a gift comes)
///
/// All times are milliseconds since the Unix epoch. A `now` below the engine's last time counts as that time.
///
/// An engine is a value: a copy is independent, and free until one of the two is changed. It may be used by one
/// thread at a time. Taking a gift costs some 100 to 200 ns and in the steady state no allocation; a room at rest that
/// remembers one combo and one gift id takes some 600 bytes.
public struct Engine {
  private var box: EngineBox

  /// An engine that is created at `now`.
  public init(at now: Int64, settings: EngineSettings) { box = EngineBox(EngineCore(at: now, settings: settings)) }

  /// The same with an epoch of a later time: where a clock was set back, epochs keep rising.
  package init(at now: Int64, epoch: Int64, settings: EngineSettings) {
    var core = EngineCore(at: now, settings: settings)
    core.epoch = max(now, epoch)
    box = EngineBox(core)
  }

  init(_ core: consuming EngineCore) { box = EngineBox(core) }

  /// The state, for reading.
  var core: EngineCore { _read { yield box.core } }

  /// The state, for changes: it is this engine's alone while `body` runs, and afterwards until the engine is copied.
  @inline(__always)
  mutating func change<R, Fault: Error>(_ body: (inout EngineCore) throws(Fault) -> R) throws(Fault) -> R {
    if !isKnownUniquelyReferenced(&box) { box = EngineBox(box.core.copy()) }
    return try body(&box.core)
  }

  // MARK: - Events

  /// A gift arrives at `now`.
  public mutating func take(_ gift: Gift, at now: Int64, to sink: inout some InstructionSink) {
    withUnsafePointer(to: gift) { gift in change { $0.take(gift, at: now, to: &sink) } }
  }

  /// The same, but the gift's display data are not copied yet: they must stay as they are until ``keepLent()`` is called, and may be read
  /// until then by all that is called in between. Emits the same. For an owner of many gifts at a time: of those for one banner only the
  /// last one's display data are copied, and only they are read. The gift itself is read in place, during the call.
  @inline(__always)
  public mutating func takeLent(_ gift: UnsafePointer<Gift>, at now: Int64, to sink: inout some InstructionSink) {
    change { $0.take(gift, .lent, at: now, to: &sink) }
  }

  /// The same as ``take(_:at:to:)``, and the sink gets the result for the gift: ``InstructionSink/took(_:)``.
  public mutating func takeFollowed(_ gift: Gift, at now: Int64, to sink: inout some InstructionSink) {
    withUnsafePointer(to: gift) { gift in change { $0.take(gift, .followed, at: now, to: &sink) } }
  }

  /// Copies what is needed of the display data that were lent since the last time.
  public mutating func keepLent() { change { $0.keepLent() } }

  /// Runs all steps that are due until `now`.
  public mutating func advance(to now: Int64, to sink: inout some InstructionSink) {
    change { $0.advance(to: now, to: &sink) }
  }

  /// The room is closed at `now`: the screen is cleared, waiting banners are skipped, all memory is dropped.
  public mutating func close(at now: Int64, to sink: inout some InstructionSink) {
    change { $0.close(at: now, to: &sink) }
  }

  /// Gifts are retracted at `now`: banners of those combos leave, those that wait are skipped, their history is dropped.
  public mutating func retract(_ retraction: Retraction, at now: Int64, to sink: inout some InstructionSink) {
    change { $0.retract(retraction, at: now, to: &sink) }
  }

  /// The room gets settings of its own at `now`, in place of any that it had; without any it has the service's again.
  public mutating func set(_ own: OwnSettings, at now: Int64, to sink: inout some InstructionSink) {
    change { $0.set(own, at: now, to: &sink) }
  }

  /// The service has new settings from `now` on; the room's own stay over them.
  public mutating func adopt(_ settings: EngineSettings, at now: Int64, to sink: inout some InstructionSink) {
    change { $0.adopt(settings, at: now, to: &sink) }
  }

  /// Moves all deadlines by `milliseconds`: an engine that was away continues as if no time had passed.
  public mutating func shift(by milliseconds: Int64) {
    change { $0.shift(by: milliseconds) }
  }

  /// A new, later epoch begins at `now`: for when the state is not known for certain. Banners on screen, waiting banners and the
  /// history are forgotten; ids, running totals and the room's own settings stay. Emits an empty screen.
  public mutating func beginAnew(at now: Int64, to sink: inout some InstructionSink) {
    change { $0.beginAnew(at: now, to: &sink) }
  }

  // MARK: - Prefetching

  // These do not change the engine. They are `mutating` because an engine that is lent that way is not counted, which would cost as much
  // as what they are for.

  /// The place of the state, and its size in bytes. For an owner of many engines, most of which are not in the
  /// processor's cache: it can ask for the memory of the next while it works on one.
  package mutating func memory() -> (address: UnsafeRawPointer, bytes: Int) {
    (UnsafeRawPointer(Unmanaged.passUnretained(box).toOpaque()), 16 + MemoryLayout<EngineCore>.size)
  }

  /// At most so many places are written by one call.
  package static var prefetchMax: Int { Places.max }

  /// Writes to `places`, which has room for ``prefetchMax``, the places beyond the state itself that taking a gift with these
  /// hashes is likely to look at, beside those of the room (``places(step:at:in:)``), and returns how many they are. Which those are is
  /// found step by step, from 0 to 2: each looks at ``memory()`` and at what the steps before it wrote. Costs some nanoseconds if that is
  /// in the cache.
  package mutating func prefetchAddresses(
    of hashes: Gift.Hashes, step: Int, in places: UnsafeMutablePointer<UnsafeRawPointer>
  ) -> Int {
    var written = Places(in: places)
    box.core.addPlaces(of: hashes, step: step, to: &written)
    return written.count
  }

  /// The same for what ``advance(to:to:)``, and a gift whatever it is, are likely to look at when the time is `now`, in steps 0 and 1.
  package mutating func prefetchAddresses(step: Int, at now: Int64, in places: UnsafeMutablePointer<UnsafeRawPointer>) -> Int {
    var written = Places(in: places)
    box.core.addPlaces(step: step, at: now, to: &written)
    return written.count
  }

  // MARK: - Questions

  /// When the engine was created.
  public var epoch: Int64 { box.core.epoch }

  /// The room's own settings.
  public var own: OwnSettings { box.core.own }

  /// The earliest deadline of a banner on screen, of the screen, of a final, or of a sum of skips; nil if there is none.
  public var nextDeadline: Int64? { box.core.nextDeadline }

  /// Whether no banner is on screen and none waits.
  public var isIdle: Bool { box.core.isIdle }

  /// The oldest rules that have all that is in the state. Reads all banners.
  public var neededRules: Rules { box.core.neededRules }

  /// Whether banners were skipped that are not reported yet.
  public var hasPendingSkips: Bool { box.core.hasSkipSum }

  /// Once the time is above this the engine can be thrown away unseen; nil if it is not idle, has a final or a sum of skips to come, or settings of
  /// its own.
  public var restsAfter: Int64? {
    isIdle && own.isEmpty && !box.core.hasMoreToSay ? box.core.restEnd : nil
  }

  /// The current screen, for a client that joins in between: as a `screen`, but with the number and time of the last instruction
  /// or step, so that the next instruction follows it without a gap. No instruction is emitted, and the engine does not change.
  /// - Parameter body: its display data are borrowed from the engine.
  public func withScreen<R>(_ body: (Instruction) throws -> R) rethrows -> R {
    try withExtendedLifetime(box) {
      try body(
        Instruction(epoch: box.core.epoch, seq: box.core.seq, at: box.core.time, operation: .screen(box.core.screenBanners)))
    }
  }

  /// No count is above this.
  public static var countMax: Int { EngineCore.most }

  /// When it was created, and the number of instructions that it has emitted.
  public var position: (epoch: Int64, seq: Int) { (box.core.epoch, box.core.seq) }

  /// The number of banners that hold a slot.
  public var screenDepth: Int { Int(box.core.screen.count) }

  /// The number of banners that wait.
  public var queueDepth: Int { Int(box.core.queue.count) }

  /// The number of gifts that no instruction has shown yet: those that wait, and those by which counts on screen still rise. Reads
  /// all banners.
  package var waitingGifts: Int { box.core.waitingGifts }

  /// The time since when the longest waiting banner waits; nil if none waits.
  public var waitingSince: Int64? { box.core.queue.count > 0 ? box.core.banners[box.core.queue.first].since : nil }

  /// The number of banners that leave the queue before a waiting one, as of now; nil if it does not wait. Reads the whole queue.
  package func waitingBefore(_ banner: Int) -> Int? { box.core.waitingBefore(banner) }

  /// The number of remembered gift ids and running totals.
  public var memoryDepths: (ids: Int, streaks: Int) { (Int(box.core.ids.count), Int(box.core.streaks?.count ?? 0)) }
}

/// Holds the state of one engine, or of several that are still equal, and gives its memory back.
final class EngineBox {
  var core: EngineCore

  init(_ core: consuming EngineCore) { self.core = core }

  deinit { core.free() }
}
