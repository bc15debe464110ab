internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// The evaluation of conditions.
extension MappedDecoder {
  func holds(_ index: Int32, _ arena: BumpArena) throws(BadEvent) -> Bool {
    let node = nodes.baseAddress.unsafelyUnwrapped + Int(index)
    switch node.pointee.op {
    case .always: return true
    case .never: return false
    case .all:
      for place in node.pointee.links.range where try !holds(links[place], arena) { return false }
      return true
    case .any:
      for place in node.pointee.links.range where try holds(links[place], arena) { return true }
      return false
    case .not: return try !holds(links[node.pointee.links.range.lowerBound], arena)
    default: break
    }
    let first = links[Int(node.pointee.links.first)]
    let source = nodes.baseAddress.unsafelyUnwrapped + Int(first)
    if source.pointee.isPointer {
      let token = Int(walk.found[Int(source.pointee.place)])
      if token < 0 || text.isMissing(token) {
        // Older rules do not distinguish null from a missing value.
        return node.pointee.op == .isNull && (!checks.rules.hasNull || token >= 0 && text[token].isNull)
      }
      if node.pointee.op == .isOneOf { return isOneOf(token, node.pointee.texts) }
      if node.pointee.op == .exists { return true }
      if node.pointee.op == .hasOnly { return hasOnly(token, node.pointee.texts) }
    } else if source.pointee.op == .first, isMissing(source) {
      return false
    }
    return try compares(node, first, arena)
  }

  /// Whether a choice is between pointers only, none of which the record has.
  private func isMissing(_ choice: UnsafeMutablePointer<CompiledMap.Node>) -> Bool {
    let nodes = nodes.baseAddress.unsafelyUnwrapped
    var link = links.baseAddress.unsafelyUnwrapped + Int(choice.pointee.links.first)
    let end = link + Int(choice.pointee.links.count)
    while link < end {
      let child = nodes + Int(link.pointee)
      if child.pointee.op != .at || walk.found[Int(child.pointee.place)] >= 0 { return false }
      link += 1
    }
    return true
  }

  @inline(never)
  private func compares(
    _ node: UnsafeMutablePointer<CompiledMap.Node>, _ first: Int32, _ arena: BumpArena
  ) throws(BadEvent) -> Bool {
    // A condition must not change which expression is reported as the field's source.
    let kept = reading
    defer { reading = kept }
    let value = try value(first, into: arena)
    if node.pointee.op == .exists { return value.kind != .missing }
    if value.kind == .missing { return false }
    switch node.pointee.op {
    case .isOneOf:
      if value.kind == .token { return isListed(Int(value.token), node.pointee.texts) }
      let bytes = try meaning(value, "a condition", into: arena)
      return node.pointee.texts.range.contains { bytes == constant($0) }
    case .starts, .contains:
      let bytes: Bytes
      if value.kind == .token {
        if !text[Int(value.token)].isString { return false }
        bytes = text.meaning(Int(value.token), into: arena)
      } else {
        bytes = try meaning(value, "a condition", into: arena)
      }
      if node.pointee.op == .contains { return node.pointee.texts.range.contains { bytes.holds(constant($0)) } }
      let start = constant(node.pointee.texts.range.lowerBound)
      return bytes.count >= start.count && Bytes(rebasing: bytes[..<start.count]) == start
    case .isNull, .hasOnly: return false
    case .differ: return try differ(value, self.value(links[node.pointee.links.range.lowerBound + 1], into: arena))
    default:
      // A value that is not a number is neither above nor below.
      guard let number = try? double(value, "a condition", into: arena) else { return false }
      return node.pointee.op == .above ? number > node.pointee.bound : number < node.pointee.bound
    }
  }

