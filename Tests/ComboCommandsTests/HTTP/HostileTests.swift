import ComboGenerate
import ComboHTTP
import Foundation
import Testing

@testable import ComboService
@testable import ComboTestSupport

@Suite("Senders and clients who mean harm")
struct HostileTests {
  /// Names as JSON strings, so that escapes are written as a sender would write them.
  static let names = [
    #"<script>alert(1)</script>"#, #"<img src=x onerror=alert(1)>"#, #"\u202eevil\u2066\u2069"#, "\u{202e}raw\u{2066}",
    String(repeating: "W", count: 10_240), "e" + String(repeating: "\u{301}", count: 5000), #"\r\n\r\nevent: dropped\ndata: {}"#,
    #"\",\"op\":\"dismiss"#, #"\",\"epoch\":7,\"seq\":9,\"x\":\""#, #"\u0000\u001b[2J\u009b31m"#, #"\u2028\u2029"#,
    #"\ud83d\ude00"#,
    #"__proto__"#, #"\/\b\f\t"#, #"${jndi:ldap://x}"#, #"%0d%0aSet-Cookie: a"#,
  ]

  private func replay(_ lines: [[UInt8]]) throws -> (code: Int32, lines: [[UInt8]], log: String) {
    let folder = try SecretFolder()
    let path = "\(folder.path)/in.jsonl"
    try Data(lines.flatMap { $0 + [0x0A] }).write(to: URL(fileURLWithPath: path))
    let (code, output, log) = try ServiceProcess.run(["replay", path])
    return (code, output.split(separator: "\n").map { Array($0.utf8) }, log)
  }

  @Test("hostile names and rooms are written unchanged: one line, one event, no other instruction")
  func names() throws {
    for hostile in Self.names {
      let room = hostile.utf8.count <= 200 ? hostile : "r"
      // Both together would exceed the limit of display data.
      let other = hostile.utf8.count > 5000 ? "rose" : hostile
      let gift = #"{"room":"\#(room)","ts":5,"sender":{"id":"u","name":"\#(hostile)"},"gift":{"id":"g","name":"\#(other)"}}"#
      let (code, lines, log) = try replay([Array(gift.utf8)])
      #expect(code == 0, "\(hostile.prefix(40)): \(log)")
      #expect(lines.count >= 2)
      let meant = try #require(
        try JSONSerialization.jsonObject(with: Data("[\"\(hostile)\",\"\(room)\"]".utf8)) as? [String])
      for (index, line) in lines.enumerated() {
        #expect(!line.contains { $0 < 0x20 }, "a control character would end a line")
        let record = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        #expect(record["room"] as? String == meant[1])
        #expect(["show", "update", "dismiss", "screen"].contains(try #require(record["op"] as? String)))
        if index == 0 { #expect((record["sender"] as? [String: Any])?["name"] as? String == meant[0]) }
        // The event in a stream has its own place, and nothing ends it early.
        let event = String(decoding: StreamText.event("instruction", line), as: UTF8.self).components(separatedBy: "\n")
        let epoch = try #require(record["epoch"] as? Int)
        #expect(event.count == 5 && event[1] == "id: \(epoch)-\(index + 1)", "\(event)")
        #expect(event[2] == "data: " + String(decoding: line, as: UTF8.self))
      }
    }
  }

