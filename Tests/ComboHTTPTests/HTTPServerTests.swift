import ComboService
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboHTTP
@testable import ComboTestSupport

@Suite("The HTTP server")
struct HTTPServerTests {
  @Test("answers by its contract, and each answer forbids frames, guessing and foreign content")
  func answers() throws {
    let stage = try HTTPStage()
    for (target, status, type) in [
      ("/", 200, "text/html; charset=utf-8"), ("/service", 200, "text/html; charset=utf-8"),
      ("/health/live", 200, "text/plain; charset=utf-8"), ("/health/ready", 200, "text/plain; charset=utf-8"),
      ("/metrics", 200, "text/plain; version=0.0.4; charset=utf-8"), ("/service/data", 200, "application/json; charset=utf-8"),
      ("/nothing", 404, "application/json; charset=utf-8"), ("/assets/none.js", 404, "application/json; charset=utf-8"),
    ] {
      let response = try stage.get(target)
      #expect(response.status == status, "\(target)")
      #expect(response.header("Content-Type") == type, "\(target)")
      #expect(response.header("X-Content-Type-Options") == "nosniff")
      #expect(response.header("X-Frame-Options") == "DENY")
      let policy = try #require(response.header("Content-Security-Policy"))
      #expect(policy.hasPrefix("default-src 'none';") && policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
      #expect(response.header("Cache-Control") == (type.hasPrefix("text/html") ? "no-cache" : "no-store"))
    }
    let wire = try stage.wire()
    wire.send(HTTPStage.request("/health/live", method: "HEAD") + HTTPStage.request("/nothing"))
    #expect(try wire.response(hasBody: false).status == 200)
    #expect(try wire.response().status == 404, "a body after HEAD")
    let page = try stage.get("/")
    let again = try stage.get("/", headers: ["If-None-Match: \(try #require(page.header("ETag")))"])
    #expect(again.status == 304)
  }

  @Test("lets pages of the allowed origins read its responses, and no others")
  func origins() throws {
    let stage = try HTTPStage(origins: #require(HTTPOrigins("https://live.example,http://localhost:3000")))
    for (origin, isAllowed) in [
      ("https://live.example", true), ("http://localhost:3000", true), ("https://live.example:8443", false),
      ("https://evil.example", false), ("null", false),
    ] {
      let response = try stage.get("/health/live", headers: ["Origin: \(origin)"])
      #expect(response.header("Access-Control-Allow-Origin") == (isAllowed ? origin : nil), "\(origin)")
      #expect(response.header("Vary") == "Origin")
      let asked = try stage.get("/rooms/r/events", method: "OPTIONS", headers: ["Origin: \(origin)"])
      #expect(asked.status == (isAllowed ? 204 : 405), "\(origin)")
    }
    #expect(
      try HTTPStage(origins: .all).get("/health/live", headers: ["Origin: https://x.y"]).header("Access-Control-Allow-Origin")
        == "*")
    #expect(try HTTPStage().get("/health/live", headers: ["Origin: https://x.y"]).header("Access-Control-Allow-Origin") == nil)
    for text in [
      "", "live.example", "https://", "https://a/", "https://A.b", "https://a b", "*,https://a", "ftp://a", "https://a,",
    ] {
      #expect(HTTPOrigins(text) == nil, "\(text)")
    }
  }

  @Test("lets a browser source add styles to the overlay, and to no other page")
  func overlay() throws {
    let stage = try HTTPStage()
    let overlay = try stage.get("/overlay?room=r1&size=20")
    #expect(overlay.status == 200 && overlay.text.contains("/assets/overlay.js"))
    let policy = try #require(overlay.header("Content-Security-Policy"))
    #expect(policy.contains("style-src 'self' 'unsafe-inline';") && policy.contains("script-src 'self';"))
    #expect(policy.contains("default-src 'none';") && policy.contains("frame-ancestors 'none'"))
    #expect(overlay.header("X-Content-Type-Options") == "nosniff")
  }

  @Test("keeps a connection for further requests")
  func keepsAlive() throws {
    let wire = try HTTPStage().wire()
    _ = wire
    let stage = try HTTPStage()
    let kept = try stage.wire()
    for _ in 0..<5 {
      kept.send(HTTPStage.request("/health/live"))
      #expect(try kept.response().text == "ok\n")
    }
  }

