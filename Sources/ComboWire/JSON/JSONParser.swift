public import CSimdJSON
public import ComboCore
internal import Glibc

/// Checks JSON texts and builds their tapes. Use one per thread; its memory grows to the largest text seen.
@usableFromInline
package final class JSONParser {
  @usableFromInline let parser: UnsafeMutablePointer<csj_parser>

  package init() {
    guard let parser = csj_parser_new() else { fatalError("out of memory: cannot create a JSON parser") }
    self.parser = parser
  }

  deinit { csj_parser_free(parser) }

  /// Checks a text, after which ``BumpArena/padding`` bytes must be readable. Without a fault, ``text(of:)`` returns its tape.
  @inlinable @inline(__always)
  package func check(_ text: Bytes, depth: Int) -> csj_fault {
    guard let start = text.baseAddress else { return CSJ_EMPTY }
    return csj_parse(
      parser, start.assumingMemoryBound(to: UInt8.self), text.count, UInt32(truncatingIfNeeded: min(max(depth, 1), 1 << 30)))
  }

  /// Checks a text, faster if it has the same members in the same order as earlier ones. Until ``writeNames()`` is called, the
  /// tape may lack their names.
  /// - Parameter source: The current address of the text, if it must first be copied to `text`.
  @inlinable @inline(__always)
  package func checkAlike(_ text: Bytes, copiedFrom source: UnsafeRawPointer? = nil, depth: Int) -> csj_fault {
    guard let start = text.baseAddress else { return CSJ_EMPTY }
    return csj_parse_alike(
      parser, (source ?? start).assumingMemoryBound(to: UInt8.self),
      UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self)), text.count,
      UInt32(truncatingIfNeeded: min(max(depth, 1), 1 << 30)))
  }

  /// Adds the missing names to the tape of the text that was checked last.
  @inlinable @inline(__always)
  package func writeNames() { csj_write_names(parser) }

  /// The shape of the last text that passed ``checkAlike(_:copiedFrom:depth:)``.
  @inlinable @inline(__always)
  package var shape: TextShape { TextShape(id: parser.pointee.shape_id, place: Int(parser.pointee.shape)) }

  /// The tape of the last text that passed a check; valid until the next check.
  @inlinable @inline(__always)
  package func text(of text: Bytes) -> JSONText {
    JSONText(base: text.baseAddress!.assumingMemoryBound(to: UInt8.self), tokens: UnsafePointer(parser.pointee.tokens))
  }

  /// Returns a value without white space between its tokens: unchanged, or a copy. The text must be the one checked last.
  @inlinable @inline(__always)
  package func compact(_ text: JSONText, _ token: Int, into arena: BumpArena) -> Bytes {
    text[token].isSpaced ? minified(text, token, into: arena) : text.slice(token)
  }

  @usableFromInline func minified(_ text: JSONText, _ token: Int, into arena: BumpArena) -> Bytes {
    let piece = arena.allocate(Int(text[token].length) + BumpArena.padding)
    let length = csj_minify(parser, text.base, UInt32(token), piece.assumingMemoryBound(to: UInt8.self))
    arena.shrinkLast(piece, to: length)
    return Bytes(start: piece, count: length)
  }

  /// The position of the last fault in the text, if known.
  @inlinable package var faultPosition: Int? { parser.pointee.fault_at == 0 ? nil : Int(parser.pointee.fault_at) }
}

/// The shape of a text. Texts of one shape differ only in scalars, and their tapes only in positions and kinds of scalars.
@usableFromInline
package struct TextShape {
  /// The number of places.
  package static let places = Int(CSJ_SHAPES)

  /// The number of the shape; 0 if it is unknown.
  @usableFromInline package var id: UInt64
  /// The place of the shape, which another one may occupy later.
  @usableFromInline package var place: Int

  @inlinable
  init(id: UInt64, place: Int) { (self.id, self.place) = (id, place) }
}

extension csj_fault {
  /// A description of the fault, as the end of a sentence.
  package var words: String {
    switch self {
    case CSJ_NO_MEMORY: "is too long to be read"
    case CSJ_EMPTY: "is empty"
    case CSJ_BAD_UTF8: "is not UTF-8"
    case CSJ_CONTROL: "has a control character in a string (it must be escaped)"
    case CSJ_OPEN_STRING: "has a string that does not end"
    case CSJ_NO_CONTAINER: "does not begin with an object"
    case CSJ_TOO_DEEP: "is nested too deeply"
    case CSJ_BAD_NUMBER: "has a number that JSON does not allow"
    case CSJ_BAD_WORD: "has something that is not a JSON value"
    case CSJ_BAD_ESCAPE: "has an escape that JSON does not know"
    case CSJ_LONE_SURROGATE: "has half of a surrogate pair"
    case CSJ_NO_NAME: "lacks a member's name in quotes"
    case CSJ_NO_COLON: "lacks a colon after a member's name"
    case CSJ_NO_COMMA: "lacks a comma or a closing bracket"
    case CSJ_UNCLOSED: "does not end with the bracket that closes it"
    case CSJ_MORE: "continues after its object has ended"
    default: "is not JSON"
    }
  }
}

@inline(__always)
@usableFromInline
package func isEqual(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ count: Int) -> Bool { memcmp(a, b, count) == 0 }
