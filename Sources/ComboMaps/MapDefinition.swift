internal import ComboWire

/// A map as in its file, checked, before it is compiled.
struct MapDefinition {
  var name = ""
  var about = ""
  var form = TextForm.json
  /// Whether Confluent's magic byte and schema id may be before the JSON text.
  var isFramed = false
  /// nil: records are text.
  var record: RecordForm?
  /// What may be before the JSON text, `*` being any text; empty: nothing.
  var prefix = ""
  /// Whether case, `_` and `-` make no difference in names.
  var isLoose = false
  var unpacked: [MapUnpacked] = []
  var messages: [ProtobufMessage] = []
  var switches: [MapSwitch] = []
  var rules: [MapRule] = []
  var otherwise = MapOutcome.bad("none of the map's rules is for it")
  var choice: MapChoice?
  /// The marks of a record that names a gift; nil: records without a rule are dropped as the map says.
  var signs: GiftSigns?

  /// How a record's bytes are read.
  enum TextForm: String, CaseIterable { case json, stt, irc }
}

/// The signs of a record that names a gift: if no rule reads it, it must not vanish.
struct GiftSigns {
  /// Members whose text names the kind of a record; compared as the map compares names.
  var commands: [String] = []
  /// Words in such a text that mean a gift. Case makes no difference.
  var words: [String] = []
  /// The beginnings of such texts that are known to be no gifts. Case makes no difference.
  var others: [String] = []
  /// Members that only a gift has.
  var keys: [String] = []
}

/// A text that may hold JSON, or a message of Protobuf, which is read in its place.
struct MapUnpacked {
  var path: [String]
  /// When it is read.
  var condition: MapCondition?
  /// Of Protobuf: the message, in `messages`.
  var message: Int?
  /// Whether the JSON is in base64.
  var isBase64 = false
}

/// A choice when a map is named.
public struct MapSwitch: Equatable, Sendable {
  /// The name where it is chosen.
  public let name: String
  /// The value that holds if none is chosen.
  public let initial: String
  /// The values, each with what it means.
  public let values: [Value]

  /// A value that can be chosen.
  public struct Value: Equatable, Sendable {
    /// The value after the equals sign.
    public let name: String
    /// Its meaning, in a sentence.
    public let about: String
  }
}

struct MapRule {
  var condition: MapCondition?
  var outcome: MapOutcome
  /// The pointer below which it is tried, if not below the record: one of the map's roots, or its own where that goes through more arrays.
  var root: [String] = []
  /// Its place among the map's rules, from 1: the same below each root.
  var number: Int
  /// Where the rule begins, as a line of its file.
  var line: Int
  /// Whether each record has an id of its own, though it has a total too.
  var hasNewIDs = false
  /// Whether it is also tried where another rule has made a gift of another array's element.
  var isBeside = false

  /// The event it makes; nil: none.
  var kind: Event.Kind? {
    if case .event(let event) = outcome { event.kind } else { nil }
  }

  /// It holds only where something is at this pointer.
  mutating func take(root: [String]) {
    self.root = root
    condition = .all([.exists(.at(root, unless: []))] + (condition.map { [$0] } ?? []))
  }
}

enum MapOutcome {
  case event(MapEvent)
  /// No event, for this reason.
  case drop(String)
  /// A bad event, for this reason.
  case bad(String)
}

/// The sources of an event's fields; nil: the rule does not name any.
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
    /// The object at this pointer unchanged.
    case verbatim([String])
    case fields([Field])
  }

  struct Field {
    var name: String
    var value: MapExpression
    /// A longer value is left out; in bytes as received.
    var bytesMax: Int?
  }
}

indirect enum MapExpression {
  /// The value at a pointer, unless it counts as missing.
  case at([String], unless: [String])
  case key
  case header(String)
  case text(String)
  /// As it is written.
  case number(String)
  case product([MapExpression])
  case join([MapExpression])
  /// The first that is present.
  case first([MapExpression])
  case time(MapExpression, TimeUnit)
  /// The first where the condition holds, else the second, if there is one.
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
  /// null stands at the pointer.
  case isNull([String])
  case exists(MapExpression)
  case starts(MapExpression, String)
  /// One of these is in its text, whatever the case of the letters.
  case contains(MapExpression, [String])
  case above(MapExpression, Double)
  case below(MapExpression, Double)
  /// Both are present, as texts that differ.
  case differ(MapExpression, MapExpression)
  /// Decided when the map is read.
  case always(Bool)
}

/// Maps among which a field of the record chooses.
struct MapChoice {
  /// The chooser; nil: there is one map, for all.
  var by: MapExpression?
  var entries: [(values: [String], map: MapDefinition)] = []
  /// Pointers of the chosen maps are below this one.
  var root: [String] = []
  /// Fields that are read here before the chosen map's own places.
  var fields = MapEvent()
}
