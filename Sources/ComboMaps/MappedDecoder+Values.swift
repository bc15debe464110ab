internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// The values of expressions.
extension MappedDecoder {
  /// The value of an expression.
  struct Value {
    enum Kind {
      case missing
      /// A token of the record.
      case token
      /// A text: a header, the key, a constant or a join.
      case text
      /// A number as it is written in the map.
      case number
      /// A product; `node` has its factors.
      case product
    }

    var kind = Kind.missing
    var unit = TimeUnit.ms
    var token: Int32 = 0
    var node: Int32 = -1
    var bytes = Bytes(start: nil, count: 0)
  }

  /// Returns the value of an expression, which is missing if there is none.
  @inline(__always)
  func value(_ node: Int32, into arena: BumpArena) throws(BadEvent) -> Value {
    if node < 0 { return Value() }
    reading = node
    let at = nodes.baseAddress.unsafelyUnwrapped + Int(node)
    if at.pointee.op == .at { return pointed(at) }
    return try composed(node, into: arena)
  }

  @inline(__always)
  func pointed(_ at: UnsafeMutablePointer<CompiledMap.Node>) -> Value {
    let token = walk.found[Int(at.pointee.place)]
    if token < 0 { return Value() }
    if text.isMissing(Int(token)) { return Value() }
    if at.pointee.texts.count > 0, isListed(Int(token), at.pointee.texts) { return Value() }
    return Value(kind: .token, unit: at.pointee.unit, token: token)
  }

  func composed(_ index: Int32, into arena: BumpArena) throws(BadEvent) -> Value {
    let nodes = nodes.baseAddress.unsafelyUnwrapped
    let node = nodes + Int(index)
    if node.pointee.op == .at { return pointed(node) }
    switch node.pointee.op {
    case .key: return text(key ?? .none, node.pointee.unit)
    case .header: return text(headers[Int(node.pointee.place)], node.pointee.unit)
    case .text: return text(constant(node.pointee.texts.range.lowerBound), node.pointee.unit)
    case .number: return Value(kind: .number, unit: node.pointee.unit, bytes: constant(node.pointee.texts.range.lowerBound))
    case .product:
      for place in node.pointee.links.range where try composed(links[place], into: arena).kind == .missing { return Value() }
      return Value(kind: .product, unit: node.pointee.unit, node: index)
    case .join:
      return try joined(node.pointee, into: arena)
    case .first:
      var link = links.baseAddress.unsafelyUnwrapped + Int(node.pointee.links.first)
      let end = link + Int(node.pointee.links.count)
      while link < end {
        defer { link += 1 }
        let child = nodes + Int(link.pointee)
        let op = child.pointee.op
        // Most choices are between pointers, most of which are missing.
        if op == .at, walk.found[Int(child.pointee.place)] < 0 { continue }
        let value = op == .at ? pointed(child) : try composed(link.pointee, into: arena)
        if value.kind != .missing {
          // A nested choice has already set the expression that it read.
          if op != .first, op != .when { reading = link.pointee }
          return value
        }
      }
      return Value()
    case .when:
      let first = node.pointee.links.range.lowerBound
      let place = try holds(links[first], arena) ? first + 1 : first + 2
      if place >= node.pointee.links.range.upperBound { return Value() }
      let value = try composed(links[place], into: arena)
      let op = nodes[Int(links[place])].op
      if op != .first, op != .when { reading = links[place] }
      return value
    default: preconditionFailure("a condition has no value")
    }
  }

  @inline(__always)
  func text(_ bytes: Bytes, _ unit: TimeUnit) -> Value {
    bytes.isEmpty ? Value() : Value(kind: .text, unit: unit, bytes: bytes)
  }

  @inline(__always)
  func constant(_ place: Int) -> Bytes {
    let text = texts[place]
    return Bytes(start: bytes.baseAddress.unsafelyUnwrapped + Int(text.start), count: Int(text.count))
  }

