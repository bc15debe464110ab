internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// The display data.
extension MappedDecoder {
  /// Returns a display object: the record's own, or one made of the id and the map's fields. Subtracts its size from `left`.
  /// - Parameter worth: The gift's value as it is to be written, empty if there is none.
  func display(
    _ party: borrowing CompiledMap.Party, _ id: ID, worth: Bytes, _ left: inout Int, into arena: BumpArena
  ) throws(BadEvent) -> Bytes {
    let text = text
    let found = walk.found
    if party.verbatim >= 0 {
      let token = Int(found[Int(party.verbatim)])
      if token >= 0, text[token].isObject {
        left -= Int(text[token].length)
        return checks.parser.compact(text, token, into: arena)
      }
    }
    let shown = shown.baseAddress.unsafelyUnwrapped
    let bytes = UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped)
    var out = ArenaText(in: arena)
    out.reserve(Int(idName.count) &+ id.bytes.count &+ 2)
    out.append(padded: bytes + Int(idName.start), Int(idName.count))
    if id.isPlain {
      out.append(0x22 as UInt8)
      out.append(padded: id.bytes.baseAddress.unsafelyUnwrapped, id.bytes.count)
      out.append(0x22 as UInt8)
    } else {
      object.removeAll()
      object.append(jsonString: id.bytes)
      out.append(object.bytes)
    }
    var field = shown + Int(party.fields.first)
    let end = field + Int(party.fields.count)
    while field < end {
      defer { field += 1 }
      let nameCount = Int(field.pointee.name.count)
      if field.pointee.place >= 0 {
        let token = Int(found[Int(field.pointee.place)])
        if token < 0 || text.isMissing(token) { continue }
        if !text[token].isObject, !text[token].isArray {
          let length = Int(text[token].length)
          if length > Int(field.pointee.bytesMax) { continue }
          left &-= length
          if left < 0 { break }
          out.reserve(nameCount &+ length)
          out.append(padded: bytes + Int(field.pointee.name.start), nameCount)
          out.append(padded: UnsafeRawPointer(text.base) + Int(text[token].start), length)
          continue
        }
      }
      object.removeAll()
      out.pause()
      let size = try show(field.pointee.node, into: arena)
      out.resume()
      if size < 0 || size > Int(field.pointee.bytesMax) { continue }
      left -= size
      if left < 0 { break }
      out.reserve(nameCount)
      out.append(padded: bytes + Int(field.pointee.name.start), nameCount)
      out.append(object.bytes)
    }
    if let start = worth.baseAddress {
      out.reserve(Int(worthName.count) &+ worth.count)
      out.append(padded: bytes + Int(worthName.start), Int(worthName.count))
      out.append(padded: start, worth.count)
    }
    out.reserve(1)
    out.append(0x7D as UInt8)
    left -= id.bytes.count
    return out.finish()
  }

  /// Appends the value of an expression as JSON. Returns its size in bytes as received, or -1 if it is missing.
  @inline(never)
  private func show(_ node: Int32, into arena: BumpArena) throws(BadEvent) -> Int {
    let value = try value(node, into: arena)
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
    case .missing: return -1
    }
  }
}
