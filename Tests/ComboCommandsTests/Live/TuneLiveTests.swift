import ComboMaps
import ComboRooms
import ComboSystem
import ComboWire
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

/// The data of `live` as a recording for `tune`.
@Suite("tune on the file of live")
struct TuneLiveTests {
  @Test("records without a time are processed at the time of their arrival, by the map that read them")
  func data() throws {
    let scene = try LogScene(isFile: true)
    var configuration = LogScene.configuration()
    let map = #"""
      {"map": 1, "name": "t", "rules": [
        {"when": {"at": "/cmd", "is": "GIFT"}, "event": "gift",
         "fields": {"id": "/id", "room": "/room", "sender": {"id": "/u"}, "gift": {"id": "/g"}}}],
       "otherwise": {"drop": "no gift"}}
      """#
    configuration.map = try RecordMap(Array(map.utf8), file: "t")
    let before = WallClock.nowMs
    let service = scene.start(configuration)
    for number in 0..<3 { try scene.give([#"{"cmd":"GIFT","id":"e\#(number)","room":"r","u":"u\#(number)","g":"rose"}"#]) }
    try scene.give([#"{"cmd":"CHAT","id":"chat","room":"r","u":"u1"}"#])
    try scene.settle()
    service.stop.set()
    #expect(try service.end() == 0, "\(service.log)")
    let path = try #require(scene.path)
    let (code, output, log) = try ServiceProcess.run(["tune", "--data", path, "--vary", "slots=1,2"])
    #expect(code == 0 && output.contains(": 3 gifts in 1 room over "), "\(output)\(log)")
    #expect(output.contains(String(Timestamp.text(before).prefix(10))), "\(output)")
    let (none, _, reason) = try ServiceProcess.run(["tune", "--data", path, "--since", Timestamp.text(WallClock.nowMs + 60_000)])
    #expect(none == 1 && reason.contains("there are no gifts among its 0 records"), "\(reason)")
  }
}
