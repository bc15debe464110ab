internal import CXXHash
public import ComboCore

/// The 64-bit hash XXH3 in its seeded form, on which all formats here are based.
public enum XXH3 {
  /// The hash of bytes. It is the same on every machine.
  @inline(__always)
  public static func hash(_ bytes: Bytes, seed: UInt64 = 0) -> UInt64 {
    guard let start = bytes.baseAddress else { return XXH_INLINE_XXH3_64bits_withSeed(nil, 0, seed) }
    return XXH_INLINE_XXH3_64bits_withSeed(start, bytes.count, seed)
  }

  /// The fingerprint of an input record, to recognize a different one at its offset: the hash of its value with the hash of its
  /// key as the seed. A missing key or value counts as empty.
  public static func fingerprint(key: Bytes?, value: Bytes?) -> UInt64 {
    let none = Bytes(start: nil, count: 0)
    return hash(value ?? none, seed: hash(key ?? none))
  }
}
