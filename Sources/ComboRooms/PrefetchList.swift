internal import CPrefetch
internal import ComboCore

/// Memory for the addresses that an engine will read. The creator frees it.
package struct PrefetchList {
  let base = UnsafeMutablePointer<UnsafeRawPointer>.allocate(capacity: Engine.prefetchMax)

  func free() { base.deallocate() }

  /// Prefetches the memory at the first `count` addresses.
  @inline(__always)
  func prefetch(_ count: Int) { prefetch_all(base, count) }
}
