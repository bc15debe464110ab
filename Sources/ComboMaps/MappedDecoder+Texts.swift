internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// Texts that are read in their places.
extension MappedDecoder {
  @inline(never)
  func unpack(into arena: BumpArena) throws(BadEvent) {
    for text in map.unpacked {
      if text.stars == 0 {
        try unpack(text, into: arena)
      } else if walk.found[Int(text.each)] >= 0 {
        try unpackEach(text, into: arena)
      }
    }
  }

  /// Replaces a text by the JSON that it holds, or by the JSON for its Protobuf message or for the map's other form.
  private func unpack(_ unpacked: CompiledMap.Unpacked, into arena: BumpArena) throws(BadEvent) {
    guard let json = try json(in: unpacked, into: arena) else { return }
    rewriting.removeAll()
    try rewrite(after: rewrite(upTo: Int(walk.found[Int(unpacked.node)]), json, from: 0), unpacked, into: arena)
  }

  /// Replaces the texts of all elements of an array. The record is rewritten and parsed once for all of them.
  @inline(never)
  private func unpackEach(_ unpacked: CompiledMap.Unpacked, into arena: BumpArena) throws(BadEvent) {
    // An array with other elements is a handler's arguments, as tmi.js passes them: a channel, tags, and a viewer's text.
    if unpacked.array >= 0, checks.rules.readsNoArguments, !holdsRecords(Int(walk.found[Int(unpacked.array)])) { return }
    rewriting.removeAll()
    var (rest, left) = (0, limits.recordBytes)
    repeat {
      try spend(2)
      // A step within an inner array does not lead to another text.
      if walk.level > unpacked.stars { continue }
      let mark = arena.mark
      defer { arena.rewind(to: mark) }
      do throws(BadEvent) {
        guard let json = try json(in: unpacked, into: arena) else { continue }
        left -= json.count
        if left < 0 { throw BadEvent(.tooLarge, "the texts hold more JSON than a record may have, \(limits.recordBytes) bytes") }
        rest = rewrite(upTo: Int(walk.found[Int(unpacked.node)]), json, from: rest)
      } catch {
        throw .ofElement(walk.place, error)
      }
    } while walk.advance(text)
    if rest > 0 { try rewrite(after: rest, unpacked, into: arena) } else { walk.walk(text, of: checks.parser) }
  }

  /// Whether all elements of an array are texts that may be records.
  private func holdsRecords(_ array: Int) -> Bool {
    var element = array + 1
    while element < text.next(array) {
      guard text[element].isString, mayBeRecord(text.inside(element)) else { return false }
      element = text.next(element)
    }
    return true
  }

  /// Whether a text begins like JSON or like a record in the map's own form. Keep-alives, which may be empty, count as records.
  private func mayBeRecord(_ written: Bytes) -> Bool {
    let written = written.first.map(Bytes.mayBeSpace) == true ? written.afterSpace : written
    guard let first = written.first else { return true }
    if first == 0x7B || first == 0x5B { return true }
    switch form {
    case .json: return false
    // Tags, a prefix, or a command such as PING.
    case .irc: return first == 0x40 || first == 0x3A || written.prefix { $0 != 0x20 }.allSatisfy { $0 &- 0x41 < 26 }
    case .stt: return written.contains(0x40)
    }
  }

