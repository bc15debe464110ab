internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// All pointers of a map as one tree. A record's tape is walked once, and only where a pointer leads.
///
/// Node 0 is the record. Each node has its own place in the walk's result. Once the table is built, any thread may read it.
struct PointerTable {
  /// A step of a pointer: an object's member or an array's element.
  struct Node {
    /// The start of its cells, and their number less 1; -1 if no pointer leads on.
    var cells: Int32 = 0
    var mask: Int32 = -1
    /// The number of steps that lead on.
    var children: Int32 = 0
    /// Its first child in `elements` that an array can have, and the number of such children.
    var firstElement: Int32 = 0
    var elementCount: Int32 = 0
    /// The initials of its children's names, for loose comparison: one bit for each letter from a, the last bit for all others.
    var initials: UInt32 = 0
    /// The index in `stars` of the child that stands for each element in turn, or -1 if there is none.
    var star: Int32 = -1
  }

  /// A node that stands for each element of an array in turn.
  struct Star {
    var node: Int32
    /// The number of arrays around it: 1, or more if an array's elements hold arrays.
    var level: Int
    /// The node and all nodes below it, in `below`.
    var below: Range<Int>
  }

  /// A member's name in a hash table.
  struct Cell {
    /// The name's first 8 bytes, padded with zeros.
    var word: UInt64 = 0
    /// The name's length, or -1 if the cell is empty.
    var length: Int32 = -1
    var node: Int32 = 0
    /// The position of the whole name in `names`.
    var name: Int32 = 0
  }

  struct Element {
    var index: Int32
    var node: Int32
  }

  /// A pointer as it is written. With loose names, several lead to one node.
  struct Place {
    /// The place of the pointer without its last step; that of the record is the record.
    let parent: Int
    let step: String
    let node: Int32
    /// The number of arrays that it goes through, element by element.
    let stars: Int32
    fileprivate var next: [String: Int] = [:]
  }

  let nodes = FixedList<Node>()
  let cells = FixedList<Cell>()
  let elements = FixedList<Element>()
  let names = FixedList<UInt8>()
  let stars = FixedList<Star>()
  let below = FixedList<Int32>()
  /// Whether names are compared without regard to case, `_` and `-`. It must be set before there are nodes.
  var isLoose = false
  private(set) var places = [Place(parent: 0, step: "", node: 0, stars: 0)]
  private var children: [[(step: String, node: Int)]] = [[]]

  init() { nodes.append(Node()) }

  /// The step that stands for each element of an array in turn.
  static let each = "*"
  /// The maximum length of a name in loose comparison. A longer name matches nothing.
  static let looseNameMax = 64

  /// Returns the number of arrays that a pointer goes through, element by element.
  static func stars(_ path: [String]) -> Int { path.count { $0 == each } }

  /// Returns the node that a pointer leads to, and adds missing nodes.
  mutating func node(_ path: [String]) -> Int32 {
    let place = place(path)
    return places[place].node
  }

  /// Returns the place to which steps lead from another place, and adds missing places.
  mutating func place(_ steps: [String], from start: Int = 0) -> Int {
    var at = start
    for step in steps {
      if let known = places[at].next[step] {
        at = known
      } else {
        let node = child(isLoose ? Self.loose(step) : step, of: Int(places[at].node))
        places[at].next[step] = places.count
        places.append(Place(parent: at, step: step, node: node, stars: places[at].stars + (step == Self.each ? 1 : 0)))
        at = places.count - 1
      }
    }
    return at
  }

  private mutating func child(_ step: String, of at: Int) -> Int32 {
    if let known = children[at].first(where: { $0.step == step }) { return Int32(known.node) }
    children[at].append((step, nodes.count))
    nodes.append(Node())
    children.append([])
    return Int32(nodes.count - 1)
  }

  /// Returns the places on the way from one place to another below it, which is the last.
  func way(from start: Int, to end: Int) -> [Int] {
    sequence(first: end) { places[$0].parent }.prefix { $0 != start }.reversed()
  }