  func joined(_ node: CompiledMap.Node, into arena: BumpArena) throws(BadEvent) -> Value {
    // A missing part takes precedence over a wrong one.
    for place in node.links.range where try composed(links[place], into: arena).kind == .missing { return Value() }
    // All parts are read before the result is allocated, since some of them allocate in the arena.
    var parts = InlineParts()
    var size = 0
    for place in node.links.range {
      let part = try meaning(try composed(links[place], into: arena), "a part of a joined text", into: arena)
      parts.append(part)
      size += part.count
    }
    let piece = arena.allocate(size)
    var length = 0
    for index in 0..<parts.count {
      let part = parts[index]
      if let start = part.baseAddress { (piece + length).copyMemory(from: start, byteCount: part.count) }
      length += part.count
    }
    return text(Bytes(start: piece, count: size), node.unit)
  }

  /// Returns a value as the text of which ids are made.
  func meaning(_ value: Value, _ name: StaticString, into arena: BumpArena) throws(BadEvent) -> Bytes {
    switch value.kind {
    case .token:
      let token = Int(value.token)
      if text[token].isString { return text.meaning(token, into: arena) }
      if text[token].isInteger { return text.slice(token) }
      throw .wrongType(text, token, "\(name)", "must be a string or an integer")
    case .text, .number: return value.bytes
    case .product:
      let number = try product(value.node, name, Int64.min...Int64.max, into: arena)
      let piece = arena.allocate(20)
      let end = write(number, at: piece.assumingMemoryBound(to: UInt8.self))
      let length = UnsafeMutableRawPointer(end) - piece
      arena.shrinkLast(piece, to: length)
      return Bytes(start: piece, count: length)
    case .missing: return .none
    }
  }

  /// Returns the id that an expression has, empty if it is missing.
  @inline(__always)
  func id(_ node: Int32, _ name: StaticString, into arena: BumpArena) throws(BadEvent) -> ID {
    if node < 0 { return ID(bytes: .none, isPlain: false) }
    reading = node
    let at = nodes.baseAddress.unsafelyUnwrapped + Int(node)
    if at.pointee.isPointer {
      let token = Int(walk.found[Int(at.pointee.place)])
      if token < 0 { return ID(bytes: .none, isPlain: false) }
      let found = text.tokens + token
      if found.pointee.isString, !found.pointee.isEscaped, found.pointee.length &- 2 <= UInt32(EventDecoder.idBytesMax) {
        return ID(bytes: text.inside(token), isPlain: true)
      }
    }
    return try otherID(node, name, into: arena)
  }

  struct ID {
    var bytes: Bytes
    /// Whether it needs no escapes in JSON.
    var isPlain: Bool
  }

  @inline(never)
  private func otherID(_ node: Int32, _ name: StaticString, into arena: BumpArena) throws(BadEvent) -> ID {
    let value = try value(node, into: arena)
    if value.kind == .missing { return ID(bytes: .none, isPlain: false) }
    if value.kind == .token {
      return ID(
        bytes: try checks.id(text, Int(value.token), name, into: arena), isPlain: !text[Int(value.token)].isEscaped)
    }
    // The event may outlive the bytes of the map and of the record's key.
    let id = arena.copy(try meaning(value, name, into: arena))
    if id.isEmpty || id.count > EventDecoder.idBytesMax { throw .length(id, "\(name)") }
    if csj_is_utf8(id.baseAddress!.assumingMemoryBound(to: UInt8.self), id.count) == 0 { throw .notUTF8(id, "\(name)") }
    return ID(bytes: id, isPlain: false)
  }

  /// Returns the integer of at most 15 digits and without a sign that a pointer leads to, or nil for anything else.
  @inline(__always)
  func wholeNumber(_ node: Int32) -> (value: Int64, token: Int)? {
    if node < 0 { return nil }
    let at = nodes.baseAddress.unsafelyUnwrapped + Int(node)
    if !at.pointee.isPointer { return nil }
    let token = Int(walk.found[Int(at.pointee.place)])
    if token < 0 { return nil }
    let found = text.tokens + token
    if !found.pointee.isInteger || found.pointee.length > 15 || text.base[Int(found.pointee.start)] == 0x2D { return nil }
    return (text.integer(token).unsafelyUnwrapped, token)
  }

