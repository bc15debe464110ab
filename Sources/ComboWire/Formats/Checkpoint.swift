/// The position from which a partition's input is replayed to restore it. docs/formats.md describes its form.
public struct Checkpoint: Equatable, Sendable {
  /// The journal entry at whose end the sweep began. Later input is replayed.
  public var n: Int64
  /// That entry's clock, in milliseconds since the Unix epoch.
  public var clock: Int64
  /// The sum of all shifts up to that entry, in milliseconds.
  public var shifted: Int64
  /// The offset after the input processed up to that entry.
  public var input: Int64
  /// The ``XXH3/fingerprint(key:value:)`` of the last record processed up to that entry, or nil if there was none.
  public var last: UInt64?
  /// The offset after that entry in the journal.
  public var journal: Int64
  /// The journal offset of the takeover by which its owner began, in at-least-once delivery, or nil.
  public var term: Int64?
  /// The total by which the partition's time was moved back, in milliseconds. The epoch of a room that wakes is the clock plus
  /// this.
  public var epochLead: Int64
  /// The derivation of the entries that follow.
  public var derivation: Derivation
  /// The group and topics to which the state belongs.
  public var topics: TopicIdentity

  /// Creates a checkpoint of these values.
  public init(
    n: Int64, clock: Int64, shifted: Int64, input: Int64, last: UInt64? = nil, journal: Int64, term: Int64? = nil,
    epochLead: Int64 = 0, derivation: Derivation, topics: TopicIdentity
  ) {
    self.epochLead = epochLead
    self.n = n
    self.clock = clock
    self.shifted = shifted
    self.input = input
    self.last = last
    self.journal = journal
    self.term = term
    self.derivation = derivation
    self.topics = topics
  }

  /// Appends everything except its end.
  func write(to buffer: ByteBuffer) {
    buffer.append(#"{"v":"#, Format.version)
    buffer.append(#","n":"#, n)
    buffer.append(#","clock":"#, clock)
    buffer.append(#","shifted":"#, shifted)
    buffer.append(#","input":"#, input)
    buffer.append(#","last":"#, hex: last)
    buffer.append(#","journal":"#, journal)
    buffer.append(#","term":"#, term)
    if epochLead > 0 { buffer.append(#","epoch_lead":"#, epochLead) }
    buffer.append(#","of":"#)
    topics.write(to: buffer)
    derivation.write(to: buffer)
  }

  init(_ fields: RecordFields) throws(FormatFault) {
    n = try fields.integer("n", 0...Int64.max)
    clock = try fields.integer("clock")
    shifted = try fields.integer("shifted")
    input = try fields.integer("input", 0...Int64.max)
    last = fields.find("last") == nil ? nil : try fields.hex("last")
    journal = try fields.integer("journal", 0...Int64.max)
    term = fields.find("term") == nil ? nil : try fields.integer("term", 0...Int64.max)
    epochLead = fields.find("epoch_lead") == nil ? 0 : try fields.integer("epoch_lead", 0...Int64.max)
    derivation = try Derivation(fields)
    topics = try fields.topics("of")
  }
}
