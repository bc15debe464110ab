internal import ComboSystem

/// Controls access to all paths.
///
/// On loopback, the name in the `Host` header must be one of this machine's own. A foreign page whose name was made to resolve to
/// this machine (DNS rebinding) sends its own name. Beyond loopback, any name is allowed, and a token is required.
struct HTTPGuard: Sendable {
  let isLoopback: Bool
  let token: HTTPToken?
  /// Whether rooms are public, so that only paths about the service itself require the token.
  var isPublic = false

  /// Returns the response to a request that is refused, or nil if it is allowed.
  /// - Parameters:
  ///   - hosts: All `Host` headers.
  ///   - isRoom: Whether it requests a single room, or a page and its parts.
  ///   - acceptsEvents: Whether a POST would send events.
  ///   - isHealth: Whether it only requests the state of health, which process managers must be able to read.
  func refusal(
    method: String, hosts: [String], authorizations: [String], hasBody: Bool, isHealth: Bool, isRoom: Bool = false,
    acceptsEvents: Bool = false
  ) -> HTTPResponse? {
    guard hosts.count == 1, let name = Self.name(hosts[0]) else {
      return .error(400, "a request needs exactly one Host header: a name or an address, optionally with a port")
    }
    if isLoopback, !Self.isOwn(name) {
      return .error(
        421,
        "this server answers to localhost and 127.0.0.1 only, not to \(Sentence.quoted(name)): the request may come from the page of another site"
      )
    }
    if isPublic, token == nil, !isLoopback, !isHealth, !isRoom {
      return .error(
        401, "this path shows the service itself and needs a token: start the service with --http-token-file, and send the token")
    }
    if let token, !isHealth, !(isPublic && isRoom) {
      guard authorizations.count == 1, token.isPresent(in: authorizations[0]) else {
        return .error(
          401, "a token is needed: send the header Authorization: Bearer TOKEN, with the token of --http-token-file",
          [("WWW-Authenticate", #"Bearer realm="combo-consumer""#), ("WWW-Authenticate", #"Basic realm="combo-consumer""#)])
      }
    }
    if method != "GET", method != "HEAD" {
      if acceptsEvents {
        return .error(405, "use POST to send events and GET to read them", [("Allow", "GET, HEAD, POST")])
      }
      return .error(405, "only GET and HEAD are allowed here: nothing can be changed", [("Allow", "GET, HEAD")])
    }
    if hasBody { return .error(413, "a request to this path must not have a body") }
    return nil
  }

  /// Returns the header without the port, or nil if it is malformed.
  static func name(_ host: String) -> String? {
    let bytes = Array(host.utf8)
    guard (1...255).contains(bytes.count) else { return nil }
    if bytes[0] == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")), isPort(bytes[(end + 1)...]) else { return nil }
      let inner = bytes[1..<end]
      guard inner.allSatisfy({ isHex($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }) else { return nil }
      return String(decoding: inner, as: UTF8.self)
    }
    let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    guard end > 0, isPort(bytes[end...]) else { return nil }
    guard
      bytes[..<end].allSatisfy({
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || "-._".utf8.contains($0)
      })
    else { return nil }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
    if bytes.isEmpty { return true }
    let digits = bytes.dropFirst()
    return bytes.first == UInt8(ascii: ":") && digits.count <= 5 && digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  /// Whether a name always refers to this machine.
  private static func isOwn(_ name: String) -> Bool {
    let lower = name.lowercased()
    return lower == "localhost" || lower.hasSuffix(".localhost") || HTTPAddress.isLoopback(lower)
  }
}
