import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboHTTP
@testable import ComboService
@testable import ComboTestSupport

extension HTTPServerTests {
  // MARK: - Rooms

  @Test("hands a room's name to the loop as it is, and its screen back as it is")
  func screens() throws {
    let stage = try HTTPStage()
    for (target, name) in [
      ("r1", "r1"), ("%E6%88%BF%2F..%3F", "房/..?"), ("a+b", "a+b"), ("%00", "\u{0}"), ("<script>", "<script>"),
    ] {
      let wire = try stage.wire()
      wire.send(HTTPStage.request("/rooms/\(target)"))
      guard case .screen(let room, let id, false, _) = try stage.query() else { throw TestKafka.Failure("another query") }
      #expect(room == Array(name.utf8))
      stage.observatory.tell([.screen(id: id, room: room, record: Array("{\"it\":1}".utf8))])
      let response = try wire.response()
      #expect(response.status == 200)
      #expect(response.text == "{\"it\":1}")
    }
    for news in [0, 1, 2, 3] {
      let wire = try stage.wire()
      wire.send(HTTPStage.request("/rooms/r"))
      guard case .screen(let room, let id, _, _) = try stage.query() else { throw TestKafka.Failure("another query") }
      stage.observatory.tell([
        [
          .asleep(id: id, room: room), .elsewhere(id: id, room: room), .notYet(id: id, room: room), .unknown(id: id, room: room),
        ][news]
      ])
      let response = try wire.response()
      #expect(response.status == [404, 404, 503, 503][news])
      #expect(response.text.contains(["not awake", "another instance", "joined", "before its next `screen`"][news]))
    }
  }

  @Test("queries the loop once for all requests of the same list, and names are written as JSON")
  func rooms() throws {
    let stage = try HTTPStage()
    let wires = try (0..<5).map { _ in try stage.wire() }
    let began = MonotonicClock.nowMs
    for wire in wires { wire.send(HTTPStage.request("/rooms?limit=7&prefix=%22a")) }
    guard case .survey(let prefix, 7, _, let id, let until) = try stage.query() else {
      throw TestKafka.Failure("another query")
    }
    #expect((began...MonotonicClock.nowMs).contains(until - stage.server.responseMs))
    #expect(prefix == Array("\"a".utf8))
    // Later requests are answered later, so that the server has read all earlier ones.
    for _ in 0..<2 { #expect(try stage.get("/health/live").status == 200) }
    stage.observatory.tell([
      .survey(
        id: id,
        [RoomLine(room: Array("\"a\n<b>".utf8), epoch: 5, seq: 6, banners: 2, queued: 3, gifts: 9, rate: 1.256)])
    ])
    for wire in wires {
      let text = try wire.response().text
      #expect(
        text.contains(
          #""rooms":[{"room":"\"a\n<b>","epoch":5,"seq":6,"banners":2,"queued":3,"gifts":9,"rate":1.26}]}"#), "\(text)")
    }
    #expect(stage.observatory.takeQueries().isEmpty)
  }

  @Test("sorts the list by wait or by skips, and shows the waiting and the skipped gifts")
  func sortedRooms() throws {
    let stage = try HTTPStage()
    #expect(try stage.get("/rooms?sort=size").status == 400)
    for (word, order) in [("wait", RoomOrder.wait), ("skipped", .skipped), ("rate", .rate)] {
      let wire = try stage.wire()
      wire.send(HTTPStage.request("/rooms?sort=\(word)"))
      guard case .survey(_, 50, order, let id, _) = try stage.query() else { throw TestKafka.Failure("another query") }
      let line = RoomLine(
        room: Array("r".utf8), epoch: 5, seq: 6, banners: 2, queued: 3, gifts: 9, rate: 1, waitMs: 4750, skipped: 12)
      stage.observatory.tell([.survey(id: id, [line])])
      #expect(try wire.response().text.contains(#","waiting_ms":4750,"skipped":12}"#))
    }
    var report = try #require(stage.observatory.report)
    report.knowsWaits = false
    stage.observatory.publish(report)
    #expect(try stage.get("/rooms?sort=wait").status == 400)
  }

  @Test("a list of rooms that are known by their instructions alone has no waiting gifts, and calls the gifts shown")
  func shownRooms() throws {
    var line = RoomLine(room: Array("r".utf8), epoch: 5, seq: 6, banners: 2, queued: nil, gifts: 9, rate: 1)
    let text = String(decoding: ServiceData.rooms([line], wall: 0).array, as: UTF8.self)
    #expect(text.contains(#"{"room":"r","epoch":5,"seq":6,"banners":2,"shown":9,"rate":1}"#), "\(text)")
    line.banners = nil
    let unknown = String(decoding: ServiceData.rooms([line], wall: 0).array, as: UTF8.self)
    #expect(unknown.contains(#"{"room":"r","epoch":5,"seq":6,"shown":9,"rate":1}"#), "\(unknown)")
  }

  @Test("a list that did not arrive in time is requested again, while somebody still waits for the first")
  func lateRooms() throws {
    try HTTPStage.withTimeEnough { stage, responseMs in
      let (first, second) = (try stage.wire(), try stage.wire())
      first.send(HTTPStage.request("/rooms"))
      guard case .survey(_, _, _, let asked, let until) = try stage.query() else { throw TestKafka.Failure("another query") }
      // The second request comes so late that it still waits when the first has timed out.
      MonotonicClock.sleep(ms: responseMs / 2)
      second.send(HTTPStage.request("/rooms"))
      #expect(try first.response().status == 503)
      #expect(MonotonicClock.nowMs >= until)
      first.send(HTTPStage.request("/rooms"))
      guard case .survey(_, _, _, let again, _) = try stage.query() else { throw TestKafka.Failure("another query") }
      #expect(again != asked)
      stage.observatory.tell([
        .survey(id: again, [RoomLine(room: Array("r".utf8), epoch: 5, seq: 6, banners: 2, queued: 3, gifts: 9, rate: 1)])
      ])
      let statuses = try [first, second].map { try $0.response().status }
      if statuses.contains(503) { return false }
      #expect(statuses == [200, 200])
      return true
    }
  }

  @Test("a loop that does not answer in time is reported")
  func silentLoop() throws {
    let stage = try HTTPStage(responseMs: HTTPServer.Limits.responseMs)
    for target in ["/rooms/r", "/rooms"] {
      let began = MonotonicClock.nowMs
      #expect(try stage.get(target).status == 503)
      #expect(MonotonicClock.nowMs - began >= HTTPServer.Limits.responseMs)
    }
  }
}
