import ComboCore
import ComboMaps
import ComboWire
import Foundation
import Testing

@testable import ComboTestSupport

@Suite("Protobuf in base64 that a map reads")
struct MapProtobufTests {
  /// A map whose sender and gift show what was read.
  private static let text = #"""
    {"map": 1, "name": "t",
     "protobuf": {
       "All": {"1": "int64 uid", "2": "repeated Item items", "3": "string name", "4": "repeated int32 packed", "5": "double d",
               "6": "float f", "7": "bool b", "8": "sint64 z", "9": "uint64 u", "10": "fixed32 x", "11": "sfixed64 y",
               "12": "All inner", "13": "repeated string names", "14": "int32 small", "15": "uint32 large",
               "16": "repeated fixed32 fixed", "536870911": "sint32 last"},
       "Item": {"1": "string id", "2": "int64 num"}
     },
     "unpack": [{"at": ["/pb", "/data/pb"], "when": {"at": "/cmd", "is": "GIFT"}, "message": "All"}],
     "rules": [{"when": {"at": "/cmd", "is": "GIFT"}, "event": "gift",
                "fields": {"room": {"const": "r"}, "ts": {"const": 5}, "sender": {"id": "/pb/uid", "show": {"pb": "/pb"}},
                           "gift": {"id": [{"at": "/pb/items/0/id"}, {"const": "g"}]},
                           "count": ["/pb/items/0/num", {"const": 1}]}}],
     "otherwise": {"drop": "no gift"}}
    """#

  private func read(_ bytes: [UInt8], map: String = Self.text, sentence: Bool = false) throws -> String {
    try mapped(map, #"{"cmd":"GIFT","pb":"\#(Data(bytes).base64EncodedString())"}"#, sentence: sentence)
  }

  /// Returns the JSON that is read from a message.
  private func json(_ make: (inout Wire) -> Void) throws -> String {
    let bytes = Wire.of {
      $0.number(1, 7)
      make(&$0)
    }
    let parts = try read(bytes).split(separator: "|")
    let shown = try #require(parts.first { $0.hasPrefix(#"{"id":"7","pb":"#) }, "\(parts)")
    return String(shown.dropFirst(#"{"id":"7","pb":"#.count).dropLast())
  }

  @Test("is addressed like any other JSON")
  func fields() throws {
    let bytes = Wire.of {
      $0.number(1, 7)
      $0.long(
        2,
        Wire.of {
          $0.text(1, "玫瑰")
          $0.number(2, 3)
        })
    }
    #expect(try read(bytes).contains("|7||玫瑰|0.0|count 3|"))
    // The padding may be left out, and a solidus may be escaped.
    let padded = Data(bytes).base64EncodedString()
    let bare = String(padded.prefix { $0 != "=" }).replacing("/", with: #"\/"#)
    #expect(padded != bare)
    #expect(try mapped(Self.text, #"{"cmd":"GIFT","pb":"\#(bare)"}"#).contains("|7||玫瑰|0.0|count 3|"))
  }

  @Test("has numbers of all kinds, and fields that are not on the wire are missing")
  func scalars() throws {
    #expect(try json { _ in } == #"{"uid":7}"#)
    #expect(
      try json {
        $0.number(1, UInt64.max); $0.number(1, 7)
      } == #"{"uid":7}"#)
    #expect(try json { $0.fixed(5, (-0.5).bitPattern) } == #"{"uid":7,"d":-0.5}"#)
    #expect(try json { $0.fixed(5, Double.nan.bitPattern) } == #"{"uid":7,"d":null}"#)
    #expect(try json { $0.fixed(6, Float(1.5).bitPattern) } == #"{"uid":7,"f":1.5}"#)
    #expect(try json { $0.fixed(6, Float.infinity.bitPattern) } == #"{"uid":7,"f":null}"#)
    #expect(try json { $0.number(7, 1) } == #"{"uid":7,"b":true}"#)
    #expect(try json { $0.number(7, 0) } == #"{"uid":7,"b":false}"#)
    #expect(try json { $0.number(8, 1) } == #"{"uid":7,"z":-1}"#)
    #expect(try json { $0.number(8, UInt64.max) } == #"{"uid":7,"z":-9223372036854775808}"#)
    #expect(try json { $0.number(8, UInt64.max - 1) } == #"{"uid":7,"z":9223372036854775807}"#)
    #expect(try json { $0.number(9, UInt64.max) } == #"{"uid":7,"u":18446744073709551615}"#)
    #expect(try json { $0.number(9, 9) } == #"{"uid":7,"u":9}"#)
    #expect(try json { $0.fixed(10, UInt32.max) } == #"{"uid":7,"x":4294967295}"#)
    #expect(try json { $0.fixed(11, UInt64.max) } == #"{"uid":7,"y":-1}"#)
    #expect(try json { $0.number(14, UInt64.max - 1) } == #"{"uid":7,"small":-2}"#)
    #expect(try json { $0.number(15, UInt64(UInt32.max)) } == #"{"uid":7,"large":4294967295}"#)
    #expect(try json { $0.number(536_870_911, 2) } == #"{"uid":7,"last":1}"#)
    #expect(try json { $0.text(3, "a\"\\\u{1}/\u{e9}") } == "{\"uid\":7,\"name\":\"a\\\"\\\\\\u0001/\u{e9}\"}")
  }

  @Test("has lists, whose elements may stand apart or packed, and messages in messages")
  func lists() throws {
    let interleaved = try json {
      $0.long(2, Wire.of { $0.text(1, "a") })
      $0.text(13, "x")
      $0.long(2, [])
      $0.text(13, "")
      $0.number(99, 5)
      $0.long(2, Wire.of { $0.number(2, 2) })
    }
    #expect(interleaved == #"{"uid":7,"items":[{"id":"a"},{},{"num":2}],"names":["x",""]}"#)
    let packed = try json {
      $0.long(4, $0.varint(1) + $0.varint(UInt64.max) + $0.varint(300))
      $0.number(4, 5)
      $0.long(4, [])
      $0.long(16, [1, 0, 0, 0, 2, 0, 0, 0])
    }
    #expect(packed == #"{"uid":7,"packed":[1,-1,300,5],"fixed":[1,2]}"#)
    #expect(try json { $0.long(4, []) } == #"{"uid":7,"packed":[]}"#)
    let unordered = try json {
      $0.text(3, "last")
      $0.long(
        12,
        Wire.of {
          $0.text(3, "n")
          $0.long(4, [])
          $0.long(
            2,
            Wire.of {
              $0.number(2, 3)
              $0.text(1, "a")
            })
          $0.number(1, 9)
          $0.long(2, Wire.of { $0.text(1, "b") })
          $0.number(4, 6)
        })
      $0.long(2, Wire.of { $0.number(2, 1) })
    }
    let ordered = #"{"uid":9,"items":[{"id":"a","num":3},{"id":"b"}],"name":"n","packed":[6]}"#
    #expect(unordered == #"{"uid":7,"items":[{"num":1}],"name":"last","inner":\#(ordered)}"#)
    let inner = try json {
      $0.long(12, Wire.of { $0.number(1, 8) })
      $0.long(12, Wire.of { $0.long(12, Wire.of { $0.text(3, "deep") }) })
    }
    #expect(inner == #"{"uid":7,"inner":{"inner":{"name":"deep"}}}"#)
  }

  @Test("may have fields of any wire type that the map does not name")
  func unknown() throws {
    let more = try json {
      $0.number(20, 1)
      $0.fixed(21, UInt64(5))
      $0.fixed(22, UInt32(5))
      $0.long(23, [0xFF, 0xFF])
    }
    #expect(more == #"{"uid":7}"#)
  }

  @Test("is left alone where the map's condition does not hold, and where no text stands")
  func conditions() throws {
    #expect(try mapped(Self.text, #"{"cmd":"CHAT","pb":"!"}"#).hasPrefix("dropped"))
    #expect(try mapped(Self.text, #"{"cmd":"GIFT","pb":{"uid":7}}"#).contains(#"{"id":"7","pb":{"uid":7}}"#))
    #expect(try mapped(Self.text, #"{"cmd":"GIFT","pb":""}"#) == "missing_field")
    // A map is only asked about its own records.
    let choosing = #"""
      {"map":1,"name":"all","choose":{"at":"/p","root":"/x","maps":{"a":"one","b":"two"}},"otherwise":{"drop":"x"}}
      """#
    let library = MapLibrary { name in
      let text = name == "one" ? Self.text : Self.text.replacing("All", with: "Every").replacing(#""/cmd""#, with: #""/c""#)
      return (Array(text.utf8), name)
    }
    let decoder = RecordDecoder(map: try RecordMap(Array(choosing.utf8), file: "m", library: library))
    let arena = BumpArena()
    var event = Event()
    func decode(_ record: String) throws -> Bool {
      try Array(record.utf8).withUnsafeBytes { record in
        try Array("r".utf8).withUnsafeBytes { try decoder.decode(record, key: $0, into: arena, &event) }
      }
    }
    #expect(try decode(#"{"p":"c","x":{"cmd":"GIFT","pb":"!"}}"#) == false)
    #expect(try decode(#"{"p":"a","x":{"cmd":"GIFT","pb":"CAc="}}"#))
    #expect(try decode(#"{"p":"b","x":{"c":"GIFT","pb":"CAhiAggJ"}}"#))
    #expect(event.gift.display.sender.elementsEqual(#"{"id":"8","pb":{"uid":8,"inner":{"uid":9}}}"#.utf8))
    #expect(throws: BadEvent.self) { try decode(#"{"p":"a","x":{"cmd":"GIFT","pb":"!"}}"#) }
  }

  @Test(
    "that is broken is a bad event with a sentence",
    arguments: [
      ("!AAA", "its character 1 is not base64"), ("CAcä", "its character 4 is not base64"),
      ("CA==CA==", "its character 3 is not base64"), ("CAcIB", "its base64 is cut off"), ("A", "its base64 is cut off"),
      ("====", "its character 1 is not base64"), ("CA", "it is cut off at byte 1"), ("CA==", "it is cut off at byte 1"),
      ("CP///////////wI=", "the number that ends at byte 10 has more than 64 bits"),
      ("CP////////////8B", "the number that ends at byte 10 has more than 64 bits"),
      ("GgX/", "the value at byte 2 is longer than the rest"),
      ("Gv///////////wE=", "the value at byte 11 is longer than the rest"),
      ("GgH/", "its field 3, name, is not UTF-8"), ("AAA=", "no field begins at byte 0"),
      ("Cw==", "it is cut off at byte 1"),
      ("DA==", "the wire type 4 before byte 1 is not supported"),
      ("Dw==", "the wire type 7 before byte 1 is not supported"),
      ("CgA=", "its field 1, uid, does not have the wire type of int64, its type in the map"),
      ("EAE=", "its field 2, items, does not have the wire type of Item, its type in the map"),
      ("KQAAAAAAAA==", "it is cut off at byte 7"), ("IgGA", "it is cut off at byte 3"),
      // Field 536,870,912.
      ("gICAgBAA", "no field begins at byte 0"),
    ])
  func broken(base64: String, why: String) throws {
    let record = #"{"cmd":"GIFT","pb":"\#(base64)"}"#
    #expect(
      try mapped(Self.text, record, sentence: true)
        == "wrong_type: /pb is not the Protobuf in base64 that the map describes: \(why)")
  }

  @Test("of a part with another wire type names its field", arguments: ["timestamp", "optional<int32>", "map<int32,bool>"])
  func brokenPart(type: String) throws {
    let map = Self.text.replacing(#""1": "int64 uid""#, with: #""1": "\#(type) uid""#)
    let bytes = Wire.of { $0.long(1, Wire.of { $0.fixed(1, UInt64(5)) }) }
    #expect(
      try read(bytes, map: map, sentence: true)
        == "wrong_type: /pb is not the Protobuf in base64 that the map describes: a part of uid does not have the wire type of its type in the map"
    )
  }

  @Test("is bounded in its depth and its results")
  func bounds() throws {
    func nested(_ levels: Int) -> [UInt8] {
      var bytes = Wire.of { $0.number(1, 7) }
      for _ in 1..<levels {
        let inner = bytes
        bytes = Wire.of {
          $0.number(1, 7)
          $0.long(12, inner)
        }
      }
      return bytes
    }
    // The record itself is a level.
    #expect(try read(nested(63)).hasPrefix("gift"))
    #expect(try read(nested(64)) == "not_json")
    #expect(try read(nested(65), sentence: true).hasSuffix("its messages are nested deeper than 64 levels"))
    #expect(try read(nested(5000), sentence: true).hasSuffix("its messages are nested deeper than 64 levels"))
    let many = Wire.of { for _ in 0..<10_000 { $0.long(2, Wire.of { $0.number(2, 1) }) } }
    #expect(
      try read(many, sentence: true) == "too_large: /pb comes to more than 65536 bytes of JSON, the maximum of a record")
  }

  @Test("is read in each message of an array, and bounded in the results of all of them")
  func arrays() throws {
    let map = Self.text.replacing(
      #"["/pb", "/data/pb"], "when": {"at": "/cmd""#, with: #"["/*/pb", "/list/*/pb"], "when": {"at": ["/*/cmd", "/list/*/cmd"]"#
    ).replacing(#""rules""#, with: #""roots": ["/list/*", "/*"], "rules""#)
    func record(_ messages: [(cmd: String, pb: [UInt8])]) -> String {
      "[\(messages.map { #"{"cmd":"\#($0.cmd)","pb":"\#(Data($0.pb).base64EncodedString())"}"# }.joined(separator: ","))]"
    }
    let one = Wire.of {
      $0.number(1, 7)
      $0.long(2, Wire.of { $0.text(1, "item") })
    }
    let read = try mapped(map, record([("CHAT", [0xFF]), ("GIFT", one), ("GIFT", one)]))
    #expect(read.hasPrefix("gift|r|5|") && read.contains("|7||item|"), "\(read)")
    #expect(try mapped(map, #"{"list":\#(record([("GIFT", one)]))}"#).hasPrefix("gift"))
    #expect(
      try mapped(map, record([("GIFT", one), ("GIFT", [0xFF])]), sentence: true).hasPrefix(
        "wrong_type: element 1 of the record's array: /*/pb is not the Protobuf"))
    let many = Wire.of {
      $0.number(1, 7)
      for _ in 0..<2000 { $0.long(2, Wire.of { $0.number(2, 1) }) }
    }
    let large = map.replacing(#", "show": {"pb": "/pb"}"#, with: "")
    #expect(try mapped(large, record([("GIFT", many), ("GIFT", many), ("GIFT", many)])).hasPrefix("gift"))
    #expect(
      try mapped(large, record([("GIFT", many), ("GIFT", many), ("GIFT", many), ("GIFT", many)]), sentence: true)
        == "too_large: element 3 of the record's array: the texts hold more JSON than a record may have, 65536 bytes")
  }

  @Test("is an event, dropped or bad, wherever it is cut and whatever is altered", arguments: 0..<8)
  func hostile(seed: Int) throws {
    let map = try RecordMap(Array(Self.text.utf8), file: "m")
    let decoder = RecordDecoder(map: map)
    let arena = BumpArena()
    var event = Event()
    func decode(_ bytes: [UInt8]) {
      let record = #"{"cmd":"GIFT","pb":"\#(Data(bytes).base64EncodedString())"}"#
      Array(record.utf8).withUnsafeBytes { record in
        Array("r".utf8).withUnsafeBytes { key in
          arena.reset()
          _ = try? decoder.decode(record, key: key, into: arena, &event)
        }
      }
    }
    let good = Wire.of {
      $0.number(1, 7)
      $0.text(3, "name")
      $0.long(4, [1, 2, 3])
      for item in 0..<3 {
        $0.long(
          2,
          Wire.of {
            $0.text(1, "\(item)")
            $0.number(2, 300)
          })
      }
      $0.long(12, Wire.of { $0.long(12, Wire.of { $0.fixed(5, UInt64(1)) }) })
      $0.long(16, [1, 0, 0, 0])
    }
    for end in 0...good.count { decode(Array(good[..<end])) }
    for place in good.indices {
      for bit in 0..<8 {
        var altered = good
        altered[place] ^= 1 << UInt8(bit)
        decode(altered)
      }
    }
    var random = SplitMix64(seed: UInt64(seed))
    for _ in 0..<300 {
      var bytes = good
      for _ in 0..<Int(1 + random.next() % 6) {
        switch random.next() % 3 {
        case 0: bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: Int(random.next() % UInt64(bytes.count)))
        default: bytes += (0..<Int(random.next() % 12)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
      }
      decode(bytes)
    }
    // Earlier records do not affect later ones.
    #expect(try read(good).contains("|7||0|0.0|count 300|"))
    decode(good)
    #expect(event.gift.giftID.elementsEqual("0".utf8))
  }

  @Test(
    "has its faults reported with line, column and the fix",
    arguments: [
      (#""protobuf": §[]"#, "protobuf must be an object, not an array"),
      (#""protobuf": §{}"#, "protobuf must have 1 to 200 messages, not 0"),
      (
        #""protobuf": {§"a b": {"1": "bool x"}}"#,
        #"a message's name must be letters, digits and _, and no type of Protobuf's own, not "a b""#
      ),
      (
        #""protobuf": {§"bool": {"1": "bool x"}}"#,
        #"a message's name must be letters, digits and _, and no type of Protobuf's own, not "bool""#
      ),
      (
        #""protobuf": {§"timestamp": {"1": "bool x"}}"#,
        #"a message's name must be letters, digits and _, and no type of Protobuf's own, not "timestamp""#
      ),
      (#""protobuf": {"A": {§"01": "bool x"}}"#, #"the key of a field must be its number, 1 to 536870911, not "01""#),
      (
        #""protobuf": {"A": {§"536870912": "bool x"}}"#,
        #"the key of a field must be its number, 1 to 536870911, not "536870912""#
      ),
      (#""protobuf": {"A": {"1": §"bool"}}"#, #"a field must be written as "TYPE NAME" or "repeated TYPE NAME", not "bool""#),
      (
        #""protobuf": {"A": {"1": §"repeated bool"}}"#,
        #"a field must be written as "TYPE NAME" or "repeated TYPE NAME", not "repeated bool""#
      ),
      (#""protobuf": {"A": {"1": §5}}"#, "a field must be a string, not an integer"),
      (
        #""protobuf": {"A": {"1": §"int x"}}"#,
        #"there is no type "int"; there are int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, sfixed64, float, double, bool, string, bytes, timestamp, duration, optional<TYPE>, map<TYPE,TYPE>, A"#
      ),
      (#""protobuf": {"A": {"1": "bool x", "2": §"A x"}}"#, #"the message "A" has two fields "x""#),
      (#""protobuf": {"A": {"1": "bool x", §"1": "bool y"}}"#, #""1" occurs twice; remove one of them"#),
      (#""unpack": [{"at": "/a", "message": §"B"}]"#, #"there is no message "B"; name it under protobuf, with its fields"#),
      (#""unpack": [§{"at": "/a"}]"#, #""message" is missing: the name of a message under protobuf, or when or base64"#),
      (#""unpack": [§{"message": "B"}]"#, #""at" is missing: the place of the text: a pointer, or several"#),
      (#""unpack": [{"at": "/a", §"as": "B"}]"#, #"unpack has no member "as"; there are at, when, message, base64"#),
      (#""unpack": [§5]"#, "unpack must be a string, not an integer"),
      (
        #""unpack": [{"at": "/a", "message": "B", "when": §{"at": "/c"}}]"#,
        "a condition on a field must have at least one of is, exists, starts, contains, above, below, differs, only"
      ),
    ])
  func faultsOfMaps(_ marked: String, _ sentence: String) {
    let text = #"{"map": 1, "name": "t", \#(marked), "rules": [{"drop": "x"}]}"#
    let column = text.prefix { $0 != "§" }.count + 1
    let found = faults(of: text.filter { $0 != "§" })
    #expect(found.contains("m:1:\(column): \(sentence)"), "\(found)")
  }

  @Test("is the same by the map's text in a journal")
  func canonical() throws {
    let map = try RecordMap(Array(Self.text.utf8), file: "m")
    #expect(try RecordMap(canonical: map.canonical) == map)
  }
}
