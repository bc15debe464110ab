import ComboCore
import Foundation
import Testing

/// `docs/schemas/settings.schema.json`, generated from the table of settings.
private enum SettingsSchema {
  enum Scope { case service, room }

  static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("docs/schemas/settings.schema.json")

  static var text: String {
    """
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "$id": "https://combo-consumer.example/schemas/settings.schema.json",
      "title": "Settings of a combo engine",
      "description": "The service's. A room's own (#/$defs/room) have narrower ranges. Durations are in milliseconds. A setting that is null counts as missing. Not in this schema: the values of tiers and of milestones must rise.",
      "$ref": "#/$defs/service",
      "$defs": {
    \(object("service", .service)),
    \(object("room", .room))
      }
    }

    """
  }

  private static func object(_ name: String, _ scope: Scope) -> String {
    let properties = SettingName.all.map { "        \"\($0.text)\": \(schema($0, scope))" }.joined(separator: ",\n")
    return """
          "\(name)": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
      \(properties.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
            }
          }
      """
  }

  private static func schema(_ name: SettingName, _ scope: Scope) -> String {
    let help = #""description": "\#(name.help)""#
    switch name {
    case .integer(let setting):
      let range = scope == .room ? setting.roomRange : setting.range
      let bounds = #""minimum": \#(range.lowerBound), "maximum": \#(range.upperBound)"#
      if scope == .room, setting.roomMayDisable {
        return #"{"anyOf": [{"enum": [0, null]}, {"type": "integer", \#(bounds)}], \#(help)}"#
      }
      return #"{"type": ["integer", "null"], \#(bounds), \#(help)}"#
    case .queueMerge: return #"{"enum": [\#(words(QueueMerge.self)), null], \#(help)}"#
    case .queueOrder: return #"{"enum": [\#(words(QueueOrder.self)), null], \#(help)}"#
    case .finals: return #"{"type": ["boolean", "null"], \#(help)}"#
    case .milestones:
      return
        #"{"type": ["array", "null"], "maxItems": \#(Setting.listMax), "items": {"type": "integer", "minimum": 1}, \#(help)}"#
    case .tiers:
      let ms =
        #"{"type": "integer", "minimum": 0, "maximum": \#(scope == .room ? IntegerSetting.longestRoomMs : IntegerSetting.longestMs)}"#
      return #"{"type": ["array", "null"], "maxItems": \#(Setting.listMax), "items": {"type": "object", "#
        + #""required": ["value", "linger_ms", "busy_linger_ms"], "properties": {"value": {"type": "number", "exclusiveMinimum": 0}, "#
        + #""linger_ms": \#(ms), "busy_linger_ms": \#(ms)}}, \#(help)}"#
    }
  }

  private static func words<Word: RawRepresentable<String> & CaseIterable>(_: Word.Type) -> String {
    Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
  }
}

@Suite("The schema of settings")
struct SettingsSchemaTests {
  @Test("is made from the table of settings; make reference writes it")
  func isTable() throws {
    if ProcessInfo.processInfo.environment["COMBO_REFERENCE"] == "write" {
      try SettingsSchema.text.write(to: SettingsSchema.file, atomically: true, encoding: .utf8)
    }
    let written = try String(contentsOf: SettingsSchema.file, encoding: .utf8)
    #expect(written == SettingsSchema.text, "run make reference, and look at the difference")
  }

  @Test("leaves no setting out: each property of Settings has its place in the table")
  func isComplete() {
    #expect(Mirror(reflecting: Settings()).children.count == SettingName.all.count)
    #expect(Set(SettingName.all).count == SettingName.all.count)
  }
}
