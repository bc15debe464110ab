internal import CXXHash
public import ComboCore

/// The 64-bit hash XXH3, in the seeded form that all formats here are defined with.
public enum XXH3 {
  /// The hash of bytes. The same on every machine.
  @inline(__always)
  public static func hash(_ bytes: Bytes, seed: UInt64 = 0) -> UInt64 {
    guard let start = bytes.baseAddress else { return XXH_INLINE_XXH3_64bits_withSeed(nil, 0, seed) }
    return XXH_INLINE_XXH3_64bits_withSeed(start, bytes.count, seed)
  }

  /// The identity of a record of the input, to recognize another one at its offset: the hash of its value, with that of its key as
  /// the seed. A missing one counts as empty.
  public static func fingerprint(key: Bytes?, value: Bytes?) -> UInt64 {
    let none = Bytes(start: nil, count: 0)
    return hash(value ?? none, seed: hash(key ?? none))
  }
}
