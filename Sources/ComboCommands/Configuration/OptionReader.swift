internal import ComboCore
internal import ComboEdge
internal import ComboKafka
internal import ComboMaps
internal import ComboRegistry
internal import ComboSystem

/// Reads a command's options from their sources, and collects all faults.
struct OptionReader {
  let command: Command
  /// The sources in order; the first that has a value wins.
  let sources: [OptionSource]
  /// The one of several inputs for which the options are read, or nil if for all.
  let input: String?
  /// The faults, one sentence each.
  private(set) var faults: [String] = []
  private let options: [Option]
  /// The properties in the file of librdkafka properties.
  private var kafkaFileValues: [OptionSource.Value] = []

  /// Checks every value against the table.
  init(_ command: Command, sources: [OptionSource], input: String? = nil, faults: [String] = []) {
    self.command = command
    self.input = input
    self.sources = sources
    self.faults = faults
    options = OptionTable.options(of: command)
    for option in options {
      for value in given(option) {
        if let fault = option.fault(of: value.text) { self.faults.append("\(value.label) \(fault)") }
      }
    }
  }

  /// Adds a fault that the table cannot detect.
  mutating func fault(_ sentence: String) { faults.append(sentence) }

  /// Returns the values in effect. For a repeatable option these are all values, those of the first source last.
  private func given(_ option: Option) -> [OptionSource.Value] {
    if option.isRepeatable { return sources.reversed().flatMap { $0.values[option.name] ?? [] } }
    return sources.lazy.compactMap { $0.values[option.name]?.last }.first.map { [$0] } ?? []
  }

  private func option(_ name: String) -> Option {
    guard let option = options.first(where: { $0.name == name }) else {
      preconditionFailure("\(command.rawValue) has no option --\(name)")
    }
    return option
  }

  /// Returns the given value, or else the default. An invalid value is treated as missing, as it is among the faults already.
  func optionalText(_ name: String) -> String? {
    let option = option(name)
    guard let text = given(option).first?.text, option.fault(of: text) == nil else { return option.fallback }
    return text
  }

  /// Returns the value of an option that has a default.
  func text(_ name: String) -> String {
    guard let text = optionalText(name) else { preconditionFailure("--\(name) has no default") }
    return text
  }

  /// Returns the value of a required option, and adds a fault if it is missing.
  mutating func requiredText(_ name: String) -> String {
    let option = option(name)
    if given(option).isEmpty, !sources.contains(where: { $0.values[name] != nil }) {
      fault("\(command.rawValue) needs --\(name) \(option.placeholder) (or \(option.variable)): \(option.help)")
    }
    return optionalText(name) ?? ""
  }

  /// The option's kind and default in the table guarantee that these conversions succeed.
  func integer(_ name: String) -> Int { Int(text(name))! }
  func number(_ name: String) -> Double { DecimalNumber.value(of: text(name))! }
  func share(_ name: String) -> Double { Option.share(text(name))! }
  func milliseconds(_ name: String) -> Int { Option.milliseconds(text(name))! }
  func flag(_ name: String) -> Bool { Option.flag(text(name))! }
  func settingNames(_ name: String) -> Set<SettingName> { SettingName.list(text(name))! }

  /// All values of an option that may be given several times.
  func texts(_ name: String) -> [String] { given(option(name)).map(\.text).filter { !$0.isEmpty } }

  /// Whether a value was given.
  func isGiven(_ name: String) -> Bool { !given(option(name)).isEmpty }

  /// Whether the command line names a value.
  func isNamed(_ name: String) -> Bool { given(option(name)).contains { $0.label == "--" + name } }

  func settings() -> Settings {
    var settings = Settings()
    for option in options {
      guard case .setting(let name) = option.kind, isGiven(option.name) else { continue }
      if case .success(let setting) = name.parse(text(option.name)), setting.fault == nil { settings.apply(setting) }
    }
    return settings
  }

  /// The combo settings for which no value was given.
  var defaultedSettings: Set<SettingName> {
    Set(
      options.compactMap { option in
        if case .setting(let name) = option.kind, !isGiven(option.name) { name } else { nil }
      })
  }

  /// The inputs of a command that can have several.
  func inputs() -> InputChoice {
    InputChoice(
      names: optionalText("input").map(InputChoice.names) ?? [],
      pattern: command == .run || command == .check ? optionalText("input-pattern").map(TopicPattern.init) : nil)
  }

