public import ComboCore

/// A hash of all instructions of a room, in order: each record value is hashed with the previous hash as the seed.
public struct RunningHash: Equatable, Sendable {
  /// The hash of a room without instructions: the letters "combo-h1", the first in the highest byte.
  public static let start: UInt64 = 0x636F_6D62_6F2D_6831

  /// The hash of all instructions so far.
  public private(set) var value: UInt64

  /// Creates the hash of a room without instructions, or continues from `value`.
  public init(_ value: UInt64 = RunningHash.start) { self.value = value }

  /// Adds a record value.
  @inline(__always)
  public mutating func add(_ record: Bytes) { value = XXH3.hash(record, seed: value) }
}
