internal import ComboCore

extension ByteBuffer {
  /// Appends settings as a JSON object with the names of engine.md, in the form of a `room_settings`.
  /// - Parameter unknown: Further settings, as JSON texts by name.
  func append(_ settings: [Setting], unknown: [String: String] = [:]) {
    append(UInt8(ascii: "{"))
    var isFirst = true
    for setting in settings {
      if !isFirst { append(",") }
      isFirst = false
      append(jsonString: setting.name)
      append(":")
      append(valueOf: setting)
    }
    for (name, text) in unknown.sorted(by: { $0.key < $1.key }) {
      if !isFirst { append(",") }
      isFirst = false
      append(jsonString: name)
      append(":")
      append(text)
    }
    append(UInt8(ascii: "}"))
  }

  private func append(valueOf setting: Setting) {
    switch setting {
    case .integer(_, let value):
      append(value)
    case .queueMerge(let value):
      append(jsonString: value.rawValue)
    case .queueOrder(let value):
      append(jsonString: value.rawValue)
    case .finals(let value):
      append(value ? "true" : "false")
    case .tiers(let tiers):
      append("", tiers) { tier in
        append(#"{"value":"#, tier.value)
        append(#","linger_ms":"#, tier.lingerMs)
        append(#","busy_linger_ms":"#, tier.busyLingerMs)
        append("}")
      }
    case .milestones(let milestones):
      append("", milestones) { append($0) }
    }
  }
}