  /// Returns the value of `--map`: of `TOPIC=NAME,…` only the part for the input whose options are read.
  private func namedMap() -> OptionSource.Value? {
    guard let value = given(option("map")).first(where: { !$0.text.isEmpty }) else { return nil }
    guard hasInput, let maps = inputs().maps(in: value.text) else { return value }
    let own = (input ?? (inputs().isSingle ? inputs().names.first : nil)).flatMap { maps[$0] }
    return own.map { OptionSource.Value(text: $0, label: value.label, origin: value.origin) }
  }

  func mapText() -> String? { namedMap()?.text }

  /// Whether the command has inputs whose names may stand in `--map`.
  private var hasInput: Bool { options.contains { $0.name == "input" } }

  /// Loads the map, if one is named, and adds its faults.
  mutating func map() -> RecordMap? {
    if hasInput, let value = given(option("map")).first, let sentence = inputs().mapFault(in: value.text) {
      fault("\(value.label) \(sentence)")
      return nil
    }
    let named = namedMap()
    var record: String?
    var label = named?.label
    if let registry = registry() {
      label = label ?? "--schema-registry"
      let framing = text("framing")
      if isGiven("schemas") {
        fault(
          "--schemas and --schema-registry exclude each other: with a registry, schemas come from there and from the journal; leave one out"
        )
        return nil
      }
      if !["confluent", "apicurio"].contains(framing) {
        fault("--schema-registry needs --framing confluent or apicurio: records framed as \(framing) name no id that it knows")
        return nil
      }
      if let named, case .success(let own) = MapSource.map(named.text), own.readsMessage {
        fault("--schema-registry is for Avro, and \(named.label) has its Protobuf messages itself: leave --schema-registry out")
        return nil
      }
      if let sentence = registry.fault() { fault(sentence) }
      record = #"{"framing":"\#(framing)","schemas":{}}"#
    } else if OptionTable.options(of: command).contains(where: { $0.name == "schemas" }),
      let folder = given(option("schemas")).first(where: { !$0.text.isEmpty })
    {
      label = label ?? folder.label
      record = value(of: SchemaFolder.record(folder.text, framing: text("framing")), folder.label)
      if record == nil { return nil }
    }
    guard let label else { return nil }
    return value(of: MapSource.map(named?.text ?? "wire", record: record), label)
  }

  /// Returns what was read from a map or from schemas, or adds the faults.
  mutating func value<Value>(of result: Result<Value, MapSource.Failure>, _ label: String) -> Value? {
    switch result {
    case .success(let value): return value
    case .failure(let failure):
      for sentence in failure.sentences { fault("\(label): \(sentence)") }
      return nil
    }
  }

  /// The schema registry, if one is named.
  func registry() -> SchemaRegistry? {
    guard options.contains(where: { $0.name == "schema-registry" }), let url = optionalText("schema-registry") else { return nil }
    return SchemaRegistry(
      url: String(url.reversed().drop { $0 == "/" }.reversed()), authFile: optionalText("schema-registry-auth-file"),
      caFile: optionalText("schema-registry-ca"))
  }

  /// Returns the option's values in effect, as they were given.
  func values(of option: Option) -> [OptionSource.Value] { (option.name == "kafka" ? kafkaFileValues : []) + given(option) }

  /// Reads the librdkafka properties. Those of the file come first, so that the others override them.
  mutating func kafkaProperties() -> [KafkaProperty] {
    if let file = optionalText("kafka-file") {
      switch TextFile.read(file, limit: ConfigFile.bytesMax) {
      case .success(let text):
        let parsed = KafkaProperty.parse(file: text, named: file)
        for sentence in parsed.faults { fault(sentence) }
        kafkaFileValues = zip(parsed.properties, parsed.places).map { property, line in
          OptionSource.Value(text: "\(property.key)=\(property.value)", label: "\(file):\(line)")
        }
      case .failure(let failure):
        fault("\(given(option("kafka-file")).first?.label ?? "--kafka-file"): \(failure)")
      }
    }
    var properties: [KafkaProperty] = []
    for value in kafkaFileValues + given(option("kafka")) {
      guard let property = KafkaProperty(value.text) else { continue }
      properties.append(property)
      if property.isSecret, value.label == "--kafka" {
        fault(
          "--kafka \(property.key) must not be on the command line, where every user of this machine can read it: put it into a file"
            + " (--kafka-file or --config), or into \(option("kafka").variable)")
      }
      if let sentence = KafkaProperties.fault(of: property.key, property.value) { fault("\(value.label): \(sentence)") }
    }
    // This depends on several values together.
    do throws(EdgeError) {
      _ = try BearerToken.file(properties)
    } catch {
      fault(error.message)
    }
    return properties
  }
}
