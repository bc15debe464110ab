/// The origins whose pages may read what is served here, though it comes from elsewhere: `https://live.example`, or `*` for all.
///
/// A browser asks on behalf of a page and names its origin (`Origin`); unless the answer allows that one, the page does not get it.
package enum HTTPOrigins: Equatable, Sendable {
  case none
  case all
  case these(Set<String>)

  /// nil: it is neither `*` nor a list of origins with commas between them.
  package init?(_ text: String) {
    if text == "*" {
      self = .all
      return
    }
    var origins: Set<String> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let origin = String(part)
      guard Self.isOrigin(origin) else { return nil }
      origins.insert(origin)
    }
    self = .these(origins)
  }

  /// Scheme, host and perhaps a port, as browsers send it: no slash at the end, small letters.
  private static func isOrigin(_ text: String) -> Bool {
    for scheme in ["https://", "http://"] where text.hasPrefix(scheme) {
      let rest = text.dropFirst(scheme.count)
      return !rest.isEmpty && rest.utf8.count <= 255
        && rest.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "-._:[]".utf8.contains($0) }
    }
    return false
  }

  /// The value of `Access-Control-Allow-Origin` for that origin; nil: none.
  func answer(to origin: String) -> String? {
    switch self {
    case .none: nil
    case .all: "*"
    case .these(let origins): origins.contains(origin) ? origin : nil
    }
  }
}
