internal import Glibc

/// Splits the content of a file into pieces of whole lines.
///
/// Used by one thread at a time.
package final class LineSource {
  package enum Piece: Equatable {
    /// The number of bytes of whole lines in the memory; the last one may lack its line end if the input does.
    case lines(Int)
    /// A line of this many bytes, too long for the memory. It was skipped.
    case tooLong(Int)
    case end
    /// A failed read, with the system's error number.
    case failed(Int32)
  }

  private let read: (UnsafeMutableRawBufferPointer) -> Int
  private let isWaiting: () -> Bool
  /// The bytes that were read and not returned yet.
  private var rest: [UInt8] = []
  /// The piece after all lines, once a read has found the end or has failed.
  private var end: Piece?

  /// - Parameters:
  ///   - read: Reads like read(2) into a part of the memory: 0 is the end, and a negative number is a negated error number.
  ///   - isWaiting: Returns whether a read would wait. If so, whole lines are returned even if they do not fill the memory.
  package init(read: @escaping (UnsafeMutableRawBufferPointer) -> Int, isWaiting: @escaping () -> Bool = { false }) {
    self.read = read
    self.isWaiting = isWaiting
  }

  /// Creates a source for an open file, a pipe or a terminal.
  package convenience init(descriptor: Int32) {
    self.init(
      read: { memory in
        while true {
          let got = Glibc.read(descriptor, memory.baseAddress, memory.count)
          if got >= 0 { return got }
          if errno != EINTR { return -Int(errno) }
        }
      },
      isWaiting: {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&ready, 1, 0) == 0
      })
  }

  /// Returns the next piece. `memory` must be larger than the longest valid line.
  package func next(into memory: UnsafeMutableRawBufferPointer) -> Piece {
    precondition(rest.count < memory.count, "a piece's memory must not become smaller than what was left over")
    var filled = rest.count
    rest.withUnsafeBytes { memory.copyMemory(from: $0) }
    rest.removeAll(keepingCapacity: true)
    while end == nil, filled < memory.count {
      // What follows a line that was too long may be whole lines.
      if filled > 0, isWaiting(), lineEnd(memory, filled) != nil { break }
      let got = read(UnsafeMutableRawBufferPointer(rebasing: memory[filled...]))
      if got <= 0 { end = got == 0 ? .end : .failed(Int32(-got)) } else { filled += got }
    }
    if let end {
      // Whole lines that came before a failed read count.
      let count = end == .end ? filled : lineEnd(memory, filled).map { $0 + 1 } ?? 0
      return count == 0 ? end : .lines(count)
    }
    guard let last = lineEnd(memory, filled) else { return skipLine(memory, filled) }
    rest.append(contentsOf: memory[(last + 1)..<filled])
    return .lines(last + 1)
  }

  /// Returns the place of the last line end.
  private func lineEnd(_ memory: UnsafeMutableRawBufferPointer, _ count: Int) -> Int? {
    var place = count - 1
    while place >= 0, memory[place] != 0x0a { place -= 1 }
    return place < 0 ? nil : place
  }

  private func skipLine(_ memory: UnsafeMutableRawBufferPointer, _ filled: Int) -> Piece {
    var length = filled
    while true {
      let got = read(memory)
      if got < 0 { return .failed(Int32(-got)) }
      if got == 0 {
        end = .end
        return .tooLong(length)
      }
      if let lineEnd = memchr(memory.baseAddress!, 0x0a, got) {
        let place = UnsafeRawPointer(lineEnd) - UnsafeRawPointer(memory.baseAddress!)
        rest.append(contentsOf: memory[(place + 1)..<got])
        return .tooLong(length + place)
      }
      length += got
    }
  }
}
