internal import CPrefetch
internal import ComboCore

/// Memory for the places that an engine says it will look at. Who makes one frees it.
package struct PrefetchList {
  let base = UnsafeMutablePointer<UnsafeRawPointer>.allocate(capacity: Engine.prefetchMax)

  func free() { base.deallocate() }

  /// Asks for the memory of the first `count`.
  @inline(__always)
  func prefetch(_ count: Int) { prefetch_all(base, count) }
}
