internal import ComboCore
internal import ComboEdge
internal import ComboMaps
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Searches all records of a partition for gifts, including those of aborted and open transactions. Derives nothing. Used by one
/// thread.
final class PartitionSearch {
  /// The results: the first few of each kind.
  struct Found: Sendable {
    let number: Int32
    /// Whether any event of the room was found.
    var hasRoom = false
    /// Requested gifts of the room. Their kind is determined later.
    var own: [GiftMiss] = []
    /// Requested gifts of other rooms.
    var elsewhere: [GiftMiss] = []
    /// Records that did not become gifts, but are, or may be, what the question requests.
    var unread: [GiftMiss] = []
  }

  private var found: Found
  private let question: GiftQuestion
  private let reader: any ReadEdge
  private let probe: RecordProbe
  /// A text that each matching record contains, so that others are not decoded, or nil if a map creates the ids, possibly from
  /// several fields.
  private let needle: [UInt8]?
  private let derivation: Derivation?

  private static let foundMax = 5
  /// The fingerprints of the records in ``Found/unread``.
  private var fingerprints: [UInt64] = []

  /// - Parameter derivation: How records become events, or nil if unknown.
  init(_ number: Int32, _ question: GiftQuestion, _ reader: any ReadEdge, _ derivation: Derivation?) throws {
    found = Found(number: number)
    self.question = question
    self.reader = reader
    probe = try RecordProbe(derivation)
    self.derivation = derivation
    needle = derivation?.mapping == nil ? question.id ?? question.sender ?? question.roomInRecords(derivation) : nil
  }

  /// - Parameter progress: Called from time to time with a number of offsets processed.
  func run(_ progress: @escaping (Int) -> Void) throws -> Found {
    let bounds = try reader.bounds(.input, found.number)
    var start = bounds.first
    if question.since > .min {
      // The sender's clock may have been slightly wrong.
      guard let first = try reader.offset(.input, found.number, atMs: max(0, question.since &- PartitionExplainer.lateMs)) else {
        return found
      }
      start = max(start, first)
    }
    var progress = OffsetProgress(reported: start, report: progress)
    try reader.readAll(.input, found.number, from: start, to: bounds.end) { record in
      progress.advance(to: record.offset)
      if mayBeMeant(record) { examine(record) }
      return question.until == .max || (record.time.map { $0.ms < question.until &+ PartitionExplainer.lateMs } ?? true)
    }
    return found
  }

  private func mayBeMeant(_ record: InputRecord) -> Bool {
    guard let needle else { return true }
    guard let value = unsafe record.value else { return false }
    // A text may be written with escapes.
    if unsafe ByteSearch.find(needle, in: value) != nil || ByteSearch.find([UInt8(ascii: "\\")], in: value) != nil { return true }
    return unsafe record.key.map { unsafe needle.elementsEqual($0) } ?? false
  }

  private func examine(_ record: InputRecord) {
    let recordTime = record.time?.ms
    // A record that `redrive` sent back is reported instead of its former dead letter.
    unsafe record.withLastHeader(Redriven.header) { _ in
      if let place = fingerprints.firstIndex(of: record.fingerprint) {
        fingerprints.remove(at: place)
        found.unread.remove(at: place)
      }
    }
    let fate = probe.forEachEvent(of: record) { event in
      let isOfRoom = unsafe question.isAbout(event.room)
      if isOfRoom { found.hasRoom = true }
      guard isOfRoom || question.mayBeElsewhere, question.isAsked(event, record, at: nil) else { return }
      let miss = unsafe GiftMiss(
        kind: isOfRoom ? .notCommitted : .otherRoom, partition: found.number, offset: record.offset,
        time: event.time(in: record), detail: isOfRoom ? "" : String(decoding: event.room, as: UTF8.self),
        name: GiftName(event.gift))
      if isOfRoom, found.own.count < Self.foundMax { found.own.append(miss) }
      if !isOfRoom, found.elsewhere.count < Self.foundMax { found.elsewhere.append(miss) }
    }
    let (kind, reason): (GiftMiss.Kind, String)
    switch fate {
    case .events: return
    case .bad(let bad): (kind, reason) = (.deadLetter, "\(bad)")
    case .dropped: (kind, reason) = (.dropped, probe.dropReason)
    }
    guard probe.isKnown, question.namesGift, !question.namesTime || question.holds(recordTime) else { return }
    let unread = UnreadRecord(record: record, derivation: derivation)
    let match = unread.match(question)
    // An id alone may be in a record of another room, or of none.
    if match == .none, question.id == nil || unread.match(question, needsRoom: false) == .none { return }
    if found.unread.count == Self.foundMax { return }
    fingerprints.append(record.fingerprint)
    found.unread.append(
      GiftMiss(
        kind: kind, partition: found.number, offset: record.offset, time: recordTime, detail: reason, isGuess: match != .certain))
  }
}
