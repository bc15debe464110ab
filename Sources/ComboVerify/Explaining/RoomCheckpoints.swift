internal import ComboEdge
internal import ComboRooms
internal import ComboWire

/// The checkpoints of a partition in the state topic, each with the state of one room at that time.
///
/// The topic is compacted, but not at once, so checkpoints of the last hours may still exist. If a checkpoint exists, so does the
/// newest record of each key before it, unless a later record replaced it before the next checkpoint. Then the room is known from
/// that record on.
struct RoomCheckpoints {
  /// The checkpoints in order: the first of all, and the last ones whose time is not after the question's.
  private(set) var found: [PartitionTopics.State] = []
  /// The newest checkpoint.
  private(set) var newest: PartitionTopics.State?

  init(_ number: Int32, of room: [UInt8], since: Int64, _ topics: TopicIdentity, _ reader: any ReadEdge) throws {
    guard try reader.partitions(.state).contains(number) else { return }
    let bounds = try reader.bounds(.state, number)
    let (keys, decoder) = (StateKeyDecoder(), StateDecoder())
    var now = PartitionTopics.State()
    try reader.scan(.state, number, from: bounds.first, to: try reader.stableEnd(.state, number)) { record in
      // A record of another writer belongs to no room.
      guard let key = unsafe record.key, let kind = try? unsafe keys.key(key) else { return true }
      do throws(FormatFault) {
        switch kind {
        case .checkpoint:
          // If the room has no record before the last checkpoint, that checkpoint gets those that have followed it.
          settleLast(now)
          now.checkpoint = nil
          guard let value = unsafe record.value else { return true }
          var state = now
          state.checkpoint = unsafe try decoder.checkpoint(value, key: key)
          try topics.check(state.checkpoint!.topics.hash, "the state topic", of: state.checkpoint!.topics)
          add(state, since)
        case .room(let name), .part(let name, _):
          if unsafe room.elementsEqual(name) { unsafe now[[UInt8](key)] = unsafe record.value.map { unsafe [UInt8]($0) } }
        }
      } catch {
        throw VerifyFault("partition \(number) of the state topic: \(error)")
      }
      return true
    }
    settleLast(now)
  }

  private mutating func settleLast(_ now: PartitionTopics.State) {
    guard let last = newest, last.isEmpty, !now.isEmpty else { return }
    var settled = now
    settled.checkpoint = last.checkpoint
    if found.last?.checkpoint == last.checkpoint { found[found.count - 1] = settled }
    newest = settled
  }

  private mutating func add(_ state: PartitionTopics.State, _ since: Int64) {
    newest = state
    if let clock = state.checkpoint?.clock, clock > since, !found.isEmpty { return }
    found.append(state)
    // The first is kept for times for which there is no other one. Of the others, the nearest are kept.
    if found.count > 4 { found.remove(at: 1) }
  }
}
