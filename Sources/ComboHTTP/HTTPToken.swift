internal import ComboSystem

/// The secret that requests must have, from a file.
package struct HTTPToken: Equatable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  /// A placeholder, so that the token is not logged by accident.
  package var description: String { "a token" }

  static let bytesMin = 16
  package static let bytesMax = 1024

  /// Parses the text of the file without surrounding white space. Throws a fault whose description is the end of a sentence.
  package init(_ text: String) throws(HTTPFault) {
    let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    var bytes = Array(text.utf8.drop { space.contains($0) })
    while let last = bytes.last, space.contains(last) { bytes.removeLast() }
    guard (Self.bytesMin...Self.bytesMax).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw HTTPFault(
        description:
          "must hold a token of \(Self.bytesMin) to \(Self.bytesMax) printable ASCII characters without spaces, for example from"
          + " `openssl rand -hex 32`")
    }
    self.bytes = bytes
  }

  /// Compares in constant time.
  private func equals(_ other: some Collection<UInt8>) -> Bool {
    var difference = UInt8(other.count == bytes.count ? 0 : 1)
    var mine = bytes.makeIterator()
    for byte in other {
      if let own = mine.next() { difference |= own ^ byte } else { difference |= 1 }
    }
    return difference == 0
  }

  /// Whether an `Authorization` header contains it: as a bearer token, or as a password with any name, as browsers send it.
  func isPresent(in header: String) -> Bool {
    let words = header.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard words.count == 2 else { return false }
    switch String(Substring(words[0])).lowercased() {
    case "bearer": return equals(words[1])
    case "basic":
      guard let decoded = Base64.decoded(words[1]), let colon = decoded.firstIndex(of: UInt8(ascii: ":")) else { return false }
      return equals(decoded[(colon + 1)...])
    default: return false
    }
  }
}
