/// The banners that wait: a list in the order of their numbers, and a heap that knows which is the first to be skipped
/// when they are too many: the one with the lowest value, of equals the one with the highest number.
///
/// The heap is made when for the first time too many wait; most rooms never need it. It is lazy: a banner's value only
/// rises, so a place in the heap may lag behind it, and is corrected when it comes to the top; and a banner that no longer
/// waits stays in it until then. So a gift that joins a waiting banner need not touch the heap.
struct WaitingQueue {
  private(set) var first: Int32 = -1
  private(set) var last: Int32 = -1
  /// The number of waiting banners, and of those that have not been seen (their `base` is 0).
  private(set) var count: Int32 = 0
  private(set) var unseen: Int32 = 0
  private struct Place: BitwiseCopyable {
    /// The banner's value at some time.
    var value: Double
    var number: Int
    var index: Int32
  }
  private var heap = Block<Place>()
  private var heapCount: Int32 = 0
  /// In `tier` order, or once banners were skipped: the next one. Made when it is needed, until none waits.
  var order: WaitingOrder?

  init() {}

  /// Puts a banner at the end; its number is above all others'.
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

  /// Takes a banner out.
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
    // With more that has gone than waits it is not worth keeping.
    if heapCount > count * 2 + 16 || count == 0 { dropHeap() }
  }

  /// The one to be skipped first; there must be one.
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

  /// The one that was the first to be skipped when the heap was last corrected, if there is a heap.
  @inline(__always)
  var likelyLeast: Int32? { heapCount > 0 ? heap[0].index : nil }

  /// Adds where the heap begins.
  @inline(__always)
  func addPlaces(to places: inout Places) {
    if heapCount > 0 { places.add(UnsafeRawPointer(heap.address(0))) }
  }

  /// The same queue in memory of its own.
  func copy() -> WaitingQueue {
    var copy = self
    copy.heap = heap.copy()
    copy.order = nil
    return copy
  }

  /// Gives the memory back.
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

  /// Puts `place` where it belongs, beginning at the top, where there is none.
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
