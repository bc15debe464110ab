package import ComboEdge
internal import ComboRooms
package import ComboWire

/// How the records of an input became events last.
package enum NewestDerivation {
  /// As the newest takeover of a partition's journal says, or its checkpoint if no takeover is left; nil: nothing was taken in yet.
  package static func read(_ reader: any ReadEdge, partition: Int32, topics: TopicIdentity) throws -> Derivation? {
    var found: Derivation?
    let decoder = JournalDecoder()
    let bounds = try reader.bounds(.journal, partition)
    try reader.scan(.journal, partition, from: bounds.first, to: bounds.end) { record in
      guard let value = record.value else { return true }
      if let takeover = try decoder.entry(value).takeover { found = takeover.derivation }
      return true
    }
    return try found ?? RoomCheckpoints(partition, of: [], since: .min, topics, reader).newest?.checkpoint?.derivation
  }
}
