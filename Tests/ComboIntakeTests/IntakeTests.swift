import ComboLog
import ComboSystem
import Foundation
import Synchronization
import Testing

@testable import ComboIntake

@Suite("A source")
struct IntakeSourceTests {
  @Test("is a place with a map, a room and a hello, in any order")
  func reads() throws {
    let plain = try IntakeSource("ws://127.0.0.1:21213")
    #expect(plain.place == .webSocket(try #require(WebSocketURL("ws://127.0.0.1:21213/"))))
    #expect(plain.map == nil && plain.room == nil && plain.hello == nil)
    let full = try IntakeSource("wss://example.org/live?a=1,2,room=anna, b,map=douyu:hits=gifts,x=y,hello=/tmp/h")
    guard case .webSocket(let url) = full.place else { throw Unexpected() }
    #expect(url.isTLS && url.host == "example.org" && url.port == 443 && url.path == "/live?a=1,2")
    #expect(full.room == "anna, b" && full.map == "douyu:hits=gifts,x=y" && full.hello == "/tmp/h")
    #expect(try IntakeSource("-,map=tiktok").place == .standardInput)
    #expect(try IntakeSource("post,room=r").place == .post)
    #expect(WebSocketURL("ws://[::1]:8080")?.host == "::1")
  }

  @Test(
    "that is none is refused with a sentence",
    arguments: ["", "http://x", "ws://", "ws://a:0", "ws://a b", "ws://u@h", "-,map=", "post,hello=f", "-,hello=f", "ws://[::1"])
  func refuses(text: String) {
    #expect(throws: IntakeSource.Fault.self) { try IntakeSource(text) }
  }

  struct Unexpected: Error {}
}

@Suite("Records that no longer fit")
struct FullNoteTests {
  @Test("are noted once when they begin to be refused, and once when all have fitted for a while")
  func notes() {
    let lines = Mutex<[String]>([])
    let note = RefusalLog(ServiceLog(.info, countsRepeats: false) { line in lines.withLock { $0.append(line) } })
    func isNew(_ words: String) -> Bool {
      lines.withLock { lines in
        defer { lines = [] }
        return lines.count == 1 && lines[0].contains(words)
      }
    }
    note.add(1, nil, at: 0)
    note.add(1, LogFault(.failed, "the disk"), at: 0)
    #expect(lines.withLock { $0.isEmpty })
    note.add(3, LogFault(.full, "no room"), at: 1_000)
    #expect(isNew("records are refused until there is room, and their senders get 507: no room"))
    note.add(1, nil, at: 2_000)
    note.add(4, LogFault(.full, "no room"), at: 5_000)
    note.add(1, nil, at: 5_000 + RefusalLog.calmMs - 1)
    #expect(lines.withLock { $0.isEmpty })
    note.add(1, nil, at: 5_000 + RefusalLog.calmMs)
    #expect(isNew("records are accepted again: 7 were refused within 4 s"))
    note.add(1, LogFault(.full, "no room"), at: 50_000)
    #expect(isNew("records are refused"))
    // Nobody sends any more.
    note.check(at: 50_000 + RefusalLog.calmMs - 1) { nil }
    note.check(at: 50_000 + RefusalLog.calmMs) { LogFault(.full, "no room") }
    #expect(lines.withLock { $0.isEmpty })
    note.check(at: 50_000 + RefusalLog.calmMs) { nil }
    #expect(isNew("records are accepted again: 1 were refused within 0 s"))
  }
}

@Suite("A body of JSON")
struct RecordSplitterTests {
  private func split(_ text: String) throws -> [String] {
    var records: [String] = []
    try RecordSplitter.split(Array(text.utf8)) { records.append(String(decoding: $0, as: UTF8.self)) }
    return records
  }

