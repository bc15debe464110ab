/// The waiting banners: a list by ascending number, and a heap of those to skip first when there are too many. That is the one
/// with the lowest value and, of equals, the highest number.
///
/// The heap is created when too many banners wait for the first time; most rooms never need it. It is lazy. A banner's value
/// only rises, so an entry may lag behind it and is corrected when it reaches the top. A banner that no longer waits stays in
/// the heap until then. A gift that joins a waiting banner therefore need not touch the heap.
struct WaitingQueue {
  private(set) var first: Int32 = -1
  private(set) var last: Int32 = -1
  /// The number of waiting banners, and of those that have not been seen (their `base` is 0).
  private(set) var count: Int32 = 0
  private(set) var unseen: Int32 = 0
  private struct Place: BitwiseCopyable {
    /// The banner's value when the entry was written.
    var value: Double
    var number: Int
    var index: Int32
  }
  private var heap = Block<Place>()
  private var heapCount: Int32 = 0
  /// The order for `tier` order or for banners passed over. Created when needed, and kept until no banner waits.
  var order: WaitingOrder?

  init() {}

  mutating func append(_ index: Int32, _ banners: Banners, _ combos: Combos) {
    banners[index].previous = last
    banners[index].next = -1
    if last >= 0 { banners[last].next = index } else { first = index }
    last = index

    let combo = banners[index].combo
    let before = combos[combo].lastWaiting
    banners[index].previousOfCombo = before
    banners[index].nextOfCombo = -1
    if before >= 0 { banners[before].nextOfCombo = index } else { combos[combo].firstWaiting = index }
    combos[combo].lastWaiting = index
    combos[combo].waiting += 1

    count += 1
    if banners[index].base == 0 { unseen += 1 }
    if heapCount > 0 { push(index, banners) }
  }

  mutating func remove(_ index: Int32, _ banners: Banners, _ combos: Combos) {
    let banner = banners[index]
    if banner.previous >= 0 { banners[banner.previous].next = banner.next } else { first = banner.next }
    if banner.next >= 0 { banners[banner.next].previous = banner.previous } else { last = banner.previous }

    if banner.previousOfCombo >= 0 {
      banners[banner.previousOfCombo].nextOfCombo = banner.nextOfCombo
    } else {
      combos[banner.combo].firstWaiting = banner.nextOfCombo
    }
    if banner.nextOfCombo >= 0 {
      banners[banner.nextOfCombo].previousOfCombo = banner.previousOfCombo
    } else {
      combos[banner.combo].lastWaiting = banner.previousOfCombo
    }

    combos[banner.combo].waiting -= 1

    count -= 1
    if banner.base == 0 { unseen -= 1 }
    if count == 0 { order = nil }
    // A heap with more stale entries than live ones is not worth keeping.
    if heapCount > count * 2 + 16 || count == 0 { dropHeap() }
  }

  /// Returns the banner to skip first; at least one must wait.
  mutating func leastValuable(_ banners: Banners) -> Int32 {
    if heapCount == 0 {
      var index = first
      while index >= 0 {
        Steps.count()
        push(index, banners)
        index = banners[index].next
      }
    }
    while true {
      Steps.count()
      let place = heap[0]
      let banner = banners[place.index]
      if banner.number != place.number || banner.phase != .queued || banner.combo < 0 {
        heapCount -= 1
        if heapCount > 0 { siftDown(heap[heapCount]) }
      } else if banner.value > place.value {
        siftDown(Place(value: banner.value, number: place.number, index: place.index))
      } else {
        return place.index
      }
    }
  }

  /// The banner that was first when the heap was last corrected, or nil if there is no heap.
  @inline(__always)
  var likelyLeast: Int32? { heapCount > 0 ? heap[0].index : nil }

  /// Adds the address of the heap.
  @inline(__always)
  func addPlaces(to places: inout Places) {
    if heapCount > 0 { unsafe places.add(UnsafeRawPointer(heap.address(0))) }
  }

  /// Returns a copy with its own memory.
  func copy() -> WaitingQueue {
    var copy = self
    copy.heap = heap.copy()
    copy.order = nil
    return copy
  }

  mutating func free() {
    dropHeap()
    order = nil
  }

  // MARK: - The heap

  private mutating func dropHeap() {
    heap.free()
    heapCount = 0
  }

  private mutating func push(_ index: Int32, _ banners: Banners) {
    let place = Place(value: banners[index].value, number: banners[index].number, index: index)
    heap.reserve(heapCount + 1)
    var i = heapCount
    heapCount += 1
    while i > 0 {
      let parent = (i - 1) / 2
      if !isBefore(place, heap[parent]) { break }
      heap[i] = heap[parent]
      i = parent
    }
    heap[i] = place
  }

  /// Sifts `place` down from the empty top.
  private func siftDown(_ place: Place) {
    var i: Int32 = 0
    while true {
      var least = 2 * i + 1
      if least >= heapCount { break }
      if least + 1 < heapCount, isBefore(heap[least + 1], heap[least]) { least += 1 }
      if !isBefore(heap[least], place) { break }
      heap[i] = heap[least]
      i = least
    }
    heap[i] = place
  }

  @inline(__always)
  private func isBefore(_ a: Place, _ b: Place) -> Bool { a.value < b.value || (a.value == b.value && a.number > b.number) }
}
