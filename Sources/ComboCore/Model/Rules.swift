/// The version of the rules by which engines decide. It rises whenever the same input at the same times would give other instructions.
///
/// A partition's journal names the rules of each owner. A program has its own rules and those of the release before, so that it derives what
/// that release wrote, and writes what that release reads until the whole group can follow.
public struct Rules: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number.
  public let version: Int

  /// The rules of that number, which this program need not have.
  public init(version: Int) { self.version = version }

  /// Those of 0.1.0.
  public static let oldest = Rules(version: 2)
  /// Those of this release.
  public static let newest = Rules(version: 3)
  /// Those that this program has.
  public static let known = oldest...newest

  // MARK: - What rules 3 brought

  /// Whether a gift may say how long its banner stays at least.
  public var hasOwnLinger: Bool { version >= 3 }
  /// Whether a repeated gift may keep alive what it repeats.
  public var hasRefresh: Bool { version >= 3 }
  /// Whether banners that overflow are summed and said together.
  public var sumsSkips: Bool { version >= 3 }
  /// Whether the group's offset says who committed it. 0.1.0 does not find the entry's number beside that.
  public var namesOwners: Bool { version >= 3 }

  /// By their numbers.
  public static func < (a: Rules, b: Rules) -> Bool { a.version < b.version }
  /// The number.
  public var description: String { "\(version)" }
}