  @Test("is one object, an array of them, or one after the other, with any space between")
  func splits() throws {
    let object = #"{"a":"}\"]","b":[{"c":1}]}"#
    for text in [object, " \n\(object)\r\n", "[\(object)]", "[ \(object) ]\n", "\u{feff}\(object)"] {
      #expect(try split(text) == [object])
    }
    #expect(try split("\(object)\n\n{}\n") == [object, "{}"])
    #expect(try split("\(object){}") == [object, "{}"])
    #expect(try split("[{} ,\n \(object)]") == ["{}", object])
    #expect(try split("{\n  \"a\": 1\n}") == ["{\n  \"a\": 1\n}"])
    for text in ["", " \n", "[]", "[ ]"] { #expect(try split(text) == []) }
  }

  @Test(
    "that holds anything else gives no record at all, and a sentence",
    arguments: [
      "hello", "5", "{", "{}{", "{} x", "[{}", "[{}{}]", "[{},]", "[{}] {}", "[5]", "{\"a\":\"}", "[,{}]", "{\"a\":\"\\", "[",
      "]",
    ])
  func refuses(text: String) {
    var count = 0
    #expect(throws: RecordSplitter.Fault.self) { try RecordSplitter.split(Array(text.utf8)) { _ in count += 1 } }
    #expect(count == 0)
  }

  @Test("is read no further than its end, whatever it contains", arguments: 0..<200)
  func garbage(seed: UInt64) {
    var state = seed
    let letters = Array("{}[]\",\\ a\n".utf8)
    let bytes = (0..<40).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return letters[Int(state >> 33) % letters.count]
    }
    // The bytes have their own memory, so that a read beyond them would be detected.
    var total = 0
    _ = try? RecordSplitter.split(bytes) { total += $0.count }
    #expect(total <= bytes.count)
  }
}

@Suite("The texts of servers")
struct WebSocketTalkTests {
  private func kind(_ text: String) -> WebSocketTalk.Kind { Array(text.utf8).withUnsafeBytes { WebSocketTalk.kind(of: $0) } }

  @Test("are distinguished from records")
  func tells() {
    #expect(kind(#"{"event":"gift","data":{}}"#) == .record)
    #expect(kind("") == .nothing)
    #expect(
      kind(#"{"timestamp":"x","request":"Hello","info":{"name":"Streamer.bot"}}"#) == .streamerBotHello(nil))
    #expect(
      kind(#"{"request":"Hello","info":{},"authentication":{"challenge":"b\u002B\/c=","salt" : "a"}}"#)
        == .streamerBotHello(.init(salt: "a", challenge: "b+/c=")))
    #expect(kind(#"{"status":"ok","id":"combo-consumer-login"}"#) == .streamerBotLogin(isDone: true))
    #expect(kind(#"{"id":"combo-consumer-login","status":"error","error":"x"}"#) == .streamerBotLogin(isDone: false))
    #expect(kind(#"{"id":"combo-consumer","status":"ok"}"#) == .nothing)
    #expect(kind(#"0{"sid":"abc","upgrades":[]}"#) == .socketIO)
    #expect(kind("pong") == .record)
  }
}

@Suite("A WebSocket server's connection")
struct WebSocketLogTests {
  @Test("that is lost is logged as lost, and one that could not be made as that")
  func lost() throws {
    let lines = Mutex<[String]>([])
    let log = ServiceLog(.info, countsRepeats: false) { line in lines.withLock { $0.append(line) } }
    let url = try #require(WebSocketURL("ws://127.0.0.1:1"))
    let server = WebSocketIntake.Server(url, name: "tool", origin: Intake.Origin(map: nil, room: nil, isWrapped: false))
    let intake = WebSocketIntake([server], Intake(try LogFile(.memory), stream: 0), log: log)
    intake.lost(0, "refused")
    intake.opened(0)
    intake.lost(0, "closed")
    let found = lines.withLock { $0 }
    for (line, words) in zip(
      found,
      [
        "cannot connect to tool, trying again: refused", "connected to tool",
        "the connection to tool was lost, reconnecting: closed",
      ])
    {
      #expect(line.hasSuffix(words))
    }
    #expect(found.count == 3)
  }
}

@Suite("A password")
struct WebSocketPasswordTests {
  /// The example of the protocol's description, computed with Python's hashlib.
  @Test("is not sent, but its hash with the server's challenge")
  func answers() {
    let challenge = WebSocketTalk.Challenge(salt: "PZVbYpvAnZut2SS6JNJytDm9", challenge: "ztTBnnuqrqaKDzRM3xcVdbYm")
    #expect(challenge.answer("supersecretpassword") == "zZgWipvwSGrw748kHN4gNpBC1IaeiiWX3Hjkrm849Sc=")
    #expect(WebSocketTalk.login("x").contains(#""request":"Authenticate""#))
  }

