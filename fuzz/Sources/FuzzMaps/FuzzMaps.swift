import ComboCore
import ComboWire
import Fuzzing

/// Any bytes as a map, and as a record that is read by maps: no crash; by the map `wire` a gift is the same as without a map; and what a
/// journal keeps of a map makes the same map.
private let limits: WireLimits = {
  var limits = WireLimits()
  limits.roomFromBody = true
  return limits
}()
nonisolated(unsafe) private let plain = RecordDecoder(limits: limits)
nonisolated(unsafe) private let wire = decoder(BuiltInMaps.text("wire") ?? "")
nonisolated(unsafe) private let others = [
  decoder(
    #"""
    {"map": 1, "name": "f", "text": "stt", "rules": [{"event": "gift", "fields": {"room": ["/rid", {"const": "r"}],
      "ts": {"at": "/t", "unit": "rfc3339"}, "sender": {"id": "/a/b", "show": {"n": "/nn", "d": "/l/1/x"}}, "gift": {"id": "/g"},
      "count": {"product": ["/n", "/h"]}}}]}
    """#),
  decoder(
    #"""
    {"map": 1, "name": "f", "rules": [{"when": {"any": [{"at": "/a", "above": 3}, {"at": "/b", "starts": "x"}]}, "event": "gift",
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
  guard (try? plain.decode(input, key: nil, into: arena, &event)) == true, event.kind == .gift else { return 0 }
  let (sender, gift) = (Array(event.gift.senderID), Array(event.gift.display.gift))
  // What counts as missing differs: an empty room is the key's, and a receiver without an id is none.
  guard (try? wire.decode(input, key: nil, into: arena, &event)) == true else { fail("a gift is none by the map wire") }
  if Array(event.gift.senderID) != sender || Array(event.gift.display.gift) != gift { fail("a gift differs by the map wire") }
  return 0
}
