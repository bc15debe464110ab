import Testing

@testable import ComboSystem
@testable import ComboTestSupport

@Suite("A heap")
struct HeapTests {
  @Test("returns all that was pushed, the smallest first", arguments: 0..<10)
  func sorted(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var heap = Heap<Int>()
    var held: [Int] = []
    for _ in 0..<2000 {
      if random.next() % 3 > 0 {
        let new = Int(random.next() % 100)
        heap.push(new)
        held.append(new)
      } else {
        let limit = Int(random.next() % 100)
        let smallest = held.min().flatMap { $0 <= limit ? $0 : nil }
        #expect(heap.pop(if: { $0 <= limit }) == smallest, "seed \(seed)")
        if let smallest { held.remove(at: held.firstIndex(of: smallest)!) }
      }
      #expect(heap.first == held.min() && heap.isEmpty == held.isEmpty, "seed \(seed)")
    }
    var rest: [Int] = []
    while let next = heap.pop() { rest.append(next) }
    #expect(rest == held.sorted(), "seed \(seed)")
  }

  @Test("made of many at once returns the same as if each had been pushed", arguments: 0..<70)
  func made(count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    let held = (0..<count).map { _ in Int(random.next() % 50) }
    var heap = Heap(held)
    #expect(heap.count == count && heap.elements.sorted() == held.sorted())
    var taken: [Int] = []
    while let next = heap.pop() { taken.append(next) }
    #expect(taken == held.sorted(), "\(held)")
  }
}