  @inline(__always)
  func integer(_ value: Value, _ name: StaticString, _ range: ClosedRange<Int64>, into arena: BumpArena) throws(BadEvent) -> Int64
  {
    if value.kind == .token, !text[Int(value.token)].isString { return try checks.integer(text, Int(value.token), name, range) }
    return try writtenInteger(value, name, range, into: arena)
  }

  func writtenInteger(
    _ value: Value, _ name: StaticString, _ range: ClosedRange<Int64>, into arena: BumpArena
  ) throws(BadEvent) -> Int64 {
    if value.kind == .product { return try product(value.node, name, range, into: arena) }
    let digits = value.kind == .token ? text.inside(Int(value.token)) : value.bytes
    guard digits.isWrittenInteger else { throw .notInteger(digits, "\(name)") }
    guard let number = digits.writtenInteger, range.contains(number) else { throw .outside(digits, "\(name)", range) }
    return number
  }

  func product(
    _ node: Int32, _ name: StaticString, _ range: ClosedRange<Int64>, into arena: BumpArena
  ) throws(BadEvent) -> Int64 {
    var product: Int64 = 1
    for place in nodes[Int(node)].links.range {
      let part = try composed(links[place], into: arena)
      let factor = try integer(part, name, Int64.min...Int64.max, into: arena)
      let (next, overflow) = product.multipliedReportingOverflow(by: factor)
      if overflow { throw .overflow("\(name)") }
      product = next
    }
    reading = node
    if !range.contains(product) { throw .outside(product, "\(name)", range) }
    return product
  }

  /// Returns the value of a gift.
  func worth(_ value: Value, into arena: BumpArena) throws(BadEvent) -> Double {
    if value.kind == .token, !text[Int(value.token)].isString { return try checks.worth(text, Int(value.token)) }
    let number = try double(value, "gift.value", into: arena)
    if !(number >= 0 && number <= EventDecoder.valueMax) { throw .outside(number, "gift.value", "0 to 1000000000000") }
    return number
  }

  func double(_ value: Value, _ name: StaticString, into arena: BumpArena) throws(BadEvent) -> Double {
    switch value.kind {
    case .missing: return 0
    case .product:
      var product = 1.0
      // Older rules show what is left over from binary fractions: 250.50500000000002 of 2505050 × 0.0001.
      var exact = checks.rules.hasExactProducts ? ShortDecimal(digits: 1) : nil
      for place in nodes[Int(value.node)].links.range {
        let factor = try composed(links[place], into: arena)
        product *= try double(factor, name, into: arena)
        let token = factor.kind == .token ? Int(factor.token) : nil
        exact = exact?.times(token.map { text[$0].isString ? text.inside($0) : text.slice($0) } ?? factor.bytes)
      }
      return exact?.double ?? product
    case .token where text[Int(value.token)].isNumber: return text.double(Int(value.token))
    case .token where !text[Int(value.token)].isString:
      throw .wrongType(text, Int(value.token), "\(name)", "must be a number")
    case .token, .text, .number:
      let digits = value.kind == .token ? text.inside(Int(value.token)) : value.bytes
      guard let number = digits.writtenNumber else { throw .notNumber(digits, "\(name)") }
      return number
    }
  }
}

/// Up to 16 runs of bytes, stored without an allocation.
struct InlineParts {
  private var parts = (
    Bytes.none, Bytes.none, Bytes.none, Bytes.none, Bytes.none, Bytes.none, Bytes.none, Bytes.none, Bytes.none, Bytes.none,
    Bytes.none, Bytes.none, Bytes.none, Bytes.none, Bytes.none, Bytes.none
  )
  private(set) var count = 0

  subscript(index: Int) -> Bytes {
    withUnsafeBytes(of: parts) { $0.bindMemory(to: Bytes.self)[index] }
  }

  mutating func append(_ part: Bytes) {
    precondition(count < 16, "a join has at most 16 parts")
    withUnsafeMutableBytes(of: &parts) { $0.bindMemory(to: Bytes.self)[count] = part }
    count += 1
  }
}
