internal import ComboVerify

/// The facts about a record in the dead-letter topic, without its value.
struct DeadLetterNote: Equatable, Sendable {
  /// Where it is in the dead-letter topic.
  var place: Place
  /// In milliseconds since the Unix epoch; nil: the record has none.
  var timestampMs: Int64?
  /// The `combo.…` headers that it has.
  var headers: [String: String]
  /// The size of the batch that it would be alone, as it would be sent back and before it is compressed.
  var bytes = 0

  /// A partition and an offset in it.
  struct Place: Hashable, Sendable {
    var partition: Int32
    var offset: Int64

    init(partition: Int32, offset: Int64) {
      self.partition = partition
      self.offset = offset
    }

    /// As a receipt names it: `3:1204`.
    init?(_ text: some StringProtocol) {
      let parts = text.split(separator: ":")
      guard parts.count == 2, let partition = Int32(parts[0]), let offset = Int64(parts[1]) else { return nil }
      self.init(partition: partition, offset: offset)
    }

    var text: String { "\(partition):\(offset)" }
  }

  /// The headers that `redrive` itself writes.
  enum Header {
    /// On a record that was sent back to the input: how often.
    static let count = Redriven.header
    /// On a receipt: the places that were sent back in its transaction, with commas between.
    static let receipt = Redriven.receipt
  }

  var code: String { headers["combo.error"] ?? "" }
  var reason: String { headers["combo.reason"] ?? "" }
  /// How often it was sent back before it came here again.
  var redriven: Int { headers[Header.count].flatMap { Int($0) } ?? 0 }
  /// Where the record was in the input.
  var inputPartition: Int32? { headers["combo.partition"].flatMap { Int32($0) } }
  /// Whether a part of it is missing, so that it cannot be sent back.
  var isTruncated: Bool { headers["combo.truncated"] != nil }
  /// Whether it is a receipt for others that were sent back, and no dead letter itself.
  var receipt: [Place]? {
    headers[Header.receipt].map { $0.split(separator: ",").compactMap { Place($0) } }
  }
}

/// Which dead letters are sent back, and why others are not.
struct RedriveSelection: Equatable, Sendable {
  /// Only those with this `combo.error`; nil: any.
  var code: String?
  /// Only those whose `combo.reason` contains this text; nil: any.
  var reason: String?
  /// Only those of this time or later, in milliseconds since the Unix epoch; nil: any.
  var since: Int64?
  /// Only those before this time; nil: any.
  var until: Int64?
  /// Records that were sent back so often before are not sent again: a record that stays bad must not go round endlessly.
  var redrivesMax = 1
  /// The input of the group; records of another one are never sent.
  var input: String
  /// The largest batch that the input takes, in bytes; nil: not known.
  var bytesMax: Int64?
  /// Places that earlier runs have sent back.
  var sent: Set<DeadLetterNote.Place> = []

  /// The decision about one.
  enum Verdict: String, CaseIterable, Sendable {
    case send, filtered, alreadySent, tooOften, tooLarge, truncated, otherInput, noDeadLetter

    /// Whether it is counted with its code and reason.
    var isListed: Bool { ![.filtered, .alreadySent, .noDeadLetter].contains(self) }

    /// Why it is not sent, for the summary; nil where that needs no word.
    var note: String? {
      switch self {
      case .send: nil
      case .filtered: "more, not listed, do not match --code, --reason, --since or --until"
      case .alreadySent: "more, not listed, were sent back by an earlier run"
      case .tooOften: "of the listed ones came back after an earlier run had sent them: --max-redrives allows more rounds"
      case .tooLarge: "of the listed ones are larger than the input's max.message.bytes: raise it, or leave them out"
      case .truncated: "of the listed ones are truncated because they were too large for the brokers: they cannot be sent back"
      case .otherInput: "of the listed ones came from another input topic"
      case .noDeadLetter: "more, not listed, have no combo.error header: another program wrote them"
      }
    }
  }

  func verdict(of note: DeadLetterNote) -> Verdict {
    if note.headers["combo.error"] == nil { return .noDeadLetter }
    if let code, note.code != code { return .filtered }
    if let reason, !note.reason.contains(reason) { return .filtered }
    if let since, note.timestampMs.map({ $0 < since }) ?? true { return .filtered }
    if let until, note.timestampMs.map({ $0 >= until }) ?? true { return .filtered }
    if note.headers["combo.topic"] != input { return .otherInput }
    if sent.contains(note.place) { return .alreadySent }
    if note.isTruncated || note.headers["combo.key_truncated"] != nil { return .truncated }
    if note.redriven >= redrivesMax { return .tooOften }
    return bytesMax.map { Int64(note.bytes) > $0 } ?? false ? .tooLarge : .send
  }
}
