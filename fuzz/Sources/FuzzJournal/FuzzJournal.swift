import ComboCore
import ComboWire
import Fuzzing

/// Any bytes as a journal entry, with a checksum that fits: a fault, or an entry that comes out again as it went in.
nonisolated(unsafe) private let buffer = ByteBuffer()

/// SwiftPM starts a program here, whatever it is linked with.
@_cdecl("FuzzJournal_main")
public func main(_ count: CInt, _ arguments: Arguments) -> CInt { drive(count, arguments, fuzz) }


private func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let body = Bytes(start: start, count: count)
  // As it is, and sealed.
  if entry(body) != nil { return 0 }
  guard let entry = sealed(body, seed: 0).withUnsafeBytes({ entry($0) }) else { return 0 }
  buffer.removeAll()
  entry.write(to: buffer)
  guard let again = FuzzJournal.entry(buffer.bytes) else { fail("an entry that was written cannot be read") }
  if again != entry { fail("an entry comes out otherwise than it went in") }
  return 0
}


/// The entry that the bytes are, whoever's it is; nil: they are none.
private func entry(_ bytes: Bytes) -> JournalEntry? {
  var cursor = JournalCursor(TopicIdentity(group: "fuzz", input: "gifts", output: "instructions"))
  return switch cursor.take(bytes, at: 0) {
  case .entry(let entry), .first(let entry), .overtaken(let entry), .foreign(let entry, _): entry
  case .none, .newer, .broken: nil
  }
}
