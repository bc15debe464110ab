import ComboCore
import ComboMaps
import ComboWire
import Testing

@testable import ComboTestSupport

/// Returns the faults of a map as they are reported, or none if it can be used.
func faults(of map: String, switches: [(name: String, value: String)] = [], library: MapLibrary = .builtIn) -> [String] {
  do {
    _ = try RecordMap(Array(map.utf8), file: "m", switches: switches, library: library)
    return []
  } catch {
    return error.faults.map(\.description)
  }
}

/// A map of one rule for gifts, whose fields are these besides what a gift needs.
func giftMap(_ fields: String, more: String = "", when: String? = nil) -> String {
  """
  {"map": 1, "name": "t"\(more), "rules": [{\(when.map { "\"when\": \($0), " } ?? "")"event": "gift", "fields": {
    "room": ["/room", {"const": "r"}], "ts": ["/ts", {"const": 5}], "sender": {"id": "/u"}, "gift": {"id": "/g"}\(fields.isEmpty ? "" : ", ")\(fields)}}],
   "otherwise": {"drop": "not a gift"}}
  """
}

/// Returns the result of a mapped record in one line; a bad event is its code, or its code and sentence. The same decoder, which
/// then knows the record's shape, reads it again with a small arena: that must make no difference.
func mapped(
  _ map: String, _ record: String, key: String? = nil, headers: [String: String] = [:],
  switches: [(name: String, value: String)] = [], limits: WireLimits? = nil, sentence: Bool = false
) throws -> String {
  var anyRoom = WireLimits()
  anyRoom.roomFromBody = true
  let map = try RecordMap(Array(map.utf8), file: "m", switches: switches)
  let decoder = RecordDecoder(limits: limits ?? anyRoom, map: map)
  var event = Event()
  func decode(_ value: Bytes, _ key: Bytes?, _ arena: BumpArena) -> String {
    do throws(BadEvent) {
      let isEvent = try decoder.decode(
        value, key: key, header: { name, body in Array((headers[name] ?? "").utf8).withUnsafeBytes { body($0) } }, into: arena,
        &event)
      return isEvent ? text(of: event) : "dropped: \(decoder.dropReason)"
    } catch {
      return sentence ? error.description : error.code.rawValue
    }
  }
  func decode(into arena: BumpArena) -> String {
    Array(record.utf8).withUnsafeBytes { value in
      if let key { return Array(key.utf8).withUnsafeBytes { decode(value, $0, arena) } }
      return decode(value, nil, arena)
    }
  }
  let made = decode(into: BumpArena())
  let small = BumpArena(chunkSize: 256)
  for _ in 0..<3 { #expect(decode(into: small) == made, "read again: \(record)") }
  return made
}
