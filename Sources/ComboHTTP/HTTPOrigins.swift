/// The foreign origins whose pages may read this server's responses: `https://live.example`, or `*` for all.
///
/// A browser sends the page's origin (`Origin`) with a request; the page receives the response only if it allows that origin.
package enum HTTPOrigins: Equatable, Sendable {
  case none
  case all
  case these(Set<String>)

  /// Parses `*` or a comma-separated list of origins, or returns nil for any other text.
  package init?(_ text: String) {
    let origins = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard text == "*" || origins.allSatisfy(Self.isOrigin) else { return nil }
    self = text == "*" ? .all : .these(Set(origins))
  }

  /// Whether a text is a scheme, a host and optionally a port in the form of browsers: lower case, without a trailing slash.
  private static func isOrigin(_ text: String) -> Bool {
    for scheme in ["https://", "http://"] where text.hasPrefix(scheme) {
      let rest = text.dropFirst(scheme.count)
      return !rest.isEmpty && rest.utf8.count <= 255
        && rest.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "-._:[]".utf8.contains($0) }
    }
    return false
  }

  /// Returns the value of `Access-Control-Allow-Origin` for an origin, or nil if it is not allowed.
  func answer(to origin: String) -> String? {
    switch self {
    case .none: nil
    case .all: "*"
    case .these(let origins): origins.contains(origin) ? origin : nil
    }
  }
}