  @Test("reports health by a status and a sentence")
  func health() throws {
    let stage = try HTTPStage(hasReport: false)
    #expect(try stage.get("/health/live").status == 200)
    #expect(try stage.get("/health/ready").text.contains("has not started"))
    #expect(try stage.get("/rooms").status == 503)
    #expect(try stage.get("/rooms/r").status == 503)
    #expect(try stage.get("/service/data").text.contains(#""state":"starting""#))
    stage.report { $0.hasJoined = false }
    #expect(try stage.get("/health/ready").text.contains("joined"))
    stage.report { $0.partitions.append(.init(number: 1, isRunning: false, restored: 0.5)) }
    #expect(try stage.get("/health/ready").text.contains("1 of 2 partitions"))
    let data = try stage.get("/service/data").text
    #expect(data.contains(#""state":"restoring""#))
    #expect(data.contains(#"{"partition":0,"state":"running","lag":3,"rooms":7,"restored":1}"#), "\(data)")
    #expect(data.contains(#"{"partition":1,"state":"restoring","lag":null,"rooms":0,"restored":0.5}"#), "\(data)")
    stage.report()
    #expect(try stage.get("/health/ready").status == 200)
    stage.stop.set()
    #expect(try stage.get("/health/ready").status == 503)
    #expect(try stage.get("/health/live").status == 200)
    #expect(try stage.get("/service/data").text.contains(#""state":"draining""#))
  }

  // MARK: - Hostile clients

  @Test(
    "answers on loopback only to names of this machine",
    arguments: [
      ("localhost", 200), ("LOCALHOST:80", 200), ("127.0.0.1:8080", 200), ("127.5.6.7", 200), ("[::1]:9", 200),
      ("a.localhost", 200),
      ("evil.example", 421), ("evil.example:8080", 421), ("127.0.0.1.evil.example", 421), ("localhost.evil.example", 421),
      ("192.168.0.1", 421), ("[::2]", 421), ("0.0.0.0", 421), ("local host", 400), ("localhost:x", 400), ("[::1", 400),
      ("a/b", 400),
      ("localhost:123456", 400), ("user@localhost", 400),
    ])
  func hosts(host: String, status: Int) throws {
    #expect(try HTTPStage().get("/health/live", headers: ["Host: \(host)"]).status == status)
  }

  @Test("requires one Host header")
  func oneHost() throws {
    let stage = try HTTPStage()
    #expect(try stage.get("/health/live", headers: ["Host: localhost", "Host: evil.example"]).status == 400)
    let wire = try stage.wire()
    wire.send("GET /health/live HTTP/1.1\r\n\r\n")
    #expect(try wire.response().status == 400)
  }

