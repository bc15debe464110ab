import ComboCore
import ComboMaps
import ComboWire
import Glibc

/// The same gifts by maps: as they are, by the map `wire`; and with other names, so that what is shown must be put together.
enum MapBench {
  static let map = """
    {"map": 1, "name": "bench", "rules": [{"when": {"at": "/cmd", "is": "GIFT"}, "root": "/data", "event": "gift", "fields": {
      "room": "/room_id", "ts": "/at", "id": "/msg_id",
      "sender": {"id": "/user/uid", "show": {"name": "/user/nickname", "avatar": "/user/avatar", "t": "/user/t"}},
      "receiver": {"id": "/anchor/uid", "show": {"name": "/anchor/nickname"}},
      "gift": {"id": "/gift_id", "value": "/price", "show": {"name": "/gift_name"}}, "count": "/num"}}]}
    """

  /// The same records in 1,024 shapes.
  static func variousEvent(_ n: Int) -> [UInt8] { event(n, more: WireBench.more(n)) }

  static func event(_ n: Int) -> [UInt8] { event(n, more: "") }

  private static func event(_ n: Int, more: String) -> [UInt8] {
    Array(
      """
      {"cmd":"GIFT","data":{"msg_id":"e-193b2f2a3c0-1-\(1_000_000 + n)","room_id":"r\(n % 100)","at":1732104000\(100 + n % 900),\
      "user":{"uid":"u\(n % 100)-\(n % 50)","nickname":"小明\(n % 1000)","avatar":"https://cdn.example.com/avatar/3f/3fa9c1d27b64e85f_100.webp",\
      "t":1732104000123},\(more)"anchor":{"uid":"a\(n % 100)","nickname":"主播晚风"},"gift_id":"rose","gift_name":"玫瑰","price":\(n % 500),"num":\(1 + n % 10)}}
      """.utf8)
  }

  static func run(_ name: String, _ rounds: Int, _ times: Int, events: [[UInt8]], keys: [[UInt8]]? = nil, text: String) {
    let bytes = events.reduce(0) { $0 + $1.count }
    let keys = keys ?? (0..<4096).map { Array("r\($0 % 100)".utf8) }
    let decoder: RecordDecoder
    do throws(MapFaults) {
      decoder = RecordDecoder(map: try RecordMap(Array(text.utf8), file: name))
    } catch {
      fatalError("a map of the benchmark is wrong: \(error)")
    }
    let arena = BumpArena()
    var slot = Event()
    var figures: [Double] = []
    for round in 0...rounds {
      let began = WireBench.seconds()
      var count = 0
      for _ in 0..<times {
        for i in 0..<events.count {
          if i & 1023 == 0 { arena.reset() }
          let value = UnsafeRawBufferPointer(start: events[i].withUnsafeBytes { $0.baseAddress }, count: events[i].count)
          let key = UnsafeRawBufferPointer(start: keys[i].withUnsafeBytes { $0.baseAddress }, count: keys[i].count)
          do throws(BadEvent) {
            if try decoder.decode(value, key: key, into: arena, &slot) { count += 1 }
          } catch {
            fatalError("an event of the benchmark is bad: \(error)")
          }
        }
      }
      let took = WireBench.seconds() - began
      // The first round warms up.
      if round > 0 { figures.append(Double(count) / took) }
    }
    figures.sort()
    let median = figures[figures.count / 2]
    print(
      "\(name): median \(Int(median)) events/s, \(Int(1e9 / median)) ns an event of \(bytes / events.count) bytes",
      "(\(rounds) rounds, \(Int(figures[0])) to \(Int(figures.last!))); \(events.count) events a time")
  }
}
