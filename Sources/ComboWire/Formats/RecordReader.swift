internal import CSimdJSON
internal import ComboCore

/// Reads the JSON texts of the journal and the state: first the version, then the checksum, then the rest.
final class RecordReader {
  let parser = JSONParser()
  /// Memory for the current text and the values decoded from it, until the next text.
  let arena = BumpArena(chunkSize: 64 * 1024)
  /// The kind of text, as named in a fault.
  let what: StaticString
  /// The newest version of the format that is read.
  private let newest: Int64

  init(_ what: StaticString, newest: Int64 = Format.version) {
    self.what = what
    self.newest = newest
  }

  /// Reads a text without a seal; the result is valid until the next one is read.
  func read(_ bytes: Bytes) throws(FormatFault) -> RecordFields {
    arena.reset()
    return try parse(arena.copy(bytes))
  }

  /// Concatenates the parts of a text for parsing.
  func join(_ parts: [Bytes]) -> Bytes {
    arena.reset()
    let size = parts.reduce(0) { $0 + $1.count }
    let whole = arena.allocate(size)
    var end = whole
    for part in parts where part.count > 0 {
      end.copyMemory(from: part.baseAddress!, byteCount: part.count)
      end += part.count
    }
    return Bytes(start: whole, count: size)
  }

  /// Reads a text with a seal; the result is valid until the next one is read.
  func read(sealed bytes: Bytes, seed: UInt64) throws(FormatFault) -> RecordFields {
    let fields = try read(bytes)
    if !Seal.isIntact(bytes, seed: seed) { throw .broken(what, "its checksum does not fit its bytes") }
    return fields
  }

  /// Reads a JSON array without a version, which is the form of keys.
  func readArray(_ bytes: Bytes) throws(FormatFault) -> JSONText {
    arena.reset()
    let copy = arena.copy(bytes)
    let text = try check(copy)
    if !text[0].isArray { throw .broken(what, "it is not an array") }
    return text
  }

  private func check(_ copy: Bytes) throws(FormatFault) -> JSONText {
    let fault = parser.check(copy, depth: Format.depth)
    if fault != CSJ_FINE { throw .broken(what, "as JSON, it \(fault.words)") }
    return parser.text(of: copy)
  }

  /// Parses a text in the arena.
  func parse(_ copy: Bytes) throws(FormatFault) -> RecordFields {
    let text = try check(copy)
    if !text[0].isObject { throw .broken(what, "it is not an object") }
    let fields = RecordFields(text: text, object: 0, what: what)
    try Self.checkVersion(fields, newest: newest)
    return fields
  }

  @discardableResult
  static func checkVersion(_ fields: RecordFields, newest: Int64) throws(FormatFault) -> Int64 {
    let version = try fields.integer("v", 1...Int64.max)
    if version > newest { throw .newer(fields.what, version, read: newest) }
    return version
  }
}

struct RecordFields {
  let text: JSONText
  let object: Int
  let what: StaticString

  /// The range of all numbers, times and counts here; sums of a few of them do not overflow.
  static let integers: ClosedRange<Int64> = -(1 << 60)...(1 << 60)

  /// The value of a member, or nil if there is none. Of two with the same name, the first counts.
  func find(_ name: StaticString) -> Int? {
    var member = object + 1
    let end = text.next(object)
    while member < end {
      if text.string(member, is: name) { return member + 1 }
      member = text.next(member + 1)
    }
    return nil
  }

  func token(_ name: StaticString) throws(FormatFault) -> Int {
    guard let token = find(name) else { throw .broken(what, "\(name) is missing") }
    return token
  }

  func integer(_ name: StaticString, _ range: ClosedRange<Int64> = Int64.min...Int64.max) throws(FormatFault) -> Int64 {
    try integer(try token(name), name, range)
  }

