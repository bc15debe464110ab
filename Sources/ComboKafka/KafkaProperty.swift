/// A property of librdkafka, passed on unchanged.
package struct KafkaProperty: Equatable, Sendable {
  package let key: String
  package let value: String

  package init(key: String, value: String) {
    self.key = key
    self.value = value
  }

  /// Whether its value is or contains a password or a key. It is then never printed, and refused on the command line, which
  /// everybody on the machine can read. This includes names of Java clients only, since users paste them here.
  package var isSecret: Bool {
    let name = key.lowercased()
    if Self.secretWords.contains(where: { name.contains($0) }) { return true }
    // A file name is no secret; a secret or a token in its place is.
    if name == "sasl.oauthbearer.config" { return !value.hasPrefix("token_file=") || value.contains(where: \.isWhitespace) }
    return !addressSecrets.isEmpty
  }

  /// The parts of an address before its `@` and after its `?`: `https://name:password@host/token?client_secret=…`.
  private var addressSecrets: [String] {
    guard let scheme = value.firstRange(of: "://") else { return [] }
    let rest = value[scheme.upperBound...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let login = rest[0].prefix { $0 != "/" }.split(separator: "@", omittingEmptySubsequences: false)
    return [login.count > 1 ? String(login.dropLast().joined(separator: "@")) : "", rest.count > 1 ? String(rest[1]) : ""]
      .filter { !$0.isEmpty }
  }

  /// Whether the loaded librdkafka has this property. The value of any other may be a password under a misspelt name.
  package var isKnown: Bool { LibrdkafkaProperties.isListed(key) }

  private static let secretWords = [
    "password", "passphrase", "secret", "key.pem", "keystore.key", "jaas", "private.key", "assertion", "kinit.cmd",
  ]

  /// Its secret texts: the whole value, and the passwords inside.
  package var secrets: [String] {
    guard isSecret else { return [] }
    let inAddress = addressSecrets
    if !inAddress.isEmpty { return [value] + inAddress }
    // For example `…PlainLoginModule required username="u" password="p";` and `scope=s secret=x`.
    let parts = value.split { $0 == "\"" || $0 == "=" || $0 == ";" || $0.isWhitespace }.map(String.init)
    return [value] + parts.filter { $0.utf8.count >= Self.partBytesMin && !Self.publicParts.contains($0) }
  }

  private static let partBytesMin = 6
  private static let publicParts: Set<String> = ["username", "password", "required", "principal", "secret", "token_file"]

  /// Parses `KEY=VALUE`, or returns nil if it is not of that form. White space around both is dropped.
  package init?(_ text: String) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    let key = Self.trimmed(text[..<equals])
    guard !key.isEmpty, !key.contains(where: \.isWhitespace) else { return nil }
    self.init(key: key, value: Self.trimmed(text[text.index(after: equals)...]))
  }

  /// Returns the properties in a file of `KEY=VALUE` lines, their line numbers, and the faults of other lines. Blank lines and
  /// lines that begin with `#` are comments.
  package static func parse(
    file text: String, named file: String
  ) -> (properties: [KafkaProperty], places: [Int], faults: [String]) {
    var properties: [KafkaProperty] = []
    var places: [Int] = []
    var faults: [String] = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let line = trimmed(line)
      if line.isEmpty || line.hasPrefix("#") { continue }
      if let property = KafkaProperty(line) {
        properties.append(property)
        places.append(index + 1)
      } else {
        // The line may contain a password, so only its number is reported.
        faults.append("line \(index + 1) of \(file) must be KEY=VALUE, or a comment that begins with #")
      }
    }
    return (properties, places, faults)
  }

  /// Returns the text without surrounding white space.
  package static func trimmed(_ text: some StringProtocol) -> String {
    var text = text[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}

extension String {
  /// Returns the text with asterisks in place of secrets.
  package func masking(_ secrets: [String]) -> String {
    secrets.reduce(self) { $1.isEmpty ? $0 : $0.replacing($1, with: "******") }
  }
}

extension [KafkaProperty] {
  /// The secret values.
  package var secrets: [String] { flatMap(\.secrets) }
}
