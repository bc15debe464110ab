/// Which room must be looked at next. A room is in it once for each time it was scheduled earlier than before; what is
/// out of date is recognised by ``Room/scheduled`` when it comes up.
struct DeadlineHeap {
  private struct Entry {
    var time: Int64
    var room: Int32
  }
  private var entries: [Entry] = []

  init() {}

  /// The earliest time, or nil.
  var first: Int64? { entries.first?.time }

  mutating func push(_ time: Int64, _ room: Int32) {
    var i = entries.count
    entries.append(Entry(time: time, room: room))
    while i > 0 {
      let parent = (i - 1) / 2
      if entries[parent].time <= time { break }
      entries[i] = entries[parent]
      i = parent
    }
    entries[i] = Entry(time: time, room: room)
  }

  /// Takes out the earliest, if it is not after `time`.
  mutating func pop(upTo time: Int64) -> (time: Int64, room: Int32)? {
    guard let top = entries.first, top.time <= time else { return nil }
    let last = entries.removeLast()
    if !entries.isEmpty {
      var i = 0
      while true {
        var child = 2 * i + 1
        if child >= entries.count { break }
        if child + 1 < entries.count, entries[child + 1].time < entries[child].time { child += 1 }
        if entries[child].time >= last.time { break }
        entries[i] = entries[child]
        i = child
      }
      entries[i] = last
    }
    return (top.time, top.room)
  }

  mutating func removeAll() { entries = [] }
}
