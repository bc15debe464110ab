import Testing

@testable import ComboCore

@Suite("The plain model and the streams")
struct ModelConformanceTests {
  @Test("the model emits each room's expected instructions, and finds the fate of each gift", arguments: ConformanceStream.names)
  func sameInstructions(name: String) throws {
    let stream = try ConformanceStream(name)
    var rooms: [String: Model] = [:]
    for (room, at, event) in stream.events {
      if rooms[room] == nil {
        switch event {
        case .gift, .settings: rooms[room] = Model(at: at, stream.settings)
        default: continue
        }
      }
      rooms[room]!.apply(event, at: at)
    }
    for (room, var model) in rooms {
      while let deadline = model.nextDeadline { model.apply(.advance, at: deadline) }
      let expected = stream.expected[room] ?? []
      if model.said != expected {
        let first = zip(model.said, expected).enumerated().first { $0.element.0 != $0.element.1 }
        Issue.record(
          "room \(room): \(model.said.count) instructions, not \(expected.count); first difference: \(String(describing: first))")
      }
      guard let explained = stream.explained else { continue }
      let objects = model.fates.all.map { $0.object(room: room) }
      if objects != explained[room] ?? [] {
        let first = zip(objects, explained[room] ?? []).first { $0 != $1 }
        Issue.record("room \(room): \(objects.count) gifts, first difference: \(String(describing: first))")
      }
    }
  }
}
