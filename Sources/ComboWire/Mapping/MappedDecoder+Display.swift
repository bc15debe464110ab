internal import CSimdJSON
internal import ComboCore

/// What is shown.
extension MappedDecoder {
  /// A display object: as it stands, or made of the id and the fields of the map. What it takes is subtracted from `left`.
  func display(
    _ party: CompiledMap.Party, _ id: Bytes, worth: Double?, _ left: inout Int, into arena: BumpArena
  ) throws(BadEvent) -> Bytes {
    if party.verbatim >= 0 {
      let token = Int(walk.found[Int(party.verbatim)])
      if token >= 0, text[token].isObject {
        left -= Int(text[token].length)
        return checks.parser.compact(text, token, into: arena)
      }
    }
    object.removeAll()
    object.append("{\"id\":")
    object.append(jsonString: id)
    for index in party.fields.range {
      let field = shown[index]
      let value = try value(field.node, into: arena)
      if value.kind == .missing { continue }
      let start = object.count
      object.append(bytes(of: field.name))
      let size = try show(value, into: arena)
      if size > Int(field.bytesMax) {
        object.truncate(to: start)
        continue
      }
      left -= size
      if left < 0 { break }
    }
    if let worth {
      object.append(",\"value\":")
      object.append(worth)
    }
    object.append("}")
    left -= id.count
    return arena.copy(object.bytes)
  }

  @inline(__always)
  func bytes(of text: CompiledMap.Text) -> Bytes {
    Bytes(start: bytes.baseAddress.unsafelyUnwrapped + Int(text.start), count: Int(text.count))
  }

  /// Appends a value as JSON; returns how many bytes it has as received.
  func show(_ value: Value, into arena: BumpArena) throws(BadEvent) -> Int {
    switch value.kind {
    case .token:
      let token = Int(value.token)
      object.append(
        text[token].isObject || text[token].isArray ? checks.parser.compact(text, token, into: arena) : text.slice(token))
      return Int(text[token].length)
    case .number:
      object.append(value.bytes)
      return value.bytes.count
    case .product:
      let number = try double(value, "a shown product", into: arena)
      if !number.isFinite { throw .overflow("a shown product") }
      let start = object.count
      object.append(number)
      return object.count - start
    case .text:
      if csj_is_utf8(value.bytes.baseAddress!.assumingMemoryBound(to: UInt8.self), value.bytes.count) == 0 {
        throw .notUTF8(value.bytes, "a shown text")
      }
      object.append(jsonString: value.bytes)
      return value.bytes.count
    case .missing: return 0
    }
  }
}
