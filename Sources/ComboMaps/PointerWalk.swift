internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// Walks the tapes of records by a ``PointerTable``. Each thread needs its own.
final class PointerWalk {
  /// The table, which owns the memory of the lists below.
  private let table: PointerTable
  private let nodes: UnsafeMutableBufferPointer<PointerTable.Node>
  private let cells: UnsafeMutableBufferPointer<PointerTable.Cell>
  private let elements: UnsafeMutableBufferPointer<PointerTable.Element>
  private let names: UnsafeMutableBufferPointer<UInt8>
  private let stars: UnsafeMutableBufferPointer<PointerTable.Star>
  private let below: UnsafeMutableBufferPointer<Int32>
  private let isLoose: Bool
  /// The end of the array that each star is in.
  private let ends: UnsafeMutablePointer<Int>
  /// The element that the stars of each level stand for.
  private var places: [Int]
  /// The level of the stars that advanced last, or 0 if none has advanced.
  private(set) var level = 0
  /// The number of levels.
  var levels: Int { places.count }
  /// Whether any star has a further element.
  private(set) var isSeveral = false
  /// The token that each node's pointer leads to, or -1. It is `own`, or the known result for a shape.
  private(set) var found: UnsafeMutablePointer<Int32>
  private let own: UnsafeMutablePointer<Int32>
  /// The result of the walk over the last text of a shape, for each place of a shape. It is the same for all texts of one shape.
  private let known: UnsafeMutableBufferPointer<Known>

  private struct Known {
    var shape: UInt64 = 0
    var isSeveral = false
    let found: UnsafeMutablePointer<Int32>
    let ends: UnsafeMutablePointer<Int>
  }

  init(_ table: PointerTable) {
    self.table = table
    nodes = table.nodes.all
    cells = table.cells.all
    elements = table.elements.all
    names = table.names.all
    stars = table.stars.all
    below = table.below.all
    isLoose = table.isLoose
    ends = Self.numbers(max(table.stars.count, 1))
    places = Array(repeating: 0, count: table.stars.lazy.map(\.level).max() ?? 0)
    own = Self.numbers(nodes.count)
    found = own
    known = .allocate(capacity: TextShape.places)
    for place in known.indices {
      (known.baseAddress! + place).initialize(
        to: Known(found: Self.numbers(nodes.count), ends: Self.numbers(max(stars.count, 1))))
    }
  }

  deinit {
    ends.deallocate()
    own.deallocate()
    for known in known {
      known.found.deallocate()
      known.ends.deallocate()
    }
    known.deallocate()
  }

  private static func numbers<T: FixedWidthInteger>(_ count: Int) -> UnsafeMutablePointer<T> {
    let memory = UnsafeMutablePointer<T>.allocate(capacity: count)
    memory.initialize(repeating: 0, count: count)
    return memory
  }

  /// Finds the tokens that all pointers lead to in the text that the parser checked last. Of two members with one name, the first
  /// counts. A star stands for the first element.
  @inline(__always)
  func walk(_ text: JSONText, of parser: JSONParser) {
    level = 0
    let shape = parser.shape
    let known = known.baseAddress.unsafelyUnwrapped + shape.place
    let isKnown = shape.id != 0 && known.pointee.shape == shape.id
    isSeveral = isKnown && known.pointee.isSeveral
    if isKnown, !isSeveral {
      // The known result stays unchanged: there is no further element, and no name to read.
      found = known.pointee.found
      return
    }
    parser.writeNames()
    found = own
    if isKnown {
      found.update(from: known.pointee.found, count: nodes.count)
      ends.update(from: known.pointee.ends, count: stars.count)
      return
    }
    found.update(repeating: -1, count: nodes.count)
    found[0] = 0
    visit(text, 0, 0)
    if shape.id == 0 { return }
    known.pointee.shape = shape.id
    known.pointee.found.update(from: found, count: nodes.count)
    known.pointee.ends.update(from: ends, count: stars.count)
    known.pointee.isSeveral = isSeveral
  }

  /// Advances the innermost stars that have a further element, all stars of one level together. Returns false if none has one.
  ///
  /// Every element is reached once, in the order of the text, and only what is below it is read. The time for all of them is
  /// proportional to the text's length.
  func advance(_ text: JSONText) -> Bool {
    if !isSeveral { return false }
    if level == 0 { for index in places.indices { places[index] = 0 } }
    for level in stride(from: places.count, to: 0, by: -1) where advance(text, level) {
      self.level = level
      places[level - 1] += 1
      for index in level..<places.count { places[index] = 0 }
      return true
    }
    return false
  }

