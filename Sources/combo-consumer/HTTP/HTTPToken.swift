/// The secret that a request must know, from a file.
struct HTTPToken: Equatable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  /// Nobody logs it by accident.
  var description: String { "a token" }

  static let bytesMin = 16
  static let bytesMax = 1024

  /// The text of the file, without the white space around it. What is wrong with it is thrown as the end of a sentence.
  init(_ text: String) throws(HTTPFault) {
    let space: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    var bytes = Array(text.utf8.drop { space.contains($0) })
    while let last = bytes.last, space.contains(last) { bytes.removeLast() }
    guard (Self.bytesMin...Self.bytesMax).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw HTTPFault(
        description:
          "must hold a token of \(Self.bytesMin) to \(Self.bytesMax) printable ASCII characters without spaces, such as"
          + " `openssl rand -hex 32` makes")
    }
    self.bytes = bytes
  }

  /// Takes as long whatever is wrong.
  private func equals(_ other: some Collection<UInt8>) -> Bool {
    var difference = UInt8(other.count == bytes.count ? 0 : 1)
    var mine = bytes.makeIterator()
    for byte in other {
      if let own = mine.next() { difference |= own ^ byte } else { difference |= 1 }
    }
    return difference == 0
  }

  /// Whether an `Authorization` header shows it: as a bearer, or as the password of anybody (which is what browsers can ask for).
  func isShown(by header: String) -> Bool {
    let words = header.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
    guard words.count == 2 else { return false }
    switch String(Substring(words[0])).lowercased() {
    case "bearer": return equals(words[1])
    case "basic":
      guard let decoded = Self.base64(words[1]), let colon = decoded.firstIndex(of: UInt8(ascii: ":")) else { return false }
      return equals(decoded[(colon + 1)...])
    default: return false
    }
  }

  static func base64(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var count = 0
    var isAtEnd = false
    for character in text {
      if character == UInt8(ascii: "=") {
        isAtEnd = true
        continue
      }
      if isAtEnd { return nil }
      let value: UInt32
      switch character {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(character - 65)
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(character - 71)
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(character + 4)
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      default: return nil
      }
      bits = bits << 6 | value
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        bits &= (1 << UInt32(count)) - 1
      }
    }
    return bytes
  }
}
