import ComboCore
import ComboMaps
import ComboWire
import Fuzzing

/// Any bytes as a map, and as a record that is read by maps, and as Protobuf within one: no crash; by the map `wire` a gift is the same as without a map; and what a
/// journal keeps of a map makes the same map.
private let limits: WireLimits = {
  var limits = WireLimits()
  limits.roomFromBody = true
  return limits
}()
nonisolated(unsafe) private let plain = RecordDecoder(limits: limits)
nonisolated(unsafe) private let wire = decoder(BuiltInMaps.text("wire") ?? "")
/// Reads the input as base64, and what it means as a message.
nonisolated(unsafe) private let protobuf = decoder(
  #"""
  {"map": 1, "name": "f", "protobuf": {"A": {"1": "int64 u", "2": "repeated A a", "3": "string s", "4": "repeated sint32 n",
    "5": "double d", "6": "A b", "7": "repeated float f"}}, "unpack": [{"at": "/p", "message": "A"}], "roots": ["/p/a/*", "/p"],
   "rules": [{"event": "gift", "fields": {"room": {"const": "r"}, "ts": {"const": 1},
     "sender": {"id": [{"at": "/u"}, "/s"], "show": {"b": "/b", "n": "/n"}}, "gift": {"id": {"const": "g"}, "value": "/d"},
     "count": ["/n/0", {"const": 1}]}}]}
  """#)
private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
nonisolated(unsafe) private let others = [
  decoder(
    #"""
    {"map": 1, "name": "f", "text": "stt", "rules": [{"event": "gift", "fields": {"room": ["/rid", {"const": "r"}],
      "ts": {"at": "/t", "unit": "rfc3339"}, "sender": {"id": "/a/b", "show": {"n": "/nn", "d": "/l/1/x"}}, "gift": {"id": "/g"},
      "count": {"product": ["/n", "/h"]}}}]}
    """#),
  decoder(
    #"""
    {"map": 1, "name": "f", "rules": [{"when": {"any": [{"at": "/a", "above": 3}, {"at": "/b", "starts": "x"},
      {"at": "/b", "differs": "/a"}]}, "event": "gift",
      "fields": {"room": {"const": "r"}, "ts": {"at": "/t", "unit": "s"}, "id": {"join": ["/i", "-", "/j/0"]},
      "sender": {"id": ["/u", "/u/id"], "show": {"o": "/o", "p": {"at": "/p", "max": 9}}}, "gift": {"id": "/g", "value": "/v"},
      "total": {"at": "/n", "unless": [0, "x"]}, "streak": "/s"}}], "otherwise": {"drop": "no"}}
    """#),
]
nonisolated(unsafe) private let arena = BumpArena()
nonisolated(unsafe) private var event = Event()

private func decoder(_ text: String) -> RecordDecoder {
  guard let map = try? RecordMap(Array(text.utf8), file: "fuzz") else { fail("a map of this program has faults") }
  return RecordDecoder(limits: limits, map: map)
}

/// SwiftPM starts a program here, whatever it is linked with.
@_cdecl("FuzzMaps_main")
public func main(_ count: CInt, _ arguments: Arguments) -> CInt { drive(count, arguments, fuzz) }

private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Bytes(start: start, count: count)
  if let map = try? RecordMap(Array(input), file: "fuzz") {
    guard let again = try? RecordMap(canonical: map.canonical), again == map else { fail("what is kept of a map makes another one") }
  }
  arena.reset()
  for decoder in others { _ = try? decoder.decode(input, key: nil, into: arena, &event) }
  message(input)
  guard (try? plain.decode(input, key: nil, into: arena, &event)) == true, event.kind == .gift else { return 0 }
  let (sender, gift) = (Array(event.gift.senderID), Array(event.gift.display.gift))
  // What counts as missing differs: an empty room is the key's, and a receiver without an id is none.
  guard (try? wire.decode(input, key: nil, into: arena, &event)) == true else { fail("a gift is none by the map wire") }
  if Array(event.gift.senderID) != sender || Array(event.gift.display.gift) != gift { fail("a gift differs by the map wire") }
  return 0
}

/// The input as the message of a record; as base64, so that all of it arrives.
private func message(_ input: Bytes) {
  var record = Array(#"{"p":""#.utf8)
  for start in stride(from: 0, to: input.count, by: 3) {
    let bytes = input[start..<min(start + 3, input.count)]
    var bits = UInt32(0)
    for place in 0..<3 { bits = bits << 8 | (place < bytes.count ? UInt32(bytes[start + place]) : 0) }
    for place in 0...bytes.count { record.append(alphabet[Int(bits >> UInt32(18 - 6 * place)) & 63]) }
  }
  record += Array(#""}"#.utf8)
  record.withUnsafeBytes { _ = try? protobuf.decode($0, key: nil, into: arena, &event) }
}