  /// Returns a place's pointer in the notation of RFC 6901.
  func written(_ place: Int) -> String { Self.written(way(from: 0, to: place).map { places[$0].step }) }

  /// Returns a pointer in the notation of RFC 6901.
  static func written(_ path: [String]) -> String {
    if path.isEmpty { return "the whole record" }
    return path.map { "/" + $0.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined() }.joined()
  }

  /// Returns the nodes of the elements, in turn, of the arrays that a place's pointer goes through.
  func elements(to place: Int) -> [Int32] {
    way(from: 0, to: place).filter { places[$0].step == Self.each }.map { places[$0].node }
  }

  /// Returns a name in the form in which it is compared loosely.
  static func loose(_ name: String) -> String {
    String(decoding: name.utf8.filter { $0 != 0x5F && $0 != 0x2D }.map(lowercased), as: UTF8.self)
  }

  @inline(__always)
  static func initial(_ byte: UInt8) -> UInt32 {
    let letter = lowercased(byte) &- 0x61
    return letter < 26 ? 1 &<< UInt32(letter) : 1 &<< 31
  }

  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

  /// Builds the hash tables once all pointers have been added.
  mutating func finish() {
    for at in nodes.indices where !children[at].isEmpty {
      var size = 4
      while size < children[at].count * 4 { size *= 2 }
      nodes[at].cells = Int32(cells.count)
      nodes[at].mask = Int32(size - 1)
      nodes[at].children = Int32(children[at].count { $0.step != Self.each })
      cells.append(contentsOf: repeatElement(Cell(), count: size))
      nodes[at].firstElement = Int32(elements.count)
      for (step, node) in children[at] {
        // The star stands for elements of an array, not for a member of that name.
        if step == Self.each { continue }
        if let first = step.utf8.first { nodes[at].initials |= Self.initial(first) }
        let name = Array(step.utf8)
        let cell = Cell(word: Self.word(name), length: Int32(name.count), node: Int32(node), name: Int32(names.count))
        names.append(contentsOf: name)
        var place = Self.hash(cell.word, name.count)
        while cells[Int(nodes[at].cells) + (place & (size - 1))].length >= 0 { place += 1 }
        cells[Int(nodes[at].cells) + (place & (size - 1))] = cell
        // An index has no leading zeros (RFC 6901).
        if let index = Int32(step), String(index) == step, index >= 0 {
          elements.append(Element(index: index, node: Int32(node)))
        }
      }
      nodes[at].elementCount = Int32(elements.count) - nodes[at].firstElement
    }
    addStars(below: 0, level: 1)
  }

  private mutating func addStars(below at: Int, level: Int) {
    for (step, node) in children[at] {
      let first = below.count
      if step == Self.each {
        nodes[at].star = Int32(stars.count)
        addNodes(from: node)
        stars.append(Star(node: Int32(node), level: level, below: first..<below.count))
      }
      addStars(below: node, level: step == Self.each ? level + 1 : level)
    }
  }

  private mutating func addNodes(from at: Int) {
    below.append(Int32(at))
    for (_, node) in children[at] { addNodes(from: node) }
  }

  /// Returns the first 8 bytes, padded with zeros.
  static func word(_ bytes: [UInt8]) -> UInt64 {
    bytes.prefix(8).enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
  }

  /// Returns the first 8 bytes of a text, padded with zeros. It may read beyond the text, which must be padded.
  @inline(__always)
  static func word(_ start: UnsafeRawPointer, _ count: Int) -> UInt64 {
    let word = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    return count < 8 ? word & ~(~0 &<< UInt64(truncatingIfNeeded: 8 &* count)) : word
  }

  @inline(__always)
  static func hash(_ word: UInt64, _ length: Int) -> Int {
    Int(truncatingIfNeeded: ((word ^ UInt64(truncatingIfNeeded: length) &<< 59) &* 0x9E37_79B9_7F4A_7C15) &>> 48)
  }
}
