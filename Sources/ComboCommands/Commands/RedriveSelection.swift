internal import ComboVerify

/// A record in the dead-letter topic, without its value.
struct DeadLetterNote: Equatable, Sendable {
  /// The record's place in the dead-letter topic.
  var place: Place
  /// The timestamp in milliseconds since the Unix epoch, or nil if the record has none.
  var timestampMs: Int64?
  /// The record's `combo.…` headers.
  var headers: [String: String]
  /// The uncompressed size of a batch that holds only this record, as it would be sent back.
  var bytes = 0
  /// A hash of its key and value, of this process.
  var contents = 0

  /// A partition and an offset in it.
  struct Place: Hashable, Sendable {
    var partition: Int32
    var offset: Int64

    var text: String { "\(partition):\(offset)" }
  }

  var code: String { headers["combo.error"] ?? "" }
  var reason: String { headers["combo.reason"] ?? "" }
  /// The number of times it was sent back before it became this dead letter.
  var redriven: Int { headers[Redriven.header].flatMap { Int($0) } ?? 0 }
  var inputPartition: Int32? { headers["combo.partition"].flatMap { Int32($0) } }
  /// The input's record that it is of; nil if it does not say so. At-least-once delivery may write several dead letters of one
  /// record. The time and the contents distinguish records of an input that was recreated.
  var source: Source? {
    guard let inputPartition, let offset = headers["combo.offset"].flatMap({ Int64($0) }) else { return nil }
    return Source(place: Place(partition: inputPartition, offset: offset), timestampMs: timestampMs, contents: contents)
  }

  struct Source: Hashable, Sendable {
    var place: Place
    var timestampMs: Int64?
    var contents: Int
  }

  /// Whether a part of the record is missing, so that it cannot be sent back.
  var isTruncated: Bool { headers["combo.truncated"] != nil }
  /// The places that this record is a receipt for, or nil if it is no receipt.
  var receipt: [Place]? {
    headers[Redriven.receipt].map { $0.split(separator: ",").compactMap { Place($0) } }
  }
}

extension DeadLetterNote.Place {
  /// Parses a place as receipts name it: `3:1204`.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let partition = Int32(parts[0]), let offset = Int64(parts[1]) else { return nil }
    self.init(partition: partition, offset: offset)
  }
}

/// The criteria for sending dead letters back.
struct RedriveSelection: Equatable, Sendable {
  /// The `combo.error` that dead letters must have, or nil for any.
  var code: String?
  /// A text that `combo.reason` must contain, or nil for any.
  var reason: String?
  /// The earliest time, in milliseconds since the Unix epoch, or nil for any.
  var since: Int64?
  /// The time that dead letters must precede, or nil for any.
  var until: Int64?
  /// The number of times that a record may be sent back, so that a record that stays bad does not circulate forever.
  var redrivesMax = 1
  /// The group's input; records of another input are never sent.
  var input: String
  /// The largest batch that the input accepts, in bytes, or nil if unknown.
  var bytesMax: Int64?
  /// Places that earlier runs have sent back.
  var sent: Set<DeadLetterNote.Place> = []
  /// The input's records that earlier runs have sent back, or that this one sends.
  var sources: Set<DeadLetterNote.Source> = []

  enum Verdict: String, CaseIterable, Sendable {
    case send, filtered, alreadySent, repeated, tooOften, tooLarge, truncated, otherInput, noDeadLetter

    /// Whether the dead letter is counted with its code and reason.
    var isListed: Bool { ![.filtered, .alreadySent, .repeated, .noDeadLetter].contains(self) }

    /// The reason for not sending it, for the summary, or nil if none is needed.
    var note: String? {
      switch self {
      case .send: nil
      case .filtered: "more, not listed, do not match --code, --reason, --since or --until"
      case .alreadySent: "more, not listed, were sent back by an earlier run"
      case .repeated: "more, not listed, are further dead letters of these records, as at-least-once delivery may write"
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
    if let source = note.source, sources.contains(source) { return .repeated }
    if note.isTruncated { return .truncated }
    if note.redriven >= redrivesMax { return .tooOften }
    return bytesMax.map { Int64(note.bytes) > $0 } ?? false ? .tooLarge : .send
  }
}
