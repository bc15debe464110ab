internal import ComboWire

/// A Protobuf message, with the fields that a map names.
struct ProtobufMessage {
  let name: String
  var fields: [Field] = []
  /// The names of an enum by number. An enum has no fields.
  var symbols: [Int32: String] = [:]

  struct Field {
    let number: UInt64
    let name: String
    let type: FieldType
    let isRepeated: Bool

    /// Returns the field for a list with `count` messages before those of its own map.
    func moved(by count: Int) -> Field {
      Field(number: number, name: name, type: type.moved(by: count), isRepeated: isRepeated)
    }
  }

  indirect enum FieldType {
    case scalar(Scalar)
    /// A message of this name, with its index among all messages.
    case message(String, Int)
    /// An enum of this name, with its index among all messages.
    case enumeration(String, Int)
    /// An object whose keys have this type, which is neither floating-point nor bytes.
    case map(Scalar, FieldType)
    /// A message of the package google.protobuf.
    case known(Known)

    /// The type of its values on the wire.
    var wire: Wire {
      switch self {
      case .scalar(let scalar): scalar.wire
      case .enumeration: .varint
      case .message, .map, .known: .length
      }
    }

    var word: String {
      switch self {
      case .scalar(let scalar): scalar.rawValue
      case .message(let name, _), .enumeration(let name, _): name
      case .map(let key, let value): "map<\(key.rawValue),\(value.word)>"
      case .known(let known): known.word
      }
    }

    func moved(by count: Int) -> FieldType {
      switch self {
      case .scalar, .known: self
      case .message(let name, let place): .message(name, place + count)
      case .enumeration(let name, let place): .enumeration(name, place + count)
      case .map(let key, let value): .map(key, value.moved(by: count))
      }
    }
  }

  enum Scalar: String, CaseIterable {
    case int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, sfixed64, float, double, bool, string, bytes

    fileprivate var wire: Wire {
      switch self {
      case .int32, .int64, .uint32, .uint64, .sint32, .sint64, .bool: .varint
      case .fixed64, .sfixed64, .double: .eight
      case .fixed32, .sfixed32, .float: .four
      case .string, .bytes: .length
      }
    }
  }

  /// Messages that Protobuf's JSON writes as one value.
  enum Known {
    /// A time as RFC 3339 text; a number of seconds followed by `s`.
    case timestamp, duration
    /// The value alone.
    case wrapper(Scalar)

    init?(_ word: String) {
      switch word {
      case "timestamp": self = .timestamp
      case "duration": self = .duration
      default:
        guard word.hasPrefix("optional<"), word.hasSuffix(">"),
          let scalar = Scalar(rawValue: String(word.dropFirst(9).dropLast()))
        else { return nil }
        self = .wrapper(scalar)
      }
    }

    var word: String {
      switch self {
      case .timestamp: "timestamp"
      case .duration: "duration"
      case .wrapper(let scalar): "optional<\(scalar.rawValue)>"
      }
    }
  }

  /// Wire types, except those of groups.
  enum Wire: UInt64 {
    case varint = 0
    case eight = 1
    case length = 2
    case four = 5
  }

  /// The highest field number.
  static let numberMax: UInt64 = 536_870_911
}
