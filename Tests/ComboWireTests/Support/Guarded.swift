import ComboCore
import Glibc

@testable import ComboWire

/// Memory before and after which nothing can be read.
final class Guarded {
  private static let size = 1 << 20
  private static let page = 4096
  private let memory: UnsafeMutableRawPointer
  private let records: UnsafeMutableRawPointer

  init() {
    func pages() -> UnsafeMutableRawPointer {
      let pages = mmap(nil, Self.size + 2 * Self.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
      mprotect(pages, Self.page, PROT_NONE)
      mprotect(pages + Self.page + Self.size, Self.page, PROT_NONE)
      return pages + Self.page
    }
    (memory, records) = (pages(), pages())
  }

  deinit {
    for pages in [memory, records] { munmap(pages - Self.page, Self.size + 2 * Self.page) }
  }

  /// Returns a text at the end of the memory, followed only by what a parser may read, which looks as if the text continued.
  func text(_ bytes: [UInt8], behind: [UInt8] = Guarded.behind) -> Bytes {
    place(bytes, behind, at: memory + (Self.size - BumpArena.padding - bytes.count))
  }

  /// Returns a text at the beginning of the memory.
  func first(_ bytes: [UInt8]) -> Bytes { place(bytes, Self.behind, at: memory) }

  /// Returns a record at the end of other such memory, with nothing after it.
  func record(_ bytes: [UInt8]) -> Bytes {
    let start = records + (Self.size - bytes.count)
    start.copyMemory(from: bytes, byteCount: bytes.count)
    return Bytes(start: start, count: bytes.count)
  }

  static let behind = (0..<BumpArena.padding).map { Array(#"7",}]"#.utf8)[$0 % 5] }

  private func place(_ bytes: [UInt8], _ behind: [UInt8], at start: UnsafeMutableRawPointer) -> Bytes {
    start.copyMemory(from: bytes + behind, byteCount: bytes.count + behind.count)
    return Bytes(start: start, count: bytes.count)
  }
}
