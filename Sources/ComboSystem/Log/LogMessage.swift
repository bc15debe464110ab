/// The message of a log line: a sentence that never changes, with named places for the values.
///
/// It is written as a string with an interpolation for each value, which names its field:
/// `log.warning("partition \(.partition, number) could not be restored, trying again: \(.reason, error)")`. The text
/// between the values is the message by which lines are found and counted, and each value is available under its field's name.
package struct LogMessage: ExpressibleByStringInterpolation, Sendable {
  /// The names of the values. Each has the same meaning in all messages.
  package enum Field: String, CaseIterable, Sendable {
    /// The number of a partition of the input.
    case partition
    /// Numbers of partitions, separated by commas.
    case partitions
    case topic
    /// A number of partitions, rooms, records, entries or banners, or an amount.
    case count
    /// The offset of a record in its partition.
    case offset
    /// The number of an entry of the journal.
    case entry
    case rooms, records, entries
    /// A duration or a distance in time, in milliseconds.
    case ms
    /// A duration, in seconds.
    case seconds
    /// The number that is required or allowed.
    case limit
    /// The former offset or number.
    case before
    /// The reason, in words.
    case reason
    /// A code for the reason, from a documented list.
    case code
    /// The address of an endpoint.
    case url
    /// The versions of this program and of librdkafka.
    case version, librdkafka
    case group, instance, map, delivery
    /// What a topic is to the service, such as its input; and since when something is so.
    case role, since
    /// A text such as librdkafka's message, and librdkafka's name for its origin.
    case text, facility
    case options
    case file
    /// Names of a record's members.
    case keys
    /// The number of records that became no event.
    case dropped, bad
    /// The numbers of instructions that are equal in two outputs, and that differ.
    case equal, differing
  }

  package enum Piece: Equatable, Sendable {
    case words(String)
    case number(Field, Int64)
    case value(Field, String)
  }

  private(set) var pieces: [Piece]
  /// The input of the service that logs it, or nil if the process has only one. It is no part of the message.
  var input: String?

  package init(stringLiteral value: String) { pieces = [.words(value)] }
  package init(stringInterpolation: StringInterpolation) {
    pieces = stringInterpolation.pieces
    assert(areFieldsDistinct, "a field has one value: \(template)")
  }

  private var areFieldsDistinct: Bool {
    var named: Set<Field> = []
    return pieces.allSatisfy { piece in
      switch piece {
      case .words: true
      case .number(let field, _), .value(let field, _): named.insert(field).inserted
      }
    }
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate(set) var pieces: [Piece] = []

    package init(literalCapacity: Int, interpolationCount: Int) { pieces.reserveCapacity(2 * interpolationCount + 1) }

    package mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { pieces.append(.words(literal)) }
    }

    package mutating func appendInterpolation(_ field: Field, _ value: some BinaryInteger) {
      pieces.append(.number(field, Int64(value)))
    }
    package mutating func appendInterpolation(_ field: Field, _ value: String) { pieces.append(.value(field, value)) }
    package mutating func appendInterpolation(_ field: Field, _ value: some CustomStringConvertible) {
      pieces.append(.value(field, value.description))
    }
    /// Appends another message, if there is one.
    package mutating func appendInterpolation(_ message: LogMessage?) { pieces += message?.pieces ?? [] }
  }

  /// Returns the message without secret texts.
  func hiding(_ secrets: [String]) -> LogMessage {
    if secrets.isEmpty { return self }
    var message = self
    message.pieces = pieces.map { piece in
      guard case .value(let field, let value) = piece else { return piece }
      return .value(field, secrets.reduce(value) { Self.hiding($1, in: $0) })
    }
    return message
  }

  private static func hiding(_ secret: String, in text: String) -> String {
    let (text, wanted) = (Array(text.utf8), Array(secret.utf8))
    var kept: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index...].starts(with: wanted) {
        kept += [UInt8](repeating: UInt8(ascii: "*"), count: 6)
        index += wanted.count
      } else {
        kept.append(text[index])
        index += 1
      }
    }
    return String(decoding: kept, as: UTF8.self)
  }

  /// The whole sentence; words that a 1 counts are in the singular.
  package var sentence: String {
    var text = ""
    var isOne = false
    for piece in pieces {
      switch piece {
      case .words(let words): text += isOne ? Counted.singular(words) : words
      case .number(_, let value): text += String(value)
      case .value(_, let value): text += value
      }
      if case .number(_, 1) = piece { isOne = true } else { isOne = false }
    }
    return text
  }

  /// The constant part, with `{partition}` in place of a partition's number.
  var template: String {
    pieces.reduce(into: "") { text, piece in
      switch piece {
      case .words(let words): text += words
      case .number(let field, _), .value(let field, _): text += "{\(field.rawValue)}"
      }
    }
  }

  /// The common part of similar lines: without free-standing numbers and text in brackets, since both are mostly durations or
  /// counts.
  var likeness: String {
    var likeness = input ?? ""
    for piece in pieces {
      switch piece {
      case .words(let words): likeness += words
      case .number(.partition, let value): likeness += String(value)
      case .number: likeness += "#"
      case .value(_, let value): Self.append(value, to: &likeness)
      }
    }
    return likeness
  }

  private static func append(_ text: String, to likeness: inout String) {
    var depth = 0
    var previous = UInt8(ascii: " ")
    var isNumber = false
    var kept: [UInt8] = []
    for byte in text.utf8 {
      if byte == UInt8(ascii: "(") { depth += 1 }
      if depth == 0 {
        let isDigit = (0x30...0x39).contains(byte)
        isNumber = isDigit && (isNumber || previous == UInt8(ascii: " "))
        if !isNumber { kept.append(byte) }
      }
      if byte == UInt8(ascii: ")"), depth > 0 { depth -= 1 }
      previous = byte
    }
    likeness += String(decoding: kept, as: UTF8.self)
  }
}
