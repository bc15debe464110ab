public import ComboCore

/// All that decides what is derived from an input: where one of these changes, so does the output.
public struct Derivation: Equatable, Sendable {
  /// The service's settings.
  public var settings: Settings
  /// The version of the engine's rules.
  public var version: Int
  /// The limits of an event.
  public var limits: WireLimits
  /// The field mapping by which records become events; nil for records as wire.md has them.
  public var mapping: String?

  /// A derivation by all of these.
  public init(settings: Settings, version: Int, limits: WireLimits, mapping: String? = nil) {
    self.settings = settings
    self.version = version
    self.limits = limits
    self.mapping = mapping
  }

  /// Appends it as members of an object, a comma before the first.
  func write(to buffer: ByteBuffer) {
    buffer.append(#","settings":"#)
    buffer.append(settings.all)
    buffer.append(#","version":"#)
    buffer.append(version)
    buffer.append(#","limits":{"record_bytes":"#)
    buffer.append(limits.recordBytes)
    buffer.append(#","display_bytes":"#)
    buffer.append(limits.displayBytes)
    buffer.append(#","depth":"#)
    buffer.append(limits.depth)
    buffer.append(limits.roomFromBody ? #","room_from_body":true"# : #","room_from_body":false"#)
    buffer.append(limits.requireTs ? #","require_ts":true"# : #","require_ts":false"#)
    if limits.maxAgeMs > 0 {
      buffer.append(#","max_age_ms":"#)
      buffer.append(limits.maxAgeMs)
    }
    if limits.roomSettings != WireLimits.allRoomSettings {
      buffer.append(#","room_settings":["#)
      for (index, name) in SettingName.all.filter(limits.roomSettings.contains).enumerated() {
        if index > 0 { buffer.append(",") }
        buffer.append(jsonString: name.text)
      }
      buffer.append("]")
    }
    buffer.append("}")
    if let mapping {
      buffer.append(#","mapping":"#)
      buffer.append(jsonString: mapping)
    }
  }

  init(_ fields: RecordFields) throws(FormatFault) {
    settings = Settings().with(try fields.settings("settings"))
    version = Int(try fields.integer("version"))
    let read = try fields.inside("limits")
    limits = WireLimits()
    limits.recordBytes = Int(try read.integer("record_bytes", 0...1 << 40))
    limits.displayBytes = Int(try read.integer("display_bytes", 0...1 << 40))
    limits.depth = Int(try read.integer("depth", 0...1 << 40))
    limits.roomFromBody = try read.flag("room_from_body")
    limits.requireTs = try read.flag("require_ts")
    if read.find("max_age_ms") != nil { limits.maxAgeMs = Int(try read.integer("max_age_ms", 0...1 << 40)) }
    if read.find("room_settings") != nil { limits.roomSettings = try read.settingNames("room_settings") }
    mapping = fields.find("mapping") == nil ? nil : try fields.string("mapping")
  }
}

extension Derivation {
  /// The decoder of records as it was made then.
  public func decoder() throws(FormatFault) -> RecordDecoder {
    guard let mapping else { return RecordDecoder(limits: limits) }
    do throws(MapFaults) {
      return RecordDecoder(limits: limits, map: try RecordMap(canonical: mapping))
    } catch {
      throw FormatFault(
        code: .newer,
        description:
          "its events were made by a map that this program cannot read (\(error.faults[0])). Run the program that wrote"
          + " it, or a newer one")
    }
  }
}
