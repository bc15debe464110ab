/// Hashes of keys, for look-up only: no output depends on them.
///
/// They are seeded in each process, so that collisions cannot be constructed.
enum KeyHash {
  /// The seed. Keep a copy for many hashes: reading it costs as much as a short hash.
  static let seed = UInt64.random(in: 1...UInt64.max)
  private static let multiplier: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// The hash of `bytes`, continued from `state`, which is ``seed`` at first.
  ///
  /// The length enters the last multiplication through the other factor. If it were added to the bytes, someone who chooses
  /// both could construct ids of different lengths that collide for every seed.
  @inline(__always)
  static func hash(_ bytes: Bytes, _ state: UInt64) -> UInt64 {
    let count = bytes.count
    var state = state
    let last = multiplier &+ UInt64(truncatingIfNeeded: count)
    guard let base = bytes.baseAddress, count > 0 else { return mix(state, last) }
    if count < 8 {
      // Two overlapping halves, or one to three single bytes.
      var rest: UInt64
      if count >= 4 {
        rest = unsafe UInt64(base.loadUnaligned(as: UInt32.self)) << 32
        unsafe rest |= UInt64(base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
      } else {
        rest = unsafe UInt64(base.load(as: UInt8.self)) << 16
        unsafe rest |= UInt64(base.load(fromByteOffset: count &>> 1, as: UInt8.self)) << 8
        unsafe rest |= UInt64(base.load(fromByteOffset: count &- 1, as: UInt8.self))
      }
      return mix(state ^ rest, last)
    }
    var i = 0
    while i &+ 8 < count {
      state = unsafe mix(state ^ base.loadUnaligned(fromByteOffset: i, as: UInt64.self), multiplier)
      i &+= 8
    }
    return unsafe mix(state ^ base.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self), last)
  }

  /// The hash of three byte sequences. They are hashed in parallel, which takes less time than one after the other.
  @inline(__always)
  static func hash(_ a: Bytes, _ b: Bytes, _ c: Bytes, _ seed: UInt64) -> UInt64 {
    let (x, y, z) = unsafe (hash(a, seed), hash(b, ~seed), hash(c, seed &+ multiplier))
    return mix(x ^ z, y ^ z &+ multiplier)
  }

  /// The hash of a combo's key, for tables.
  @inline(__always)
  static func combo(_ sender: Bytes, _ receiver: Bytes, _ gift: Bytes, _ name: Bytes, _ seed: UInt64) -> UInt32 {
    let state = unsafe hash(sender, receiver, gift, seed)
    return unsafe fold(name.count == 0 ? state : hash(name, state))
  }

  /// The 32 bits that tables use.
  @inline(__always)
  static func fold(_ state: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: state ^ state >> 32) }

  @inline(__always)
  private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
