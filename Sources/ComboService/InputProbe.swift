internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// Detects that the input was deleted and recreated while it is read. If the new topic grows beyond the old position before the
/// next fetch, brokers return its records from there on, and report nothing.
///
/// Every few seconds it reads one consumed record again, of one partition after the other.
final class InputProbe: QueryProbe<(place: InputProbe.Place, look: InputProbe.Look)> {
  /// A record that was consumed.
  struct Place: Sendable {
    let partition: Int32
    let offset: Int64
    let fingerprint: UInt64
  }

  enum Look: Sendable {
    case same
    /// Another record is at its offset.
    case other
    /// Retention or compaction has deleted it.
    case gone
    /// The brokers did not answer, or the partition is shorter, which is reported elsewhere.
    case unknown
  }

  /// The record to look for next, by partition. It is kept until it was found, so that it is older than what may have happened
  /// since.
  private var places: [Int32: Place] = [:]
  private var lookedIn: Int32 = -1

  override var askEveryMs: Int64 { 4000 }

  override func take(_ answer: (place: Place, look: Look), at now: Int64) -> Finding? {
    let (place, look) = answer
    switch look {
    case .same, .gone: places[place.partition] = nil
    case .unknown: break
    case .other:
      // A partition that is being restored is compared by its restore.
      guard parts.partitions.isActive(place.partition) else { break }
      return .refused(
        "the input has another record at offset \(place.offset) of partition \(place.partition) than the one that was taken in: the topic was"
          + " deleted and recreated while it was read. \(InputHistory.howToBeginAgain). \(InputHistory.mayBeTakenIn)")
    }
    return nil
  }

  /// Chooses the places.
  override func check(at now: Int64) -> Finding? {
    let taken = parts.partitions.active.compactMap { active in
      active.flatMap { active in
        active.partition.last.map { Place(partition: active.number, offset: active.partition.offset - 1, fingerprint: $0) }
      }
    }
    places = places.filter { number, _ in taken.contains { $0.partition == number } }
    for place in taken where places[place.partition] == nil { places[place.partition] = place }
    return nil
  }

  override func question(at now: Int64) -> (@Sendable () -> (place: Place, look: Look))? {
    let numbers = places.keys.sorted()
    guard let number = numbers.first(where: { $0 > lookedIn }) ?? numbers.first, let place = places[number] else { return nil }
    lookedIn = number
    return { [reader = parts.edges.reader] in (place, (try? Self.look(at: place, reader)) ?? .unknown) }
  }

  private static func look(at place: Place, _ reader: any ReadEdge) throws(EdgeError) -> Look {
    if try reader.bounds(.input, place.partition).first > place.offset { return .gone }
    if try reader.stableEnd(.input, place.partition) <= place.offset { return .unknown }
    guard let found = try reader.fingerprint(place.partition, before: place.offset + 1) else { return .gone }
    return found == place.fingerprint ? .same : .other
  }
}

/// Compares the input with the journals of all partitions: all that this instance has consumed may be of a new topic.
final class HistoryProbe: QueryProbe<String?> {
  /// When answers began to say that they differ, by the monotonic clock; nil if the last one did not.
  private var doubtedSince: Int64?

  override var askEveryMs: Int64 { doubtedSince == nil ? 16_000 : 4000 }
  override var isIdle: Bool { !hasActive }

  private var hasActive: Bool { parts.partitions.active.contains { $0 != nil } }

  override func question(at now: Int64) -> (@Sendable () -> String?)? {
    { [topics = parts.configuration.topics, reader = parts.edges.reader] in
      (try? InputHistory(topics, reader).contradiction()) ?? nil
    }
  }

  /// - Returns: How they differ, once all answers have said so for as long as those to a restore must.
  override func take(_ reason: String?, at now: Int64) -> Finding? {
    let since = doubtedSince ?? now
    doubtedSince = reason == nil ? nil : since
    // A partition that is being restored is compared by its restore.
    guard let reason, now - since >= MemberPartitions.doubtMs, hasActive else { return nil }
    return .refused("\(reason). \(InputHistory.mayBeTakenIn)")
  }
}

extension InputHistory {
  fileprivate static let mayBeTakenIn =
    "Some of the new topic may have been taken in: if it is read from its beginning, use another --output, or these gifts are shown twice"
}
