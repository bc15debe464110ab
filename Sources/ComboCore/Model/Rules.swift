/// The version of the rules by which engines decide. It rises whenever the same input at the same times would produce other
/// instructions.
///
/// A partition's journal records the rules of each owner. A program supports its own rules and those of the previous release.
/// It can therefore derive what that release wrote, and writes what that release reads until the whole group is upgraded.
public struct Rules: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The version number.
  public let version: Int

  /// Creates rules with that number, which this program need not support.
  public init(version: Int) { self.version = version }

  /// The rules of 0.1.0.
  public static let oldest = Rules(version: 2)
  /// The rules of this release.
  public static let newest = Rules(version: 3)
  /// The rules that this program supports.
  public static let known = oldest...newest

  // MARK: - Changes in rules 3

  /// Whether a gift may set the minimum time for which its banner stays.
  public var hasOwnLinger: Bool { version >= 3 }
  /// Whether a repeated gift may keep the repeated id or total alive.
  public var hasRefresh: Bool { version >= 3 }
  /// Whether a map tells null from a value that is not there.
  public var hasNull: Bool { version >= 3 }
  /// Whether a map multiplies decimal numbers exactly.
  public var hasExactProducts: Bool { version >= 3 }
  /// Whether a record must have the amount that its map names. Before, a gift without it counted once.
  public var needsMappedAmount: Bool { version >= 3 }
  /// Whether a map notices a second gift in another envelope of a record.
  public var comparesEnvelopes: Bool { version >= 3 }
  /// Whether JSON in a string may follow white space.
  public var skipsWhiteSpace: Bool { version >= 3 }
  /// Whether texts in an array that also holds objects are not unpacked: they are a handler's arguments, maybe a viewer's words.
  public var readsNoArguments: Bool { version >= 3 }
  /// Whether a map's rule that makes a gift of an object also decides on the arrays in it, and a gift beside others in an array
  /// that no rule reads is noticed at any depth.
  public var decidesOnArrays: Bool { version >= 3 }
  /// Whether a time's zone has at most 23 hours and 59 minutes. Before, it had any two digits of each.
  package var limitsZones: Bool { version >= 3 }
  /// Whether banners that overflow are summed and reported together.
  public var sumsSkips: Bool { version >= 3 }
  /// Whether the group's offset records who committed it. 0.1.0 does not find the entry's number beside that.
  public var namesOwners: Bool { version >= 3 }

  /// Compares the version numbers.
  public static func < (a: Rules, b: Rules) -> Bool { a.version < b.version }
  /// The version number as text.
  public var description: String { "\(version)" }
}
