internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Detects that the input was deleted and recreated while it is read. If the new topic grows beyond the old position before the
/// next fetch, brokers return its records from there on, and report nothing.
///
/// Every few seconds it reads one consumed record again, of one partition after the other.
final class InputProbe: Probe {
  /// A record that was consumed.
  private struct Place: Sendable {
    let partition: Int32
    let offset: Int64
    let fingerprint: UInt64
  }

  private enum Finding: Sendable {
    case same
    /// Another record is at its offset.
    case other
    /// Retention or compaction has deleted it.
    case gone
    /// The brokers did not answer, or the partition is shorter, which is reported elsewhere.
    case unknown
  }

  private static let everyMs: Int64 = 4000
  private static let historyEveryMs: Int64 = 16_000

  /// The record to look for next, by partition. It is kept until it was found, so that it is older than what may have happened
  /// since.
  private var places: [Int32: Place] = [:]
  private var lookedIn: Int32 = -1
  private var looks = BackgroundQuery<(place: Place, finding: Finding)>()
  private var isDoubtful = false
  private var contradictions = BackgroundQuery<String?>()

  override func check(at now: Int64) -> Ending? {
    let taken = parts.partitions.active.compactMap { active in
      active.flatMap { active in
        active.partition.last.map { Place(partition: active.number, offset: active.partition.offset - 1, fingerprint: $0) }
      }
    }
    if parts.partitions.active.contains(where: { $0 != nil }), let reason = contradiction(at: now) {
      return .refused("\(reason). \(Self.mayBeTakenIn)")
    }
    // A partition that is being restored is compared by its restore.
    guard let place = replaced(among: taken, at: now), parts.partitions.isActive(place.partition) else { return nil }
    return .refused(
      "the input has another record at offset \(place.offset) of partition \(place.partition) than the one that was taken in: the topic was"
        + " deleted and recreated while it was read. \(InputHistory.howToBeginAgain). \(Self.mayBeTakenIn)")
  }

  /// - Parameter taken: The last record consumed of each partition.
  /// - Returns: A place that holds another record now.
  private func replaced(among taken: [Place], at now: Int64) -> Place? {
    if let (place, finding) = looks.takeAnswer() {
      if finding == .other { return place }
      if finding != .unknown { places[place.partition] = nil }
    }
    places = places.filter { number, _ in taken.contains { $0.partition == number } }
    for place in taken where places[place.partition] == nil { places[place.partition] = place }
    if !looks.isDue(everyMs: Self.everyMs, at: now) { return nil }
    let numbers = places.keys.sorted()
    guard let number = numbers.first(where: { $0 > lookedIn }) ?? numbers.first, let place = places[number] else { return nil }
    lookedIn = number
    looks.ask(at: now, parts.edges.inBackground) { [reader = parts.edges.reader] in
      (place, (try? Self.look(at: place, reader)) ?? .unknown)
    }
    return nil
  }

  /// Compares the input with the journals of all partitions: all that this instance has consumed may be of the new topic.
  /// - Returns: How they differ; nil unless two answers in a row say so: a broker may not know yet that it lost the leadership.
  private func contradiction(at now: Int64) -> String? {
    if let reason = contradictions.takeAnswer() {
      if reason != nil, isDoubtful { return reason }
      isDoubtful = reason != nil
    }
    if contradictions.isDue(everyMs: isDoubtful ? Self.everyMs : Self.historyEveryMs, at: now) {
      contradictions.ask(at: now, parts.edges.inBackground) {
        [topics = parts.configuration.topics, reader = parts.edges.reader] in
        (try? InputHistory(topics, reader).contradiction()) ?? nil
      }
    }
    return nil
  }

  private static func look(at place: Place, _ reader: any ReadEdge) throws(EdgeError) -> Finding {
    if try reader.bounds(.input, place.partition).first > place.offset { return .gone }
    if try reader.stableEnd(.input, place.partition) <= place.offset { return .unknown }
    guard let found = try reader.fingerprint(place.partition, before: place.offset + 1) else { return .gone }
    return found == place.fingerprint ? .same : .other
  }

  private static let mayBeTakenIn =
    "Some of the new topic may have been taken in: if it is read from its beginning, use another --output, or these gifts are shown twice"
}
