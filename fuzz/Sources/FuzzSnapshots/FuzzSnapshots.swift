import ComboCore
import ComboWire
import Fuzzing

/// Any bytes as a snapshot: a fault, or an engine that works, says the same after another snapshot, and holds no more than it may.
nonisolated(unsafe) private let decoder = SnapshotDecoder()
nonisolated(unsafe) private let records = StateDecoder()
private let settings = EngineSettings(Settings())
private let key = Array(#"["room","r"]"#.utf8)

/// SwiftPM starts a program here, whatever it is linked with.
@_cdecl("FuzzSnapshots_main")
public func main(_ count: CInt, _ arguments: Arguments) -> CInt { drive(count, arguments, fuzz) }


private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = Bytes(start: start, count: count)
  key.withUnsafeBytes { key in
    sealed(text, seed: XXH3.hash(key)).withUnsafeBytes { record in
      if let room = try? records.room(record, key: key), room.content == .state { _ = try? records.engine(settings: settings) }
      _ = try? records.checkpoint(record, key: key)
    }
  }
  guard var engine = try? decoder.engine(from: text, settings: settings) else { return 0 }
  let written = snapshot(engine)
  guard var other = written.withUnsafeBytes({ try? decoder.engine(from: $0, settings: settings) }) else {
    fail("a snapshot of a restored engine cannot be restored")
  }
  if snapshot(other) != written { fail("a snapshot of a restored engine is another one than it was restored from") }
  var (first, second) = (Said(), Said())
  let now = (engine.nextDeadline ?? engine.epoch) + 1
  live(&engine, now, &first)
  live(&other, now, &second)
  if first.lines != second.lines { fail("two engines of one snapshot say different things") }
  return 0
}

private func live(_ engine: inout Engine, _ now: Int64, _ said: inout Said) {
  let none = Bytes(start: nil, count: 0)
  for (index, name) in ["a", "b", "a"].enumerated() {
    Array(name.utf8).withUnsafeBytes { id in
      let display = Display(sender: none, receiver: none, gift: none)
      engine.take(
        Gift(id: none, senderID: id, receiverID: none, giftID: id, display: display, value: 1, amount: .count(1)),
        at: now + Int64(index) * 700, to: &said)
    }
  }
  engine.advance(to: now + 20_000, to: &said)
}

private struct Said: InstructionSink {
  var lines: [String] = []
  mutating func say(_ instruction: Instruction) { lines.append("\(instruction.epoch) \(instruction.seq) \(instruction.at)") }
}

private func snapshot(_ engine: Engine) -> [UInt8] {
  let buffer = ByteBuffer()
  SnapshotEncoder.write(engine, to: buffer)
  return Array(buffer.bytes)
}
