internal import CSimdJSON
package import ComboCore

/// Reads settings from a JSON object with the names of engine.md, and describes faults in a sentence.
package struct SettingsReader {
  private let text: JSONText
  /// The text before the names in a sentence.
  private let path: String
  /// The rules whose settings are known.
  private let rules: Rules
  /// The settings that a room may set for itself, or nil for settings of the service.
  private let allowedForRoom: Set<SettingName>?
  /// Whether unknown names are ignored.
  private let skipsUnknown: Bool

  package init(
    text: JSONText, path: String, rules: Rules = .newest, allowedForRoom: Set<SettingName>? = nil, skipsUnknown: Bool = false
  ) {
    (self.text, self.path, self.rules) = (text, path, rules)
    (self.allowedForRoom, self.skipsUnknown) = (allowedForRoom, skipsUnknown)
  }

  /// Reads the object at `token`. Null counts as missing; of two with the same name, the first counts.
  package func read(_ token: Int) throws(BadEvent) -> OwnSettings {
    var own = OwnSettings()
    var seen: [String] = []
    var member = token + 1
    let end = text.next(token)
    while member < end {
      let value = member + 1
      let name = text.string(member)
      // There are few settings, but a record may repeat one name thousands of times. An unknown one ends the loop.
      if !seen.contains(name), !skipsUnknown || isKnown(name) {
        if !text[value].isNull {
          let setting = try setting(name, value)
          if let allowedForRoom, !allowedForRoom.contains(setting.key) {
            throw .setting("\(path).\(name)", forbidden(allowedForRoom))
          }
          if let fault = allowedForRoom == nil ? setting.fault : setting.roomFault { throw .setting("\(path).\(name)", fault) }
          own.add(setting)
          seen.append(name)
        } else if isKnown(name) {
          seen.append(name)
        }
      }
      member = text.next(value)
    }
    return own
  }

  private func forbidden(_ allowed: Set<SettingName>) -> String {
    if allowed.isEmpty { return "is not allowed: no room may have settings of its own here (--room-settings none)" }
    let names = SettingName.all.filter { allowed.contains($0) && $0.since <= rules }.map(\.text).joined(separator: ", ")
    return "is not allowed: a room may set only \(names) here (--room-settings)"
  }

  /// Whether there is a setting with this name.
  func isKnown(_ name: String) -> Bool { known(name) != nil }

  private func known(_ name: String) -> SettingName? { SettingName(name).flatMap { $0.since <= rules ? $0 : nil } }

  private func setting(_ name: String, _ token: Int) throws(BadEvent) -> Setting {
    switch known(name) {
    case .integer(let setting): return .integer(setting, try integer(token, "\(path).\(name)"))
    case .queueMerge: return .queueMerge(try word(token, name))
    case .queueOrder: return .queueOrder(try word(token, name))
    case .tiers: return .tiers(try tiers(token))
    case .milestones:
      if !text[token].isArray { throw .wrongType(text, token, "\(path).milestones", "must be an array of integers") }
      var milestones: [Int] = []
      try each(token, "\(path).milestones") { (element, name) throws(BadEvent) in
        milestones.append(try integer(element, name))
      }
      return .milestones(milestones)
    case .finals:
      if !text[token].isBoolean { throw .wrongType(text, token, "\(path).finals", "must be true or false") }
      return .finals(text[token].isTrue)
    case nil:
      var name = name
      let shown = name.withUTF8 { Excerpt(Bytes($0)) }
      throw .setting(
        "\(path).\(shown)", "is not a setting of a room; settings of the engine are allowed, such as slots or linger_ms")
    }
  }

  private func tiers(_ token: Int) throws(BadEvent) -> [Tier] {
    if !text[token].isArray { throw .wrongType(text, token, "\(path).tiers", "must be an array of objects") }
    var tiers: [Tier] = []
    try each(token, "\(path).tiers") { (element, name) throws(BadEvent) in
      tiers.append(try tier(element, name))
    }
    return tiers
  }

  private func tier(_ token: Int, _ path: String) throws(BadEvent) -> Tier {
    if !text[token].isObject { throw .wrongType(text, token, path, "must be an object with value, linger_ms and busy_linger_ms") }
    var value = 0
    var linger = 0
    var busy = 0
    var member = token + 1
    let end = text.next(token)
    while member < end {
      if text.string(member, is: "value") {
        if value == 0 { value = member + 1 }
      } else if text.string(member, is: "linger_ms") {
        if linger == 0 { linger = member + 1 }
      } else if text.string(member, is: "busy_linger_ms") {
        if busy == 0 { busy = member + 1 }
      } else if !text[member + 1].isNull {
        throw .setting("\(path).\(Excerpt(text.inside(member)))", "is unknown; value, linger_ms and busy_linger_ms are allowed")
      }
      member = text.next(member + 1)
    }
    for (name, token) in [("value", value), ("linger_ms", linger), ("busy_linger_ms", busy)] where !text.has(token) {
      throw .missing("\(path).\(name)", "each tier needs value, linger_ms and busy_linger_ms")
    }
    if !text[value].isNumber { throw .wrongType(text, value, "\(path).value", "must be a number") }
    return Tier(
      value: text.double(value), lingerMs: try integer(linger, "\(path).linger_ms"),
      busyLingerMs: try integer(busy, "\(path).busy_linger_ms"))
  }

  private func word<Word: RawRepresentable & CaseIterable>(
    _ token: Int, _ name: String
  ) throws(BadEvent) -> Word where Word.RawValue == String {
    let words = Word.allCases.map(\.rawValue).joined(separator: " or ")
    if !text[token].isString { throw .wrongType(text, token, "\(path).\(name)", "must be \(words)") }
    guard let word = Word(rawValue: text.string(token)) else {
      throw .setting("\(path).\(name)", "is \(text.shown(token)); \(words) is allowed")
    }
    return word
  }

  private func integer(_ token: Int, _ name: String) throws(BadEvent) -> Int {
    if !text[token].isInteger { throw .wrongType(text, token, name, "must be an integer") }
    guard let value = text.integer(token) else { throw .outside(text, token, name, "an integer of up to 64 bits") }
    return Int(value)
  }

  /// Calls `body` with each element of an array and its name in a sentence. Arrays that are too long are refused unread.
  private func each(
    _ token: Int, _ name: String, _ body: (_ element: Int, _ name: String) throws(BadEvent) -> Void
  ) throws(BadEvent) {
    var count = 0
    var element = token + 1
    while element < text.next(token) {
      count += 1
      element = text.next(element)
    }
    if count > Setting.listMax { throw .setting(name, "may have at most \(Setting.listMax) entries, not \(count)") }
    element = token + 1
    for index in 0..<count {
      try body(element, "\(name)[\(index)]")
      element = text.next(element)
    }
  }
}
