internal import ComboCore
internal import ComboEdge
internal import ComboHTTP
internal import ComboKafka
internal import ComboRegistry
internal import ComboRooms
internal import ComboSystem
internal import ComboWire
internal import Glibc

/// The configuration of the service: the options of `run`.
@dynamicMemberLookup
struct ServiceOptions: Equatable, Sendable {
  /// The options that the service's logic depends on; each is also a member of this type. With several inputs, it has the first.
  var configuration: ServiceConfiguration
  /// The inputs, of which each has a service of its own.
  var inputs = InputChoice()
  /// Whether these are the options of one of several inputs.
  var isOneOfSeveral = false
  /// The options of the inputs themselves, or nil if none has any.
  var inputSettings: InputSettings?
  /// Whether a topic that is found while running begins at its end.
  var newFromLatest = false
  /// The topic that bad events go to.
  var deadLetter: String
  /// A stable name of this instance within the group, or nil.
  var instance: String?
  /// The producer's transactional id, which two live processes must not share.
  var transactionalID: String
  /// The form in which `check` prints the topics, doing nothing else, or nil for the checks.
  var topicFormat: TopicText.Format?
  /// Whether only to compare its own instructions with the group's.
  var isShadow = false
  /// Whether `reset-clock` carries out its plan.
  var isConfirmed = false
  /// The registry for schemas that the map does not have, or nil for none.
  var registry: SchemaRegistry?
  /// The map as --map names it, or nil if it names none for the input.
  var mapText: String?
  /// The address of the HTTP server, or nil for none.
  var http: HTTPAddress? = .standard
  /// The token of HTTP requests, or nil for none.
  var httpToken: HTTPToken?
  var httpOrigins = HTTPOrigins.none
  var outputHeaders: [OutputHeader] = []
  var screens: String?
  /// Whether to print the committed totals on standard output once a second.
  var progress = false
  var logLevel = LogLevel.info
  var logFormat = LogFormat.text
  /// The properties for librdkafka; if a key occurs twice, the later value counts.
  var kafka: [KafkaProperty] = []

  var group: String { configuration.topics.group }
  var input: String { configuration.topics.input }
  var output: String { configuration.topics.output }

  /// Whether the ids of rooms are prefixed with the name of their input.
  var prefixesRooms: Bool {
    get { !configuration.limits.roomPrefix.isEmpty }
    set { configuration.limits.roomPrefix = newValue ? Derivation.roomPrefix(of: input) : "" }
  }

  subscript<Value>(dynamicMember member: WritableKeyPath<ServiceConfiguration, Value>) -> Value {
    get { configuration[keyPath: member] }
    set { configuration[keyPath: member] = newValue }
  }

  /// Creates options with defaults for everything that is not a parameter.
  init(brokers: String, input: String, output: String, group: String, transactionalID: String) {
    configuration = ServiceConfiguration(topics: TopicIdentity(group: group, input: input, output: output))
    configuration.brokers = brokers
    self.transactionalID = transactionalID
    deadLetter = TopicNames.deadLetter(input: input, group: group)
  }

