internal import ComboCore
internal import ComboRooms
internal import Glibc

/// Looks for the busiest rooms, some thousands a turn of the loop, so that a million rooms hold nothing up.
package final class RoomSurvey {
  package let id: UInt64
  /// From this time of the monotonic clock on nobody waits for it.
  package let until: Int64
  private let prefix: [UInt8]
  private let limit: Int
  private var partition = 0
  private var place = 0
  private var found: [Candidate] = []

  private struct Candidate {
    let room: Room
    let rate: Double
    let gifts: Int
  }

  /// A room in nobody's cache takes about 0.1 µs.
  private static let roomsPerTurn = 16_384

  package init(id: UInt64, prefix: [UInt8], limit: Int, until: Int64) {
    self.id = id
    self.until = until
    self.prefix = prefix
    self.limit = limit
  }

  /// Goes on looking.
  /// - Returns: whether all rooms were looked at.
  func search(_ active: [ActivePartition?], monotonic now: Int64) -> Bool {
    var left = Self.roomsPerTurn
    while partition < active.count {
      guard let table = active[partition]?.partition.table, place < table.placeCount else {
        partition += 1
        place = 0
        continue
      }
      if left == 0 { return false }
      left -= 1
      if let room = table.room(at: place), !room.isGhost { take(room, now) }
      place += 1
    }
    keepBest()
    return true
  }

  private func take(_ room: Room, _ now: Int64) {
    let id = room.id
    if id.count < prefix.count { return }
    let fits = prefix.isEmpty || prefix.withUnsafeBytes { memcmp($0.baseAddress!, id.baseAddress!, $0.count) == 0 }
    if !fits { return }
    found.append(Candidate(room: room, rate: room.rate.perSecond(at: now), gifts: room.rate.gifts))
    if found.count >= 2 * limit + 64 { keepBest() }
  }

  private func keepBest() {
    found.sort { one, other in
      if one.rate != other.rate { return one.rate > other.rate }
      if one.gifts != other.gifts { return one.gifts > other.gifts }
      return one.room.id.lexicographicallyPrecedes(other.room.id)
    }
    if found.count > limit { found.removeSubrange(limit...) }
  }

  /// What was found. No room may work.
  package func lines() -> [RoomLine] {
    found.map { candidate in
      let engine = candidate.room.engine
      return RoomLine(
        room: [UInt8](candidate.room.id), epoch: engine.position.epoch, seq: engine.position.seq, banners: engine.screenDepth,
        queued: engine.queueDepth, gifts: candidate.gifts, rate: candidate.rate)
    }
  }
}
