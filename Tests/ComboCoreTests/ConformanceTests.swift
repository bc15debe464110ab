import Testing

@testable import ComboCore

@Suite("Streams whose outcome two independent implementations agree on")
struct ConformanceTests {
  @Test("there are streams to compare with")
  func streamsExist() {
    #expect(ConformanceStream.names.count >= 97)
  }

  @Test("each room says what it should", arguments: ConformanceStream.names)
  func sameInstructions(name: String) throws {
    let stream = try ConformanceStream(name)
    var rooms: [String: Room] = [:]
    for (room, at, event) in stream.events { rooms[room, default: Room(stream.settings)].apply(event, at: at) }
    var said: [String: [Said]] = [:]
    for (name, var room) in rooms {
      while let deadline = room.engine?.nextDeadline { room.apply(.advance, at: deadline) }
      #expect(room.broken == nil)
      if !room.sink.said.isEmpty { said[name] = room.sink.said }
    }
    #expect(said.keys.sorted() == stream.expected.keys.sorted())
    for (room, expected) in stream.expected {
      let actual = said[room] ?? []
      if actual == expected { continue }
      let first = zip(actual, expected).enumerated().first { $0.element.0 != $0.element.1 }
      Issue.record(
        "room \(room): \(actual.count) instructions, not \(expected.count); first difference: \(String(describing: first))")
    }
  }
}
