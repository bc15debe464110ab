internal import ComboCore
internal import ComboWire

/// A map in the form in which records are read by it: flat lists without references. Only read, by any thread.
struct CompiledMap {
  /// An expression or a condition.
  struct Node {
    enum Op: UInt8 {
      // Expressions.
      case at, key, header, text, number, product, join, first, when
      // Conditions.
      case all, any, not, isOneOf, isNull, exists, starts, contains, above, below, differ, always, never
    }

    var op: Op
    var unit = TimeUnit.ms
    /// Its children, in `links`.
    var links = Range16()
    /// Its texts, in `texts`: what is compared with, or what counts as missing.
    var texts = Range16()
    /// Of `at`: the pointer's node. Of `header`: its place in `headers`.
    var place: Int32 = 0
    /// Of `above` and `below`.
    var bound = 0.0
    /// Through how many arrays its pointer goes, element by element; of others: the most of what it has below it.
    var stars: Int32 = 0

    /// Whether it is only a pointer.
    @inline(__always) var isPointer: Bool { op == .at && texts.count == 0 }
  }

  /// A part of a list.
  struct Range16 {
    var first: Int32 = 0
    var count: Int32 = 0
    @inline(__always) var range: Range<Int> { Int(first)..<Int(first) + Int(count) }
  }

  /// A text in `bytes`.
  struct Text {
    var start: Int32
    var count: Int32
    /// Its first 8 bytes, 0 after its end.
    var word: UInt64 = 0
  }

  struct Party {
    var id: Int32 = -1
    var value: Int32 = -1
    /// The pointer's node of an object that is shown unchanged; -1: none.
    var verbatim: Int32 = -1
    /// In `shown`.
    var fields = Range16()
    var isNamed: Bool { id >= 0 }
  }

  struct Shown {
    /// A text: a comma, the name in quotes, and a colon.
    var name: Text
    var node: Int32
    /// The pointer's node, if the expression is only a pointer; else -1.
    var place: Int32
    var bytesMax: Int32
  }

  struct Rule {
    enum Outcome: UInt8 { case event, drop, bad }

    /// -1: always.
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
    /// Whether it is also tried where another rule has made a gift of another array's element.
    var isBeside = false
    /// Whether its total becomes part of its id: an update under the same id is no duplicate.
    var isTotalInID = false
    /// Through how many arrays its root goes; it is read for each element of the innermost.
    var stars = 0
    /// The pointer's node without which the rule cannot hold; -1: none. And the first rule after it that has another one.
    var root: Int32 = -1
    var nextRoot: Int32 = 0
    /// The node of an element of the first array that its root goes through; -1: it goes through none.
    var each: Int32 = -1
    /// The last rule of its group, and the group's place in `signs`; -1: none.
    var last = 0
    var signs: Int32 = -1
    /// Why it drops, or calls it bad.
    var reason = ""
    /// Its name in sentences.
    var name = ""
  }

  /// A text that is read in its place.
  struct Unpacked {
    /// Its pointer's node.
    var node: Int32
    /// Of Protobuf: its place in `messages`; -1: it is no Protobuf.
    var message: Int32 = -1
    /// Whether the JSON is in base64.
    var isBase64 = false
    /// When it is read so; -1: always.
    var condition: Int32 = -1
    /// Where the pointer is written, in `descriptions`.
    var description: Int32 = -1
    /// Through how many arrays its pointer goes, and the node of an element of the first.
    var stars = 0
    var each: Int32 = -1
  }

  /// Rules that are only looked at if a condition holds.
  struct Group {
    /// -1: always.
    var guardian: Int32
    var rules: Range<Int>
  }

  let nodes = FixedList<Node>()
  let links = FixedList<Int32>()
  let texts = FixedList<Text>()
  let bytes = FixedList<UInt8>()
  /// The beginning of a display object, and the text before a gift's worth.
  var idName = Text(start: 0, count: 0)
  var worthName = Text(start: 0, count: 0)
  let shown = FixedList<Shown>()
  var headers: [String] = []
  let rules = FixedList<Rule>()
  let groups = FixedList<Group>()
  var pointers = PointerTable()
  var form = MapDefinition.TextForm.json
  var isFramed = false
  /// nil: records are text.
  var record: RecordForm?
  /// The parts of what may be before the JSON text, with any text between two of them; empty: nothing may.
  var prefix: [[UInt8]] = []
  var hasBeside = false
  var unpacked: [Unpacked] = []
  /// nil: there are no messages.
  var protobuf: ProtobufPlan?
  var signs: [GiftSigns] = []
  /// The description of each node, for sentences.
  var descriptions: [String] = []
}
