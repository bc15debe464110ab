/// One entry of a partition's journal (docs/formats.md has its form): at what times its input was taken in, and what came of it.
public struct JournalEntry: Equatable, Sendable {
  /// A run of input records, taken in at one time.
  public struct Batch: Equatable, Sendable {
    /// The offset after its last record.
    public var endOffset: Int64
    /// The number of records that were taken in.
    public var taken: Int
    /// When, in milliseconds since the Unix epoch.
    public var now: Int64

    /// A batch of these values.
    public init(endOffset: Int64, taken: Int, now: Int64) {
      self.endOffset = endOffset
      self.taken = taken
      self.now = now
    }
  }

  /// The data with which an owner begins.
  public struct Takeover: Equatable, Sendable {
    /// By how many milliseconds all rooms were shifted.
    public var shift: Int64
    /// By what the entries from here on are derived.
    public var derivation: Derivation
    /// How instructions get out from here on.
    public var delivery: Delivery
    /// Whose journal it is.
    public var topics: TopicIdentity
    /// If the state could not be restored: why, and what was lost.
    public var reset: Reset?

    /// A takeover of these values.
    public init(
      shift: Int64, derivation: Derivation, delivery: Delivery, topics: TopicIdentity, reset: Reset? = nil
    ) {
      self.shift = shift
      self.derivation = derivation
      self.delivery = delivery
      self.topics = topics
      self.reset = reset
    }
  }

  /// All rooms of the partition begin a new epoch.
  public struct Reset: Equatable, Sendable {
    /// Why, as a sentence.
    public var reason: String
    /// The number of offsets of the input that could not be read again.
    public var offsetsLost: Int64

    /// A reset for this reason.
    public init(reason: String, offsetsLost: Int64) {
      self.reason = reason
      self.offsetsLost = offsetsLost
    }
  }

  /// How instructions get out.
  public enum Delivery: String, CaseIterable, Sendable {
    /// In transactions.
    case exactlyOnce = "exactly-once"
    /// At once, and again after a crash.
    case atLeastOnce = "at-least-once"
  }

  /// 1, 2, 3 … without gaps.
  public var n: Int64
  /// In order; none if only deadlines passed.
  public var batches: [Batch]
  /// Up to when every room was advanced after the batches, in milliseconds since the Unix epoch.
  public var clock: Int64
  /// The number of instructions and dead letters of the entry.
  public var said: Int
  /// The number of rooms that were then awake.
  public var rooms: Int
  /// The sum, mod 2^64, of the running hashes of those rooms.
  public var digest: UInt64
  /// The sum of all shifts so far, in milliseconds.
  public var shifted: Int64
  /// Whose journal it is: ``TopicIdentity/hash``.
  public var of: UInt64
  /// The offsets of those `room_settings` that were bad only because enough rooms had settings of their own.
  public var refused: [Int64]
  /// The last `n` of which all is acknowledged; nil: all of it counts together with this entry.
  public var saidTo: Int64?
  /// In at-least-once delivery, unless it is a takeover: the journal offset of its owner's takeover.
  public var term: Int64?
  /// Of the last record taken in before the end of its batches: ``XXH3/fingerprint(key:value:)``. nil: it has no batches, or nothing
  /// was taken in yet.
  public var last: UInt64?
  /// If an owner begins with it.
  public var takeover: Takeover?

  /// An entry of these values.
  public init(
    n: Int64, batches: [Batch], clock: Int64, said: Int, rooms: Int, digest: UInt64, shifted: Int64, of: UInt64,
    refused: [Int64] = [], saidTo: Int64? = nil, term: Int64? = nil, last: UInt64? = nil, takeover: Takeover? = nil
  ) {
    self.n = n
    self.batches = batches
    self.clock = clock
    self.said = said
    self.rooms = rooms
    self.digest = digest
    self.shifted = shifted
    self.of = of
    self.refused = refused
    self.saidTo = saidTo
    self.term = term
    self.last = last
    self.takeover = takeover
  }
}

extension JournalEntry {
  /// By how much it brings the partition's time back, in milliseconds.
  public var broughtBack: Int64 { max(0, -(takeover?.shift ?? 0)) }
}
