internal import ComboSystem

/// A header of each record of the output, so that a gateway can route it without parsing: a name, and a text in which `{room}`
/// and `{op}` stand for those of the instruction.
package struct OutputHeader: Equatable, Sendable {
  private enum Piece: Equatable, Sendable {
    case text([UInt8])
    case room
    case op
  }

  package let name: String
  private let pieces: [Piece]

  /// Parses `NAME=TEMPLATE`. Returns nil if it is invalid: no name, a control character, an unmatched brace, or another word
  /// between braces.
  package init?(_ option: String) {
    let halves = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, !halves[0].isEmpty, halves[0].utf8.count <= 256 else { return nil }
    if option.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) { return nil }
    name = String(halves[0])
    var pieces: [Piece] = []
    var rest = halves[1]
    while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else { return nil }
      if open > rest.startIndex { pieces.append(.text(Array(rest[..<open].utf8))) }
      switch rest[rest.index(after: open)..<close] {
      case "room": pieces.append(.room)
      case "op": pieces.append(.op)
      default: return nil
      }
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { pieces.append(.text(Array(rest.utf8))) }
    self.pieces = pieces
  }

  package func header(key: Bytes?, value: Bytes?) -> RecordHeader {
    var bytes: [UInt8] = []
    for piece in pieces {
      switch piece {
      case .text(let text): bytes += text
      case .room: if let key = unsafe key { unsafe bytes += key }
      case .op: if let value = unsafe value { unsafe bytes += Self.operation(value) }
      }
    }
    return RecordHeader(name: name, value: bytes)
  }

  /// Returns the text between the quotes of `"op":"…"`. A quote within a string is escaped, so no room's id can be mistaken for
  /// it.
  package static func operation(_ value: Bytes) -> Slice<Bytes> {
    let name: StaticString = #","op":""#
    guard let found = unsafe ByteSearch.find(name, in: value) else { return unsafe value[0..<0] }
    return unsafe value[(found + name.utf8CodeUnitCount)...].prefix { $0 != UInt8(ascii: "\"") }
  }
}
