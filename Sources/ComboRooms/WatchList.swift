package import ComboCore

/// The watched rooms, and the partition in which each was last seen. A partition looks a room up when it wakes, and notes itself
/// here. Used by the loop's thread only.
package final class WatchList {
  private var places: [[UInt8]: Int32?] = [:]

  package init() {}

  package func contains(_ id: Bytes) -> Bool { unsafe !places.isEmpty && places.keys.contains([UInt8](id)) }

  /// The partition in which a watched room was last seen; nil if none is known.
  package func place(of room: [UInt8]) -> Int32? { places[room] ?? nil }

  /// Adds a room, or notes where it is. Where it was last seen stays if `partition` is nil.
  package func set(_ room: [UInt8], in partition: Int32?) { places.updateValue(partition ?? place(of: room), forKey: room) }

  package func remove(_ room: [UInt8]) { places.removeValue(forKey: room) }

  /// Notes where a room wakes, if it is watched; returns whether it is.
  func woke(_ id: Bytes, in partition: Int32) -> Bool {
    guard unsafe contains(id) else { return false }
    places.updateValue(partition, forKey: unsafe [UInt8](id))
    return true
  }
}
