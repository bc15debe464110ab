/// Addresses of memory that will be looked at, a line of the cache each, in memory that the caller lends: see ``Engine/prefetchAddresses(of:step:in:)``.
struct Places {
  private let base: UnsafeMutablePointer<UnsafeRawPointer>
  private(set) var count = 0

  /// More are never added between two calls from outside.
  static let max = 24

  init(in base: UnsafeMutablePointer<UnsafeRawPointer>) { self.base = base }

  @inline(__always)
  mutating func add(_ place: UnsafeRawPointer) {
    assert(count < Self.max, "more places than there is room for")
    base[count] = place
    count &+= 1
  }

  /// Adds this line and the next one.
  @inline(__always)
  mutating func addTwo(_ place: UnsafeRawPointer) {
    add(place)
    add(place + 64)
  }

  /// Adds the cache lines of this many bytes, at most eight: what is longer is asked for by the processor itself once the first are read.
  @inline(__always)
  mutating func addLines(_ place: UnsafeRawPointer, _ bytes: Int) {
    var offset = 0
    while offset < min(bytes, 512) {
      add(place + offset)
      offset &+= 64
    }
  }
}
