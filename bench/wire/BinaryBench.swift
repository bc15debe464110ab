import ComboCore

/// The gifts of ``WireBench`` in Protobuf and Avro, written by hand.
enum BinaryBench {
  static let protobufMap = """
    {"map": 1, "name": "bench", "include": "wire", "record": {"framing": "none", "message": "Gift"}, "protobuf": {
      "Gift": {"1": "string id", "2": "string room", "3": "int64 ts", "4": "Person sender", "5": "Person receiver", "6": "Item gift",
        "7": "uint32 count"},
      "Person": {"1": "string id", "2": "string name", "3": "string avatar", "4": "int64 t"},
      "Item": {"1": "string id", "2": "string name", "3": "int64 value"}}}
    """

  static let avroMap = """
    {"map": 1, "name": "bench", "include": "wire", "record": {"framing": "none", "schema": {"type": "record", "name": "Gift", "fields": [
      {"name": "id", "type": "string"}, {"name": "room", "type": "string"}, {"name": "ts", "type": "long"},
      {"name": "sender", "type": {"type": "record", "name": "Person", "fields": [{"name": "id", "type": "string"},
        {"name": "name", "type": "string"}, {"name": "avatar", "type": ["null", "string"]}, {"name": "t", "type": ["null", "long"]}]}},
      {"name": "receiver", "type": "Person"},
      {"name": "gift", "type": {"type": "record", "name": "Item", "fields": [{"name": "id", "type": "string"},
        {"name": "name", "type": "string"}, {"name": "value", "type": "long"}]}}, {"name": "count", "type": "int"}]}}}
    """

  static func protobufEvent(_ n: Int) -> [UInt8] {
    func text(_ field: Int, _ text: String) -> [UInt8] { bytes(field, Array(text.utf8)) }
    func bytes(_ field: Int, _ bytes: [UInt8]) -> [UInt8] { varint(field << 3 | 2) + varint(bytes.count) + bytes }
    func number(_ field: Int, _ value: Int) -> [UInt8] { varint(field << 3) + varint(value) }
    let sender = text(1, "u\(n % 100)-\(n % 50)") + text(2, "小明\(n % 1000)") + text(3, avatar) + number(4, 1_732_104_000_123)
    let receiver = text(1, "a\(n % 100)") + text(2, "主播晚风")
    let gift = text(1, "rose") + text(2, "玫瑰") + number(3, n % 500)
    return text(1, id(n)) + text(2, "r\(n % 100)") + number(3, ts(n)) + bytes(4, sender) + bytes(5, receiver) + bytes(6, gift)
      + number(7, 1 + n % 10)
  }

  static func avroEvent(_ n: Int) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { varint(value << 1) }
    func text(_ text: String) -> [UInt8] { number(text.utf8.count) + Array(text.utf8) }
    let sender =
      text("u\(n % 100)-\(n % 50)") + text("小明\(n % 1000)") + number(1) + text(avatar) + number(1) + number(1_732_104_000_123)
    let receiver = text("a\(n % 100)") + text("主播晚风") + number(0) + number(0)
    let gift = text("rose") + text("玫瑰") + number(n % 500)
    return text(id(n)) + text("r\(n % 100)") + number(ts(n)) + sender + receiver + gift + number(1 + n % 10)
  }

  private static let avatar = "https://cdn.example.com/avatar/3f/3fa9c1d27b64e85f_100.webp"
  private static func id(_ n: Int) -> String { "e-193b2f2a3c0-1-\(1_000_000 + n)" }
  private static func ts(_ n: Int) -> Int { 1_732_104_000_100 + n % 900 }

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