  /// Reads the options from `reader`, and adds faults to it. `host` is this machine's name.
  init(_ reader: inout OptionReader, host: String) {
    let group = reader.text("group")
    let instance = reader.optionalText("instance")
    let brokers = reader.requiredText("brokers")
    let inputs = reader.inputs()
    let hasPattern = (reader.command == .run || reader.command == .check) && reader.isGiven("input-pattern")
    if !hasPattern { _ = reader.requiredText("input") }
    let input = reader.input ?? inputs.names.first ?? ""
    self.init(
      brokers: brokers, input: input, output: reader.requiredText("output"), group: group,
      // Services with other inputs on the same host must not fence each other.
      transactionalID: reader.optionalText("transactional-id") ?? "\(group).\(input).\(instance ?? host)")
    self.inputs = inputs
    isOneOfSeveral = reader.input != nil
    if reader.command == .run || reader.command == .check {
      inputSettings = reader.optionalText("input-settings").map(InputSettings.init)
    }
    newFromLatest = reader.command == .run && reader.text("new-topics") == "latest"
    if let topic = reader.optionalText("dead-letter") { deadLetter = topic }
    configuration.fromLatest = reader.text("from") == "latest"
    // The table allows no other values.
    configuration.delivery = JournalEntry.Delivery(rawValue: reader.text("delivery"))!
    configuration.commitIntervalMs = reader.integer("commit-interval-ms")
    configuration.checkpointGifts = reader.integer("checkpoint-gifts")
    configuration.checkpointIntervalMs = reader.integer("checkpoint-interval-ms")
    configuration.ownSettingsMax = reader.integer("max-own-settings")
    configuration.limits.maxAgeMs = reader.integer("max-age-ms")
    self.instance = instance
    configuration.acceptsReset = reader.flag("accept-reset")
    configuration.rules = Int(reader.text("rules")).map { .pinned(Rules(version: $0)) } ?? .auto
    topicFormat = reader.command == .check ? reader.optionalText("print-topics").flatMap(TopicText.Format.init) : nil
    isShadow = reader.command == .run && reader.flag("shadow")
    isConfirmed = reader.command == .resetClock && reader.flag("yes")
    if isShadow, configuration.acceptsReset {
      reader.fault("--accept-reset has no effect with --shadow, which takes nothing over: leave it out")
    }
    configuration.limits.roomFromBody = reader.flag("room-from-body")
    prefixesRooms = reader.text("room-prefix") == "topic"
    configuration.namesInput = reader.flag("name-input") || isOneOfSeveral
    configuration.limits.roomSettings = reader.settingNames("room-settings")
    configuration.map = reader.map()
    registry = reader.registry()
    if registry == nil, reader.isGiven("schema-registry-auth-file") || reader.isGiven("schema-registry-ca") {
      reader.fault("--schema-registry-auth-file and --schema-registry-ca need --schema-registry URL")
    }
    mapText = reader.mapText()
    http = HTTPAddress(reader.text("http"))
    httpToken = Self.token(&reader)
    httpOrigins = Self.origins(&reader)
    screens = reader.optionalText("screens")
    readOutputHeaders(&reader)
    // A shadow serves no HTTP.
    if !isShadow, let http, !http.isLoopback, !reader.isGiven("http-token-file") {
      reader.fault(
        "--http \(http.text) can be reached by other machines, so --http-token-file is required; to serve this machine only, use"
          + " 127.0.0.1:\(http.port)")
    }
    progress = reader.flag("progress")
    logLevel = LogLevel(rawValue: reader.text("log-level"))!
    logFormat = LogFormat(rawValue: reader.text("log-format"))!
    kafka = reader.kafkaProperties()
    configuration.settings = reader.settings()
    configuration.defaultedSettings = reader.defaultedSettings
    checkInputs(&reader)
    checkTopics(&reader)
  }

  private mutating func readOutputHeaders(_ reader: inout OptionReader) {
    for text in reader.optionalText("output-header")?.split(separator: ";").map(String.init) ?? [] {
      guard let header = OutputHeader(text) else {
        reader.fault(
          "--output-header must be NAME=TEMPLATE without line breaks, or several separated by ;. TEMPLATE may have {room} and {op}, as in"
            + " channel=rooms:{room}. It is not \(Sentence.quoted(text))")
        continue
      }
      if header.name == Derivation.inputHeader {
        reader.fault("--output-header gives \(Sentence.quoted(header.name)), which is the service's own: use --name-input")
      }
      if outputHeaders.contains(where: { $0.name == header.name }) {
        reader.fault("--output-header gives \(Sentence.quoted(header.name)) twice: give each header once")
      }
      outputHeaders.append(header)
    }
  }

  /// Checks the options that several inputs cannot have in common, and those that only several inputs need.
  private func checkInputs(_ reader: inout OptionReader) {
    let isRun = reader.command == .run
    if !isRun && reader.command != .check || isOneOfSeveral { return }
    if inputs.isSingle {
      for name in (isRun ? ["new-topics"] : []) + ["input-settings"] where reader.isGiven(name) {
        reader.fault("--\(name) is for several inputs, and there is only \(Sentence.quoted(input)): leave it out")
      }
      return
    }
    if isRun, inputs.pattern == nil, reader.isGiven("new-topics") {
      reader.fault("--new-topics is for topics that --input-pattern finds, and there is no pattern: leave it out")
    }
    if let folder = reader.optionalText("input-settings") { checkSettings(in: folder, &reader) }
    if isShadow { reader.fault("--shadow follows one input: give one with --input, and run it once for each") }
    if reader.isGiven("transactional-id") {
      reader.fault("--transactional-id cannot be shared by several inputs: leave it out, and give --instance a name instead")
    }
    if !isRun { return }
    if progress {
      reader.fault("--progress counts for one input; with several, see /service or /metrics of --http: leave it out")
    }
    if screens != nil, !prefixesRooms {
      reader.fault("--screens with several inputs needs --room-prefix topic: its records are distinguished by the room alone")
    }
  }

