internal import ComboWire

/// A checked map, as in its file, before it is compiled.
///
/// The compiler needs to know what is written later: one chosen map with loose names makes all pointers loose, and a condition
/// on a switch is decided for the whole `all` or `any` around it.
struct MapDefinition {
  var name = ""
  var about = ""
  var form = TextForm.json
  /// Whether Confluent's magic byte and schema id may precede the JSON text.
  var isFramed = false
  /// The form of binary records, or nil if records are text.
  var record: RecordForm?
  /// The text that may precede the JSON text, with `*` for any text, empty if none may.
  var prefix = ""
  /// Whether names are compared without regard to case, `_` and `-`.
  var isLoose = false
  var unpacked: [MapUnpacked] = []
  var messages: [ProtobufMessage] = []
  var switches: [MapSwitch] = []
  /// The pointers below each of which all rules are tried.
  var roots: [[String]] = [[]]
  var rules: [MapRule] = []
  var otherwise = MapOutcome.bad("none of the map's rules is for it")
  var choice: MapChoice?
  /// The signs of a record that names a gift, or nil if records without a rule are dropped as the map specifies.
  var signs: GiftSigns?

  /// The text format of records.
  enum TextForm: String, CaseIterable { case json, stt, irc }
}

/// The signs of a record that names a gift. Such a record must not vanish if no rule reads it.
struct GiftSigns {
  /// Members whose text names the type of a record. Their names are compared as the map compares names.
  var commands: [String] = []
  /// Words in such a text that indicate a gift, regardless of case.
  var words: [String] = []
  /// Prefixes of such texts that are known not to be gifts, regardless of case.
  var others: [String] = []
  /// Members that only a gift has.
  var keys: [String] = []
}

/// A pointer as it is written. The place to which it leads depends on the root below which it is.
struct MapPointer {
  /// Whether it starts at the record rather than at the root.
  var isFromRecord = false
  /// The number of steps that it goes up from there, but not above the record.
  var ups = 0
  var steps: [String] = []
  /// The number of its text among the texts of the definition's pointers; 0 for that of the root itself.
  var number = 0

  /// Returns the steps from the record.
  func path(below root: [String]) -> [String] { (isFromRecord ? [] : root.dropLast(ups)) + steps }
}

/// A text that may hold JSON or a Protobuf message, which is read in its place.
struct MapUnpacked {
  var pointer = MapPointer()
  /// The condition under which it is read.
  var condition: MapCondition?
  /// The index of its Protobuf message in `messages`, or nil if it is not Protobuf.
  var message: Int?
  /// Whether the JSON is in base64.
  var isBase64 = false
}

/// An option that is chosen when a map is named.
public struct MapSwitch: Equatable, Sendable {
  /// The name by which it is chosen.
  public let name: String
  /// The value that applies if none is chosen.
  public let initial: String
  /// The values, each with its meaning.
  public let values: [Value]

  /// Returns its value if these are chosen.
  func value(of chosen: [(name: String, value: String)]) -> String { chosen.last { $0.name == name }?.value ?? initial }

  /// A value that can be chosen.
  public struct Value: Equatable, Sendable {
    /// The value after the equals sign.
    public let name: String
    /// The value's meaning, in a sentence.
    public let about: String
  }
}

struct MapRule {
  var condition: MapCondition?
  var outcome: MapOutcome
  /// The root of its fields, below that of the map. If it goes through more arrays, the rule is tried for each of their elements.
  var root = MapPointer()
  /// The rule's number in the map, from 1.
  var number: Int
  /// The line of its file on which the rule begins.
  var line: Int
  /// Whether each record has an id of its own, though it has a total too.
  var hasNewIDs = false
  /// Whether it is also tried where another rule has made a gift of an element of another array.
  var isBeside = false

  /// The type of its event, or nil if it makes none.
  var kind: Event.Kind? {
    if case .event(let event) = outcome { event.kind } else { nil }
  }
}

enum MapOutcome {
  case event(MapEvent)
  /// No event, for this reason.
  case drop(String)
  /// A bad event, for this reason.
  case bad(String)
}

/// The sources of an event's fields, each nil if the rule does not name one.
struct MapEvent {
  var kind = Event.Kind.gift
  var room: MapExpression?
  var ts: MapExpression?
  var id: MapExpression?
  var sender: MapParty?
  var receiver: MapParty?
  var gift: MapParty?
  var count: MapExpression?
  var total: MapExpression?
  var streak: MapExpression?
  var streakMs: MapExpression?
  var ends: MapExpression?
  var refresh: MapExpression?
  var lingerMs: MapExpression?
  var combo: MapExpression?
  var settings: MapExpression?
}

/// A sender, a receiver or a gift.
struct MapParty {
  var id: MapExpression?
  var value: MapExpression?
  var show = Show.fields([])

  enum Show {
    /// The object at this pointer, unchanged.
    case verbatim(MapPointer)
    case fields([Field])
  }

  struct Field {
    var name: String
    var value: MapExpression
    /// The maximum size in bytes as received. A longer value is left out.
    var bytesMax: Int?
  }
}

indirect enum MapExpression {
  /// The value at a pointer. The values of `unless` count as missing.
  case at(MapPointer, unless: [String])
  case key
  case header(String)
  case text(String)
  /// A number as it is written in the map.
  case number(String)
  case product([MapExpression])
  case join([MapExpression])
  /// The first part that is present.
  case first([MapExpression])
  case time(MapExpression, TimeUnit)
  /// The first expression if the condition holds, else the second, if there is one.
  case when(MapCondition, MapExpression, MapExpression?)
}

/// The format of a time.
enum TimeUnit: String, CaseIterable {
  case ms, s, us, ns
  /// A text such as `2026-11-21T13:00:00.123Z`.
  case rfc3339
  /// A number of any of these units, recognized by its size, or such a text.
  case auto
}

indirect enum MapCondition {
  case all([MapCondition])
  case any([MapCondition])
  case not(MapCondition)
  case isOneOf(MapExpression, [String])
  /// There is null at one of the pointers, or on the way to it.
  case isNull([MapPointer])
  case exists(MapExpression)
  case starts(MapExpression, String)
  /// The object at the pointer has no members but these.
  case hasOnly(MapPointer, [String])
  /// The text contains one of these, regardless of case.
  case contains(MapExpression, [String])
  case above(MapExpression, Double)
  case below(MapExpression, Double)
  /// Both are present, and their texts differ.
  case differ(MapExpression, MapExpression)
  /// A result that is known when the map is read.
  case always(Bool)
}

/// Maps among which a field of the record chooses.
struct MapChoice {
  /// The expression that chooses, or nil if there is one map for all records.
  var by: MapExpression?
  var entries: [(values: [String], map: MapDefinition)] = []
  /// The pointer below which the chosen maps' pointers are.
  var root: [String] = []
  /// Sources of fields that come before those of the chosen map.
  var fields = MapEvent()
}
