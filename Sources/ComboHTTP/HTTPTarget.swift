/// The pieces of a request's path and its query, percent-decoded strictly.
///
/// Pieces are split at literal slashes, so an encoded slash is part of a piece. Nothing is resolved: `..` is an ordinary name.
struct HTTPTarget: Equatable, Sendable {
  /// The pieces between the slashes; empty for `/`.
  let path: [[UInt8]]
  let query: [Field]

  struct Field: Equatable, Sendable {
    let name: [UInt8]
    let value: [UInt8]
  }

  /// Parses a target, or returns nil if it is malformed.
  init?(_ whole: some Collection<UInt8>) {
    var text = whole[...]
    // The absolute form for proxies; its host was checked before.
    let scheme = "http://".utf8
    if text.prefix(scheme.count).elementsEqual(scheme) {
      text = text.dropFirst(scheme.count).drop { $0 != UInt8(ascii: "/") }
    }
    guard text.first == UInt8(ascii: "/") else { return nil }
    let parts = text.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    var path: [[UInt8]] = []
    if parts[0].count > 1 {
      for piece in parts[0].dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
        guard let decoded = Self.decoded(piece, plusIsSpace: false) else { return nil }
        path.append(decoded)
      }
    }
    var query: [Field] = []
    if parts.count > 1 {
      for field in parts[1].split(separator: UInt8(ascii: "&")) {
        let halves = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = Self.decoded(halves[0], plusIsSpace: true),
          let value = Self.decoded(halves.count > 1 ? halves[1] : halves[0].prefix(0), plusIsSpace: true)
        else { return nil }
        query.append(Field(name: name, value: value))
      }
    }
    self.path = path
    self.query = query
  }

  /// The path as text, for comparison with known paths, or nil if a piece is not UTF-8.
  var words: [String]? {
    let words = path.compactMap { String(validating: $0, as: UTF8.self) }
    return words.count == path.count ? words : nil
  }

  /// Returns a field's value; of several, the last one counts.
  func value(_ name: String) -> [UInt8]? { query.last { $0.name.elementsEqual(name.utf8) }?.value }

  static func decoded(_ text: some Collection<UInt8>, plusIsSpace: Bool) -> [UInt8]? {
    var bytes: [UInt8] = []
    var iterator = text.makeIterator()
    while let byte = iterator.next() {
      if byte == UInt8(ascii: "%") {
        guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else { return nil }
        bytes.append(high << 4 | low)
      } else {
        bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
      }
    }
    return bytes
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
