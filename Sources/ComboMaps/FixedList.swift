/// A list that a map's compiler fills. After that, the decoders of all threads read it in place.
final class FixedList<Element>: RandomAccessCollection {
  /// The elements. Their address changes only while the list grows.
  private(set) var all: UnsafeMutableBufferPointer<Element>
  private var memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: 16)

  init() { all = .init(rebasing: memory[..<0]) }

  deinit {
    all.deinitialize()
    memory.deallocate()
  }

  var startIndex: Int { 0 }
  var endIndex: Int { all.count }

  subscript(index: Int) -> Element {
    get { all[index] }
    _modify { yield &all[index] }
  }

  func append(_ element: Element) {
    let count = all.count
    if count == memory.count {
      let larger = UnsafeMutableBufferPointer<Element>.allocate(capacity: 2 * count)
      _ = larger.moveInitialize(fromContentsOf: memory)
      memory.deallocate()
      memory = larger
    }
    memory.initializeElement(at: count, to: element)
    all = UnsafeMutableBufferPointer(rebasing: memory[...count])
  }

  func append(contentsOf elements: some Sequence<Element>) { for element in elements { append(element) } }
}