  @Test("what is no JSON, lone surrogates and display data without end are refused, and harm no other gift")
  func refused() throws {
    func gift(_ name: [UInt8], _ sender: String = "u") -> [UInt8] {
      Array(#"{"room":"r","ts":5,"sender":{"id":"\#(sender)","name":""#.utf8) + name + Array(#""},"gift":{"id":"g"}}"#.utf8)
    }
    let bad: [[UInt8]] = [
      Array(#"\ud800"#.utf8), Array(#"\udc00x"#.utf8), Array(#"\ud800\ud800"#.utf8), [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xFF],
      [0xF5, 0x80, 0x80, 0x80], [0x0D], [0x00], Array(#"\x"#.utf8), Array(String(repeating: "W", count: 17_000).utf8),
    ]
    let good = gift(Array("Ann".utf8), "good")
    let deep = Array((#"{"room":"r","ts":5,"sender":"# + String(repeating: "[", count: 30_000)).utf8)
    let (code, lines, log) = try replay(bad.map { gift($0) } + [deep, good])
    #expect(code == 1)
    #expect(lines.count(where: { String(decoding: $0, as: UTF8.self).contains(#""op":"show""#) }) == 1)
    #expect(String(decoding: lines[0], as: UTF8.self).contains(#""id":"good""#))
    for line in 1...(bad.count + 1) { #expect(log.contains("line \(line)"), "line \(line): \(log.prefix(3000))") }
    #expect(!log.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F..<0xA0).contains($0.value) })
  }

  @Test("lists and screens of hostile rooms are JSON, and no browser treats them as a page")
  func lists() throws {
    let stage = try HTTPStage()
    let room = #"</script><script>alert("1")</script>"# + "\u{202e}\r\n\u{0}"
    let wire = try stage.wire()
    wire.send(HTTPStage.request("/rooms?limit=7"))
    guard case .survey(_, 7, _, let id, _) = try stage.query() else { throw TestKafka.Failure("another query") }
    stage.observatory.tell([
      .survey(id: id, [RoomLine(room: Array(room.utf8), epoch: 5, seq: 6, banners: 2, queued: 3, gifts: 9, rate: 1)])
    ])
    let response = try wire.response()
    #expect(response.header("Content-Type") == "application/json; charset=utf-8")
    #expect(response.header("X-Content-Type-Options") == "nosniff")
    let object = try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    #expect((object["rooms"] as? [[String: Any]])?.first?["room"] as? String == room)
    // An error repeats parts of the request only in its JSON, not in a header.
    let refused = try stage.get("/health/live", headers: ["Host: a-b.example"])
    #expect(refused.status == 421)
    #expect(refused.header("Content-Type") == "application/json; charset=utf-8")
    #expect(try stage.get("/rooms/%0d%0aSet-Cookie:%20a=b/x").headers.allSatisfy { $0.name != "Set-Cookie" })
  }

  @Test("many requests on one connection are answered in their order")
  func pipelined() throws {
    let stage = try HTTPStage()
    let wire = try stage.wire()
    let count = 500
    wire.send(String(repeating: HTTPStage.request("/health/live"), count: count))
    for _ in 0..<count { #expect(try wire.response().text == "ok\n") }
  }

  @Test("any bytes get a response or the connection ends, and others are served")
  func garbage() throws {
    var random = SplitMix64(seed: testSeed("garbage"))
    let stage = try HTTPStage(token: try HTTPToken("0123456789abcdef"), responseMs: HTTPServer.Limits.responseMs)
    let seeds = [
      HTTPStage.request("/rooms/r/events", headers: ["Authorization: Bearer 0123456789abcdef"]),
      HTTPStage.request("/metrics", headers: ["Transfer-Encoding: chunked", "Content-Length: 3"]) + "3\r\nabc\r\n0\r\n\r\n",
      "GET /rooms?limit=1&prefix=%00 HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \"x\"\r\n\r\n",
      "GET / HTTP/0.9\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}",
    ].map { Array($0.utf8) }
    for round in 0..<400 {
      var bytes = seeds[random.below(seeds.count)]
      for _ in 0..<(1 + random.below(6)) {
        let place = random.below(bytes.count + 1)
        switch random.below(4) {
        case 0: bytes.insert(UInt8(random.below(256)), at: place)
        case 1: if place < bytes.count { bytes.remove(at: place) }
        case 2: if place < bytes.count { bytes[place] = UInt8(random.below(256)) }
        default: bytes.insert(contentsOf: [[0x0D, 0x0A], [0x00], [0x3A], [0x20], [0x25]][random.below(5)], at: place)
        }
        if bytes.isEmpty { bytes = [0] }
      }
      let wire = try stage.wire()
      wire.send(bytes)
      shutdown(wire.descriptor, Int32(SHUT_WR))
      // Nothing answers for the loop here, so that a stream of events ends by its timeout.
      if round % 40 == 0 { #expect(try stage.get("/health/live").status == 200, "round \(round)") }
      _ = stage.observatory.takeQueries()
    }
    #expect(try stage.get("/health/live").status == 200)
    try wait(for: "the end of all connections") {
      try MetricsText.samples(stage.get("/metrics", headers: ["Authorization: Bearer 0123456789abcdef"]).text)[
        "combo_http_connections"] == 1
    }
  }
}
