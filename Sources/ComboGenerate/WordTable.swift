/// Texts in one piece of memory, which can be copied without touching a reference count.
final class WordTable {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let ends: UnsafeMutableBufferPointer<Int>

  /// Creates a table of one or more words, in the order given.
  init(_ words: [String]) {
    precondition(!words.isEmpty, "a table without words cannot be drawn from")
    bytes = .allocate(capacity: words.reduce(0) { $0 + $1.utf8.count })
    ends = .allocate(capacity: words.count)
    var end = 0
    for (index, word) in words.enumerated() {
      for byte in word.utf8 {
        bytes.initializeElement(at: end, to: byte)
        end += 1
      }
      ends.initializeElement(at: index, to: end)
    }
  }

  deinit {
    bytes.deallocate()
    ends.deallocate()
  }

  var count: Int { ends.count }

  /// Returns a word, valid while the table exists.
  @inline(__always)
  subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
    let start = index == 0 ? 0 : ends[index - 1]
    return UnsafeBufferPointer(start: bytes.baseAddress! + start, count: ends[index] - start)
  }
}
