import ComboService
import ComboSystem
import Foundation
import Testing

@testable import ComboHTTP
@testable import ComboTestSupport

@Suite("Streams of events")
struct EventStreamTests {
  @Test("begin with the screen, then have each instruction in order, byte for byte")
  func order() throws {
    let stage = try HTTPStage()
    let wires = try (0..<3).map { _ in try stage.stream("r") }
    for wire in wires {
      let head = try wire.head()
      #expect(head.status == 200)
      #expect(head.header("Content-Type") == "text/event-stream; charset=utf-8")
      let first = try #require(try wire.nextEvent())
      #expect(
        first == HTTPWire.Event(name: "screen", id: "1-0", data: String(decoding: HTTPStage.record("r", 1, 0), as: UTF8.self)))
    }
    stage.emit("other", 1..<4)
    for seq in stride(from: 1, to: 200, by: 7) { stage.emit("r", seq..<(seq + 7)) }
    for wire in wires {
      for seq in 1..<200 {
        let event = try #require(try wire.nextEvent())
        #expect(event.name == "instruction")
        #expect(event.id == "1-\(seq)")
        #expect(event.data == String(decoding: HTTPStage.record("r", 1, seq), as: UTF8.self))
      }
    }
    // A second reader of a watched room begins with its own screen, and receives what follows it.
    let late = try stage.stream("r", screen: "late")
    _ = try late.head()
    #expect(try late.nextEvent()?.data.contains("late") == true)
    stage.emit("r", 203..<204)
    #expect(try late.nextEvent()?.id == "1-203")
  }

  @Test("continue after the last event that a reader had, if that was recent, without a query to the loop")
  func resumes() throws {
    let stage = try HTTPStage(resumeMs: 3_600_000)
    let wire = try stage.stream("r")
    _ = try wire.head()
    _ = try wire.nextEvent()
    stage.emit("r", 1..<6)
    for seq in 1..<6 { #expect(try wire.nextEvent()?.id == "1-\(seq)") }
    wire.close()
    // The room continues while nobody reads it.
    stage.emit("r", 6..<9)
    for (target, headers) in [
      ("/rooms/r/events", ["Last-Event-ID: 1-4"]), ("/rooms/r/events?last_event_id=1-4", []),
    ] {
      let again = try stage.wire()
      again.send(HTTPStage.request(target, headers: headers))
      #expect(try again.head().status == 200)
      for seq in 5..<9 { #expect(try again.nextEvent()?.id == "1-\(seq)") }
      #expect(!stage.hasQuery)
      again.close()
    }
    // A stream after an event that is no longer known, or never was, begins with a screen.
    for last in ["1-99", "2-4", "0-0", "x", "1-4-5", "9223372036854775808-1"] {
      let other = try stage.wire()
      other.send(HTTPStage.request("/rooms/r/events", headers: ["Last-Event-ID: \(last)"]))
      guard case .screen(let name, let id, true, _) = try stage.query() else {
        throw TestKafka.Failure("no query for a screen")
      }
      stage.observatory.tell([.screen(id: id, room: name, record: HTTPStage.record("r", 1, 8, "anew"))])
      _ = try other.head()
      #expect(try other.nextEvent()?.data.contains("anew") == true)
      other.close()
    }
    // After a takeover, a reader cannot continue from the earlier events.
    stage.observatory.tell([.screen(id: 0, room: Array("r".utf8), record: HTTPStage.record("r", 2, 1, "new owner"))])
    let late = try stage.wire()
    late.send(HTTPStage.request("/rooms/r/events", headers: ["Last-Event-ID: 1-8"]))
    guard case .screen = try stage.query() else { throw TestKafka.Failure("no query for a screen") }
  }

  @Test("do not continue in a room that has moved elsewhere, or of which something was missed")
  func doesNotResume() throws {
    for news in [News.elsewhere(id: 0, room: Array("r".utf8)), .overrun] {
      let stage = try HTTPStage(resumeMs: 3_600_000)
      let wire = try stage.stream("r")
      _ = try wire.head()
      _ = try wire.nextEvent()
      stage.emit("r", 1..<3)
      for seq in 1..<3 { #expect(try wire.nextEvent()?.id == "1-\(seq)") }
      stage.observatory.tell([news])
      #expect(try wire.nextEvent() != nil)
      let again = try stage.wire()
      again.send(HTTPStage.request("/rooms/r/events", headers: ["Last-Event-ID: 1-2"]))
      guard case .screen = try stage.query() else { throw TestKafka.Failure("no query for a screen") }
    }
  }

  @Test("send a comment while there is no event")
  func alive() throws {
    let stage = try HTTPStage()
    let wire = try stage.stream("r")
    _ = try wire.head()
    _ = try wire.event()
    let began = MonotonicClock.nowMs
    #expect(try wire.event()?.isComment == true)
    #expect(MonotonicClock.nowMs - began <= 60_000)
  }

  @Test("of a room that sleeps begin with an empty screen; elsewhere they do not begin")
  func asleep() throws {
    let stage = try HTTPStage()
    let wire = try stage.wire()
    wire.send(HTTPStage.request("/rooms/r%22/events"))
    guard case .screen(let room, let id, true, _) = try stage.query() else { throw TestKafka.Failure("another query") }
    stage.observatory.tell([.asleep(id: id, room: room)])
    _ = try wire.head()
    let event = try #require(try wire.nextEvent())
    #expect(event.id == "0-0")
    #expect(event.data.hasPrefix(#"{"v":1,"room":"r\"","epoch":0,"seq":0,"at":"#))
    #expect(event.data.hasSuffix(#","op":"screen","banners":[]}"#))
    let other = try stage.wire()
    other.send(HTTPStage.request("/rooms/s/events"))
    guard case .screen(let name, let number, true, _) = try stage.query() else { throw TestKafka.Failure("another query") }
    stage.observatory.tell([.elsewhere(id: number, room: name)])
    let response = try other.response()
    #expect(response.status == 404)
    #expect(response.text.contains("another instance"))
  }

  @Test("of a room whose screen is not known begin with its next instruction")
  func unknown() throws {
    let stage = try HTTPStage()
    let wire = try stage.wire()
    wire.send(HTTPStage.request("/rooms/r/events"))
    guard case .screen(let room, let id, true, _) = try stage.query() else { throw TestKafka.Failure("another query") }
    stage.observatory.tell([.unknown(id: id, room: room)])
    _ = try wire.head()
    #expect(try wire.event()?.isComment == true)
    stage.emit("r", 5..<7)
    for seq in 5..<7 { #expect(try wire.nextEvent()?.id == "1-\(seq)") }
    // The room becomes unknown again: its readers cannot continue from what they have.
    stage.observatory.tell([.unknown(id: 0, room: room)])
    stage.emit("r", 9..<10)
    #expect(try wire.event()?.isComment == true)
    #expect(try wire.nextEvent()?.id == "1-9")
  }

  @Test("a slow reader is notified and dropped; others notice nothing")
  func slow() throws {
    let stage = try HTTPStage()
    let slow = try stage.stream("r", receiveBytes: 4096)
    let fast = try stage.stream("r")
    _ = try fast.head()
    _ = try fast.nextEvent()
    let text = String(repeating: "x", count: 20_000)
    let count = 400
    for first in stride(from: 1, through: count, by: 40) {
      stage.emit("r", first..<(first + 40), text)
      for seq in first..<(first + 40) { #expect(try fast.nextEvent()?.id == "1-\(seq)") }
    }
    _ = try slow.head()
    var last: HTTPWire.Event?
    var expected = 0
    while let event = try slow.nextEvent() {
      last = event
      if event.name == "dropped" { break }
      #expect(event.id == "1-\(expected)", "nothing is left out before the end")
      expected += 1
    }
    #expect(last?.name == "dropped")
    #expect(last?.data.hasPrefix(#"{"reason":"slow","sentence":""#) == true)
    #expect(expected < count)
    #expect(try slow.nextEvent() == nil)
    #expect(try MetricsText.samples(stage.get("/metrics").text)["combo_http_event_readers_dropped_total"] == 1)
    stage.emit("r", (count + 1)..<(count + 2))
    #expect(try fast.nextEvent()?.id == "1-\(count + 1)")
  }

  @Test("a reader that has gone is removed, and with the last one the room")
  func gone() throws {
    let stage = try HTTPStage()
    let wires = try (0..<10).map { _ in try stage.stream("r") }
    for wire in wires {
      _ = try wire.head()
      _ = try wire.nextEvent()
    }
    for wire in wires { wire.close() }
    guard case .unwatch(let room) = try stage.query() else { throw TestKafka.Failure("another query") }
    #expect(room == Array("r".utf8))
    try wait(for: "no reader") { try MetricsText.samples(stage.get("/metrics").text)["combo_http_event_readers"] == 0 }
  }

  @Test("end with a reason when the service stops, or the room moves to another instance")
  func closing() throws {
    let stage = try HTTPStage()
    let moved = try stage.stream("m")
    let staying = try stage.stream("s")
    for wire in [moved, staying] {
      _ = try wire.head()
      _ = try wire.nextEvent()
    }
    stage.observatory.tell([.elsewhere(id: 0, room: Array("m".utf8))])
    #expect(try moved.nextEvent()?.data.hasPrefix(#"{"reason":"moved""#) == true)
    #expect(try moved.nextEvent() == nil)
    stage.stop.set()
    let last = try #require(try staying.nextEvent())
    #expect(last.name == "closing")
    #expect(last.data.hasPrefix(#"{"reason":"stopping""#))
    #expect(try staying.nextEvent() == nil)
  }

  @Test("receive each new screen of the loop, and are watched again after a fresh start within the process")
  func anew() throws {
    let stage = try HTTPStage()
    let wire = try stage.stream("r")
    _ = try wire.head()
    _ = try wire.nextEvent()
    stage.observatory.tell([.screen(id: 0, room: Array("r".utf8), record: HTTPStage.record("r", 1, 9, "anew"))])
    #expect(try wire.nextEvent()?.id == "1-9")
    stage.observatory.startsAfresh(after: ServiceTotals())
    guard case .screen(let room, let id, true, _) = try stage.query() else { throw TestKafka.Failure("another query") }
    stage.observatory.tell([.notYet(id: id, room: room)])
    guard case .screen(_, let again, true, _) = try stage.query() else { throw TestKafka.Failure("another query") }
    stage.observatory.tell([.screen(id: again, room: room, record: HTTPStage.record("r", 1, 12))])
    #expect(try wire.nextEvent()?.id == "1-12")
  }

  @Test("continue when a late response to an earlier request arrives before their own; without them it ends the watch")
  func lateAnswer() throws {
    try HTTPStage.withTimeEnough { stage, responseMs in
      var late: [(wire: HTTPWire, room: [UInt8], id: UInt64)] = []
      for room in ["alone", "r"] {
        let wire = try stage.wire()
        let began = MonotonicClock.nowMs
        wire.send(HTTPStage.request("/rooms/\(room)/events"))
        guard case .screen(let room, let id, true, let until) = try stage.query() else {
          throw TestKafka.Failure("another query")
        }
        #expect((began...MonotonicClock.nowMs).contains(until - responseMs))
        late.append((wire, room, id))
      }
      for (wire, _, _) in late { #expect(try wire.response().status == 503) }
      let wire = try stage.wire()
      wire.send(HTTPStage.request("/rooms/r/events"))
      guard case .screen(let room, let id, true, _) = try stage.query() else { throw TestKafka.Failure("another query") }
      stage.observatory.tell(
        late.map { .screen(id: $0.id, room: $0.room, record: HTTPStage.record("r", 1, 0)) } + [
          .screen(id: id, room: room, record: HTTPStage.record("r", 1, 0))
        ])
      if try wire.head().status == 503 { return false }
      #expect(try wire.nextEvent()?.id == "1-0")
      guard case .unwatch(late[0].room) = try stage.query() else { throw TestKafka.Failure("another query") }
      #expect(!stage.hasQuery, "the room is read")
      wire.close()
      guard case .unwatch(room) = try stage.query() else { throw TestKafka.Failure("another query") }
      return true
    }
  }

  @Test("continue when the last reader before them leaves after the loop has answered them")
  func lastReaderLeaves() throws {
    let stage = try HTTPStage()
    let first = try stage.stream("r")
    _ = try first.head()
    _ = try first.nextEvent()
    let next = try stage.wire()
    next.send(HTTPStage.request("/rooms/r/events"))
    guard case .screen(let room, let id, true, _) = try stage.query() else { throw TestKafka.Failure("another query") }
    first.close()
    try wait(for: "no reader") { try MetricsText.samples(stage.get("/metrics").text)["combo_http_event_readers"] == 0 }
    #expect(!stage.hasQuery, "somebody waits for the room")
    stage.observatory.tell([.screen(id: id, room: room, record: HTTPStage.record("r", 1, 0))])
    _ = try next.head()
    #expect(try next.nextEvent()?.id == "1-0")
    stage.emit("r", 1..<2)
    #expect(try next.nextEvent()?.id == "1-1")
    next.close()
    guard case .unwatch(room) = try stage.query() else { throw TestKafka.Failure("another query") }
  }

  @Test("are bounded in number also while they wait for their screens")
  func boundedWhileWaiting() throws {
    let stage = try HTTPStage()
    let waiting = try stage.requests(HTTPServer.Limits.readers, forEventsOf: "r")
    let response = try stage.get("/rooms/r/events")
    #expect(response.status == 503)
    #expect(response.text.contains("\(HTTPServer.Limits.readers) clients"))
    #expect(try stage.get("/health/live").status == 200)
    withExtendedLifetime(waiting) {}
  }

  @Test("are bounded in number, with room left for others")
  func bounded() throws {
    let stage = try HTTPStage()
    let requests = try stage.requests(HTTPServer.Limits.readers, forEventsOf: "r")
    for (_, id) in requests {
      stage.observatory.tell([.screen(id: id, room: Array("r".utf8), record: HTTPStage.record("r", 1, 0))])
    }
    let wires = requests.map(\.wire)
    for wire in wires {
      #expect(try wire.head().status == 200)
      _ = try wire.nextEvent()
    }
    let response = try stage.get("/rooms/r/events")
    #expect(response.status == 503)
    #expect(response.text.contains("\(HTTPServer.Limits.readers) clients"))
    #expect(try stage.get("/health/live").status == 200)
    stage.emit("r", 1..<3)
    for wire in wires {
      #expect(try wire.nextEvent()?.id == "1-1")
      #expect(try wire.nextEvent()?.id == "1-2")
    }
  }
}
