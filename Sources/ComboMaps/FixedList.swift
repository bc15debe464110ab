/// A list that a map's compiler fills. Then it is only read, where it stands, by the decoders of all threads.
final class FixedList<Element>: RandomAccessCollection {
  /// Its elements; their place changes only while it grows.
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
    set { all[index] = newValue }
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
