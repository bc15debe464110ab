import CSimdJSON
import ComboCore
import ComboWire

/// Gifts in Protobuf and Avro, in Confluent's frame, made from their JSON: the members of an object become the fields of a
/// message or record, in the same order.
final class BinaryBench {
  static let protobufMap = """
    {"map": 1, "name": "bench", "include": "wire", "record": {"framing": "confluent", "message": "Gift"}, "protobuf": {
      "Gift": {"1": "string id", "2": "string room", "3": "int64 ts", "4": "Person sender", "5": "Person receiver", "6": "Item gift",
        "7": "uint32 count"},
      "Person": {"1": "string id", "2": "string name", "3": "string avatar", "4": "int64 level"},
      "Item": {"1": "string id", "2": "string name", "3": "int64 value", "4": "string icon"}}}
    """

  static let avroMap = """
    {"map": 1, "name": "bench", "include": "wire", "record": {"framing": "confluent", "schemas": {"7": {"type": "record", "name": "Gift",
      "fields": [{"name": "id", "type": "string"}, {"name": "room", "type": "string"}, {"name": "ts", "type": "long"},
        {"name": "sender", "type": {"type": "record", "name": "Sender", "fields": [{"name": "id", "type": "string"},
          {"name": "name", "type": "string"}, {"name": "avatar", "type": "string"}, {"name": "level", "type": "long"}]}},
        {"name": "receiver", "type": {"type": "record", "name": "Receiver", "fields": [{"name": "id", "type": "string"},
          {"name": "name", "type": "string"}]}},
        {"name": "gift", "type": {"type": "record", "name": "Item", "fields": [{"name": "id", "type": "string"},
          {"name": "name", "type": "string"}, {"name": "value", "type": "long"}, {"name": "icon", "type": "string"}]}},
        {"name": "count", "type": "int"}]}}}}
    """

  private let parser = JSONParser()

  func protobuf(_ gift: Bytes) -> [UInt8] {
    // The frame: byte 0, the schema's id, and the message, the first of its file.
    [0, 0, 0, 0, 7, 0] + read(gift) { Self.message($0, 0) }
  }

  func avro(_ gift: Bytes) -> [UInt8] { [0, 0, 0, 0, 7] + read(gift) { Self.record($0, 0) } }

  private func read(_ gift: Bytes, _ body: (JSONText) -> [UInt8]) -> [UInt8] {
    guard parser.check(gift, depth: 4) == CSJ_FINE else { fatalError("a gift of the benchmark is no JSON") }
    return body(parser.text(of: gift))
  }

  private static func message(_ text: JSONText, _ object: Int) -> [UInt8] {
    var (bytes, number): ([UInt8], Int) = ([], 0)
    forEachValue(text, object) { value in
      number += 1
      if text[value].isInteger {
        bytes += varint(number << 3) + varint(Int(text.integer(value)!))
      } else {
        let part = text[value].isObject ? message(text, value) : Array(text.inside(value))
        bytes += varint(number << 3 | 2) + varint(part.count) + part
      }
    }
    return bytes
  }

  private static func record(_ text: JSONText, _ object: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    forEachValue(text, object) { value in
      if text[value].isObject {
        bytes += record(text, value)
      } else if text[value].isInteger {
        bytes += varint(Int(text.integer(value)!) << 1)
      } else {
        bytes += varint(text.inside(value).count << 1) + Array(text.inside(value))
      }
    }
    return bytes
  }

  private static func forEachValue(_ text: JSONText, _ object: Int, _ body: (Int) -> Void) {
    var name = object + 1
    while name < text.next(object) {
      body(name + 1)
      name = text.next(name + 1)
    }
  }

  private static func varint(_ value: Int) -> [UInt8] {
    var left = UInt64(value)
    var bytes: [UInt8] = []
    while left >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: left) | 0x80)
      left >>= 7
    }
    return bytes + [UInt8(left)]
  }
}
