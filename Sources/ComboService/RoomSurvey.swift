internal import ComboCore
internal import ComboRooms
internal import Glibc

/// A search for the rooms that come first in some order. It reads some thousands per turn of the loop, so that a million rooms do
/// not delay the loop.
package final class RoomSurvey {
  package let id: UInt64
  /// The monotonic time after which it is not needed.
  package let until: Int64
  private let prefix: [UInt8]
  private let limit: Int
  private let order: RoomOrder
  private var partition = 0
  private var place = 0
  private var found: [Candidate] = []

  private struct Candidate {
    let room: Room
    let owner: ActivePartition
    let rate: Double
    let gifts: Int
    /// The value that rooms are sorted by.
    let rank: Double
  }

  /// A room that is not in the processor's cache takes about 0.1 µs.
  private static let roomsPerTurn = 16_384

  package init(id: UInt64, prefix: [UInt8], limit: Int, order: RoomOrder, until: Int64) {
    (self.id, self.prefix, self.limit, self.order, self.until) = (id, prefix, limit, order, until)
  }

  /// Continues the survey.
  /// - Returns: Whether all rooms were read.
  func search(
    _ active: [ActivePartition?], wall: Int64, monotonic now: Int64, _ quiet: borrowing Quiescence
  ) -> Bool {
    var left = Self.roomsPerTurn
    while partition < active.count {
      guard let owner = active[partition], place < owner.partition.table.placeCount else {
        partition += 1
        place = 0
        continue
      }
      if left == 0 { return false }
      left -= 1
      if let room = owner.partition.table.room(at: place), !room.isGhost { take(room, owner, wall, now) }
      place += 1
    }
    keepBest()
    return true
  }

  private func take(_ room: Room, _ owner: ActivePartition, _ wall: Int64, _ now: Int64) {
    let id = unsafe room.id
    if id.count < prefix.count { return }
    let fits = unsafe prefix.isEmpty || prefix.withUnsafeBytes { unsafe memcmp($0.baseAddress!, id.baseAddress!, $0.count) == 0 }
    if !fits { return }
    let rate = room.rate.perSecond(at: now)
    let rank =
      switch order {
      case .rate: rate
      case .wait: Double(Self.wait(of: room, owner, wall, now))
      case .skipped: Double(room.skipped)
      }
    found.append(Candidate(room: room, owner: owner, rate: rate, gifts: room.rate.gifts, rank: rank))
    if found.count >= 2 * limit + 64 { keepBest() }
  }

  /// Returns how long the longest-waiting banner has waited, by the partition's time.
  private static func wait(of room: Room, _ owner: ActivePartition, _ wall: Int64, _ now: Int64) -> Int64 {
    room.engine.waitingSince.map { max(0, owner.clock.time(wall: wall, monotonic: now) - $0) } ?? 0
  }

  private func keepBest() {
    found.sort { one, other in
      if one.rank != other.rank { return one.rank > other.rank }
      if one.gifts != other.gifts { return one.gifts > other.gifts }
      return unsafe one.room.id.lexicographicallyPrecedes(other.room.id)
    }
    if found.count > limit { found.removeSubrange(limit...) }
  }

  /// Returns the rooms that were found.
  func lines(wall: Int64, monotonic now: Int64, _ quiet: borrowing Quiescence) -> [RoomLine] {
    found.map { candidate in
      let engine = candidate.room.engine
      return unsafe RoomLine(
        room: [UInt8](candidate.room.id), epoch: engine.position.epoch, seq: engine.position.seq, banners: engine.screenDepth,
        queued: engine.queueDepth, gifts: candidate.gifts, rate: candidate.rate,
        waitMs: Self.wait(of: candidate.room, candidate.owner, wall, now), skipped: candidate.room.skipped)
    }
  }
}
