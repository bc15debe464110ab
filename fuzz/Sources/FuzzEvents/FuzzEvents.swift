import ComboCore
import ComboWire
import Foundation
import Fuzzing

/// Any bytes as the value of a record: no crash, and the same opinion as Foundation's parser of what is JSON.
nonisolated(unsafe) private let decoder: EventDecoder = {
  var limits = WireLimits()
  limits.roomFromBody = true
  return EventDecoder(limits: limits)
}()
nonisolated(unsafe) private let arena = BumpArena()
nonisolated(unsafe) private var event = Event()
nonisolated(unsafe) private var engine = Engine(at: 0, settings: EngineSettings(Settings()))

/// SwiftPM starts a program here, whatever it is linked with.
@_cdecl("FuzzEvents_main")
public func main(_ count: CInt, _ arguments: Arguments) -> CInt { drive(count, arguments, fuzz) }


private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let record = Bytes(start: start, count: count)
  arena.reset()
  var isJSON = true
  do throws(BadEvent) {
    try decoder.decode(record, key: nil, into: arena, &event)
    var sink = Ignored()
    switch event.kind {
    case .gift: engine.take(event.gift, at: max(0, event.ts), to: &sink)
    case .roomClosed: engine.close(at: max(0, event.ts), to: &sink)
    case .retract: engine.retract(event.retraction, at: max(0, event.ts), to: &sink)
    case .roomSettings: engine.set(decoder.own, at: max(0, event.ts), to: &sink)
    }
    if event.ts > 1 << 52 { engine = Engine(at: 0, settings: EngineSettings(Settings())) }
  } catch {
    isJSON = error.code != .notJSON
    if error.code == .tooLarge { return 0 }
  }
  if isComparable(record), isJSON != isJSONForFoundation(record) {
    fail("\(isJSON ? "taken" : "refused") as JSON here, otherwise by Foundation: \(String(decoding: record, as: UTF8.self))")
  }
  return 0
}

private struct Ignored: InstructionSink {
  mutating func say(_ instruction: Instruction) {}
}

private func isJSONForFoundation(_ record: Bytes) -> Bool {
  guard record.count > 0 else { return false }
  return (try? JSONSerialization.jsonObject(with: Data(record))) is [String: Any]
}

/// Foundation guesses at other encodings than UTF-8, skips a byte order mark, takes a comma before a closing bracket, has its
/// own limit of depth, and refuses numbers beyond its own range: there it is no measure.
private func isComparable(_ record: Bytes) -> Bool {
  if record.starts(with: [0xEF, 0xBB, 0xBF]) || record.starts(with: [0xFE, 0xFF]) || record.starts(with: [0xFF, 0xFE]) { return false }
  var depth = 0
  var digits = 0
  var last: UInt8 = 0
  for byte in record {
    switch byte {
    case 0: return false
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      depth += 1
      if depth > 60 { return false }
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      if last == UInt8(ascii: ",") { return false }
    case UInt8(ascii: "e"), UInt8(ascii: "E"): if digits > 0 { return false }
    default: break
    }
    digits = (0x30...0x39).contains(byte) || (byte == UInt8(ascii: ".") && digits > 0) ? digits + 1 : 0
    if digits > 18 { return false }
    if ![0x20, 0x09, 0x0A, 0x0D].contains(byte) { last = byte }
  }
  return true
}
