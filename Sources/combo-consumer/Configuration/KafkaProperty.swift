/// A property of librdkafka, handed through as it is.
struct KafkaProperty: Equatable, Sendable {
  let key: String
  let value: String

  init(key: String, value: String) {
    self.key = key
    self.value = value
  }

  /// From `KEY=VALUE`, or nil if it is not that. White space around both is dropped.
  init?(_ text: String) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    let key = Self.trimmed(text[..<equals])
    guard !key.isEmpty, !key.contains(where: \.isWhitespace) else { return nil }
    self.init(key: key, value: Self.trimmed(text[text.index(after: equals)...]))
  }

  /// Whether its value is a secret: nobody shows it, and it may not stand on a command line, which everybody on the machine can read.
  var isSecret: Bool { Self.secrets.contains(key) }

  private static let secrets: Set<String> = [
    "sasl.password", "sasl.oauthbearer.client.secret", "ssl.key.password", "ssl.key.pem", "ssl.keystore.password",
  ]

  /// The properties that a file of `KEY=VALUE` lines names, and what is wrong with other lines. Blank lines, and lines
  /// that begin with `#`, are comments.
  static func parse(file text: String, named file: String) -> (properties: [KafkaProperty], faults: [String]) {
    var properties: [KafkaProperty] = []
    var faults: [String] = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let line = trimmed(line)
      if line.isEmpty || line.hasPrefix("#") { continue }
      if let property = KafkaProperty(line) {
        properties.append(property)
      } else {
        // The line itself may hold a password: only its place is said.
        faults.append("line \(index + 1) of \(file) must be KEY=VALUE, or begin with # if it is a comment")
      }
    }
    return (properties, faults)
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    var text = text[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
