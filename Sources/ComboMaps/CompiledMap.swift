internal import ComboCore
internal import ComboWire

/// A map compiled for decoding records: flat lists without references. Any thread may read it.
struct CompiledMap {
  /// An expression or a condition.
  struct Node {
    enum Op: UInt8 {
      // Expressions.
      case at, key, header, text, number, product, join, first, when
      // Conditions.
      case all, any, not, isOneOf, isNull, exists, hasOnly, starts, contains, above, below, differ, always, never
    }

    var op: Op
    var unit = TimeUnit.ms
    /// Its children in `links`.
    var links = ListRange()
    /// Its texts in `texts`: the values to compare with, or those that count as missing.
    var texts = ListRange()
    /// The pointer's node for `at`, or the index in `headers` for `header`.
    var place: Int32 = 0
    /// The bound of `above` and `below`.
    var bound = 0.0
    /// The number of arrays that its pointer goes through, element by element; without a pointer, the maximum of its children.
    var stars: Int32 = 0
    /// The index of the pointer in `places`.
    var written: Int32 = 0

    /// Whether it is a pointer for which no values count as missing.
    @inline(__always) var isPointer: Bool { op == .at && texts.count == 0 }
  }

  /// A range of a list.
  struct ListRange {
    var first: Int32 = 0
    var count: Int32 = 0
    @inline(__always) var range: Range<Int> { Int(first)..<Int(first) + Int(count) }
  }

  /// A text in `bytes`.
  struct Text {
    var start: Int32
    var count: Int32
    /// Its first 8 bytes, padded with zeros.
    var word: UInt64 = 0
  }

  struct Party {
    var id: Int32 = -1
    var value: Int32 = -1
    /// The pointer's node of an object that is shown unchanged, or -1 if there is none.
    var verbatim: Int32 = -1
    /// Its fields in `shown`.
    var fields = ListRange()
    var isNamed: Bool { id >= 0 }
  }

  struct Shown {
    /// The text before the value: a comma, the quoted name and a colon.
    var name: Text
    var node: Int32
    /// The pointer's node if the expression is only a pointer, else -1.
    var place: Int32
    var bytesMax: Int32
  }

  struct Rule {
    enum Outcome: UInt8 { case event, drop, bad }

    /// The condition's node, or -1 if the rule always holds.
    var condition: Int32 = -1
    var outcome = Outcome.drop
    var kind = Event.Kind.gift
    var room: Int32 = -1
    var ts: Int32 = -1
    var id: Int32 = -1
    var sender = Party()
    var receiver = Party()
    var gift = Party()
    var count: Int32 = -1
    var total: Int32 = -1
    var streak: Int32 = -1
    var streakMs: Int32 = -1
    var ends: Int32 = -1
    var refresh: Int32 = -1
    var lingerMs: Int32 = -1
    var combo: Int32 = -1
    var settings: Int32 = -1
    /// Whether it is also tried where another rule has made a gift of an element of another array.
    var isBeside = false
    /// Whether its total becomes part of its id, so that an update under the same id is no duplicate.
    var isTotalInID = false
    /// The number of arrays that its root goes through. The rule is applied to each element of the innermost.
    var stars = 0
    /// The node of the pointer without which the rule cannot hold, or -1 if there is none; and the next rule with another root.
    var root: Int32 = -1
    var nextRoot: Int32 = 0
    /// The node of the object from which the fields' pointers start, or -1 for the record.
    var own: Int32 = -1
    /// The node of an element of the first array that its root goes through, or -1 if it goes through none.
    var each: Int32 = -1
    /// The number of the map's root below which the rule is tried.
    var base: Int32 = 0
    /// The node of an element of the last array that its root goes through, or -1 if it goes through none.
    var innermost: Int32 = -1
    /// The nodes in `links` of the elements around that.
    var around = ListRange()
    /// The last rule of its group, and the group's index in `signs`, or -1 if it has none.
    var last = 0
    var signs: Int32 = -1
    /// The reason why the rule drops a record or reports a bad event.
    var reason = ""
    /// Its name in log and error messages.
    var name = ""
  }

  /// A text that is read in its place.
  struct Unpacked {
    /// The pointer's node.
    var node: Int32
    /// The index of its Protobuf message in `messages`, or -1 if it is not Protobuf.
    var message: Int32 = -1
    /// Whether the JSON is in base64.
    var isBase64 = false
    /// The node of the condition under which it is read, or -1 if it is always read.
    var condition: Int32 = -1
    /// The index of its pointer in `unpackedPointers`. A text here would be reference-counted for each record.
    var pointer = 0
    /// The number of arrays that its pointer goes through, and the node of an element of the first.
    var stars = 0
    var each: Int32 = -1
    /// The node of the array whose elements are the texts, or -1 if they are members of objects.
    var array: Int32 = -1
  }

  /// Rules that are tried only if a condition holds.
  struct Group {
    /// The condition's node, or -1 if there is no condition.
    var choiceNode: Int32
    var rules: Range<Int>
  }

  let nodes = FixedList<Node>()
  let links = FixedList<Int32>()
  let texts = FixedList<Text>()
  let bytes = FixedList<UInt8>()
  /// The beginning of a display object, and the text before a gift's value.
  var idName = Text(start: 0, count: 0)
  var worthName = Text(start: 0, count: 0)
  let shown = FixedList<Shown>()
  var headers: [String] = []
  let rules = FixedList<Rule>()
  let groups = FixedList<Group>()
  var pointers = PointerTable()
  var form = MapDefinition.TextForm.json
  var isFramed = false
  /// The form of binary records, or nil if records are text.
  var record: RecordForm?
  /// The parts of the text that may precede the JSON, with any text between two of them, empty if none may.
  var prefix: [[UInt8]] = []
  var hasBeside = false
  var unpacked: [Unpacked] = []
  /// The pointers of `unpacked` as they are written, for error messages.
  var unpackedPointers: [String] = []
  /// The plan of the Protobuf messages, or nil if there are none.
  var protobuf: ProtobufPlan?
  var signs: [GiftSigns] = []

  /// Returns the description of an expression, for error messages.
  func description(of index: Int32) -> String {
    let node = nodes[Int(index)]
    // The first child of `when` is its condition.
    let parts = node.links.range.dropFirst(node.op == .when ? 1 : 0).map { description(of: links[$0]) }
    let text = node.texts.range.first.map { texts[$0] } ?? Text(start: 0, count: 0)
    let constant = String(decoding: bytes[Int(text.start)..<Int(text.start + text.count)], as: UTF8.self)
    return switch node.op {
    case .at: pointers.written(Int(node.written))
    case .key: "the record's key"
    case .header: "the header \"\(headers[Int(node.place)])\""
    case .text: "\"\(constant)\""
    case .number: constant
    case .product: parts.joined(separator: " × ")
    case .join: parts.joined(separator: " + ")
    default: parts.joined(separator: " or ")
    }
  }
}
