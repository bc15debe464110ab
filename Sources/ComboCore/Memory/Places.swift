/// Addresses of memory that will be read, one per cache line, in a buffer of the caller: see
/// ``Engine/prefetchAddresses(of:step:in:)``.
@safe struct Places {
  private let base: UnsafeMutablePointer<UnsafeRawPointer>
  private(set) var count = 0

  /// The maximum number of addresses added during one call from outside.
  static let max = 24

  init(in base: UnsafeMutablePointer<UnsafeRawPointer>) { unsafe self.base = unsafe base }

  @inline(__always)
  mutating func add(_ place: UnsafeRawPointer) {
    assert(count < Self.max, "more places than there is room for")
    unsafe base[count] = unsafe place
    count &+= 1
  }

  /// Adds this cache line and the next one.
  @inline(__always)
  mutating func addTwo(_ place: UnsafeRawPointer) {
    unsafe add(place)
    unsafe add(place + 64)
  }

  /// Adds the cache lines of this many bytes, at most eight. The processor prefetches the rest once the first are read.
  @inline(__always)
  mutating func addLines(_ place: UnsafeRawPointer, _ bytes: Int) {
    var offset = 0
    while offset < min(bytes, 512) {
      unsafe add(place + offset)
      offset &+= 64
    }
  }
}
