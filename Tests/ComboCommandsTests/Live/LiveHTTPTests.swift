import ComboEdge
import ComboHTTP
import ComboIntake
import ComboLog
import ComboRooms
import ComboService
import ComboSystem
import Foundation
import Glibc
import Testing

@testable import ComboCommands

/// `live` by HTTP: events in, the instructions of all rooms out.
@Suite("Events by HTTP")
struct LiveHTTPTests {
  /// A service with a server, on a log in memory.
  private final class Live {
    let scene: LogScene
    let intake: Intake
    let server: HTTPServer
    let running: LogScene.Running

    init(_ arguments: [String] = [], limits: LogFile.Limits = .init(), queueMax: Int = 16 << 20) throws {
      scene = try LogScene(limits: limits)
      guard case .live(let options) = Invocation.parse(["live"] + arguments) else {
        throw LogScene.Failure(description: "\(arguments)")
      }
      intake = Intake(scene.stage.file, stream: scene.stage.stream(.input), queueMax: queueMax)
      let observatory = Observatory(stop: StopFlag())
      server = try HTTPServer(
        HTTPAddress("127.0.0.1:0")!, token: nil, observatory: observatory,
        identity: ServiceIdentity(group: "live", instance: "t"),
        gate: LiveGate(intake, options, scene.stage, RefusalLog(ServiceLog(.error)) { observatory.hindrance = $0 }).gate,
        log: ServiceLog(.error))
      var configuration = LogScene.configuration()
      configuration.map = options.map
      running = scene.start(configuration, observatory: observatory)
    }

    deinit {
      running.stop.set()
      _ = try? running.end()
      server.stop()
      intake.appender.stop()
    }

    /// Sends a request over its own connection, and returns the whole answer.
    func ask(_ head: String, _ body: [UInt8] = [], until end: String? = nil) throws -> String {
      let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(connection) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(server.address.port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let isThere = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isThere else { throw LogScene.Failure(description: "cannot connect") }
      var wait = timeval(tv_sec: 20, tv_usec: 0)
      setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
      let request = Array(head.utf8) + body
      var sent = 0
      while sent < request.count {
        let count = request.withUnsafeBytes {
          send(connection, $0.baseAddress! + sent, request.count - sent, Int32(MSG_NOSIGNAL))
        }
        // A request that is refused early finds the connection closed.
        if count <= 0 { break }
        sent += count
      }
      var answer: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(connection, &piece, piece.count, 0)
        if count <= 0 { break }
        answer += piece[..<count]
        if let end, String(decoding: answer, as: UTF8.self).contains(end) { break }
      }
      return String(decoding: answer, as: UTF8.self)
    }

    func post(_ body: String, _ target: String = "/events", headers: String = "") throws -> String {
      try ask(
        "POST \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n",
        Array(body.utf8))
    }
  }

  @Test("an object, an array and lines are taken, and answered once they are in the log")
  func takes() throws {
    let live = try Live()
    let gift = LogScene.gift("r", 1)
    #expect(try live.post(gift).hasSuffix("{\"taken\":1}\n"))
    #expect(live.scene.stage.file.bounds(live.scene.stage.stream(.input)).next == 1)
    #expect(try live.post("[\(gift),\n\(gift)]").contains("\"taken\":2"))
    #expect(try live.post("\(gift)\n\(gift)\n\(gift)").contains("\"taken\":3"))
    #expect(try live.scene.records(.input) == Array(repeating: gift, count: 6))
  }

  @Test("a body that is no event is refused with a sentence, and nothing of it is accepted")
  func refuses() throws {
    let live = try Live()
    for (body, target, headers, status) in [
      ("hello", "/events", "", 400), ("", "/events", "", 400), ("[{}", "/events", "", 400), ("{}", "/events?map=tiktok", "", 400),
      ("{}", "/events?room=r", "", 400), ("{}", "/events", "Origin: http://evil.example\r\n", 403), ("{}", "/rooms", "", 405),
      (String(repeating: " ", count: (1 << 20) + 1), "/events", "", 413),
    ] {
      let answer = try live.post(body, target, headers: headers)
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(target) \(headers) \(answer)")
      #expect(answer.contains("{\"error\":\""))
    }
    // The length of this body is not announced.
    let chunk = "100000\r\n" + String(repeating: " ", count: 1 << 20) + "\r\n"
    let answer = try live.ask(
      "POST /events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
      Array("\(chunk)\(chunk)0\r\n\r\n".utf8))
    #expect(answer.hasPrefix("HTTP/1.1 413 "))
    #expect(live.scene.stage.file.bounds(live.scene.stage.stream(.input)).next == 0)
    #expect(try live.ask("GET /events HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n").hasPrefix("HTTP/1.1 421 "))
  }

