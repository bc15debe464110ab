import ComboCore
import ComboMaps
import ComboWire
import Foundation
import Fuzzing

/// Any bytes as a record in Protobuf or Avro: no crash, and what becomes JSON is JSON. The first byte chooses the map.
nonisolated(unsafe) private let decoders: [RecordDecoder] = maps.map { record in
  var limits = WireLimits()
  limits.roomFromBody = true
  let text = #"{"map":1,"name":"t","include":"wire","record":\#(record),"protobuf":\#(messages)}"#
  return RecordDecoder(limits: limits, map: try! RecordMap(Array(text.utf8), file: "map"))
}
private let messages = #"""
  {"Gift": {"1": "string room", "2": "int64 ts", "3": "Person sender", "4": "Item gift", "5": "uint32 count", "6": "Kind kind",
            "7": "repeated string tags", "8": "map<string,int32> hits", "9": "map<int64,Person> seats", "10": "bytes raw",
            "11": "timestamp at", "12": "duration length", "13": "optional<int64> level", "14": "string note", "15": "sint32 code",
            "16": "repeated Kind kinds", "17": "bool ends", "18": "double d", "19": "float f", "20": "repeated fixed64 x", "21": "Gift inner"},
   "Person": {"1": "string id", "2": "string name"}, "Item": {"1": "string id", "2": "double value"},
   "Kind": {"enum": {"0": "NONE", "1": "ROSE"}}}
  """#
private let all = #"""
  {"type": "record", "name": "All", "fields": [
    {"name": "b", "type": "boolean"}, {"name": "i", "type": "int"}, {"name": "l", "type": "long"}, {"name": "f", "type": "float"},
    {"name": "d", "type": "double"}, {"name": "y", "type": "bytes"}, {"name": "s", "type": "string"},
    {"name": "e", "type": {"type": "enum", "name": "Kind", "symbols": ["NONE", "ROSE"]}},
    {"name": "x", "type": {"type": "fixed", "name": "Four", "size": 4}}, {"name": "a", "type": {"type": "array", "items": "Kind"}},
    {"name": "m", "type": {"type": "map", "values": ["null", "long"]}},
    {"name": "u", "type": ["null", "long", "string", {"type": "record", "name": "Pair", "fields": [
      {"name": "k", "type": "string"}, {"name": "next", "type": ["null", "Pair"]}]}]},
    {"name": "n", "type": {"type": "array", "items": "null"}},
    {"name": "p", "type": {"type": "bytes", "logicalType": "decimal", "precision": 18, "scale": 3}},
    {"name": "id", "type": {"type": "fixed", "name": "ID", "size": 16, "logicalType": "uuid"}}]}
  """#
private let maps = [
  #"{"framing": "none", "message": "Gift"}"#, #"{"framing": "confluent", "message": "Gift"}"#, #"{"framing": "apicurio", "message": "Gift"}"#,
  #"{"framing": "glue", "message": "Gift"}"#, #"{"framing": "none", "schema": \#(all)}"#,
  #"{"framing": "confluent", "schemas": {"1": \#(all)}}"#, #"{"framing": "single-object", "schemas": [\#(all)]}"#,
]
nonisolated(unsafe) private let arena = BumpArena()
nonisolated(unsafe) private var event = Event()

/// SwiftPM starts a program here, whatever it is linked with.
@_cdecl("FuzzRecords_main")
public func main(_ count: CInt, _ arguments: Arguments) -> CInt { drive(count, arguments, fuzz) }

private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 0 else { return 0 }
  let decoder = decoders[Int(start[0]) % decoders.count]
  arena.reset()
  do throws(BadEvent) {
    _ = try decoder.decode(Bytes(start: start + 1, count: count - 1), key: nil, into: arena, &event)
  } catch {
    // The parser's word: the readers of these forms should not have written that.
    if error.reason.contains("RFC 8259") {
      fail("what a record became is no JSON: \(error)")
    }
  }
  return 0
}
