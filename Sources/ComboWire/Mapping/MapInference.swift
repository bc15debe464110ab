internal import CSimdJSON
internal import ComboCore

/// Proposes a map from samples, by the names of fields and the shapes of their values. A guess, and says how sure it is.
public struct MapInference {
  /// The map as the text of a file; empty if there is nothing to go by.
  public let text: String
  /// What it is unsure of, in sentences.
  public let doubts: [String]

  /// Looks at samples of JSON records; those that are none are passed over.
  public init(_ records: [[UInt8]]) {
    var survey = FieldSurvey()
    for record in records { survey.add(record) }
    if survey.records == 0 {
      text = ""
      doubts = ["none of the records is a JSON object"]
      return
    }
    var doubts: [String] = []
    let gifts = GiftMark(survey, &doubts)
    if let gifts {
      // What else the topic holds says nothing of gifts.
      survey = FieldSurvey()
      for record in records { survey.add(record, onlyIf: gifts) }
    }
    var guess = MapGuess(survey, gifts, doubts)
    text = guess.map()
    self.doubts = guess.doubts
  }
}

/// What is found at one pointer, over all samples.
struct FieldSample {
  let path: [String]
  var values: [String] = []
  var isNumber = true
  var isText = true
  /// How many records have it.
  var count = 0

  /// `GiftId`, `gift_id` and `gift-id` are the same name.
  var last: String { Self.plain(path.last ?? "") }
  /// The names above it.
  var above: String { path.dropLast().map(Self.plain).joined(separator: "/") }
  var pointer: String { MapCompiler.written(path) }

  static func plain(_ name: String) -> String { String(name.lowercased().filter { $0 != "_" && $0 != "-" }) }
}

/// All scalar fields of some records.
struct FieldSurvey {
  private(set) var fields: [FieldSample] = []
  private(set) var records = 0
  private var places: [[String]: Int] = [:]

  /// Takes a record in, if it is a JSON object, and a gift by `mark`.
  mutating func add(_ record: [UInt8], onlyIf mark: GiftMark? = nil) {
    guard let text = try? MapText(record, file: ""), text.text[0].isObject else { return }
    if let mark {
      var alone = FieldSurvey()
      alone.visit(text.text, 0, [])
      let value = alone.fields.first { $0.path == mark.field.path }?.values.first
      guard let value, mark.values.contains(value) else { return }
    }
    records += 1
    visit(text.text, 0, [])
  }

  private mutating func visit(_ text: JSONText, _ token: Int, _ path: [String]) {
    // What lies deeper, or has more fields, is not where a gift's few fields are.
    if path.count > 8 || fields.count > 2000 { return }
    if text[token].isObject {
      var member = token + 1
      while member < text.next(token) {
        visit(text, member + 1, path + [text.string(member)])
        member = text.next(member + 1)
      }
    } else if text[token].isArray {
      if text.next(token) > token + 1 { visit(text, token + 1, path + ["0"]) }
    } else if !text[token].isNull {
      let place = places[path] ?? fields.count
      if place == fields.count {
        fields.append(FieldSample(path: path))
        places[path] = place
      }
      fields[place].count += 1
      fields[place].isNumber = fields[place].isNumber && text[token].isNumber
      fields[place].isText = fields[place].isText && text[token].isString
      fields[place].values.append(
        text[token].isString ? text.string(token) : String(decoding: text.slice(token), as: UTF8.self))
    }
  }
}
