import ComboCore
import ComboWire
import Testing

@Suite("A room's state of version 1")
struct StateConversionTests {
  /// A state as the first version wrote it: a banner that lingers, one that leaves, one that waits, and something in each memory.
  static let first = Array(
    (#"{"v":1,"epoch":1000,"seq":9,"banners":7,"time":20000,"idle":-19000,"screen":4100,"own":{"slots":50,"screen_ms":1,"dedupe_ms":86400000},"#
      + #""ids":[["e1",9100]],"#
      + #""streaks":[["u1","a1","g","s",12,500],["u1","","g","",3,600],["u1","a2","g","s",9,700]],"#
      + #""history":[["u9","a1","g",7,4000]],"#
      + #""shown":[["u1","","g",5,0,3,30,-9000,3,0,3,150,1,{"id":"u1"},null,{"id":"g"}],"#
      + #"["u2","","g",4,0,9007199254740993,5,-9500,4,1,9007199254740993,100,2,{"id":"u2"},null,{"id":"g"}]],"#
      + #""queue":[["u3","a1","g",6,2,3,10,-10,{"id":"u3"},{"id":"a1"},{"id":"g"}]]}"#).utf8)

  @Test("is converted: turns begin now, named streaks are one for all receivers, counts and own settings are brought into range")
  func converted() throws {
    let engine = try restore(Self.first, EngineSettings(Settings()))
    #expect(
      String(decoding: snapshot(engine), as: UTF8.self)
        == #"{"v":2,"epoch":1000,"seq":9,"banners":7,"time":20000,"idle":-19000,"screen":4100,"own":{"slots":10,"screen_ms":500,"dedupe_ms":3600000},"#
        + #""ids":[["e1",9100]],"#
        + #""streaks":[["u1","","g","","",3,600],["u1","","g","","s",12,700]],"#
        + #""history":[["u9","a1","g","",7,4000]],"#
        + #""shown":[["u1","","g","",5,0,3,30,0,3,0,3,150,1,{"id":"u1"},null,{"id":"g"}],"#
        + #"["u2","","g","",4,0,9007199254740991,5,0,4,1,9007199254740991,100,2,{"id":"u2"},null,{"id":"g"}]],"#
        + #""queue":[["u3","a1","g","",6,2,3,10,-10,{"id":"u3"},{"id":"a1"},{"id":"g"}]]}"#)
  }

  @Test("continues where it was: banners on screen leave, waiting ones are shown")
  func convertedState() throws {
    var feeder = Feeder(Settings())
    feeder.engine = try restore(Self.first, feeder.settings)
    feeder.advance(to: 60_000)
    let lines = feeder.sink.lines.joined(separator: "\n")
    #expect(lines.contains(#""at":20150,"op":"dismiss","banner":5,"slot":1,"count":3,"reason":"busy""#), "\(lines)")
    #expect(lines.contains(#""op":"show","banner":6,"slot":0,"count":3,"base":2"#), "\(lines)")
    #expect(feeder.engine!.isIdle)
  }

  @Test("of version 2 has finals to come, sealed banners, and how long a streak holds the room awake")
  func second() throws {
    let text = Array(
      (#"{"v":2,"epoch":1000,"seq":9,"banners":7,"time":20000,"idle":-19000,"awake":50000,"#
        + #""streaks":[["u1","","g","","s",12,50000]],"#
        + #""history":[["u9","a1","g","c",7,4000,3,{"id":"u9"},{"id":"a1"},{"id":"g"}]],"#
        + #""shown":[["u1","","g","",5,0,3,30,-9000,3,0,3,150,7,{"id":"u1"},null,{"id":"g"}]]}"#).utf8)
    let engine = try restore(text, EngineSettings(Settings()))
    #expect(snapshot(engine) == text)
    #expect(engine.nextDeadline == 20_150 && engine.restsAfter == nil)
  }
}
