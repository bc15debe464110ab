/// A heap of times, the earliest first and, of equals, the lowest number first.
///
/// It is lazy: an obsolete entry stays until it reaches the top, and its owner recognises it as stale by its number or time.
/// The owner rebuilds the heap when most entries are stale (``isStale(_:)``), so each entry costs O(log n).
struct DeadlineHeap {
  struct Entry: BitwiseCopyable {
    var time: Int64
    var number: Int
    var index: Int32
  }

  private var entries: [Entry] = []

  init() {}

  var first: Entry? { entries.first }

  /// Whether more than half of the entries are stale, given the number of live ones.
  func isStale(_ live: Int32) -> Bool { entries.count > 2 * Int(live) + 16 }

  mutating func push(_ entry: Entry) {
    Steps.count()
    entries.append(entry)
    var i = entries.count - 1
    while i > 0 {
      let parent = (i - 1) / 2
      if !Self.isBefore(entry, entries[parent]) { break }
      Steps.count()
      entries[i] = entries[parent]
      i = parent
    }
    entries[i] = entry
  }

  mutating func popFirst() {
    let entry = entries.removeLast()
    if entries.isEmpty { return }
    var i = 0
    while true {
      Steps.count()
      var least = 2 * i + 1
      if least >= entries.count { break }
      if least + 1 < entries.count, Self.isBefore(entries[least + 1], entries[least]) { least += 1 }
      if !Self.isBefore(entries[least], entry) { break }
      entries[i] = entries[least]
      i = least
    }
    entries[i] = entry
  }

  mutating func shift(by milliseconds: Int64) {
    for i in entries.indices { entries[i].time += milliseconds }
  }

  @inline(__always)
  private static func isBefore(_ a: Entry, _ b: Entry) -> Bool {
    a.time < b.time || (a.time == b.time && a.number < b.number)
  }
}
