internal import ComboCore
internal import ComboHTTP
internal import ComboIntake
internal import ComboKafka
internal import ComboRegistry
internal import ComboSystem

/// An option of the program. It has the same name on the command line (`--commit-interval-ms`), in the environment
/// (`COMBO_COMMIT_INTERVAL_MS`) and in a file (`commit-interval-ms`).
struct Option: Sendable {
  enum Kind: Sendable {
    /// True or false; true if no value is given.
    case flag
    /// Any text that is not empty.
    case text
    /// A Kafka topic's name.
    case topic
    /// Names of Kafka topics, separated by commas.
    case topics
    /// A pattern of topic names, as ``TopicPattern`` reads it.
    case topicPattern
    /// A whole number.
    case integer(ClosedRange<Int>)
    /// A number that may have a fraction.
    case number(ClosedRange<Double>)
    /// A share, from 0 to 1 or from 0% to 100%.
    case share
    /// A duration up to this many milliseconds: `200ms`, `2s`, `1m`; a number alone is in milliseconds.
    case duration(Int)
    /// One of these words.
    case choice([String])
    /// `KEY=VALUE`; may be given several times, in the environment one per line.
    case property
    /// A source of records, as ``IntakeSource`` reads it; may be given several times.
    case source
    /// A moment, as ``Timestamp`` reads it.
    case time
    /// The address to listen on, or `none`.
    case address
    /// A setting of the combo engine.
    case setting(SettingName)
    /// Names of such settings, or `all` or `none`.
    case settingNames
    /// A setting with values to try, as ``Variation`` reads it; may be given several times.
    case variation
    /// Names of files: all arguments that follow it up to the next option; may be given several times.
    case files
  }

  /// The heading under which `--help` lists an option.
  enum Section: String, CaseIterable, Sendable {
    case main = "Options"
    case service = "Service"
    case kafka = "Kafka"
    case combo = "Combo settings (durations in whole milliseconds)"
  }

  /// The name without the dashes.
  let name: String
  /// The placeholder for the value in `--help`.
  let placeholder: String
  let kind: Kind
  /// The default, or nil if there is none or it is computed (`help` describes how).
  let fallback: String?
  let commands: [Command]
  let section: Section
  /// The description, in one line.
  let help: String

  init(
    _ name: String, _ placeholder: String, _ kind: Kind, _ fallback: String?, _ commands: [Command], _ section: Section,
    _ help: String
  ) {
    self.name = name
    self.placeholder = placeholder
    self.kind = kind
    self.fallback = fallback
    self.commands = commands
    self.section = section
    self.help = help
  }

  /// The name of the variable in the environment.
  var variable: String {
    "COMBO_" + String(name.map { $0 == "-" ? "_" : Character($0.uppercased()) })
  }

  /// Whether several values add up, rather than the last one counting.
  var isRepeatable: Bool {
    switch kind {
    case .property, .source, .variation, .files: true
    default: false
    }
  }

  /// The earliest possible time of a gift, in milliseconds since the Unix epoch: 2000-01-01.
  private static let timeMin: Int64 = 946_684_800_000

