import Testing

@testable import ComboClient

@Suite("Server-sent events")
struct EventParserTests {
  private let text = ": alive\n\nevent: screen\r\nid: 1-2\r\ndata: {\"a\":\ndata:1}\r\n\r\nevent: x\rdata: ü\r\rid: 5\n\ndata\n\n"
  private let events = [
    ServerSentEvent(type: "screen", data: "{\"a\":\n1}", id: "1-2"), ServerSentEvent(type: "x", data: "ü", id: "1-2"),
    ServerSentEvent(type: "message", data: "", id: "5"),
  ]

  private func pieces(of size: Int) -> [[UInt8]] {
    let bytes = Array(text.utf8)
    return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
  }

  @Test("events are read however they are cut")
  func cut() {
    for size in 1...text.utf8.count {
      var parser = EventParser()
      #expect(pieces(of: size).flatMap { parser.push($0) } == events, "pieces of \(size) bytes")
    }
  }

  @Test("an event longer than the limit is reported, and uses no memory")
  func long() {
    var parser = EventParser()
    let piece = [UInt8](repeating: 0x61, count: 1 << 16)
    for _ in 0..<100 where !parser.isTooLong { #expect(parser.push(piece).isEmpty) }
    #expect(parser.isTooLong)
  }

  @Test("a room's events are read from its stream, whatever else is in it")
  func room() async throws {
    let screen = #"{"room":"r","epoch":1,"seq":4,"op":"screen","banners":[]}"#
    let show = #"{"room":"r","epoch":1,"seq":5,"op":"show","banner":1,"slot":0,"count":2}"#
    let body = """
      : hello

      event: screen
      data: \(screen)

      event: instruction
      data: \(show)

      event: weather
      data: {}

      event: instruction
      data: nonsense

      event: closing
      data: {"reason":"moved","sentence":"elsewhere"}


      """
    let chunks = AsyncStream<[UInt8]> { continuation in
      for byte in body.utf8 { continuation.yield([byte]) }
      continuation.finish()
    }
    var events: [RoomEvent] = []
    for try await event in RoomEvents(chunks) { events.append(event) }
    #expect(
      events == [
        .screen(try #require(DisplayInstruction(screen))), .instruction(try #require(DisplayInstruction(show))),
        .ending(reason: "moved", sentence: "elsewhere"),
      ])
  }
}
