/// The settings that engines share. They are one object, so that a million rooms do not hold a million copies.
public final class EngineSettings: Sendable {
  /// The values.
  public let values: Settings
  /// The version of the rules.
  public let rules: Rules
  /// The room's own settings, and the service's settings that they override, or nil if this object has no own settings.
  let own: OwnSettings
  let service: EngineSettings?
  /// A copy of ``KeyHash/seed``.
  let hashSeed = KeyHash.seed
  /// The time for which skips are summed under these rules, in milliseconds; 0 if they are not summed.
  let skipMs: Int
  /// The maximum of a gift's own linger under these rules, in milliseconds.
  let ownLingerMax: Int

  /// Creates an object with these values under these rules.
  public init(_ values: Settings, rules: Rules = .newest) {
    self.values = values
    self.rules = rules
    own = OwnSettings()
    service = nil
    skipMs = rules.sumsSkips ? values.skipMs : 0
    ownLingerMax = rules.hasOwnLinger ? values.maxLingerMs : 0
  }

  /// Creates the settings of a room that has settings of its own.
  private init(_ service: EngineSettings, own: OwnSettings) {
    values = service.values.with(own)
    rules = service.rules
    self.own = own
    self.service = service
    skipMs = rules.sumsSkips ? values.skipMs : 0
    ownLingerMax = rules.hasOwnLinger ? values.maxLingerMs : 0
  }

  /// Returns these settings of the service with a room's own settings applied.
  func with(_ own: OwnSettings) -> EngineSettings { own.isEmpty ? self : EngineSettings(self, own: own) }
}

/// The combo engine of one room. It receives gifts and emits the few instructions that a screen needs.
///
/// It is a pure state machine without clock, randomness or I/O. Its owner passes the time, calls ``advance(to:to:)`` no later
/// than at ``nextDeadline``, and forwards the instructions. The same inputs at the same times produce the same instructions,
/// regardless of the number of calls in between.
///
///                     enter_ms        count_ms                 linger            exit_ms
///     queued ──show──▶ entering ─────▶ counting ────────────▶ lingering ─dismiss─▶ leaving ─────▶ gone
///                         └── update ──▶ ▲ └─ update ─▶┘          │
///                                        └──────── update ◀───────┘ (a gift comes)
///
/// All times are milliseconds since the Unix epoch. A `now` before the engine's last time counts as that time.
///
/// An engine is a value. A copy is independent, and costs nothing until one of the two changes. Only one thread may use an
/// engine at a time. Taking a gift costs 100 to 200 ns and, in the steady state, no allocation. A room at rest that remembers
/// one combo and one gift id occupies about 600 bytes.
public struct Engine {
  private var box: EngineBox

  /// Creates an engine at `now`.
  public init(at now: Int64, settings: EngineSettings) { box = EngineBox(EngineCore(at: now, settings: settings)) }

  /// Creates an engine at `now` with a later epoch, so that epochs keep rising after a clock was set back.
  package init(at now: Int64, epoch: Int64, settings: EngineSettings) {
    var core = EngineCore(at: now, settings: settings)
    core.epoch = max(now, epoch)
    box = EngineBox(core)
  }

  init(_ core: consuming EngineCore) { box = EngineBox(core) }

  var core: EngineCore { _read { yield box.core } }

  /// Changes the state, which belongs to this engine alone while `body` runs and afterwards until the engine is copied.
  @inline(__always)
  mutating func change<R, Fault: Error>(_ body: (inout EngineCore) throws(Fault) -> R) throws(Fault) -> R {
    if !isKnownUniquelyReferenced(&box) { box = EngineBox(box.core.copy()) }
    return try body(&box.core)
  }

  // MARK: - Events

  /// Processes a gift that arrives at `now`.
  public mutating func take(_ gift: Gift, at now: Int64, to sink: inout some InstructionSink) {
    unsafe withUnsafePointer(to: gift) { gift in change { unsafe $0.take(gift, at: now, to: &sink) } }
  }