  @Test("the response counts the bad and dropped records, and all of them are stored; bad ones are dead letters")
  func countsBad() throws {
    let live = try Live()
    let broken = #"{"type":"gift","room":"r","sender":{"id":"u"},"gift":{"id":"g\#u{1}"}}"#
    let answer = try live.post("\(LogScene.gift("r", 1))\n{\"type\":\"gift\"}\n\(broken)")
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    #expect(answer.contains(#"{"taken":3,"bad":2,"first_bad":{"record":2,"code":"missing_field","reason":""#), "\(answer)")
    try live.scene.settle()
    #expect(try live.scene.records(.deadLetter).count == 2)
    let bytes = Array(#"{"type":"gift","room":"r","sender":{"id":"u"},"gift":{"id":""#.utf8) + [0xff] + Array(#""}}"#.utf8)
    let invalid = try live.ask(
      "POST /events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: \(bytes.count)\r\n\r\n", bytes)
    #expect(invalid.contains(#"{"taken":1,"bad":1,"first_bad":{"record":1,"code":"not_json""#), "\(invalid)")
    let mapped = try Live(["--from", "post,map=tiktok"])
    #expect(try mapped.post(#"{"event":"chat","data":{"comment":"hi"}}"#).contains(#"{"taken":1,"dropped":1}"#))
  }

  @Test("the response to other methods on /events lists the allowed ones")
  func methods() throws {
    let live = try Live()
    for method in ["PUT", "DELETE", "PATCH"] {
      let answer = try live.ask("\(method) /events HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 405 ") && answer.contains("Allow: GET, HEAD, POST"), "\(answer)")
    }
    #expect(try live.ask("PUT /rooms HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").contains("Allow: GET, HEAD\r\n"))
  }

  @Test("the answer to an unknown path lists /events, which only this server has")
  func paths() throws {
    let answer = try Live().ask("GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 404 ") && answer.contains(", /rooms, /events, /service/data, "), "\(answer)")
  }

  @Test("a log that is full responds with 507 and the reason")
  func full() throws {
    var limits = LogFile.Limits()
    limits.sizeMax = 1 << 18
    let live = try Live(limits: limits)
    let gift = LogScene.gift("r", 1)
    let many = "[" + Array(repeating: gift, count: 500).joined(separator: ",") + "]"
    var answers: [String] = []
    for _ in 0..<20 { answers.append(String(try live.post(many).prefix(12))) }
    #expect(answers.first == "HTTP/1.1 200")
    #expect(answers.last == "HTTP/1.1 507")
    #expect(try live.post(many).contains("--data-max-mib"))
    let ready = try live.ask("GET /health/ready HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    #expect(ready.hasPrefix("HTTP/1.1 503") && ready.contains("records are refused until there is room: "), "\(ready)")
  }

  @Test("records that no file of this size could take together are refused for good")
  func tooLarge() throws {
    var limits = LogFile.Limits()
    limits.sizeMax = 1 << 18
    let live = try Live(limits: limits)
    let large = #"{"room":"\#(String(repeating: "r", count: 1 << 17))"}"#
    let answer = try live.post(large)
    #expect(answer.hasPrefix("HTTP/1.1 413") && answer.contains("--data-max-mib"), "\(answer)")
    #expect(try live.post(LogScene.gift("r", 1)).hasPrefix("HTTP/1.1 200"))
    // The bytes that are stored beside each small record count too.
    let small = String(repeating: "{}\n", count: 1100)
    #expect(try live.post(small).hasPrefix("HTTP/1.1 413"))
  }

  @Test("the instructions of all rooms are streamed, and a client that returns gets those that it missed")
  func streams() throws {
    let live = try Live()
    #expect(try live.post(LogScene.gift("one", 1)).contains("taken"))
    try live.scene.settle()
    #expect(try live.post(LogScene.gift("two", 1)).contains("taken"))
    let get = "GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    // The stream resumes after the first instruction, which has the number 0.
    let missed = try live.ask(get + "Last-Event-ID: 0\r\n\r\n", until: #""room":"two""#)
    #expect(missed.contains("Content-Type: text/event-stream"))
    #expect(missed.contains("event: instruction\nid: 1\ndata: {"))
    #expect(!missed.contains("id: 0\n"))
  }

  @Test("a map and a room are chosen by the address, if they are among those of the run")
  func maps() throws {
    let live = try Live(["--from", "post,map=tiktok", "--map", "wire"])
    let rose =
      #"{"event":"gift","data":{"giftId":5655,"repeatCount":3,"giftType":1,"groupId":"1","diamondCount":1,"giftName":"Rose","userId":"123","msgId":"77"}}"#
    #expect(try live.post(rose, "/events?room=anna").contains("taken"))
    #expect(try live.post(LogScene.gift("bob", 1), "/events?map=wire").contains("taken"))
    try live.scene.settle()
    let emitted = try live.scene.records(.output).joined()
    #expect(emitted.contains(#""room":"anna""#) && emitted.contains(#""room":"bob""#))
    #expect(try live.scene.records(.deadLetter).isEmpty)
    #expect(try live.post("{}", "/events?map=bilibili").hasPrefix("HTTP/1.1 400 "))
    let shared = try Live(["--from", "post,map=tiktok,room=carl"])
    #expect(try shared.post(rose).contains("taken") && shared.post(rose, "/events?room=dora").contains("taken"))
    try shared.scene.settle()
    let both = try shared.scene.records(.output).joined()
    #expect(both.contains(#""room":"carl""#) && both.contains(#""room":"dora""#))
  }
}
