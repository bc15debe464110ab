internal import ComboCore
internal import ComboWire

/// Converts Douyu's STT text to JSON: `type@=dgb/rid@=1/` becomes `{"type":"dgb","rid":"1"}`.
///
/// A record is a sequence of `name@=value/`. In names and values, `@A` stands for `@`, and `@S` for a slash. A value does not
/// show whether it holds a text or further STT. It is read as STT only where a pointer of the map leads into it, so that a
/// viewer's name always stays a text. Only what a pointer leads to is converted. Of two members with one name, the first counts.
final class STTReader {
  private let out = ByteBuffer()
  /// Whether the last text held several messages, which the map has no root for.
  private(set) var isSeveral = false

  /// Returns the record as JSON, in the arena, with padding after it.
  ///
  /// - Parameters:
  ///   - pointers: The pointers of the map, or nil to convert each member to a text.
  ///   - node: The node of the pointer at which the record is.
  ///   - isOne: Whether a text is one message, and a repeated name is ignored, as by older rules.
  func json(
    of record: Bytes, _ pointers: PointerWalk?, from node: Int = 0, isOne: Bool = false, into arena: BumpArena
  ) throws(BadEvent) -> Bytes {
    isSeveral = false
    out.removeAll()
    var record = record.withoutLastBreaks
    if !isOne { while let first = record.first, Bytes.isBreak(first) { record = Bytes(rebasing: record.dropFirst()) } }
    if record.isEmpty { throw .notSTT("is empty") }
    if !Self.holdsFields(record) { throw .notSTT("has no name@=value at its beginning") }
    if isOne {
      fields(record, pointers, node)
      return arena.copy(out.bytes)
    }
    if Self.isCutOff(record) { throw .notSTT("is cut off") }
    out.append("[")
    var count = 0
    forEachMessage(record) { message in
      if count > 0 { out.append(",") }
      fields(message, pointers, node)
      count += 1
    }
    if count == 1 { return arena.copy(Bytes(rebasing: out.bytes[1...])) }
    if let pointers, !pointers.hasElements(node) {
      isSeveral = true
      throw .notSTT("holds \(count) messages, which the map has no root for, such as \"/*\"")
    }
    out.append("]")
    return arena.copy(out.bytes)
  }

  private static func holdsFields(_ text: Bytes) -> Bool {
    var first = 0
    while first < text.count, text[first] == 0x2F { first += 1 }
    for (index, byte) in text.enumerated().dropFirst(first) {
      if byte == 0x2F { return false }
      if byte == 0x40, index > first, index + 1 < text.count, text[index + 1] == 0x3D { return true }
    }
    return false
  }

  /// Whether a text ends within a name or within an escape. One that ends within a value may be whole: some producers leave off
  /// the last slash.
  private static func isCutOff(_ text: Bytes) -> Bool {
    let last = Bytes(rebasing: text[((text.lastIndex(of: 0x2F) ?? -1) + 1)...])
    return last.contains { $0 > 0x20 } && (last.last == 0x40 || equals(in: last) == nil)
  }

  /// Splits a text at the bytes between packets, and where the name with which it begins comes again.
  private func forEachMessage(_ text: Bytes, _ body: (Bytes) -> Void) {
    let hasBreaks = Bytes.breaks.contains { text.firstIndex(of: $0, from: 0) != nil }
    let nameStart = text.firstIndex { $0 != 0x2F } ?? 0
    let name = Bytes(rebasing: text[nameStart...].prefix(2 + (Self.equals(in: Bytes(rebasing: text[nameStart...])) ?? 0)))
    func end(_ message: Bytes) { if hasBreaks { forEachPacket(message, body) } else { body(message) } }
    var start = 0
    var index = nameStart
    while let slash = text.firstIndex(of: 0x2F, from: index) {
      index = slash + 1
      let rest = Bytes(rebasing: text[index...])
      if rest.count > name.count, rest[0] == name[0], rest[name.count] != 0x2F, rest.starts(with: name) {
        end(Bytes(rebasing: text[start..<index]))
        start = index
      }
    }
    end(Bytes(rebasing: text[start...]))
  }