  /// Returns the reason why `text` is not allowed, as the end of a sentence that begins with the option's name, or nil if it is
  /// allowed.
  func fault(of text: String) -> String? {
    switch kind {
    case .flag:
      return Self.flag(text) == nil ? "must be true or false, not \(Sentence.quoted(text))" : nil
    case .text where name == "brokers" && text.contains("@"):
      // The part before it may be a password, so the value is not shown.
      return "must be HOST:PORT, with commas between several. A login belongs in --kafka-file, as sasl.username and sasl.password"
    case .text where name == "schema-registry" && !text.isEmpty:
      return SchemaRegistry.fault(of: text)
    case .text, .files:
      return text.isEmpty ? "must not be empty" : nil
    case .source: return Self.sourceFault(text)
    case .topic:
      let isList = name == "input" && text.contains(",") && InputChoice.names(in: text).allSatisfy { Self.topicFault($0) == nil }
      return isList ? "must be one topic, not \(Sentence.quoted(text)): run this once for each input" : Self.topicFault(text)
    case .topics:
      return InputChoice.names(in: text).lazy.compactMap(Self.topicFault).first
    case .topicPattern:
      return TopicPattern.fault(of: text)
    case .integer(let range):
      guard let value = Int(text) else {
        return "must be a whole number from \(range.lowerBound) to \(range.upperBound), not \(Sentence.quoted(text))"
      }
      return range.contains(value) ? nil : "must be from \(range.lowerBound) to \(range.upperBound), not \(text)"
    case .number(let range):
      guard let value = DecimalNumber.value(of: text) else {
        return "must be a number from \(range.lowerBound) to \(range.upperBound), not \(Sentence.quoted(text))"
      }
      return range.contains(value) ? nil : "must be from \(range.lowerBound) to \(range.upperBound), not \(text)"
    case .share:
      return Self.share(text) == nil ? "must be a share from 0 to 1, or from 0% to 100%, not \(Sentence.quoted(text))" : nil
    case .duration(let longest):
      guard let value = Self.milliseconds(text), value <= longest else {
        return "must be a duration such as 200ms or 2s, up to \(longest) ms, not \(Sentence.quoted(text))"
      }
      return nil
    case .choice(let words):
      if words.contains(text) { return nil }
      return "must be \(Sentence.choice(words)), not \(Sentence.quoted(text))"
    case .property:
      return KafkaProperty(text) == nil
        // The value may be a password with something missing before it, so it is not shown.
        ? "must be KEY=VALUE with a property of librdkafka, such as socket.timeout.ms=5000" : nil
    case .time:
      guard let time = Timestamp.milliseconds(text) else {
        return "must be a time such as 2026-11-21T13:00:00Z, or milliseconds since 1970, not \(Sentence.quoted(text))"
      }
      guard let number = Int64(text), (1..<Self.timeMin).contains(number) else { return nil }
      return "\(text) is \(Timestamp.text(time)): give milliseconds since 1970, not seconds, or a time such as"
        + " \(Timestamp.text(time * 1000).prefix(19))Z"
    case .address:
      return text == "none" || HTTPAddress(text) != nil
        ? nil
        : "must be ADDRESS:PORT with a numeric address and a port from 0 to 65535, such as 127.0.0.1:8080, [::1]:8080 or *:8080,"
          + " or none; not \(Sentence.quoted(text))"
    case .variation:
      if case .failure(let fault) = Variation.read(text) { return fault.description }
      return nil
    case .settingNames:
      return SettingName.list(text) == nil ? SettingName.listFault(text) : nil
    case .setting(let name):
      switch name.parse(text) {
      case .success(let setting): return setting.fault
      case .failure(let fault): return fault.description
      }
    }
  }

  /// `IntakeSource` reports all other faults of an address. A login is not shown.
  private static func sourceFault(_ text: String) -> String? {
    if ["-", "post", "ws:", "wss:"].contains(where: text.hasPrefix) { return nil }
    let shown = IntakeSource.mayHaveLogin(text) ? "" : ", not \(Sentence.quoted(text))"
    return "must be -, post or ws://HOST:PORT/\(shown)"
  }

  /// Parses a flag. Returns nil if the text is neither true nor false.
  static func flag(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "on", "1": true
    case "false", "no", "off", "0": false
    default: nil
    }
  }

  /// Parses a share, as a fraction of 1.
  static func share(_ text: String) -> Double? {
    let isPercent = text.hasSuffix("%")
    guard let number = DecimalNumber.value(of: isPercent ? String(text.dropLast()) : text) else { return nil }
    let share = isPercent ? number / 100 : number
    return (0...1).contains(share) ? share : nil
  }

  /// Parses a duration, in milliseconds.
  static func milliseconds(_ text: String) -> Int? {
    let digits = text.prefix { ("0"..."9").contains($0) }
    let unit = [("", 1), ("ms", 1), ("s", 1000), ("m", 60_000)].first { $0.0 == text.dropFirst(digits.count) }
    guard let unit, let number = Int(digits) else { return nil }
    let product = number.multipliedReportingOverflow(by: unit.1)
    return product.overflow ? nil : product.partialValue
  }

  /// Checks Kafka's rule for topic names.
  static func topicFault(_ text: String) -> String? {
    let allowed = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || "._-".utf8.contains($0)
    }
    guard allowed, (1...249).contains(text.utf8.count), text != ".", text != ".." else {
      return "must be a topic name (1 to 249 characters of a-z, A-Z, 0-9, `.`, `_` and `-`), not \(Sentence.quoted(text))"
    }
    return nil
  }
}
