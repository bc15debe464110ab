internal import ComboEdge
internal import ComboRooms
internal import ComboSystem
internal import ComboWire

/// The checkpoints that the state topic holds of a partition, each with what it held of one room then.
///
/// The topic is compacted, but not at once: of some hours, older checkpoints may still be there. If one is, so is the newest record of each
/// key before it, or a later one has replaced that before the next checkpoint: then the room is known from that record on.
struct RoomCheckpoints {
  /// In their order: the first of all, and the last ones whose time is not after the question's.
  private(set) var found: [PartitionTopics.State] = []
  /// The newest of all.
  private(set) var newest: PartitionTopics.State?

  init(_ number: Int32, of room: [UInt8], since: Int64, _ topics: TopicIdentity, _ reader: any ReadEdge) throws {
    guard try reader.partitions(.state).contains(number) else { return }
    let bounds = try reader.bounds(.state, number)
    let (keys, decoder) = (StateKeyDecoder(), StateDecoder())
    var now = PartitionTopics.State()
    var fault: FormatFault?
    try reader.read(.state, number, from: bounds.first, to: try reader.stableEnd(.state, number), unless: { false }) { record in
      guard let key = record.key else { return true }
      // A record of somebody else is no room's.
      guard let kind = try? keys.key(key) else { return true }
      do throws(FormatFault) {
        switch kind {
        case .checkpoint:
          // The room's first record since the last checkpoint is all that is known of it there.
          settleLast(now)
          now.checkpoint = nil
          guard let value = record.value else { return true }
          var state = now
          state.checkpoint = try decoder.checkpoint(value, key: key)
          try topics.check(state.checkpoint!.topics.hash, "the state topic", of: state.checkpoint!.topics)
          add(state, since)
        case .room(let name), .part(let name, _):
          if room.elementsEqual(name) { now[[UInt8](key)] = record.value.map { [UInt8]($0) } }
        }
      } catch {
        fault = error
      }
      return fault == nil
    }
    if let fault { throw VerifyFault("partition \(number) of the state topic: \(fault)") }
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
    // The first, for what nothing else is known of; of the others those that are nearest.
    if found.count > 4 { found.remove(at: 1) }
  }
}
