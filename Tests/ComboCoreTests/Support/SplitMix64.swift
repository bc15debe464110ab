/// Random numbers that are the same everywhere for the same seed.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  init(_ seed: Int) { state = UInt64(bitPattern: Int64(seed)) &* 0x2545_f491_4f6c_dd1d }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }

  /// Returns one of these.
  mutating func pick<T>(_ choices: [T]) -> T { choices[Int(next() % UInt64(choices.count))] }

  /// Returns a number from 0 up to below `bound`.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// Returns true in one of `cases` cases.
  mutating func oneIn(_ cases: Int) -> Bool { below(cases) == 0 }
}
