/// An entry of a partition's journal: the times at which its input was processed, and the results. See docs/formats.md.
public struct JournalEntry: Equatable, Sendable {
  /// A sequence of input records processed at one time.
  public struct Batch: Equatable, Sendable {
    /// The offset after its last record.
    public var endOffset: Int64
    /// The number of records that were processed.
    public var taken: Int
    /// The time at which they were processed, in milliseconds since the Unix epoch.
    public var now: Int64

    /// Creates a batch of these values.
    public init(endOffset: Int64, taken: Int, now: Int64) {
      self.endOffset = endOffset
      self.taken = taken
      self.now = now
    }
  }

  /// The data with which an owner begins.
  public struct Takeover: Equatable, Sendable {
    /// The number of milliseconds by which all rooms were shifted.
    public var shift: Int64
    /// The derivation of the entries that follow.
    public var derivation: Derivation
    /// The delivery of the instructions that follow.
    public var delivery: Delivery
    /// The group and topics to which the journal belongs.
    public var topics: TopicIdentity
    /// The reset, if the state could not be restored, or nil.
    public var reset: Reset?

    /// Creates a takeover of these values.
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

  /// A reset: all rooms of the partition begin a new epoch.
  public struct Reset: Equatable, Sendable {
    /// The reason, as a sentence.
    public var reason: String
    /// The number of input offsets that could not be read again.
    public var offsetsLost: Int64

    /// Creates a reset for this reason.
    public init(reason: String, offsetsLost: Int64) {
      self.reason = reason
      self.offsetsLost = offsetsLost
    }
  }

  /// The way in which instructions are published.
  public enum Delivery: String, CaseIterable, Sendable {
    /// Instructions are published in transactions.
    case exactlyOnce = "exactly-once"
    /// Instructions are published immediately, and again after a crash.
    case atLeastOnce = "at-least-once"
  }

  /// The number of the entry: 1, 2, 3 … without gaps.
  public var n: Int64
  /// The batches in order, empty if only deadlines passed.
  public var batches: [Batch]
  /// The time to which every room was advanced after the batches, in milliseconds since the Unix epoch.
  public var clock: Int64
  /// The number of instructions and dead letters of the entry.
  public var said: Int
  /// The number of rooms that were awake then.
  public var rooms: Int
  /// The sum, mod 2^64, of the running hashes of those rooms.
  public var digest: UInt64
  /// The sum of all shifts so far, in milliseconds.
  public var shifted: Int64
  /// The ``TopicIdentity/hash`` of the group and topics to which the journal belongs.
  public var of: UInt64
  /// The offsets of the `room_settings` that were refused only because enough rooms had settings of their own.
  public var refused: [Int64]
  /// The last `n` up to which everything is acknowledged, or nil if its output counts together with this entry.
  public var saidTo: Int64?
  /// The journal offset of its owner's takeover, or nil for a takeover, and in exactly-once delivery.
  public var term: Int64?
  /// The ``XXH3/fingerprint(key:value:)`` of the last record processed before the end of its batches, or nil if it has no
  /// batches, or if no record has been processed yet.
  public var last: UInt64?
  /// The takeover, if an owner begins with this entry, or nil.
  public var takeover: Takeover?

  /// Creates an entry of these values.
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
  /// The number of milliseconds by which it moves the partition's time back.
  public var broughtBack: Int64 { max(0, -(takeover?.shift ?? 0)) }
}
