/// The reason why a record of the journal or the state is refused.
public struct FormatFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of fault.
  public enum Code: Sendable {
    /// Written by a newer version. It is not read, and no conclusion may be drawn from it.
    case newer
    /// Truncated, altered, or otherwise not what a program of this version writes.
    case broken
    /// Belongs to another group, input or output.
    case foreign
  }

  /// The kind of fault.
  public let code: Code
  /// A sentence that names what was read and what is wrong with it.
  public let description: String

  package init(code: Code, description: String) {
    self.code = code
    self.description = description
  }

  static func newer(_ what: StaticString, _ version: Int64, read newest: Int64) -> FormatFault {
    FormatFault(
      code: .newer,
      description: "\(what) has version \(version) of its format; this program reads version \(newest). Run a newer one")
  }

  /// Returns the fault of `what` with a setting that this version does not know.
  static func newerSetting(_ what: StaticString, _ name: String) -> FormatFault {
    FormatFault(
      code: .newer,
      description: "\(what) has the setting \(name), which this version does not know. Run the newer one that wrote it")
  }

  /// Returns the fault of `what`, which is broken; `fault` completes the sentence `it is broken:`.
  public static func broken(_ what: StaticString, _ fault: String) -> FormatFault {
    FormatFault(code: .broken, description: "\(what) is broken: \(fault)")
  }
}

/// The common part of all formats of the journal and the state. docs/formats.md describes them.
enum Format {
  /// The version that is written, and the newest that is read.
  static let version: Int64 = 1
  /// The newest version of a room's state that is read. Version 1, of the engine's first rules, is converted when it is read.
  /// Anything that rules 2 also support is written in version 2, which 0.1.0 reads.
  static let stateVersion: Int64 = 3
  /// The maximum depth of a record: the display data of a banner, and the record's own levels.
  static let depth = 256
}
