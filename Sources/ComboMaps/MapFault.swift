internal import ComboWire

/// One fault of a map file: where it is, what is wrong, and how to fix it.
public struct MapFault: Equatable, Sendable, CustomStringConvertible {
  /// The file, or the name of a built-in map.
  public let file: String
  /// The line, counted from 1.
  public let line: Int
  /// The character in the line, counted from 1.
  public let column: Int
  /// The fault, and the allowed values.
  public let sentence: String

  /// `FILE:LINE:COLUMN: SENTENCE`.
  public var description: String { "\(file):\(line):\(column): \(sentence)" }
}

/// All faults of a map that cannot be used, in the order of the file.
public struct MapFaults: Error, Equatable, Sendable, CustomStringConvertible {
  /// The faults, of which there is at least one.
  public let faults: [MapFault]

  /// One line for each fault.
  public var description: String { faults.map(\.description).joined(separator: "\n") }
}