  /// Processes a gift like ``take(_:at:to:)``, but without copying its display data. These must remain unchanged until
  /// ``keepLent()`` is called, and any call in between may read them. For owners that process many gifts at a time: of several
  /// gifts for one banner, only the last one's display data are read and copied. The gift itself is read in place, during the
  /// call.
  @inline(__always)
  public mutating func takeLent(_ gift: UnsafePointer<Gift>, at now: Int64, to sink: inout some InstructionSink) {
    change { unsafe $0.take(gift, .lent, at: now, to: &sink) }
  }

  /// Processes a gift like ``take(_:at:to:)``, and passes the result to ``InstructionSink/took(_:)``.
  public mutating func takeFollowed(_ gift: Gift, at now: Int64, to sink: inout some InstructionSink) {
    unsafe withUnsafePointer(to: gift) { gift in change { unsafe $0.take(gift, .followed, at: now, to: &sink) } }
  }

  /// Copies the display data that were lent since the last call and are still needed.
  public mutating func keepLent() { change { $0.keepLent() } }

  /// Runs all steps that are due until `now`.
  public mutating func advance(to now: Int64, to sink: inout some InstructionSink) {
    change { $0.advance(to: now, to: &sink) }
  }

  /// Closes the room at `now`: clears the screen, skips the waiting banners and drops all memory.
  public mutating func close(at now: Int64, to sink: inout some InstructionSink) {
    change { $0.close(at: now, to: &sink) }
  }

  /// Retracts gifts at `now`: banners of the matching combos leave, waiting ones are skipped, and their history is dropped.
  public mutating func retract(_ retraction: Retraction, at now: Int64, to sink: inout some InstructionSink) {
    change { $0.retract(retraction, at: now, to: &sink) }
  }

  /// Replaces the room's own settings at `now`. With empty ones, the service's apply again.
  public mutating func set(_ own: OwnSettings, at now: Int64, to sink: inout some InstructionSink) {
    change { $0.set(own, at: now, to: &sink) }
  }

  /// Adopts new settings of the service at `now`. The room's own settings still override them.
  public mutating func adopt(_ settings: EngineSettings, at now: Int64, to sink: inout some InstructionSink) {
    change { $0.adopt(settings, at: now, to: &sink) }
  }

  /// Moves all deadlines by `milliseconds`, so that an engine that was offline continues as if no time had passed.
  public mutating func shift(by milliseconds: Int64) {
    change { $0.shift(by: milliseconds) }
  }

  /// Begins a new, later epoch at `now`, for use when the state is uncertain. Banners on screen, waiting banners and the
  /// history are dropped; ids, running totals and the room's own settings stay. Emits an empty screen.
  public mutating func beginAnew(at now: Int64, to sink: inout some InstructionSink) {
    change { $0.beginAnew(at: now, to: &sink) }
  }

  // MARK: - Prefetching

  // These methods do not change the engine. They are `mutating` because an engine passed that way is not reference-counted,
  // which would cost as much as the prefetching saves.

  /// The address of the state and its size in bytes. An owner of many engines, most of which are not in the processor's cache,
  /// can prefetch the next one while it works on another.
  package mutating func memory() -> (address: UnsafeRawPointer, bytes: Int) {
    unsafe (UnsafeRawPointer(Unmanaged.passUnretained(box).toOpaque()), 16 + MemoryLayout<EngineCore>.size)
  }

  /// The maximum number of addresses that one call writes.
  package static var prefetchMax: Int { Places.max }

