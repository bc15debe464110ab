internal import ComboWire

/// A message of Protobuf, as far as a map names its fields.
struct ProtobufMessage {
  let name: String
  var fields: [Field] = []

  struct Field {
    let number: UInt64
    let name: String
    let type: FieldType
    let isRepeated: Bool

    /// The same with this many messages before its own map's.
    func moved(by count: Int) -> Field {
      guard case .message(let word, let place) = type else { return self }
      return Field(number: number, name: name, type: .message(word, place + count), isRepeated: isRepeated)
    }
  }

  enum FieldType {
    case scalar(Scalar)
    /// A message of this name, at this place among all.
    case message(String, Int)

    /// How its values stand on the wire.
    var wire: Wire {
      switch self {
      case .scalar(let scalar): scalar.wire
      case .message: .length
      }
    }

    var word: String {
      switch self {
      case .scalar(let scalar): scalar.rawValue
      case .message(let name, _): name
      }
    }
  }

  enum Scalar: String, CaseIterable {
    case int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, sfixed64, float, double, bool, string

    fileprivate var wire: Wire {
      switch self {
      case .int32, .int64, .uint32, .uint64, .sint32, .sint64, .bool: .varint
      case .fixed64, .sfixed64, .double: .eight
      case .fixed32, .sfixed32, .float: .four
      case .string: .length
      }
    }
  }

  /// Wire types, less those of groups.
  enum Wire: UInt64 {
    case varint = 0
    case eight = 1
    case length = 2
    case four = 5
  }

  /// The highest number that a field can have.
  static let numberMax: UInt64 = 536_870_911
}