  private func advance(_ text: JSONText, _ level: Int) -> Bool {
    var hasMoved = false
    for (index, star) in stars.enumerated() where star.level == level && found[Int(star.node)] >= 0 {
      let last = Int(found[Int(star.node)]), element = text.next(last)
      if text[last].isObject || text[last].isArray { for place in star.below { found[Int(below[place])] = -1 } }
      found[Int(star.node)] = -1
      if element < ends[index] {
        hasMoved = true
        step(text, element, Int(star.node))
      }
    }
    return hasMoved
  }

  @inline(__always)
  private func step(_ text: JSONText, _ element: Int, _ node: Int) {
    found[node] = Int32(truncatingIfNeeded: element)
    if nodes[node].mask >= 0 { visit(text, element, node) }
  }

  /// The elements that the stars stand for, for error messages: `2`, or `2/1` for element 1 of the array in element 2, from 0.
  var place: String {
    let depth = stars.lazy.filter { self.found[Int($0.node)] >= 0 }.map(\.level).max() ?? 0
    return places[..<max(depth, level)].map { level == 0 ? "0" : String($0) }.joined(separator: "/")
  }

  /// Returns the elements of the stars whose level is above `outer` and at most `inner`.
  func place(within outer: Int, upTo inner: Int) -> String {
    places[min(outer, inner)..<inner].map { level == 0 ? "0" : String($0) }.joined(separator: "/")
  }

  private func visit(_ text: JSONText, _ token: Int, _ at: Int) {
    let node = nodes.baseAddress.unsafelyUnwrapped + at
    if text[token].isObject {
      members(text, token, node)
    } else if text[token].isArray, node.pointee.elementCount > 0 || node.pointee.star >= 0 {
      self.elements(text, token, node)
    }
  }

  @inline(__always)
  private func members(_ text: JSONText, _ token: Int, _ node: UnsafeMutablePointer<PointerTable.Node>) {
    // Locals, so that the compiler need not assume that the loop's writes change them.
    let found = found
    let nodes = nodes.baseAddress.unsafelyUnwrapped
    let tokens = text.tokens
    let base = UnsafeRawPointer(text.base)
    let names = UnsafeRawPointer(names.baseAddress.unsafelyUnwrapped)
    let table = cells.baseAddress.unsafelyUnwrapped + Int(node.pointee.cells)
    let mask = Int(node.pointee.mask)
    let isLoose = isLoose
    let initials = node.pointee.initials
    var left = node.pointee.children
    if left == 0 { return }
    var member = token &+ 1
    let end = text.next(token)
    while member < end {
      let name = tokens + member
      let child: Int
      if isLoose {
        let first = text.base[Int(truncatingIfNeeded: name.pointee.start) &+ 1]
        let isLikely = PointerTable.initial(first) & (initials | 1 &<< 31) != 0
        child = isLikely ? findLoose(text, member, table, mask) : 0
      } else if name.pointee.isEscaped {
        child = findEscaped(text, member, table, mask)
      } else {
        let length = Int(truncatingIfNeeded: name.pointee.length) &- 2
        let start = base + Int(truncatingIfNeeded: name.pointee.start) + 1
        child = Self.find(PointerTable.word(start, length), start, length, table, mask, names)
      }
      if child > 0, found[child] < 0 {
        found[child] = Int32(truncatingIfNeeded: member &+ 1)
        if nodes[child].mask >= 0 { visit(text, member &+ 1, child) }
        left &-= 1
        if left == 0 { return }
      }
      member = Int(truncatingIfNeeded: name[1].next)
    }
  }

  private func elements(_ text: JSONText, _ token: Int, _ node: UnsafeMutablePointer<PointerTable.Node>) {
    let first = Int(node.pointee.firstElement)
    var left = node.pointee.elementCount
    var index: Int32 = 0
    var element = token + 1
    let end = text.next(token)
    if node.pointee.star >= 0, element < end {
      let star = Int(node.pointee.star)
      ends[star] = end
      if text.next(element) < end { isSeveral = true }
      step(text, element, Int(stars[star].node))
    }
    while element < end, left > 0 {
      for place in first..<first + Int(node.pointee.elementCount) where elements[place].index == index {
        step(text, element, Int(elements[place].node))
        left -= 1
      }
      index += 1
      element = text.next(element)
    }
  }