  @Test("is for WebSocket servers only, and a server on this machine is tried more often")
  func reads() throws {
    #expect(try IntakeSource("ws://localhost:8080,password=/tmp/p").password == "/tmp/p")
    let fault = #expect(throws: IntakeSource.Fault.self) { try IntakeSource("-,password=hunter22") }
    #expect(fault?.description.contains("hunter22") == false)
    let long = String(repeating: "r", count: 257)
    for rest in ["", ",room=", ",room=\(long)"] {
      let login = #expect(throws: IntakeSource.Fault.self) { try IntakeSource("ws://u:hunter22@localhost:8080\(rest)") }
      #expect(login?.description.contains("hunter22") == false && login?.description.contains("login") == true)
    }
    for (url, isLoopback) in [("ws://127.0.0.1:1", true), ("ws://[::1]:1", true), ("ws://localhost", true), ("ws://a.b", false)] {
      #expect(WebSocketURL(url)?.isLoopback == isLoopback)
    }
  }
}

@Suite("Standard input")
struct StandardInputTests {
  @Test("is read line by line: arrays are taken apart, blank lines skipped, too long ones left out, the last one needs no end")
  func reads() throws {
    let log = try LogFile(.memory)
    try log.makeTopic("gifts", partitions: 1)
    let intake = Intake(log, stream: 0)
    let pipe = Pipe()
    let ended = LogBell()
    let logged = LogBell()
    let lines = ServiceLog(.warning) { _ in logged.ring() }
    _ = StandardInput(
      intake, Intake.Origin(map: nil, room: nil, isWrapped: false), descriptor: pipe.fileHandleForReading.fileDescriptor,
      log: lines
    ) { _ in ended.ring() }
    let long = #"{"a":""# + String(repeating: "x", count: Intake.recordBytesMax) + "\"}\n"
    for piece in ["{\"n\":1}\n\n  \n{\"n\"", ":2}\n[{\"n\":3},{\"n\":4}]\nhello\n", long, "{\"n\":5}"] {
      pipe.fileHandleForWriting.write(Data(piece.utf8))
    }
    try pipe.fileHandleForWriting.close()
    ended.wait(after: 0, maxMs: 20_000)
    #expect(ended.rings == 1)
    intake.appender.stop()
    let page = LogPage()
    _ = try log.read(0, from: 0, into: page)
    let records = page.records.map { String(decoding: page.value($0)!, as: UTF8.self) }
    #expect(records == [#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#, #"{"n":4}"#, "hello", #"{"n":5}"#])
    #expect(logged.rings >= 1)
  }

  @Test("in an envelope a record names its map and its room")
  func envelope() throws {
    let log = try LogFile(.memory)
    try log.makeTopic("gifts", partitions: 1)
    let intake = Intake(log, stream: 0)
    var batch = LogBatch()
    Array("{}".utf8).withUnsafeBytes { record in
      for (map, room) in [("tiktok", "a\"b\n"), (nil, nil), ("x", nil)] as [(String?, String?)] {
        intake.add(record, of: Intake.Origin(map: map, room: room, isWrapped: true), to: &batch, at: 1)
      }
    }
    try log.append(batch)
    let page = LogPage()
    _ = try log.read(0, from: 0, into: page)
    #expect(
      page.records.map { String(decoding: page.value($0)!, as: UTF8.self) } == [
        #"{"map":"tiktok","room":"a\"b\u000a","record":{}}"#, #"{"map":"wire","record":{}}"#, #"{"map":"x","record":{}}"#,
      ])
    #expect(page.key(page.records[0]).map { String(decoding: $0, as: UTF8.self) } == "a\"b\n")
    #expect(page.key(page.records[1]) == nil)
  }
}
