internal import ComboCore
internal import ComboSystem
internal import ComboWire

extension Settings {
  /// A setting that has no effect, and the remedy, or nil if there is none.
  var idleChoice: (text: String, fix: String)? {
    guard queueOrder == .tier, tiers.isEmpty else { return nil }
    return ("the queue order is tier, but there are no tiers: banners enter as with fifo", "set tiers, or leave queue-order out")
  }
}

/// The settings of the combo engine in the form of options.
extension SettingName {
  /// The placeholder for its value in `--help`.
  var placeholder: String {
    switch self {
    case .integer(let name): name.unit == .milliseconds ? "MS" : "N"
    case .queueMerge, .queueOrder: "WORD"
    case .finals: "true|false"
    case .tiers: "V:MS:MS,…"
    case .milestones: "N,N,…"
    }
  }

  /// The reason why a text is not a value, as the end of a sentence.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  private static func words<Word: RawRepresentable<String> & CaseIterable>(_: Word.Type) -> String {
    Word.allCases.map(\.rawValue).joined(separator: " or ")
  }

  /// Parses a value of this setting. `Setting.fault` checks its range.
  func parse(_ text: String) -> Result<Setting, Fault> {
    switch self {
    case .integer(let name):
      guard let value = Int(text) else {
        let range = name.range
        return refuse("a whole number from \(range.lowerBound) to \(range.upperBound)", text)
      }
      return .success(.integer(name, value))
    case .queueMerge:
      guard let value = QueueMerge(rawValue: text) else { return refuse(Self.words(QueueMerge.self), text) }
      return .success(.queueMerge(value))
    case .queueOrder:
      guard let value = QueueOrder(rawValue: text) else { return refuse(Self.words(QueueOrder.self), text) }
      return .success(.queueOrder(value))
    case .tiers:
      var tiers: [Tier] = []
      for entry in Self.entries(text) {
        let parts = entry.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let value = DecimalNumber.value(of: parts[0]), let linger = Int(parts[1]),
          let busy = Int(parts[2])
        else {
          return refuse("a list of VALUE:LINGER_MS:BUSY_LINGER_MS such as 1000:4000:1000,10000:6000:2000", text)
        }
        tiers.append(Tier(value: value, lingerMs: linger, busyLingerMs: busy))
      }
      return .success(.tiers(tiers))
    case .milestones:
      var milestones: [Int] = []
      for entry in Self.entries(text) {
        guard let count = Int(entry) else { return refuse("a list of counts such as 10,66,520", text) }
        milestones.append(count)
      }
      return .success(.milestones(milestones))
    case .finals:
      guard text == "true" || text == "false" else { return refuse("true or false", text) }
      return .success(.finals(text == "true"))
    }
  }

  /// Returns the entries of a list. An empty text and `none` have no entries.
  private static func entries(_ text: String) -> [Substring] {
    text.isEmpty || text == "none" ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
  }

  private func refuse(_ allowed: String, _ text: String) -> Result<Setting, Fault> {
    .failure(Fault(description: "must be \(allowed), not \(Sentence.quoted(text))"))
  }

  /// Formats a setting's value in the form that an option accepts.
  static func text(of setting: Setting) -> String {
    switch setting {
    case .integer(_, let value): "\(value)"
    case .queueMerge(let value): value.rawValue
    case .queueOrder(let value): value.rawValue
    case .finals(let value): value ? "true" : "false"
    case .tiers(let tiers):
      tiers.isEmpty ? "none" : tiers.map { "\(plain($0.value)):\($0.lingerMs):\($0.busyLingerMs)" }.joined(separator: ",")
    case .milestones(let counts): counts.isEmpty ? "none" : counts.map { "\($0)" }.joined(separator: ",")
    }
  }

  /// Formats a whole number without decimals: `1000`, not `1000.0`.
  private static func plain(_ value: Double) -> String { Int(exactly: value).map { "\($0)" } ?? "\(value)" }

  // MARK: - Lists of names

  /// Parses a list of setting names, with `_` or `-`. Returns nil if it is invalid.
  static func list(_ text: String) -> Set<SettingName>? {
    switch text {
    case "all": return WireLimits.allRoomSettings
    case "none": return []
    default:
      var names: Set<SettingName> = []
      for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
        guard let name = named(entry) else { return nil }
        names.insert(name)
      }
      return names
    }
  }

  /// Returns the reason why a text is not such a list, as the end of a sentence.
  static func listFault(_ text: String) -> String {
    let wrong = text.split(separator: ",", omittingEmptySubsequences: false).first { named($0) == nil }.map(String.init) ?? text
    let likely = Suggestion.nearest(to: wrong, among: all.map(\.text)).map { "; did you mean \($0)?" } ?? ""
    return "must be all, none, or names of settings such as slots,finals; \(Sentence.quoted(wrong)) is not a setting\(likely)"
  }

  private static func named(_ text: Substring) -> SettingName? {
    SettingName(String(text.map { $0 == "-" ? "_" : $0 }))
  }
}
