package import ComboCore

/// External bytes in a form that fits into a sentence: short, printable, on one line.
///
/// Invalid UTF-8 becomes `\xNN`. Control, format and other invisible characters (such as changes of direction) become `\u{N}`.
package struct Excerpt: CustomStringConvertible {
  package let description: String

  /// The maximum number of original characters that are shown.
  package static let lengthMax = 60

  package init(_ bytes: Bytes) {
    var text = ""
    var shown = 0
    var rest = bytes[...]
    while !rest.isEmpty {
      if shown == Self.lengthMax {
        text += "…"
        break
      }
      shown += 1
      var iterator = rest.makeIterator()
      var decoder = UTF8()
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar):
        Self.append(scalar, to: &text)
        rest = rest.dropFirst(UTF8.width(scalar))
      case .error, .emptyInput:
        let byte = rest.removeFirst()
        text += "\\x" + String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
      }
    }
    description = text
  }

  private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    default:
      text.unicodeScalars.append(scalar)
    }
  }
}
