internal import CSimdJSON
internal import ComboCore

/// What is shown.
extension MappedDecoder {
  /// A display object: as it stands, or made of the id and the fields of the map. What it takes is subtracted from `left`.
  /// - Parameter isPlain: whether the id stands in JSON as it is.
  func display(
    _ party: borrowing CompiledMap.Party, _ id: Bytes, isPlain: Bool, worth: Double?, _ left: inout Int, into arena: BumpArena
  ) throws(BadEvent) -> Bytes {
    if party.verbatim >= 0 {
      let token = Int(walk.found[Int(party.verbatim)])
      if token >= 0, text[token].isObject {
        left -= Int(text[token].length)
        return checks.parser.compact(text, token, into: arena)
      }
    }
    let object = object
    let shown = shown.baseAddress.unsafelyUnwrapped
    let bytes = UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped)
    let text = text.unsafelyUnwrapped
    object.removeAll()
    object.append(#"{"id":""# as StaticString)
    if isPlain {
      object.append(id)
      object.append(0x22 as UInt8)
    } else {
      object.truncate(to: object.count - 1)
      object.append(jsonString: id)
    }
    for index in party.fields.range {
      let field = shown + index
      let value = try value(field.pointee.node, into: arena)
      if value.kind == .missing { continue }
      if value.kind == .token, !text[Int(value.token)].isObject, !text[Int(value.token)].isArray {
        let length = Int(text[Int(value.token)].length)
        if length > Int(field.pointee.bytesMax) { continue }
        left -= length
        if left < 0 { break }
        let out = UnsafeMutableRawPointer(object.reserve(Int(field.pointee.name.count) &+ length &+ 32))
        copyBlocks(bytes + Int(field.pointee.name.start), to: out, Int(field.pointee.name.count))
        let behind = out + Int(field.pointee.name.count)
        copyBlocks(UnsafeRawPointer(text.base) + Int(text[Int(value.token)].start), to: behind, length)
        object.commit(upTo: (behind + length).assumingMemoryBound(to: UInt8.self))
        continue
      }
      let start = object.count
      object.append(self.bytes(of: field.pointee.name))
      let size = try show(value, into: arena)
      if size > Int(field.pointee.bytesMax) {
        object.truncate(to: start)
        continue
      }
      left -= size
      if left < 0 { break }
    }
    if let worth {
      object.append(#","value":"# as StaticString)
      object.append(worth)
    }
    object.append(0x7D as UInt8)
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

/// Copies in blocks of 16 bytes: up to 15 more are read and written behind the last. Names and values are short.
@inline(__always)
private func copyBlocks(_ from: UnsafeRawPointer, to out: UnsafeMutableRawPointer, _ count: Int) {
  var at = 0
  repeat {
    out.storeBytes(of: from.loadUnaligned(fromByteOffset: at, as: SIMD16<UInt8>.self), toByteOffset: at, as: SIMD16<UInt8>.self)
    at &+= 16
  } while at < count
}