  /// Returns the node that a name leads to, or 0 if there is none.
  @inline(__always)
  private static func find(
    _ word: UInt64, _ start: UnsafeRawPointer, _ length: Int, _ table: UnsafeMutablePointer<PointerTable.Cell>, _ mask: Int,
    _ names: UnsafeRawPointer
  ) -> Int {
    var place = PointerTable.hash(word, length)
    while true {
      let cell = table + (place & mask)
      if cell.pointee.length < 0 { return 0 }
      if cell.pointee.word == word, cell.pointee.length == Int32(truncatingIfNeeded: length),
        length <= 8 || isEqual(names + Int(cell.pointee.name), start, length)
      {
        return Int(cell.pointee.node)
      }
      place &+= 1
    }
  }

  /// Returns the node that a name leads to in loose comparison, or 0 if there is none.
  private func findLoose(
    _ text: JSONText, _ member: Int, _ table: UnsafeMutablePointer<PointerTable.Cell>, _ mask: Int
  ) -> Int {
    let inside = text.inside(member)
    if inside.count > PointerTable.looseNameMax { return 0 }
    if !text[member].isEscaped { return findLoose(inside, table, mask) }
    return withUnsafeTemporaryAllocation(byteCount: PointerTable.looseNameMax, alignment: 1) { scratch in
      findLoose(Bytes(start: scratch.baseAddress, count: unescape(inside, to: scratch.baseAddress!)), table, mask)
    }
  }

  private func findLoose(_ name: Bytes, _ table: UnsafeMutablePointer<PointerTable.Cell>, _ mask: Int) -> Int {
    if name.count > PointerTable.looseNameMax { return 0 }
    return withUnsafeTemporaryAllocation(byteCount: PointerTable.looseNameMax + 8, alignment: 8) { scratch in
      let start = scratch.baseAddress!
      var length = 0
      for byte in name where byte != 0x5F && byte != 0x2D {
        scratch[length] = PointerTable.lowercased(byte)
        length += 1
      }
      return find(in: start, length, table, mask)
    }
  }

  @inline(never)
  private func findEscaped(
    _ text: JSONText, _ member: Int, _ table: UnsafeMutablePointer<PointerTable.Cell>, _ mask: Int
  ) -> Int {
    let inside = text.inside(member)
    return withUnsafeTemporaryAllocation(byteCount: inside.count + 8, alignment: 8) { scratch in
      let start = scratch.baseAddress!
      let length = unescape(inside, to: start)
      return find(in: start, length, table, mask)
    }
  }

  /// Returns the node for a name in memory that has room for 8 bytes after it.
  private func find(
    in start: UnsafeMutableRawPointer, _ length: Int, _ table: UnsafeMutablePointer<PointerTable.Cell>, _ mask: Int
  ) -> Int {
    (start + length).initializeMemory(as: UInt8.self, repeating: 0, count: 8)
    return Self.find(
      UInt64(littleEndian: start.loadUnaligned(as: UInt64.self)), UnsafeRawPointer(start), length, table, mask,
      UnsafeRawPointer(names.baseAddress.unsafelyUnwrapped))
  }

  /// Whether a pointer leads on from a node to each element of an array.
  func hasElements(_ node: Int) -> Bool { nodes[node].star >= 0 }

  /// Whether any pointer leads on from a node.
  func leadsOn(_ node: Int) -> Bool { nodes[node].mask >= 0 }

  /// Returns the node that a name leads to below a node, or 0 if there is none. Readers of formats other than JSON use it.
  func node(below node: Int, named name: Bytes) -> Int {
    let mask = Int(nodes[node].mask)
    if mask < 0 { return 0 }
    let table = cells.baseAddress.unsafelyUnwrapped + Int(nodes[node].cells)
    if isLoose { return findLoose(name, table, mask) }
    return withUnsafeTemporaryAllocation(byteCount: name.count + 8, alignment: 8) { scratch in
      let start = scratch.baseAddress!
      if let from = name.baseAddress { start.copyMemory(from: from, byteCount: name.count) }
      return find(in: start, name.count, table, mask)
    }
  }
}
