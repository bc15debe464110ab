import ComboCore
import ComboEdge
import Testing

@testable import ComboSimulation
@testable import ComboVerify
@testable import ComboWire

/// A group on a simulated cluster whose output is verified, with operations that alter its topics unnoticed.
struct VerifyScene {
  let scene = SimScene()

  var broker: SimBroker { scene.world.broker }

  /// Sends gifts to rooms that stay awake, while an instance processes them.
  func burst(_ instance: SimInstance, gifts: Int = 24, rooms: Int = 3) {
    for number in 0..<gifts {
      scene.gift("r\(number % rooms)", sender: "u\(number % 4)", count: 1 + number % 3)
      scene.turn(instance, 3)
    }
    scene.settle(instance)
  }

  /// Lets all rooms rest for longer than any of them is remembered.
  func rest(_ instance: SimInstance) {
    for _ in 0..<12 {
      scene.world.clock.advance(400)
      scene.turn(instance, 3)
    }
  }

  /// Runs three bursts, with a kill after the first, and rests after the second and the third.
  @discardableResult
  func story() -> SimInstance {
    let first = scene.start()
    burst(first)
    scene.world.kill(first)
    let second = scene.start()
    burst(second)
    rest(second)
    burst(second)
    rest(second)
    return second
  }

  func verify(_ options: Verifier.Options = Verifier.Options()) throws -> VerifyReport {
    broker.settleAll()
    var options = options
    options.placement = { key, count in Int(SimBroker.partition(of: [UInt8](key), count)) }
    return try Verifier(SimReadEdge(broker, instance: nil), topics: scene.world.topics, options: options).run()
  }

  /// The place of a committed record.
  struct Found {
    let log: SimLog
    let index: Int
    var record: SimRecord { log.records[index] }
    var text: String { String(decoding: record.value ?? [], as: UTF8.self) }

    func set(_ text: String) { log.alter(index) { $0.value = Array(text.utf8) } }

    /// Removes the record, as if it had never been written.
    func remove() {
      let aborted = SimTransaction(producer: "nobody", epoch: 0, deadline: .max)
      aborted.state = .aborted
      log.alter(index) { $0.transaction = aborted }
    }
  }

  /// Returns the committed records of a topic, partition by partition.
  func records(_ topic: Topic) -> [Found] {
    broker.partitions(topic).flatMap { number in
      let log = broker.log(topic, number)
      return log.records.indices.filter { log.records[$0].isCommitted }.map { Found(log: log, index: $0) }
    }
  }

  /// Returns the instructions of a room.
  func output(_ room: String) -> [Found] { records(.output).filter { $0.record.key! == Array(room.utf8) } }

  func entry(_ found: Found) throws -> JournalEntry {
    try found.record.value!.withUnsafeBytes { try JournalDecoder().entry($0) }
  }

  /// Replaces an entry with another one.
  func replace(_ entry: JournalEntry, at found: Found) {
    let buffer = ByteBuffer()
    entry.write(to: buffer)
    found.log.alter(found.index) { $0.value = [UInt8](buffer.bytes) }
  }

  /// Changes the reason of a room's last dismissal.
  func spoil(_ room: String) {
    let last = output(room).last { $0.text.contains(#""reason":""#) }!
    let isIdle = last.text.contains(#""reason":"idle""#)
    last.set(
      last.text.replacing(
        isIdle ? #""reason":"idle""# : #""reason":"busy""#, with: isIdle ? #""reason":"busy""# : #""reason":"idle""#))
  }

  /// Returns the name of a room that belongs to a partition of the output.
  func room(inOutput partition: Int32, from number: Int = 10) -> String {
    let count = broker.partitions(.output).count
    return (number...).lazy.map { "r\($0)" }.first { SimBroker.partition(of: Array($0.utf8), count) == partition }!
  }

  /// Moves records to a partition, as if the output had fewer partitions when they were published.
  func move(_ found: [Found], to partition: Int32) {
    for one in found {
      var record = one.record
      record.transaction = nil
      broker.log(.output, partition).append(record)
      one.remove()
    }
  }

  /// Alters the journal as if all was published with at-least-once delivery, the last entry perhaps not to its end.
  func markAtLeastOnce() throws {
    var term: Int64?
    for found in records(.journal) {
      var entry = try entry(found)
      if entry.takeover != nil {
        entry.takeover!.delivery = .atLeastOnce
        term = found.record.offset
      } else {
        entry.term = term
      }
      entry.saidTo = entry.n - 1
      replace(entry, at: found)
    }
  }

  /// Returns the journal's takeovers.
  func takeovers() throws -> [Found] { try records(.journal).filter { try entry($0).takeover != nil } }
}

extension VerifyReport {
  /// Returns the first sentence of a kind.
  func first(_ kind: Findings.Kind) -> String { findings.byKind[kind]?.sentence ?? "nothing" }
}
