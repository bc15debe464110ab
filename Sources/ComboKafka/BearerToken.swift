internal import CKafka
package import ComboEdge
package import ComboSystem
internal import ComboWire

/// A client's token for SASL/OAUTHBEARER, from a file that another program renews: a sidecar, a timer, or Kubernetes' projected
/// service accounts.
///
/// librdkafka can request tokens itself (`sasl.oauthbearer.method=oidc`), but only if it was built with curl, which Debian's is
/// not. A file works with any build, and keeps the secret that obtains tokens out of this process.
package struct BearerToken: Equatable, Sendable {
  package let text: String
  /// The principal if the token shows it. The brokers decide by the token itself.
  package let principal: String
  /// The expiry by the wall clock. librdkafka requests a new token after four fifths of the remaining time.
  let expiresAtMs: Int64

  package typealias Failure = TextFile.Failure

  package static let bytesMax = 65_536
  /// The interval at which the file is read again if the token does not contain its lifetime.
  static let opaqueMs: Int64 = 60_000

  /// Returns the token in a file, or the reason why there is none.
  /// - Parameter now: The time by the wall clock, in milliseconds.
  package static func read(_ path: String, now: Int64) -> Result<BearerToken, Failure> {
    TextFile.read(path, limit: bytesMax, named: "the file of \(property)").flatMap { text in
      parse(text, now: now).mapError { Failure(description: "the file of \(property) \($0)") }
    }
  }

  /// Parses the text of a file, ignoring white space around the token. `sub` and `exp` of a JSON Web Token are read; any other
  /// token is used as it is. A failure's description is the end of a sentence; it never contains the token.
  package static func parse(_ text: String, now: Int64) -> Result<BearerToken, Failure> {
    var bytes = Array(text.utf8)
    while let last = bytes.last, [0x20, 0x09, 0x0A, 0x0D].contains(last) { bytes.removeLast() }
    bytes = Array(bytes.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) })
    guard !bytes.isEmpty, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return .failure(Failure(description: "must hold a token of printable ASCII characters without spaces, and nothing else"))
    }
    let token = String(decoding: bytes, as: UTF8.self)
    guard let claims = claims(bytes) else {
      return .success(BearerToken(text: token, principal: "bearer", expiresAtMs: now + opaqueMs))
    }
    var expiry = now + opaqueMs
    if case .number(let text) = claims["exp"], let seconds = DecimalNumber.value(of: text), abs(seconds) < 1e12 {
      expiry = Int64(seconds * 1000)
      guard expiry > now else {
        return .failure(
          Failure(
            description:
              "holds a token that expired \((now - expiry) / 1000) s ago: the program that renews it must write a new one"))
      }
    }
    let subject = claims["sub"]?.string ?? ""
    return .success(BearerToken(text: token, principal: subject.isEmpty ? "bearer" : subject, expiresAtMs: expiry))
  }

  /// Returns the payload of a JSON Web Token, or nil for any other token.
  private static func claims(_ token: [UInt8]) -> JSONValue? {
    let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    // The payload uses the URL alphabet of Base64.
    let standard = parts[1].map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
    guard let payload = Base64.decoded(standard) else { return nil }
    guard let value = payload.withUnsafeBytes({ JSONValue($0) }), case .object = value else { return nil }
    return value
  }
}

extension BearerToken {
  /// The property whose format librdkafka leaves to the program.
  package static let property = "sasl.oauthbearer.config"
  private static let prefix = "token_file="

  /// Returns the file that the user's properties name, or nil if none is needed.
  /// - Throws: `badProperty` if they require OAUTHBEARER and do not name the source of tokens.
  package static func file(_ overrides: [KafkaProperty]) throws(EdgeError) -> String? {
    func last(_ keys: String...) -> String? { overrides.last { keys.contains($0.key) }?.value }
    guard last("sasl.mechanism", "sasl.mechanisms")?.uppercased() == "OAUTHBEARER" else { return nil }
    if last("sasl.oauthbearer.method")?.lowercased() == "oidc" { return nil }
    let value = last(property) ?? ""
    guard value.hasPrefix(prefix), value.utf8.count > prefix.utf8.count else {
      throw EdgeError(
        .badProperty,
        "The Kafka property sasl.mechanism=OAUTHBEARER needs \(property)=\(prefix)FILE, a file that always holds a valid token"
          + " (or sasl.oauthbearer.method=oidc, if librdkafka was built with it).")
    }
    let file = value.dropFirst(prefix.count)
    // The rest may be a secret, which no message about the file may show.
    if file.contains(where: \.isWhitespace) {
      throw EdgeError(
        .badProperty,
        "The Kafka property \(property) must be \(prefix)FILE and nothing else; the file's name has no white space.")
    }
    return String(file)
  }

  /// Sets a client's token to the file's current one. Returns the reason if there is none; librdkafka then retries after 10 s.
  static func refresh(_ client: OpaquePointer, from file: String, now: Int64) -> Failure? {
    let failure: Failure
    switch read(file, now: now) {
    case .success(let token):
      var reason = [CChar](repeating: 0, count: 512)
      let error = rd_kafka_oauthbearer_set_token(
        client, token.text, token.expiresAtMs, token.principal, nil, 0, &reason, reason.count)
      if error == RD_KAFKA_RESP_ERR_NO_ERROR { return nil }
      failure = Failure(description: "\(file): \(ControlClient.text(reason))")
    case .failure(let found): failure = found
    }
    rd_kafka_oauthbearer_set_token_failure(client, failure.description)
    return failure
  }
}
