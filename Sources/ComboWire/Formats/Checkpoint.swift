/// From where on a partition's input is run through again to restore it: docs/formats.md has its form.
public struct Checkpoint: Equatable, Sendable {
  /// The entry at whose end the sweep began: what came after is run through again.
  public var n: Int64
  /// That entry's clock, in milliseconds since the Unix epoch.
  public var clock: Int64
  /// The sum of all shifts by then, in milliseconds.
  public var shifted: Int64
  /// The offset after the input that was taken in by then.
  public var input: Int64
  /// Of the last record taken in by then: ``XXH3/fingerprint(key:value:)``. nil: there was none.
  public var last: UInt64?
  /// The offset after that entry in the journal.
  public var journal: Int64
  /// In at-least-once delivery: the journal offset of the takeover by which its owner began.
  public var term: Int64?
  /// By how much the partition's time was brought back in all, in milliseconds: epochs of rooms that wake are so much later than the clock.
  public var epochLead: Int64
  /// By what the entries from there on are derived.
  public var derivation: Derivation
  /// Whose state it is.
  public var topics: TopicIdentity

  /// A checkpoint of these values.
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

  /// Appends all but its end.
  func write(to buffer: ByteBuffer) {
    buffer.append(#"{"v":"#)
    buffer.append(Format.version)
    buffer.append(#","n":"#)
    buffer.append(n)
    buffer.append(#","clock":"#)
    buffer.append(clock)
    buffer.append(#","shifted":"#)
    buffer.append(shifted)
    buffer.append(#","input":"#)
    buffer.append(input)
    if let last {
      buffer.append(#","last":""#)
      buffer.append(hex: last)
      buffer.append(UInt8(ascii: "\""))
    }
    buffer.append(#","journal":"#)
    buffer.append(journal)
    if let term {
      buffer.append(#","term":"#)
      buffer.append(term)
    }
    if epochLead > 0 {
      buffer.append(#","epoch_lead":"#)
      buffer.append(epochLead)
    }
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
