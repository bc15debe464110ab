import Foundation

/// A test's own folder for passwords, tokens and certificates, which no other user can read. It is deleted with the object.
final class SecretFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/" + TestKafka.fresh("combo-keys")
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file of these lines atomically.
  @discardableResult
  func file(_ name: String, _ lines: [String]) throws -> String {
    try (lines.joined(separator: "\n") + "\n").write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
    return "\(path)/\(name)"
  }

  // MARK: - Certificates

  /// Creates a certificate authority: `<name>.crt` and `<name>.key`.
  func authority(_ name: String) throws {
    try openssl(
      #"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" -keyout "$1.key" -out "$1.crt""#,
      [name])
  }

  /// Creates a certificate by an authority, with its key: `<name>.crt`, `<name>.key`, and both in `<name>.pem`.
  /// - Parameter addresses: The certificate's alternative names, such as `IP:127.0.0.1`.
  func certificate(_ name: String, by authority: String, addresses: String = "DNS:nowhere.example") throws {
    try openssl(
      #"""
      openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$1.key" -out "$1.csr"
      echo "subjectAltName=$3" >"$1.ext"
      openssl x509 -req -in "$1.csr" -CA "$2.crt" -CAkey "$2.key" -CAcreateserial -days 1 -extfile "$1.ext" -out "$1.crt"
      cat "$1.key" "$1.crt" >"$1.pem"
      """#, [name, authority, addresses])
  }

  /// The properties of a broker with the certificate `broker.pem`, which accepts clients with certificates of the authority `ca`.
  var brokerProperties: String {
    """
    listener.security.protocol.map=PLAINTEXT:SSL,CONTROLLER:PLAINTEXT
    inter.broker.listener.name=PLAINTEXT
    ssl.client.auth=required
    ssl.keystore.type=PEM
    ssl.keystore.location=\(path)/broker.pem
    ssl.truststore.type=PEM
    ssl.truststore.location=\(path)/ca.crt
    """
  }

  /// Returns the properties of a client of such a broker, with the certificate of this name.
  func clientProperties(_ name: String) -> [String] {
    [
      "security.protocol=SSL", "ssl.ca.location=\(path)/ca.crt", "ssl.certificate.location=\(path)/\(name).crt",
      "ssl.key.location=\(path)/\(name).key",
    ]
  }

  private func openssl(_ script: String, _ arguments: [String]) throws {
    try TestKafka.shell("cd \"$1\"; shift; exec 2>&1\n" + script, [path] + arguments)
  }

  // MARK: - Tokens

  /// Creates a key that signs tokens, `<name>.key`, and a key set with its public half, `<name>.json`.
  func tokenKey(_ name: String) throws {
    let modulus = try TestKafka.shell(
      #"cd "$1"; openssl genrsa -out "$2.key" 2048 2>/dev/null; openssl rsa -in "$2.key" -noout -modulus"#, [path, name])
    let hex = Array(modulus.trimmingCharacters(in: .whitespacesAndNewlines).dropFirst("Modulus=".count).utf8)
    let bytes = stride(from: 0, to: hex.count, by: 2).map {
      UInt8(String(decoding: hex[$0..<($0 + 2)], as: UTF8.self), radix: 16)!
    }
    try file(
      "\(name).json",
      [#"{"keys":[{"kty":"RSA","use":"sig","alg":"RS256","kid":"1","e":"AQAB","n":"\#(Self.base64(Data(bytes)))"}]}"#])
  }

  /// Returns a JSON Web Token for `combo`, signed by a key and valid for `seconds`.
  func token(signedBy key: String, seconds: Int) throws -> String {
    let now = Int(Date().timeIntervalSince1970)
    let claims = #"{"iss":"test","aud":"kafka","sub":"combo","iat":\#(now - 60),"exp":\#(now + seconds)}"#
    let text = Self.base64(Data(#"{"alg":"RS256","kid":"1"}"#.utf8)) + "." + Self.base64(Data(claims.utf8))
    try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/signed"))
    try TestKafka.shell(#"cd "$1"; openssl dgst -sha256 -sign "$2.key" -out signature signed"#, [path, key])
    return text + "." + Self.base64(try Data(contentsOf: URL(fileURLWithPath: "\(path)/signature")))
  }

  /// Returns Base64 in the alphabet for URLs, without padding.
  static func base64(_ data: Data) -> String {
    data.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
  }
}
