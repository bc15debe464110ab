internal import ComboWire

/// The maps that are part of the program. To add one, write its text into a file of `BuiltIn/` and name it here.
public enum BuiltInMaps {
  /// By name, in the order in which they are listed.
  static let all: [(name: String, text: String)] = [
    ("wire", wire),
    ("tiktok", tiktok),
    ("douyin", douyin),
    ("bilibili", bilibili),
    ("bilibili-open", bilibiliOpen),
    ("douyu", douyu),
    ("huya", huya),
    ("kuaishou", kuaishou),
    ("acfun", acfun),
    ("twitch", twitch),
    ("youtube", youtube),
    ("kick", kick),
  ]

  /// Their names.
  public static var names: [String] { all.map(\.name) }

  /// A map's text, as it can be saved and changed; nil: there is none of that name.
  public static func text(_ name: String) -> String? { all.first { $0.name == name }?.text }
}

extension MapLibrary {
  /// The built-in maps.
  public static let builtIn = MapLibrary { name in BuiltInMaps.text(name).map { (Array($0.utf8), "built-in \(name)") } }
}
