public import ComboCore

/// Everything that determines the output derived from an input. If any of it changes, so does the output.
public struct Derivation: Equatable, Sendable {
  /// The service's settings.
  public var settings: Settings
  /// The engine's rules.
  public var rules: Rules
  /// The JSON texts of unknown settings, by name. A program with the same rules wrote them; they are preserved.
  public var unknownSettings: [String: String] = [:]
  /// The limits of an event.
  public var limits: WireLimits
  /// The field map that turns records into events, or nil if they are events already.
  public var mapping: String?
  /// Whether each instruction's record names its input in the header ``inputHeader``, because other inputs share the output.
  public var namesInput = false

  /// The header with the name of an instruction's input.
  public static let inputHeader = "combo-input"

  /// Returns the prefix with which the ids of an input's rooms name that input.
  package static func roomPrefix(of input: String) -> String { input + ":" }

  /// Creates a derivation of these values.
  public init(settings: Settings, rules: Rules, limits: WireLimits, mapping: String? = nil) {
    self.settings = settings.limited(to: rules)
    self.rules = rules
    self.limits = limits
    self.mapping = mapping
  }

  /// Appends it as members of an object, starting with a comma.
  func write(to buffer: ByteBuffer) {
    buffer.append(#","settings":"#)
    buffer.append(settings.all.filter { $0.key.since <= rules }, unknown: unknownSettings)
    buffer.append(#","version":"#, rules.version)
    buffer.append(#","limits":{"record_bytes":"#, limits.recordBytes)
    buffer.append(#","display_bytes":"#, limits.displayBytes)
    buffer.append(#","depth":"#, limits.depth)
    buffer.append(#","room_from_body":"#, limits.roomFromBody)
    buffer.append(#","require_ts":"#, limits.requireTs)
    if limits.maxAgeMs > 0 { buffer.append(#","max_age_ms":"#, limits.maxAgeMs) }
    if !limits.roomPrefix.isEmpty { buffer.append(#","room_prefix":"#, jsonString: limits.roomPrefix) }
    let names = SettingName.all.filter { $0.since <= rules }
    if !names.allSatisfy(limits.roomSettings.contains) {
      buffer.append(#","room_settings":"#, names.filter(limits.roomSettings.contains)) { buffer.append(jsonString: $0.text) }
    }
    buffer.append("}")
    buffer.append(#","mapping":"#, jsonString: mapping)
    if namesInput { buffer.append(#","names_input":true"#) }
  }

  init(_ fields: RecordFields) throws(FormatFault) {
    rules = Rules(version: Int(try fields.integer("version")))
    let read = try fields.settings("settings", of: rules)
    settings = Settings(rules).with(read.known)
    unknownSettings = read.unknown
    let inside = try fields.inside("limits")
    limits = WireLimits()
    limits.recordBytes = Int(try inside.integer("record_bytes", 0...1 << 40))
    limits.displayBytes = Int(try inside.integer("display_bytes", 0...1 << 40))
    limits.depth = Int(try inside.integer("depth", 0...1 << 40))
    limits.roomFromBody = try inside.flag("room_from_body")
    limits.requireTs = try inside.flag("require_ts")
    if inside.find("max_age_ms") != nil { limits.maxAgeMs = Int(try inside.integer("max_age_ms", 0...1 << 40)) }
    if inside.find("room_prefix") != nil { limits.roomPrefix = try inside.string("room_prefix") }
    if inside.find("room_settings") != nil { limits.roomSettings = try inside.settingNames("room_settings") }
    mapping = fields.find("mapping") == nil ? nil : try fields.string("mapping")
    if fields.find("names_input") != nil { namesInput = try fields.flag("names_input") }
  }
}

extension Derivation {
  /// The settings in the form that engines use.
  public var engineSettings: EngineSettings { EngineSettings(settings, rules: rules) }
}
