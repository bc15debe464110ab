internal import ComboCore
internal import ComboEdge
internal import ComboRooms
internal import ComboWire

/// Finds the rooms that observers ask for. Used by the loop's thread only.
struct RoomFinder {
  let partitions: MemberPartitions
  let watched: WatchedRooms
  let limits: WireLimits
  let settings: EngineSettings

  /// Returns the partition that Java's producer, and others that partition like it, choose for a room; nil while unknown.
  func home(of room: [UInt8]) -> Int32? {
    guard let count = watched.partitionCount else { return nil }
    return unsafe limits.withoutPrefix(room).withUnsafeBytes { unsafe Int32(KeyPartitioner.partition($0, count)) }
  }

  /// The place where a room is, or would be if it woke.
  private enum Place {
    case awake(ActivePartition, Room)
    case asleep(ActivePartition)
    /// Its partition is being restored.
    case later
    case elsewhere
    case notYet
  }

  /// - Parameter forAll: Whether the query is for all watchers.
  private func place(of id: [UInt8], forAll: Bool) -> Place {
    for case let active? in partitions.active {
      if let room = unsafe id.withUnsafeBytes({ unsafe active.partition.table.find($0) }) {
        return room.isGhost ? .asleep(active) : .awake(active, room)
      }
    }
    if !partitions.hasJoined { return .notYet }
    if let last = watched.partition(of: id) {
      // Its instructions from its last partition may not have been sent yet: the answer comes after them.
      if let active = partitions.activePartition(last) { return .asleep(active) }
      // It may be awake there. Its watchers wait until it is back, or counts as gone.
      if !partitions.state(of: last).isUnassigned || forAll { return .later }
    }
    if let home = home(of: id) {
      if let active = partitions.activePartition(home) { return .asleep(active) }
      if !partitions.state(of: home).isUnassigned { return .later }
      if partitions.owned.count < watched.partitionCount! { return .elsewhere }
    }
    // The place is unknown, or all partitions are this member's: it is wherever its producer puts it.
    if let any = partitions.active.lazy.compactMap({ $0 }).first { return .asleep(any) }
    return partitions.owned.isEmpty ? .elsewhere : .later
  }

  /// Returns answers to queries about rooms in partitions that fit, and about rooms in none, for which `fits` receives nil. The
  /// answers are not sent yet. All instructions of these partitions must have been sent, or be sent before.
  func answers(_ quiet: borrowing Quiescence, where fits: (ActivePartition?) -> Bool) -> [WatchedRooms.Answer] {
    if watched.queries.isEmpty { return [] }
    var answers: [WatchedRooms.Answer] = []
    watched.queries.removeAll { query in
      guard case .screen(let id, let number, let watches, _) = query else { return true }
      // The watchers that needed its screen are gone.
      if number == 0, unsafe !id.withUnsafeBytes({ unsafe watched.watches($0) }) { return true }
      switch place(of: id, forAll: number == 0) {
      case .awake(let active, let room):
        guard fits(active) else { return false }
        if watches {
          watched.watch(id, in: active.number)
          room.watch(true, quiet)
        }
        answers.append(watched.answer(.screen(id: number, room: id, record: screen(of: room))))
      case .asleep(let active):
        guard fits(active) else { return false }
        let last = watched.partition(of: id)
        // It may have been awake in any partition. What it emitted there must be in an entry made before this answer.
        if last == nil, partitions.active.contains(where: { $0?.partition.hasNews ?? false }) { return false }
        answers.append(watched.answer(.asleep(id: number, room: id)))
        if watches { watched.watch(id, in: last ?? home(of: id)) }
      case .later: return false
      case .elsewhere:
        guard fits(nil) else { return false }
        answers.append(watched.answer(.elsewhere(id: number, room: id)))
      case .notYet:
        guard fits(nil) else { return false }
        answers.append(watched.answer(.notYet(id: number, room: id)))
      }
      return true
    }
    return answers
  }

  /// Returns the screen of a room for new watchers, with its display settings. The topic's records do not contain these: they are
  /// the engine's instructions, byte for byte.
  private func screen(of room: Room) -> [UInt8] {
    let buffer = ByteBuffer(capacity: 1024)
    room.engine.withScreen { unsafe InstructionEncoder.encode($0, room: room.name, into: buffer) }
    var record = buffer.array
    let brace = record.removeLast()
    record += Self.told(settings.values.with(room.engine.own)).utf8
    record.append(brace)
    return record
  }

  /// Returns the settings in a screen over HTTP.
  static func told(_ values: Settings) -> String {
    #","slots":\#(values.slots),"enter_ms":\#(values.enterMs),"count_ms":\#(values.countMs),"exit_ms":\#(values.exitMs)"#
  }
}
