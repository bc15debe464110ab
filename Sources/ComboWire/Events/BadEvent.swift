/// The reason why an input record is not a valid event.
public struct BadEvent: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of fault; the raw value is the one in `combo.error`.
  public enum Code: String, CaseIterable, Sendable {
    /// A record or its display data that exceeds the limit.
    case tooLarge = "too_large"
    /// Not a JSON object by RFC 8259, or nested too deeply.
    case notJSON = "not_json"
    /// An unknown `type`.
    case unknownType = "unknown_type"
    /// A required field is missing.
    case missingField = "missing_field"
    /// A value of the wrong JSON type, or a fraction or exponent where an integer is required.
    case wrongType = "wrong_type"
    /// A record key that differs from the room.
    case wrongKey = "wrong_key"
    /// A value outside its range or length, `count` together with `total`, or an unknown setting or word.
    case outOfRange = "out_of_range"
  }

  /// The kind of fault.
  public let code: Code
  /// A sentence that names the field, its value and the allowed values. It is printable and of bounded length.
  public let reason: String

  /// Creates a fault of this kind.
  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  /// The code and the sentence.
  public var description: String { "\(code.rawValue): \(reason)" }
}