  private func checkSettings(in folder: String, _ reader: inout OptionReader) {
    guard let files = InputSettings(folder: folder).files(unless: inputs.contains) else {
      return reader.fault(InputSettings.noFolder(folder))
    }
    for file in files {
      reader.fault(
        "--input-settings has \(Sentence.quoted(file)), but there is no input of that name: name the file as its input, or remove it"
      )
    }
  }

  /// The name of this instance as a member of the group. Each of several inputs has a member of its own.
  var memberInstance: String? { isOneOfSeveral ? instance.map { "\(input).\($0)" } : instance }

  /// The topics that the services of all inputs write to and that `--input-pattern` cannot tell from inputs by their names.
  /// - Parameter inputSettings: The options of the inputs themselves, as they were read last.
  func ownTopics(_ inputSettings: InputSettings?) -> Set<String> {
    Set([output, deadLetter, screens].compactMap(\.self)).union(inputSettings?.deadLetters ?? [])
  }

  /// The file of `--input-settings` that seems meant for this input, but is not read, or nil if there is none.
  var strayFile: String? { isOneOfSeveral ? inputSettings?.strayFile(of: input) : nil }

  static func origins(_ reader: inout OptionReader) -> HTTPOrigins {
    guard let text = reader.optionalText("http-origin") else { return .none }
    if let origins = HTTPOrigins(text) { return origins }
    // The address is not shown if it has a login.
    reader.fault(
      text.contains("@")
        ? "--http-origin must have no login: an origin is a scheme, a host and perhaps a port, such as https://live.example"
        : "--http-origin must be * or origins as browsers send them, separated by commas, such as https://live.example,http://localhost:3000;"
          + " not \(Sentence.quoted(text))")
    return .none
  }

  /// Reads the token of `--http-token-file`, and adds its faults.
  static func token(_ reader: inout OptionReader) -> HTTPToken? {
    guard let file = reader.optionalText("http-token-file") else { return nil }
    switch TextFile.read(file, limit: 4096, named: "the file") {
    case .success(let text):
      do throws(HTTPFault) {
        return try HTTPToken(text)
      } catch {
        reader.fault("--http-token-file: the file \(error)")
      }
    case .failure(let failure): reader.fault("--http-token-file: \(failure). It takes the name of a file that holds the token")
    }
    return nil
  }

  /// Checks that derived topic names are valid, and that no topic has two purposes.
  private func checkTopics(_ reader: inout OptionReader) {
    guard !input.isEmpty, !output.isEmpty else { return }
    let (journal, state) = (topicNames.journal, topicNames.state)
    if Option.topicFault(journal) != nil {
      reader.fault(
        "--group is part of topic names such as \(Sentence.quoted(journal)), so it may have only a-z, A-Z, 0-9, `.`, `_` and `-`, and the whole name at most 249 characters"
      )
      return
    }
    if Option.topicFault(deadLetter) != nil {
      reader.fault("the dead-letter topic would be \(Sentence.quoted(deadLetter)): give a shorter one with --dead-letter")
    }
    let topics =
      [
        ("--input", input), ("--output", output), ("--dead-letter", deadLetter), ("the journal", journal), ("the state", state),
      ] + (screens.map { [("--screens", $0)] } ?? [])
    for (what, topic) in [("--output", output), ("--dead-letter", deadLetter)] + (screens.map { [("--screens", $0)] } ?? [])
    where TopicNames.isForRecovery(topic) || topic.hasPrefix("__") {
      reader.fault("\(what) is \(topic), which by its name is a journal, a state topic or one of Kafka's own: give another")
    }
    for (what, topic) in [("--dead-letter", deadLetter), ("the journal", journal), ("the state", state)]
    where topic != input && inputs.names.contains(topic) {
      reader.fault(Self.sameTopic(what, "--input", topic))
    }
    for (index, topic) in topics.enumerated() {
      for other in topics[..<index] where other.1 == topic.1 {
        reader.fault(Self.sameTopic(topic.0, other.0, topic.1))
      }
    }
  }

  /// The fault that one topic is named for two purposes.
  static func sameTopic(_ one: String, _ other: String, _ topic: String) -> String {
    "\(one) and \(other) must be different topics, but both are \(topic)"
  }
}
