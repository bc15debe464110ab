internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboWire

/// Follows the gifts of the one derived room. Used by one thread.
final class FollowingTarget: InstructionTarget {
  let trail = GiftTrail(followsBanners: true)

  func said(_ record: Bytes, _ instruction: Instruction, by room: Room) { trail.follow(instruction) }
  func merged(_ banner: Int, into other: Int, by room: Room) { trail.merged(banner, into: other) }
  func summed(_ banner: Int, at: Int64, _ reason: SkipReason, by room: Room) { trail.summed(banner, at: at, reason) }
}
