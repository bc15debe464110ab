import ComboEdge
import ComboMaps

/// A schema registry whose answers a test decides, with Avro records of its schemas. Each schema has one field more than the one
/// before.
final class SimRegistry: SchemaSource, @unchecked Sendable {
  // Sendable: a world belongs to one thread.
  var answer: (String) -> SchemaAnswer = { _ in .none("away") }
  var asked: [String] = []
  var isRetryRequested = false

  func ask(_ id: String) -> SchemaAnswer {
    asked.append(id)
    return answer(id)
  }

  func takeRetry() -> Bool {
    defer { isRetryRequested = false }
    return isRetryRequested
  }

  /// A map without schemas.
  static func map() throws -> RecordMap {
    let text = #"{"map":1,"name":"t","include":"wire","record":{"framing":"confluent","schemas":{}}}"#
    return try RecordMap(Array(text.utf8), file: "t")
  }

  static func known(_ id: String) -> SchemaAnswer {
    let more = (0..<Int(id)!).map { #"{"name":"x\#($0)","type":"int"},"# }.joined()
    let party = #"{"type":"record","name":"P","fields":[{"name":"id","type":"string"}]}"#
    return .schema(
      #"{"type":"record","name":"G","fields":[\#(more){"name":"sender","type":\#(party)},{"name":"gift","type":"P"},"#
        + #"{"name":"count","type":"int"}]}"#)
  }

  /// Returns a record of a gift with count 2.
  static func gift(_ id: Int, room: String, at time: Int64) -> SimRecord {
    let frame: [UInt8] = [0, 0, 0, UInt8(id >> 8), UInt8(id & 255)]
    var record = SimRecord(
      key: Array(room.utf8), value: frame + [UInt8](repeating: 2, count: id) + [2, 0x75, 2, 0x67, 4], timestamp: time)
    if SimGifts.plainRooms.contains(room) { record.plainCount = 2 }
    return record
  }
}
