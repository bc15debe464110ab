internal import ComboWire

/// One fault of a map file: where it is, what is wrong, and how to fix it.
public struct MapFault: Equatable, Sendable, CustomStringConvertible {
  /// The file, or the name of a built-in map.
  public let file: String
  /// From 1 on.
  public let line: Int
  /// The character in the line, from 1 on.
  public let column: Int
  /// The fault, and the allowed values.
  public let sentence: String

  /// `FILE:LINE:COLUMN: SENTENCE`.
  public var description: String { "\(file):\(line):\(column): \(sentence)" }
}

/// Why a map cannot be used: all its faults, in the order of the file.
public struct MapFaults: Error, Equatable, Sendable, CustomStringConvertible {
  /// At least one.
  public let faults: [MapFault]

  /// A line a fault.
  public var description: String { faults.map(\.description).joined(separator: "\n") }
}
