/// Chooses a partition by key like Java's producer: with murmur2.
package enum KeyPartitioner {
  package static func partition(_ key: Bytes, _ count: Int) -> Int { unsafe Int(murmur2(key) & 0x7fff_ffff) % max(1, count) }

  private static func murmur2(_ key: Bytes) -> UInt32 {
    let m: UInt32 = 0x5bd1_e995
    var h: UInt32 = 0x9747_b28c ^ UInt32(truncatingIfNeeded: key.count)
    var i = 0
    while i + 4 <= key.count {
      var k = unsafe UInt32(littleEndian: key.loadUnaligned(fromByteOffset: i, as: UInt32.self))
      k = k &* m
      k ^= k >> 24
      h = (h &* m) ^ (k &* m)
      i += 4
    }
    let rest = key.count - i
    if rest >= 3 { unsafe h ^= UInt32(key[i + 2]) << 16 }
    if rest >= 2 { unsafe h ^= UInt32(key[i + 1]) << 8 }
    if rest >= 1 { h = unsafe (h ^ UInt32(key[i])) &* m }
    h ^= h >> 13
    h = h &* m
    return h ^ (h >> 15)
  }
}
