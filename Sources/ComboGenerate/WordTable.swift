/// Texts in one piece of memory, which can be copied without touching a reference count.
@safe final class WordTable {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let ends: UnsafeMutableBufferPointer<Int>

  /// Creates a table of one or more words, in the order given.
  init(_ words: [String]) {
    precondition(!words.isEmpty, "a table without words cannot be drawn from")
    unsafe bytes = .allocate(capacity: words.reduce(0) { $0 + $1.utf8.count })
    unsafe ends = .allocate(capacity: words.count)
    var end = 0
    for (index, word) in words.enumerated() {
      for byte in word.utf8 {
        unsafe bytes.initializeElement(at: end, to: byte)
        end += 1
      }
      unsafe ends.initializeElement(at: index, to: end)
    }
  }

  deinit {
    unsafe bytes.deallocate()
    unsafe ends.deallocate()
  }

  var count: Int { unsafe ends.count }

  /// Returns a word, valid while the table exists.
  @inline(__always)
  subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = unsafe index == 0 ? 0 : ends[index - 1]
    return unsafe UnsafeBufferPointer(start: bytes.baseAddress! + start, count: ends[index] - start)
  }
}