  /// Splits a text after the bytes between packets, where a name follows. In a viewer's text, @ is escaped.
  private func forEachPacket(_ text: Bytes, _ body: (Bytes) -> Void) {
    var start = 0
    for piece in text.split(whereSeparator: { $0 == 0x2F || Bytes.isBreak($0) }) where piece.startIndex > 0 {
      guard Bytes.isBreak(text[piece.startIndex - 1]), Self.equals(in: Bytes(rebasing: piece)) != nil else { continue }
      body(Bytes(rebasing: text[start..<piece.startIndex]).withoutLastBreaks)
      start = piece.startIndex
    }
    body(Bytes(rebasing: text[start...]))
  }

  /// Writes a text as an object.
  private func fields(_ text: Bytes, _ pointers: PointerWalk?, _ node: Int) {
    out.append("{")
    var isFirst = true
    forEachPart(text) { part in
      guard let equals = Self.equals(in: part) else { return }
      unescaped(Bytes(rebasing: part[..<equals])) { name in
        let child = pointers?.node(below: node, named: name) ?? node
        if pointers != nil, child == 0 { return }
        if !isFirst { out.append(",") }
        isFirst = false
        out.append(jsonString: name)
        out.append(":")
        value(Bytes(rebasing: part[(equals + 2)...]), pointers, child)
      }
    }
    out.append("}")
  }

  private func value(_ escaped: Bytes, _ pointers: PointerWalk?, _ node: Int) {
    unescaped(escaped) { bytes in
      guard let pointers, pointers.leadsOn(node) else { return out.append(jsonString: bytes) }
      if Self.holdsFields(bytes) {
        fields(bytes, pointers, node)
      } else {
        // An array keeps all its elements, since their places count.
        out.append("[")
        var index = 0
        forEachPart(bytes) { part in
          if index > 0 { out.append(",") }
          let child = withDigits(index) { pointers.node(below: node, named: $0) }
          if child > 0 { value(part, pointers, child) } else { out.append("null") }
          index += 1
        }
        out.append("]")
      }
    }
  }

  private func withDigits<Result>(_ index: Int, _ body: (Bytes) -> Result) -> Result {
    withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
      let start = digits.baseAddress!.assumingMemoryBound(to: UInt8.self)
      return body(Bytes(start: start, count: write(Int64(index), at: start) - start))
    }
  }

  private func forEachPart(_ text: Bytes, _ body: (Bytes) -> Void) {
    var start = 0
    while start < text.count {
      let end = text.firstIndex(of: 0x2F, from: start) ?? text.count
      if end > start { body(Bytes(rebasing: text[start..<end])) }
      start = end + 1
    }
  }

  private static func equals(in part: Bytes) -> Int? {
    var index = 1
    while index + 1 < part.count {
      if part[index] == 0x40, part[index + 1] == 0x3D { return index }
      index += 1
    }
    return nil
  }

  /// Returns the first character, and the number of bytes that it has.
  private static func unit(_ rest: Slice<Bytes>) -> (UInt8, Int)? {
    guard let first = rest.first else { return nil }
    guard first == 0x40, rest.count > 1 else { return (first, 1) }
    switch rest[rest.startIndex + 1] {
    case 0x41: return (0x40, 2)
    case 0x53: return (0x2F, 2)
    default: return (first, 1)
    }
  }

  private func unescaped(_ escaped: Bytes, _ body: (Bytes) -> Void) {
    if !escaped.contains(0x40) { return body(escaped) }
    withUnsafeTemporaryAllocation(byteCount: escaped.count, alignment: 1) { memory in
      var length = 0
      var rest = escaped[...]
      while let (byte, taken) = Self.unit(rest) {
        memory[length] = byte
        length += 1
        rest = rest.dropFirst(taken)
      }
      body(Bytes(rebasing: memory[..<length]))
    }
  }
}
