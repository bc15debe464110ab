internal import CSimdJSON
public import ComboCore

/// Memory that is allocated piece by piece, at stable addresses, and freed all at once.
///
/// Events point into it: it must not be reset or released while one of them is in use. ``reset()`` keeps the memory, so the
/// steady state has no allocations. After each allocation, ``padding`` more bytes are readable. For one thread at a time.
public final class BumpArena {
  /// The number of bytes after each piece that can be read but not used.
  public static let padding = Int(CSJ_PADDING)

  /// A position to which the arena can be rewound.
  package struct Mark {
    fileprivate let chunk: Int
    fileprivate let next: UnsafeMutableRawPointer
  }

  private var chunks: [UnsafeMutableRawBufferPointer] = []
  private var chunk = 0
  // One thread at a time uses an arena. A check of exclusive access at each use would take a seventh of a mapped record's time.
  @exclusivity(unchecked) @usableFromInline package var next: UnsafeMutableRawPointer
  @exclusivity(unchecked) @usableFromInline package var end: UnsafeMutableRawPointer
  private let chunkSize: Int

  /// Creates an arena that requests memory in chunks of `chunkSize` bytes, or more for a larger piece.
  public init(chunkSize: Int = 256 * 1024) {
    self.chunkSize = max(chunkSize, 4 * Self.padding)
    let first = Self.newChunk(self.chunkSize)
    chunks = [first]
    next = first.baseAddress!
    end = first.baseAddress! + (first.count - Self.padding)
  }

  deinit {
    for chunk in chunks { chunk.deallocate() }
  }

  /// The size of the memory that it holds, in bytes.
  public var capacity: Int { chunks.reduce(0) { $0 + $1.count } }

  /// Frees all pieces and keeps the memory.
  public func reset() { open(0) }

  /// Allocates a piece of `count` bytes, with arbitrary contents and alignment.
  @inlinable @inline(__always)
  public func allocate(_ count: Int) -> UnsafeMutableRawPointer {
    if end - next < count { makeRoom(count) }
    let piece = next
    next = piece + count
    return piece
  }

  /// Returns a copy of bytes.
  @inlinable @inline(__always)
  public func copy(_ bytes: Bytes) -> Bytes {
    let piece = allocate(bytes.count)
    if let start = bytes.baseAddress { piece.copyMemory(from: start, byteCount: bytes.count) }
    return Bytes(start: piece, count: bytes.count)
  }

  /// Shrinks the last piece to the `used` bytes that are needed.
  @inlinable @inline(__always)
  package func shrinkLast(_ piece: UnsafeMutableRawPointer, to used: Int) { next = piece + used }

  package var mark: Mark { Mark(chunk: chunk, next: next) }

  /// Frees all pieces allocated since `mark`.
  package func rewind(to mark: Mark) {
    open(mark.chunk)
    next = mark.next
  }

  private func open(_ index: Int) {
    chunk = index
    let memory = chunks[index]
    next = memory.baseAddress!
    end = memory.baseAddress! + (memory.count - Self.padding)
  }

  @usableFromInline @inline(never)
  func makeRoom(_ count: Int) {
    precondition(count >= 0 && count < 1 << 40, "an arena cannot hand out that much")
    // A chunk that is too small for this piece is skipped until the next reset.
    while chunk + 1 < chunks.count {
      open(chunk + 1)
      if end - next >= count { return }
    }
    chunks.append(Self.newChunk(max(chunkSize, count + Self.padding)))
    open(chunks.count - 1)
  }

  private static func newChunk(_ size: Int) -> UnsafeMutableRawBufferPointer {
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: (size + 63) & ~63, alignment: 64)
    // The bytes read after a piece must be initialised, to any value. Many at a time, for the sake of debug builds.
    chunk.initializeMemory(as: SIMD64<UInt8>.self, repeating: .zero)
    return chunk
  }
}

/// Bytes that are built at the end of an arena and stay there. Between its creation and ``finish()``, nothing else may allocate
/// from the arena, except between ``pause()`` and ``resume()``.
@usableFromInline
package struct ArenaText {
  /// Not reference-counted: its creator holds the arena.
  @usableFromInline unowned(unsafe) let arena: BumpArena
  @usableFromInline var start: UnsafeMutableRawPointer
  @usableFromInline var out: UnsafeMutableRawPointer
  @usableFromInline var end: UnsafeMutableRawPointer

  @inlinable @inline(__always)
  package init(in arena: BumpArena) {
    self.arena = arena
    start = arena.next
    out = start
    end = arena.end
  }

  /// Allows others to allocate from the arena until ``resume()``.
  package func pause() { arena.next = out }

  package mutating func resume() {
    if arena.next != out { self = moved(reserving: 0) }
    end = arena.end
  }

  /// Makes room for `count` more bytes.
  @inlinable @inline(__always)
  package mutating func reserve(_ count: Int) {
    if end - out < count { self = moved(reserving: count) }
  }

  // Not mutating, so that the value can stay in registers.
  @usableFromInline @inline(never)
  func moved(reserving count: Int) -> ArenaText {
    let written = out - start
    let piece = arena.allocate(written + count)
    piece.copyMemory(from: start, byteCount: written)
    var moved = self
    (moved.start, moved.out, moved.end) = (piece, piece + written, arena.end)
    return moved
  }

  /// Appends bytes for which there is room, in blocks of 16: up to 15 more are read and written after the last.
  @inlinable @inline(__always)
  package mutating func append(padded from: UnsafeRawPointer, _ count: Int) {
    var at = 0
    repeat {
      out.storeBytes(of: from.loadUnaligned(fromByteOffset: at, as: SIMD16<UInt8>.self), toByteOffset: at, as: SIMD16<UInt8>.self)
      at &+= 16
    } while at < count
    out += count
  }

  /// Appends bytes and makes room for them.
  package mutating func append(_ bytes: Bytes) {
    guard let from = bytes.baseAddress else { return }
    reserve(bytes.count)
    out.copyMemory(from: from, byteCount: bytes.count)
    out += bytes.count
  }

  /// Appends a byte for which there is room.
  @inlinable @inline(__always)
  package mutating func append(_ byte: UInt8) {
    out.storeBytes(of: byte, as: UInt8.self)
    out += 1
  }

  /// Ends the text and returns its bytes.
  @inlinable @inline(__always)
  package func finish() -> Bytes {
    arena.next = out
    return Bytes(start: start, count: out - start)
  }
}
