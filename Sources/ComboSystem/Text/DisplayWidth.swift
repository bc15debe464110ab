/// The number of columns that a character takes in a terminal.
package enum DisplayWidth {
  /// Returns 0, 1 or 2 columns. A character is what a reader sees as one: a letter with its accents, a whole family of emoji.
  package static func columns(of character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
      if scalar.value == 0xfe0f, width > 0 { return 2 }  // "show as emoji"
      width = max(width, columns(of: scalar))
    }
    return width
  }

  package static func columns(of text: String) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

  /// Returns a text that is safe in a terminal: without control characters (an escape sequence in a name must not take effect),
  /// and without those that change the direction of what follows.
  package static func harmless(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isHarmful) else { return text }
    var clean = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isHarmful(scalar) { clean.append(scalar) }
    return String(clean)
  }

  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0: true
    case 0x061c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff, 0xfff9...0xfffb: true
    default: false
    }
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value < 0x20 || (0x7f..<0xa0).contains(value) || value == 0xad ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .surrogate: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    for range in wide where range.contains(value) { return 2 }
    return 1
  }

  /// East Asian wide and full-width characters (UAX #11).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xa000...0xa4cf, 0xa960...0xa97f,
    0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff00...0xff60, 0xffe0...0xffe6,
    0x16fe0...0x18aff, 0x1b000...0x1b2ff, 0x1f200...0x1f2ff, 0x1f900...0x1f9ff, 0x20000...0x2fffd, 0x30000...0x3fffd,
  ]
}