  func integer(
    _ token: Int, _ name: StaticString, _ range: ClosedRange<Int64> = Int64.min...Int64.max
  ) throws(FormatFault) -> Int64 {
    let range = range.clamped(to: Self.integers)
    guard text[token].isInteger, let value = text.integer(token), range.contains(value) else {
      throw .broken(
        what, "\(name) is \(text.shown(token)), but must be an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  func string(_ name: StaticString) throws(FormatFault) -> String { try string(try token(name), name) }

  func string(_ token: Int, _ name: StaticString) throws(FormatFault) -> String {
    guard text[token].isString else { throw .broken(what, "\(name) is \(text[token].typeName), not a string") }
    return text.string(token)
  }

  func hex(_ name: StaticString) throws(FormatFault) -> UInt64 {
    let token = try token(name)
    guard text[token].isString, let value = parseHex(text.inside(token)) else {
      throw .broken(what, "\(name) is \(text.shown(token)), but must be 16 hexadecimal digits")
    }
    return value
  }

  func flag(_ name: StaticString) throws(FormatFault) -> Bool {
    let token = try token(name)
    switch Int(text[token].kind) {
    case CSJ_TRUE: return true
    case CSJ_FALSE: return false
    default: throw .broken(what, "\(name) is \(text.shown(token)), but must be true or false")
    }
  }

  func inside(_ name: StaticString) throws(FormatFault) -> RecordFields {
    let token = try token(name)
    guard text[token].isObject else { throw .broken(what, "\(name) is \(text[token].typeName), not an object") }
    return RecordFields(text: text, object: token, what: what)
  }

  /// Reads settings of the service, and the texts of those that the rules do not have. The latter do not alter the output, since
  /// different output needs different rules.
  func settings(_ name: StaticString, of rules: Rules) throws(FormatFault) -> (known: OwnSettings, unknown: [String: String]) {
    let token = try token(name)
    guard text[token].isObject else { throw .broken(what, "\(name) is \(text[token].typeName), not an object") }
    let reader = SettingsReader(text: text, path: "\(name)", rules: rules, skipsUnknown: true)
    var unknown: [String: String] = [:]
    var member = token + 1
    while member < text.next(token) {
      let setting = text.string(member)
      if !reader.isKnown(setting), unknown[setting] == nil {
        unknown[setting] = String(decoding: text.slice(member + 1), as: UTF8.self)
      }
      member = text.next(member + 1)
    }
    do throws(BadEvent) {
      return (try reader.read(token), unknown)
    } catch {
      throw .broken(what, error.reason)
    }
  }

  /// Reads a room's own settings.
  func settings(_ name: StaticString) throws(FormatFault) -> OwnSettings {
    let token = try token(name)
    guard text[token].isObject else { throw .broken(what, "\(name) is \(text[token].typeName), not an object") }
    let reader = SettingsReader(text: text, path: "\(name)")
    var member = token + 1
    while member < text.next(token) {
      // The output depends on a room's settings, so unknown ones cannot be ignored like other members.
      var setting = text.string(member)
      if !reader.isKnown(setting) { throw .newerSetting(what, setting.withUTF8 { "\(Excerpt(Bytes($0)))" }) }
      member = text.next(member + 1)
    }
    do throws(BadEvent) {
      return try reader.read(token)
    } catch {
      throw .broken(what, error.reason)
    }
  }

  /// Reads an array of setting names.
  func settingNames(_ name: StaticString) throws(FormatFault) -> Set<SettingName> {
    let token = try token(name)
    guard text[token].isArray else { throw .broken(what, "\(name) is \(text[token].typeName), not an array") }
    var names: Set<SettingName> = []
    var element = token + 1
    while element < text.next(token) {
      guard text[element].isString else { throw .broken(what, "\(name) holds \(text[element].typeName), not a name") }
      var setting = text.string(element)
      guard let known = SettingName(setting) else {
        throw .newerSetting(what, setting.withUTF8 { "\(Excerpt(Bytes($0)))" })
      }
      names.insert(known)
      element = text.next(element)
    }
    return names
  }

  /// Reads the names of group, input and output.
  func topics(_ name: StaticString) throws(FormatFault) -> TopicIdentity {
    let token = try token(name)
    let first = token + 1
    guard text[token].isArray, text.next(token) == first + 3 else {
      throw .broken(what, "\(name) must be an array of group, input and output")
    }
    return TopicIdentity(
      group: try string(first, name), input: try string(first + 1, name), output: try string(first + 2, name))
  }
}