  /// Writes the addresses, beyond the state itself, that taking a gift with these hashes is likely to read, and returns their
  /// number. Addresses that concern the whole room come from ``prefetchAddresses(step:at:in:)``. `places` must have room for
  /// ``prefetchMax``. Call it for steps 0 to 2 in turn: each step reads ``memory()`` and the memory that earlier steps wrote to
  /// `places`. Costs a few nanoseconds if that is in the cache.
  package mutating func prefetchAddresses(
    of hashes: Gift.Hashes, step: Int, in places: UnsafeMutablePointer<UnsafeRawPointer>
  ) -> Int {
    var written = unsafe Places(in: places)
    box.core.addPlaces(of: hashes, step: step, to: &written)
    return written.count
  }

  /// Writes the addresses that ``advance(to:to:)`` or any gift is likely to read at time `now`, in steps 0 and 1.
  package mutating func prefetchAddresses(step: Int, at now: Int64, in places: UnsafeMutablePointer<UnsafeRawPointer>) -> Int {
    var written = unsafe Places(in: places)
    box.core.addPlaces(step: step, at: now, to: &written)
    return written.count
  }

  // MARK: - Queries

  /// The time at which the engine was created.
  public var epoch: Int64 { box.core.epoch }

  /// The room's own settings.
  public var own: OwnSettings { box.core.own }

  /// The earliest deadline of a banner on screen, the screen, a final or a sum of skips, or nil if there is none.
  public var nextDeadline: Int64? { box.core.nextDeadline }

  /// Whether no banner is on screen and none waits.
  public var isIdle: Bool { box.core.isIdle }

  /// The oldest rules that support everything in the state. Reads all banners.
  public var neededRules: Rules { box.core.neededRules }

  /// Whether there are skipped banners that have not been reported yet.
  public var hasPendingSkips: Bool { box.core.hasSkipSum }

  /// The time after which the engine can be discarded without effect, or nil if it is not idle, has a pending final or sum of
  /// skips, or has settings of its own.
  public var restsAfter: Int64? {
    isIdle && own.isEmpty && !box.core.hasMoreToSay ? box.core.restEnd : nil
  }

  /// Passes the current screen to `body`, for a client that joins in between. It is a `screen` with the number and time of the
  /// last instruction or step, so that the next instruction follows it without a gap. No instruction is emitted, and the engine
  /// does not change.
  /// - Parameter body: Receives the screen, whose display data are borrowed from the engine.
  public func withScreen<R>(_ body: (Instruction) throws -> R) rethrows -> R {
    try withExtendedLifetime(box) {
      try body(
        Instruction(epoch: box.core.epoch, seq: box.core.seq, at: box.core.time, operation: .screen(box.core.screenBanners)))
    }
  }

  /// The maximum of a count.
  public static var countMax: Int { EngineCore.most }

  /// The time of the engine's creation and the number of instructions that it has emitted.
  public var position: (epoch: Int64, seq: Int) { (box.core.epoch, box.core.seq) }

  /// The number of banners that hold a slot.
  public var screenDepth: Int { Int(box.core.screen.count) }

  /// The number of waiting banners.
  public var queueDepth: Int { Int(box.core.queue.count) }

  /// The number of gifts that no instruction has shown yet: those of waiting banners, and those by which counts on screen still
  /// rise. Reads all banners.
  package var waitingGifts: Int { box.core.waitingGifts }

  /// The time at which the longest waiting banner was queued, or nil if none waits.
  public var waitingSince: Int64? { box.core.queue.count > 0 ? box.core.banners[box.core.queue.first].since : nil }

  /// The number of banners that leave the queue before a waiting one, as of now, or nil if it does not wait. Reads the whole
  /// queue.
  package func waitingBefore(_ banner: Int) -> Int? { box.core.waitingBefore(banner) }

  /// The number of remembered gift ids and running totals.
  public var memoryDepths: (ids: Int, streaks: Int) { (Int(box.core.ids.count), Int(box.core.streaks?.count ?? 0)) }
}

/// Owns the state of one engine, or of several copies that are still equal, and frees its memory.
final class EngineBox {
  var core: EngineCore

  init(_ core: consuming EngineCore) { self.core = core }

  deinit { core.free() }
}