  /// Whether a token is written as one of these values. 1 and "1" are equal.
  @inline(__always)
  private func isOneOf(_ token: Int, _ values: CompiledMap.ListRange) -> Bool {
    let found = text[token]
    if found.isObject || found.isArray { return false }
    if found.isEscaped { return meansOne(of: values, text.inside(token)) }
    let quote = found.isString ? 1 : 0
    let start = UnsafeRawPointer(text.base) + Int(found.start) + quote
    let count = Int(found.length) &- 2 &* quote
    let word = PointerTable.word(start, count)
    var value = texts.baseAddress.unsafelyUnwrapped + Int(values.first)
    let end = value + Int(values.count)
    while value < end {
      if value.pointee.word == word, value.pointee.count == count,
        count <= 8 || isEqual(start, bytes.baseAddress.unsafelyUnwrapped + Int(value.pointee.start), count)
      {
        return true
      }
      value += 1
    }
    return false
  }

  @inline(never)
  func isListed(_ token: Int, _ values: CompiledMap.ListRange) -> Bool { isOneOf(token, values) }

  /// Whether a token is an object that has no members but those with these names.
  @inline(never)
  private func hasOnly(_ token: Int, _ names: CompiledMap.ListRange) -> Bool {
    guard text[token].isObject else { return false }
    checks.parser.writeNames()
    var member = token + 1
    while member < text.next(token) {
      var name = text.string(member)
      if map.pointers.isLoose { name = PointerTable.loose(name) }
      let isKnown = name.withUTF8 { name in names.range.contains { Bytes(name) == constant($0) } }
      if !isKnown { return false }
      member = text.next(member + 1)
    }
    return true
  }

  @inline(never)
  private func meansOne(of values: CompiledMap.ListRange, _ written: Bytes) -> Bool {
    // An escape has at most 6 bytes for one byte. The limit matters because a text may be compared for each of many elements.
    let longest = values.range.reduce(0) { max($0, Int(texts[$1].count)) }
    if written.count > 6 * longest { return false }
    return withUnsafeTemporaryAllocation(byteCount: written.count, alignment: 1) { scratch in
      let plain = Bytes(rebasing: scratch[..<unescape(written, to: scratch.baseAddress!)])
      return values.range.contains { plain == constant($0) }
    }
  }

  /// Whether both are present and are written differently. 1 and "1" are equal.
  private func differ(_ first: Value, _ second: Value) -> Bool {
    guard let first = written(first), let second = written(second) else { return false }
    if !first.isEscaped, !second.isEscaped { return !(first.text == second.text) }
    return withUnsafeTemporaryAllocation(byteCount: first.text.count + second.text.count, alignment: 1) { scratch in
      let start = scratch.baseAddress.unsafelyUnwrapped
      let count = unescape(first.text, to: start)
      let other = unescape(second.text, to: start + count)
      return !(Bytes(start: start, count: count) == Bytes(start: start + count, count: other))
    }
  }

  /// Returns a value as it is written, or nil if it is missing, not a text, or too long to be compared for each of many elements.
  private func written(_ value: Value) -> (text: Bytes, isEscaped: Bool)? {
    guard value.kind != .missing else { return nil }
    var written = (text: value.bytes, isEscaped: false)
    if value.kind == .token {
      let token = Int(value.token)
      let found = text[token]
      if found.isObject || found.isArray { return nil }
      written = (found.isString ? text.inside(token) : text.slice(token), found.isEscaped)
    }
    return written.text.count > Self.comparedBytesMax ? nil : written
  }

  /// The maximum length of a compared text. A longer text never differs.
  private static let comparedBytesMax = 1024
}

extension Bytes {
  /// Whether a lowercase word occurs in the bytes, regardless of their case. Only the first `limit` bytes are searched.
  func holds(_ word: Bytes, within limit: Int = 256) -> Bool {
    let count = Swift.min(count, limit)
    guard !word.isEmpty, word.count <= count else { return false }
    return (0...count - word.count).contains { start in
      word.indices.allSatisfy { PointerTable.lowercased(self[start + $0]) == word[$0] }
    }
  }
}
