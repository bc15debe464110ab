internal import CSimdJSON
internal import ComboCore

/// The positions of an event's fields on its tape. Valid until the next event is decoded.
struct EventFields {
  fileprivate let tokens: UnsafePointer<UInt32>

  /// The token of a field's value; 0, which is the event itself, if the event has no such field.
  @inline(__always)
  subscript(_ field: EventField) -> Int { Int(tokens[field.rawValue]) }

  /// Not 0 if the event has any of ``EventField/details``.
  @inline(__always)
  var details: Int { Int(tokens[EventField.allCases.count]) }
}

/// Finds the fields of events on their tapes, and caches their positions for each known shape. Use one per parser.
final class EventFieldFinder {
  /// A field with its name in the form in which it is compared: its length and its first 8 bytes.
  private struct Candidate {
    let field: EventField
    let length: UInt32
    let word: UInt64

    init(_ field: EventField) {
      self.field = field
      length = UInt32(field.name.utf8CodeUnitCount)
      word = (0..<min(8, Int(length))).reduce(0) { $0 | UInt64(field.name.utf8Start[$1]) << UInt64(8 * $1) }
    }
  }

  /// A row of tokens for each place of a shape.
  private let rows: UnsafeMutablePointer<UInt32>
  /// The shape whose fields a row holds; `UInt64.max` if none.
  private let shapes: UnsafeMutablePointer<UInt64>
  /// The event's own fields.
  private let own = EventField.allCases.filter { $0.owner == nil }.map(Candidate.init)
  /// The fields of its objects.
  private let inside = [EventField.sender, .gift, .receiver].map { (owner: EventField) in
    (owner, EventField.allCases.filter { $0.owner == owner }.map(Candidate.init))
  }

  /// The number of fields, and one more for whether any of them is a detail.
  private static let width = EventField.allCases.count + 1

  init() {
    rows = .allocate(capacity: TextShape.places * Self.width)
    rows.initialize(repeating: 0, count: TextShape.places * Self.width)
    shapes = .allocate(capacity: TextShape.places)
    shapes.initialize(repeating: .max, count: TextShape.places)
  }

  deinit {
    rows.deallocate()
    shapes.deallocate()
  }

  /// The fields of the text that the parser checked last. Of two with the same name, the first counts; `sender.id` needs `sender`
  /// to be an object.
  @inline(__always)
  func find(_ text: JSONText, of parser: JSONParser) -> EventFields {
    let shape = parser.shape
    let row = rows + shape.place &* Self.width
    if shapes[shape.place] != shape.id { search(text, of: parser, row) }
    return EventFields(tokens: row)
  }

  @inline(never)
  private func search(_ text: JSONText, of parser: JSONParser, _ row: UnsafeMutablePointer<UInt32>) {
    parser.writeNames()
    let shape = parser.shape
    shapes[shape.place] = shape.id == 0 ? .max : shape.id
    row.update(repeating: 0, count: Self.width)
    own.withUnsafeBufferPointer { search(0, of: text, for: $0, row) }
    for (owner, fields) in inside {
      let token = Int(row[owner.rawValue])
      if token != 0, text[token].isObject { fields.withUnsafeBufferPointer { search(token, of: text, for: $0, row) } }
    }
    row[EventField.allCases.count] = EventField.details.contains { row[$0.field.rawValue] != 0 } ? 1 : 0
  }

  private func search(
    _ object: Int, of text: JSONText, for fields: UnsafeBufferPointer<Candidate>, _ row: UnsafeMutablePointer<UInt32>
  ) {
    var member = object + 1
    let end = text.next(object)
    while member < end {
      let token = text[member]
      let value = member + 1
      if token.isEscaped {
        for candidate in fields where text.string(member, is: candidate.field.name) { store(candidate.field, value, row) }
      } else {
        let length = token.length &- 2
        // 8 bytes are readable, since texts are padded.
        var word = (UnsafeRawPointer(text.base) + Int(token.start &+ 1)).loadUnaligned(as: UInt64.self).littleEndian
        if length < 8 { word &= 1 &<< UInt64(8 &* length) &- 1 }
        for candidate in fields where candidate.length == length && candidate.word == word {
          // Most names are no longer than that.
          if length <= 8 || text.string(member, is: candidate.field.name) { store(candidate.field, value, row) }
        }
      }
      member = text.next(value)
    }
  }

  @inline(__always)
  private func store(_ field: EventField, _ token: Int, _ row: UnsafeMutablePointer<UInt32>) {
    if row[field.rawValue] == 0 { row[field.rawValue] = UInt32(truncatingIfNeeded: token) }
  }
}
