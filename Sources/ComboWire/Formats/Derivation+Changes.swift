internal import ComboCore

/// The changes that a takeover makes, in readable form.
extension Derivation {
  /// The differences from the previous derivation, except the map: `slots 2 → 4`.
  package func changes(from old: Derivation) -> [String] {
    var changes = zip(old.settings.all, settings.all).filter { $0 != $1 }.map {
      "\($1.name) \(Self.value($0)) → \(Self.value($1))"
    }
    func add<Value: Equatable>(_ name: String, _ value: (Derivation) -> Value) {
      if value(old) != value(self) { changes.append("\(name) \(value(old)) → \(value(self))") }
    }
    add("max_age_ms", \.limits.maxAgeMs)
    add("room_from_body", \.limits.roomFromBody)
    add("room_prefix") { $0.limits.roomPrefix.isEmpty ? "none" : $0.limits.roomPrefix }
    add("names_input", \.namesInput)
    add("room_settings") { derivation in
      let names = SettingName.all.filter(derivation.limits.roomSettings.contains).map(\.text)
      return names.isEmpty ? "none" : names.count == SettingName.all.count ? "all" : names.joined(separator: ",")
    }
    add("version of the engine's rules", \.rules)
    return changes
  }

  private static func value(_ setting: Setting) -> String {
    switch setting {
    case .integer(_, let value): "\(value)"
    case .queueMerge(let value): value.rawValue
    case .queueOrder(let value): value.rawValue
    case .finals(let value): "\(value)"
    case .tiers(let tiers):
      tiers.isEmpty ? "none" : tiers.map { "\($0.value):\($0.lingerMs):\($0.busyLingerMs)" }.joined(separator: ",")
    case .milestones(let counts): counts.isEmpty ? "none" : counts.map { "\($0)" }.joined(separator: ",")
    }
  }
}
