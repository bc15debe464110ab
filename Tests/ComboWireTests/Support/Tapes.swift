import CSimdJSON
import ComboCore

@testable import ComboWire

/// Returns the contents of a text's tape, and each object and array without white space.
func tape(_ parser: JSONParser, _ text: Bytes) -> [[Int]] {
  parser.writeNames()
  let read = parser.text(of: text)
  let arena = BumpArena(chunkSize: 512)
  return (0..<read.next(0)).map { index in
    let token = read[index]
    let compact = token.isObject || token.isArray ? parser.compact(read, index, into: arena).map(Int.init) : []
    let place = [Int(token.start), Int(token.length), Int(token.next), Int(token.first_gap)]
    return place + [Int(token.kind), Int(token.flags)] + compact
  }
}
