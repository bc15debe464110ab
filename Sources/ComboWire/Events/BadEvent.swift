/// Why an input record is no event.
public struct BadEvent: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of fault; the raw value is that of `combo.error`.
  public enum Code: String, CaseIterable, Sendable {
    /// A record, or its display data, above the limit.
    case tooLarge = "too_large"
    /// No JSON object by RFC 8259, or nested too deeply.
    case notJSON = "not_json"
    /// A `type` that is none of the four.
    case unknownType = "unknown_type"
    /// A field that is needed is not there.
    case missingField = "missing_field"
    /// Another JSON type than is asked for, or a fraction or exponent for an integer.
    case wrongType = "wrong_type"
    /// A record key that is not the room.
    case wrongKey = "wrong_key"
    /// Outside its range or length, `count` and `total` at once, an unknown setting or word.
    case outOfRange = "out_of_range"
  }

  /// The kind of fault.
  public let code: Code
  /// A sentence: which field, what was there, what is allowed. Printable, and of a bounded length.
  public let reason: String

  /// A fault of this kind.
  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The code, and the sentence.
  public var description: String { "\(code.rawValue): \(reason)" }
}
