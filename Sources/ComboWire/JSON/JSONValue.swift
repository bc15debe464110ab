internal import CSimdJSON
package import ComboCore

/// A JSON value as a tree, for data that is read rarely. Records have their own decoder.
package enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// A number, as it is written.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// The members, in their order.
  case object([Member])

  /// A name with its value.
  package struct Member: Equatable, Sendable {
    package let name: String
    package let value: JSONValue

    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// Parses a JSON text. Returns nil if it is invalid, or more than 64 levels deep.
  package init?(_ bytes: Bytes) {
    // A parser reads objects and arrays only.
    let text = [UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")] + [UInt8](repeating: 0, count: BumpArena.padding)
    let parser = JSONParser()
    let values = text.withUnsafeBytes { text -> [JSONValue]? in
      let text = Bytes(rebasing: text.dropLast(BumpArena.padding))
      return parser.check(text, depth: 65) == CSJ_FINE ? JSONValue(parser.text(of: text), 0).array : nil
    }
    guard let values, values.count == 1 else { return nil }
    self = values[0]
  }

  private init(_ text: JSONText, _ token: Int) {
    let (here, end) = (text[token], text.next(token))
    var place = token + 1
    if here.isArray {
      var values: [JSONValue] = []
      while place < end {
        values.append(JSONValue(text, place))
        place = text.next(place)
      }
      self = .array(values)
    } else if here.isObject {
      var members: [Member] = []
      while place < end {
        members.append(Member(name: text.string(place), value: JSONValue(text, place + 1)))
        place = text.next(place + 1)
      }
      self = .object(members)
    } else if here.isString {
      self = .string(text.string(token))
    } else if here.isNumber {
      self = .number(String(decoding: text.slice(token), as: UTF8.self))
    } else {
      self = here.isNull ? .null : .bool(here.isTrue)
    }
  }

  /// Returns a member's value; the first one, if two have the same name.
  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// A whole number of at most 64 bits.
  package var integer: Int? {
    if case .number(let text) = self { Int(text) } else { nil }
  }

  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  package var array: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }
}
