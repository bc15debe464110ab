internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboWire

/// Follows the gifts of the one derived room.
final class FollowingTarget: SaidTarget, @unchecked Sendable {
  // Sendable: one thread runs the partition, and with it the room that emits here.
  let trail = GiftTrail(followsBanners: true)

  func said(_ record: Bytes, _ instruction: Instruction, by room: Room) { trail.follow(instruction) }
  func merged(_ banner: Int, into other: Int, by room: Room) { trail.merged(banner, into: other) }
  func summed(_ banner: Int, at: Int64, _ reason: SkipReason, by room: Room) { trail.summed(banner, at: at, reason) }
}
