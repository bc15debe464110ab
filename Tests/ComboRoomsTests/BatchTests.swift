import ComboCore
import ComboEdge
import ComboWire
import Dispatch
import Testing

@testable import ComboRooms

/// The processing of a batch by its rooms.
@Suite("A batch")
struct BatchTests {
  private final class Said: InstructionTarget, @unchecked Sendable {
    // Sendable: read only while no room works.
    var senders: [String] = []

    func said(_ record: Bytes, _ instruction: Instruction, by room: Room) {
      let text = String(decoding: record, as: UTF8.self)
      if let sender = text.split(separator: #""sender":{"id":""#).dropFirst().first { senders.append(String(sender.prefix(1))) }
    }
  }

  private func decoder() -> EventDecoder {
    var limits = WireLimits()
    limits.roomFromBody = true
    return EventDecoder(limits: limits)
  }

  private func fill(_ batch: Batch, _ room: Room, _ decoder: EventDecoder, sender: String, count: Int) throws {
    let record = Array(#"{"room":"r","sender":{"id":"\#(sender)"},"gift":{"id":"g"}}"#.utf8)
    for _ in 0..<count {
      let slot = batch.slot()
      try record.withUnsafeBytes { try decoder.decode($0, key: nil, into: batch.arena, &slot.pointee) }
      batch.add(to: .passUnretained(room), own: nil, now: 0)
    }
  }

  @Test("a few gifts wait for what the room's queue still holds of the batch before", arguments: 0..<100)
  func order(run: Int) throws {
    let said = Said()
    let outboxes = OutboxPool(said)
    let decoder = decoder()
    let (first, second) = (Batch(), Batch())
    let name = Array("r".utf8)
    let room = name.withUnsafeBytes { Room($0, Engine(at: 0, settings: EngineSettings(Settings()))) }
    try fill(first, room, decoder, sender: "a", count: 8)
    room.queue.suspend()
    first.dispatch(behind: second, outboxes: outboxes, hopMin: 8, period: 0)
    try fill(second, room, decoder, sender: "b", count: 1)
    DispatchQueue.global().async { room.queue.resume() }
    second.dispatch(behind: first, outboxes: outboxes, hopMin: 8, period: 0)
    first.wait()
    second.wait()
    #expect(said.senders == ["a", "b"])
  }

  @Test("a room with a few gifts at a time gets no queue, and they are taken before dispatching returns")
  func noQueue() throws {
    let said = Said()
    let decoder = decoder()
    let batches = [Batch(), Batch()]
    let name = Array("r".utf8)
    let room = name.withUnsafeBytes { Room($0, Engine(at: 0, settings: EngineSettings(Settings()))) }
    for (turn, sender) in ["a", "b"].enumerated() {
      try fill(batches[turn], room, decoder, sender: sender, count: 7)
      batches[turn].dispatch(behind: batches[1 - turn], outboxes: OutboxPool(said), hopMin: 8, period: 0)
      #expect(said.senders.last == sender)
    }
    #expect(!room.hasQueue)
  }

  @Test("a room is not read ahead while its queue may still run its part of the batch before")
  func readAhead() throws {
    let decoder = decoder()
    let (first, second) = (Batch(), Batch())
    let name = Array("r".utf8)
    let room = name.withUnsafeBytes { Room($0, Engine(at: 0, settings: EngineSettings(Settings()))) }
    try fill(first, room, decoder, sender: "a", count: 8)
    #expect(first.mayPrefetch(room, behind: second))
    room.queue.suspend()
    first.dispatch(behind: second, outboxes: OutboxPool(Said()), hopMin: 8, period: 0)
    #expect(!first.mayPrefetch(room, behind: second))
    try fill(second, room, decoder, sender: "b", count: 1)
    #expect(!second.mayPrefetch(room, behind: first))
    room.queue.resume()
    first.wait()
    #expect(second.mayPrefetch(room, behind: first))
    second.dispatch(behind: first, outboxes: OutboxPool(Said()), hopMin: 8, period: 0)
    second.wait()
  }
}