  /// Returns the JSON that replaces a text, or nil if there is no text or it stays a text.
  private func json(in unpacked: CompiledMap.Unpacked, into arena: BumpArena) throws(BadEvent) -> Bytes? {
    let node = Int(unpacked.node)
    let token = Int(walk.found[node])
    guard token > 0, text[token].isString else { return nil }
    if unpacked.condition >= 0, try !holds(unpacked.condition, arena) { return nil }
    if let protobuf, unpacked.message >= 0 {
      let place = map.unpackedPointers[unpacked.pointer]
      return try protobuf.json(of: text.meaning(token, into: arena), Int(unpacked.message), at: place, into: arena)
    }
    if unpacked.isBase64 { return try jsonInBase64(token, unpacked, into: arena) }
    guard let first = text.inside(token).first else { return nil }
    let isJSON = first == 0x7B || first == 0x5B
    let hasSpace = !isJSON && checks.rules.skipsWhiteSpace && Bytes.mayBeSpace(first)
    // The text may be in any form; only JSON and the map's own are read.
    if !isJSON, !hasSpace, form == .json { return nil }
    var json = text.meaning(token, into: arena)
    if hasSpace { json = json.afterSpace }
    if isJSON || hasSpace, json.first == 0x7B || json.first == 0x5B { return Self.beginsJSON(json) ? json : nil }
    return form == .json ? nil : try ownForm(json, node, into: arena)
  }

  /// Returns the JSON for a text in the map's own form, or nil if it is in another. Throws if it holds several messages, which
  /// the map has no root for, and perhaps a gift in them.
  @inline(never)
  private func ownForm(_ text: Bytes, _ node: Int, into arena: BumpArena) throws(BadEvent) -> Bytes? {
    do throws(BadEvent) {
      return try rewritten(text, node, into: arena)
    } catch {
      if irc.isSeveral || stt.isSeveral, signs.isEmpty || signs.contains(where: { $0.isGift(record: text) }) { throw error }
      return nil
    }
  }

  private func jsonInBase64(
    _ token: Int, _ unpacked: CompiledMap.Unpacked, into arena: BumpArena
  ) throws(BadEvent) -> Bytes {
    let place = map.unpackedPointers[unpacked.pointer]
    let decoded = ByteBuffer()
    if let fault = Base64.decode(text.meaning(token, into: arena), into: decoded) {
      throw BadEvent(.wrongType, "\(place) is not JSON in base64: \(fault)")
    }
    let json = arena.copy(checks.rules.skipsWhiteSpace ? decoded.bytes.afterSpace : decoded.bytes)
    if !Self.beginsJSON(json) {
      throw BadEvent(.wrongType, "\(place) is not JSON in base64: it begins with \"\(Excerpt(json))\"")
    }
    return json
  }

  /// Whether a text begins like an object with members, or like an array of objects, arrays or texts. A viewer's "[hi]" or "{lol"
  /// does not, and is no reason to report the record as bad.
  private static func beginsJSON(_ text: Bytes) -> Bool {
    let inside = text.dropFirst().first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    return switch text.first {
    case 0x7B: inside == 0x22 || inside == 0x7D
    case 0x5B: inside == 0x7B || inside == 0x5B || inside == 0x22 || inside == 0x5D
    default: false
    }
  }

  func rewritten(_ record: Bytes, _ node: Int, into arena: BumpArena) throws(BadEvent) -> Bytes {
    let isOne = !checks.rules.comparesEnvelopes
    if form == .irc { return try irc.json(of: record, walk, from: node, isOne: isOne, into: arena) }
    return try stt.json(of: record, walk, from: node, isOne: isOne, into: arena)
  }

  /// Copies the record from a byte up to a text, and writes the JSON in place of the text. Returns where the record continues.
  private func rewrite(upTo token: Int, _ json: Bytes, from: Int) -> Int {
    let start = Int(text[token].start) - Int(text[0].start)
    rewriting.append(Bytes(rebasing: text.slice(0)[from..<start]))
    rewriting.append(json)
    return start + Int(text[token].length)
  }

  /// Copies the rest of the record, and parses the result.
  private func rewrite(after rest: Int, _ unpacked: CompiledMap.Unpacked, into arena: BumpArena) throws(BadEvent) {
    rewriting.append(Bytes(rebasing: text.slice(0)[rest...]))
    do throws(BadEvent) {
      try check(arena.copy(rewriting.bytes))
    } catch {
      // Without the text the record could be read.
      let place = map.unpackedPointers[unpacked.pointer]
      throw BadEvent(error.code, "the text of \(place) holds no JSON that can be read; with it, \(error.reason)")
    }
    walk.walk(text, of: checks.parser)
  }
}