  @Test(
    "refuses methods other than GET and HEAD",
    arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "BREW"])
  func methods(method: String) throws {
    let stage = try HTTPStage()
    let response = try stage.get("/health/live", method: method)
    #expect(response.status == 405)
    #expect(response.header("Allow") == "GET, HEAD")
  }

  @Test("accepts no bodies")
  func bodies() throws {
    let stage = try HTTPStage()
    #expect(try stage.get("/health/live", headers: ["Content-Length: 1000000000"]).status == 413)
    #expect(try stage.get("/health/live", headers: ["Transfer-Encoding: chunked"]).status == 413)
    #expect(try stage.get("/health/live", headers: ["Content-Length: 0"]).status == 200)
    #expect(try stage.get("/health/live", headers: ["Content-Length: -5"]).status == 400)
    let wire = try stage.wire()
    wire.send(HTTPStage.request("/health/live", headers: ["Content-Length: 5"]) + "hello" + HTTPStage.request("/metrics"))
    #expect(try wire.response().status == 413)
    try wire.receive { _ in false }
    #expect(wire.isClosed, "what follows a body that was refused is never taken for a request")
  }

  @Test(
    "resolves nothing in a path, and refuses a malformed one",
    arguments: [
      ("/../../etc/passwd", 404), ("/assets/../index.html", 404), ("/assets/..%2f..%2fetc%2fpasswd", 404),
      ("/assets/%2e%2e/index.html", 404), ("//", 404), ("/%00", 404), ("/index.html%00", 404), ("/assets//index.html", 404),
      ("/%", 400), ("/%4", 400), ("/%zz", 400), ("/rooms/%", 400), ("/rooms/%ff", 400), ("/rooms/%c0%af", 400),
      ("/rooms/%ed%a0%80", 400), ("/rooms/", 400), ("/rooms//events", 400), ("/rooms/a/events/b", 404), ("/rooms/a/other", 404),
      ("http://localhost/health/live", 200), ("ftp://localhost/health/live", 400), ("*", 400), ("/rooms?limit=0", 400),
      ("/rooms?limit=1001", 400),
      ("/rooms?limit=x", 400),
      ("/rooms?limit=%", 400), ("/health/live?x=%zz", 400), ("/\u{FF}", 404),
    ])
  func paths(target: String, status: Int) throws {
    #expect(try HTTPStage().get(target).status == status)
  }

  @Test("refuses ids that no room can have, and headers without end")
  func sizes() throws {
    let stage = try HTTPStage()
    #expect(try stage.get("/rooms/" + String(repeating: "a", count: 257)).status == 400)
    #expect(try stage.get("/rooms/" + String(repeating: "a", count: 10_000)).status == 400)
    #expect(try stage.get("/rooms?prefix=" + String(repeating: "a", count: 257)).status == 400)
    for endless in [
      "GET /" + String(repeating: "a", count: 100_000),
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "a", count: 100_000),
      "GET / HTTP/1.1\r\nHost: localhost\r\n" + String(repeating: "X: y\r\n", count: 20_000),
    ] {
      let wire = try stage.wire()
      wire.send(endless)
      try wire.receive { _ in false }
      #expect(wire.isClosed)
    }
    #expect(try stage.get("/health/live").status == 200)
  }

  @Test("a request that trickles in is cut off, and others are served meanwhile")
  func slowRequests() throws {
    let stage = try HTTPStage()
    let began = MonotonicClock.nowMs
    let slow = try (0..<50).map { _ in try stage.wire() }
    for wire in slow { wire.send("GET / HTTP/1.1\r\nHost: localhost\r\n") }
    try wait(for: "the end of all") {
      #expect(try stage.get("/health/live").status == 200)
      var open = 0
      for wire in slow where !wire.isClosed {
        wire.send("X")
        var ready = pollfd(fd: wire.descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&ready, 1, 0) > 0 { try wire.receive { _ in false } }
        if !wire.isClosed { open += 1 }
      }
      MonotonicClock.sleep(ms: 100)
      return open == 0
    }
    #expect(MonotonicClock.nowMs - began >= HTTPServer.Limits.requestMs)
    #expect(try MetricsText.samples(stage.get("/metrics").text)["combo_http_slow_requests_total"] == 50)
  }

  @Test("keeps no connection open for later while many are in use")
  func crowded() throws {
    let stage = try HTTPStage(keptOpen: 2)
    var streams = try (0..<2).map { _ in try stage.stream("r") }
    for wire in streams {
      _ = try wire.head()
      _ = try wire.nextEvent()
    }
    for target in ["/health/live", "/metrics", "/nothing"] {
      let wire = try stage.wire()
      wire.send(HTTPStage.request(target))
      #expect(try wire.response().header("Connection")?.lowercased() == "close")
      try wire.receive { _ in false }
      #expect(wire.isClosed)
    }
    stage.emit("r", 1..<2)
    for wire in streams { #expect(try wire.nextEvent()?.id == "1-1", "streams go on") }
    streams.removeLast().close()
    try wait(for: "a connection that is kept") {
      let wire = try stage.wire()
      for _ in 0..<3 {
        wire.send(HTTPStage.request("/health/live"))
        let response = try wire.response()
        #expect(response.status == 200)
        if response.header("Connection")?.lowercased() == "close" { return false }
      }
      return true
    }
  }

  @Test("requires the token for all but health, as a bearer or as a browser's password")
  func token() throws {
    let stage = try HTTPStage(token: try HTTPToken("0123456789abcdef\n"))
    #expect(try stage.get("/health/ready").status == 200)
    let refused = try stage.get("/metrics")
    #expect(refused.status == 401)
    #expect(refused.headers.filter { $0.name == "WWW-Authenticate" }.count == 2)
    for wrong in [
      "Bearer 0123456789abcdee", "Bearer", "Bearer ", "Basic 0123456789abcdef", "Bearer 0123456789abcdef0", "0123456789abcdef",
    ] {
      #expect(try stage.get("/metrics", headers: ["Authorization: \(wrong)"]).status == 401, "\(wrong)")
    }
    #expect(try stage.get("/metrics", headers: ["Authorization: Bearer 0123456789abcdef"]).status == 200)
    let basic = Data("me:0123456789abcdef".utf8).base64EncodedString()
    #expect(try stage.get("/", headers: ["Authorization: Basic \(basic)"]).status == 200)
    let fault = #expect(throws: HTTPFault.self) {
      _ = try HTTPServer(
        HTTPAddress("*:0")!, token: nil, observatory: stage.observatory, identity: ServiceIdentity(), log: ServiceLog(.error))
    }
    #expect(fault?.description.contains("--http-token-file") == true)
  }

  @Test("a port that is in use is reported with the remedy, or another one is used if that was requested")
  func takenPort() throws {
    let stage = try HTTPStage()
    let address = stage.server.address
    let fault = #expect(throws: HTTPFault.self) {
      _ = try HTTPServer(
        address, token: nil, observatory: stage.observatory, identity: ServiceIdentity(), log: ServiceLog(.error))
    }
    #expect(fault?.isPortTaken == true)
    #expect(fault?.description.contains("--http none") == true)
    #expect(fault?.description.hasPrefix("cannot listen on \(address.text): another program") == true, "\(fault as Any)")
    let other = try HTTPServer(
      address, token: nil, observatory: Observatory(stop: StopFlag()), identity: ServiceIdentity(), isFlexible: true,
      log: ServiceLog(.error))
    #expect(other.address.port != address.port)
    other.stop()
  }
}
