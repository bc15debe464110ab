internal import ComboCore
internal import ComboEdge
internal import ComboGenerate
internal import ComboHTTP
internal import ComboKafka
internal import ComboMaps
internal import ComboSystem

struct ReplayOptions: Equatable, Sendable {
  /// The file to read, or nil for standard input.
  var file: String?
  /// The minimum number of rooms that are remembered, however long they are silent.
  var maxRestedRooms = 65_536
  /// The number of threads; 0 for one per processor.
  var threads = 0
  /// Whether to report the fates of the gifts instead of the instructions.
  var explain = false
  /// The map that turns lines into events, or nil if they are events.
  var map: RecordMap?
  var settings = Settings()

  init(file: String? = nil) { self.file = file }

  init(_ reader: inout OptionReader, operands: [String]) {
    file = operands.first.flatMap { $0 == "-" ? nil : $0 }
    maxRestedRooms = reader.integer("max-rested-rooms")
    threads = reader.integer("threads")
    explain = reader.flag("explain")
    map = reader.map()
    settings = reader.settings()
  }
}

struct GenerateOptions: Equatable, Sendable {
  enum Target: Equatable, Sendable {
    /// A file for JSON lines in virtual time, or nil for standard output.
    case file(String?)
    case topic(String, brokers: String, kafka: [KafkaProperty])
  }

  var target = Target.file(nil)
  /// The number of events; 0 for no limit.
  var events = 0
  /// The duration; 0 for no limit.
  var seconds = 0.0
  /// Events per second; 0 for as fast as possible.
  var rate = 0
  var mix = GiftMix()
  /// The platform whose records are written, or nil for this service's own events.
  var platform: String?
  var faults = PlatformFaults()
  /// The file for the real counts of the streaks.
  var truth: String?

  init() {}

  init(_ reader: inout OptionReader) {
    events = reader.integer("events")
    seconds = reader.number("seconds")
    rate = reader.integer("rate")
    if events == 0, seconds == 0 { events = 1_000_000 }
    mix.rooms = reader.integer("rooms")
    mix.skew = reader.number("skew")
    mix.senders = reader.integer("senders")
    mix.active = reader.integer("active")
    mix.gifts = reader.integer("gifts")
    mix.totals = reader.share("totals")
    mix.ends = reader.share("ends")
    mix.streakMs = reader.milliseconds("own-streak-ms")
    mix.lingers = reader.share("own-lingers")
    mix.refreshes = reader.share("refreshes")
    mix.combos = reader.share("combos")
    mix.repeats = reader.share("repeats")
    mix.retracts = reader.share("retracts")
    mix.closes = reader.share("closes")
    mix.bad = reader.share("bad")
    mix.seed = reader.integer("seed")
    if let fault = mix.fault { reader.fault(fault) }
    platform = reader.optionalText("as")
    faults.duplicates = reader.share("duplicates")
    faults.reorderMs = reader.milliseconds("reorder")
    faults.lostEnds = reader.share("lost-ends")
    faults.lateTotals = reader.share("late-totals")
    truth = reader.optionalText("truth")
    for name in ["duplicates", "reorder", "lost-ends", "late-totals", "truth"] where platform == nil && reader.isGiven(name) {
      reader.fault("--\(name) needs --as: it applies to a platform's records")
    }
    let ownOnly = [
      "active", "totals", "ends", "own-streak-ms", "own-lingers", "refreshes", "combos", "repeats", "retracts", "closes", "bad",
    ]
    for name in ownOnly where platform != nil && reader.isGiven(name) {
      reader.fault("--\(name) cannot be used with --as: it applies to this service's own events")
    }
    let kafka = reader.kafkaProperties()
    if let topic = reader.optionalText("topic") {
      if reader.isGiven("file") { reader.fault("--file and --topic exclude each other: give only one of them") }
      target = .topic(topic, brokers: reader.requiredText("brokers"), kafka: kafka)
    } else {
      target = .file(reader.optionalText("file").flatMap { $0 == "-" ? nil : $0 })
    }
  }
}

struct DemoOptions: Equatable, Sendable {
  /// The duration; 0 to run until it is stopped.
  var seconds = 0.0
  var rooms = 12
  /// Gifts per second.
  var rate = 20
  var seed = 1
  var logLevel = LogLevel.error
  /// `none` or a file, or nil for the default file.
  var data: String?
  /// The address of the pages, or nil for none.
  var http: HTTPAddress? = .standard
  var settings = Settings()

  init() {
    // The pages list senders and gifts.
    settings.finals = true
  }

  init(_ reader: inout OptionReader) {
    seconds = reader.number("seconds")
    rooms = reader.integer("rooms")
    rate = reader.integer("rate")
    seed = reader.integer("seed")
    data = reader.optionalText("data")
    logLevel = LogLevel(rawValue: reader.text("log-level"))!
    http = HTTPAddress(reader.text("http"))
    if let http, !http.isLoopback {
      reader.fault(
        "--http \(http.text) can be reached by other machines, but the demo serves this machine only: use 127.0.0.1 or [::1]")
    }
    settings = reader.settings()
    // The pages list senders and gifts.
    if !reader.isGiven("finals") { settings.finals = true }
  }
}

struct VerifyOptions: Equatable, Sendable {
  var source: DerivationSource
  /// The dead-letter topic, or nil for the group's own topic.
  var deadLetter: String?
  /// The time before which instructions are not compared, in milliseconds since the Unix epoch, or nil to compare all.
  var from: Int64?
  /// Whether to begin at the current checkpoint.
  var fromCheckpoint: Bool

  init(_ reader: inout OptionReader) {
    source = DerivationSource(&reader)
    deadLetter = source.data == nil ? reader.optionalText("dead-letter") : nil
    from = reader.optionalText("from").flatMap { Timestamp.milliseconds($0) }
    fromCheckpoint = reader.flag("from-checkpoint")
  }
}

struct SeekOptions: Equatable, Sendable {
  /// The position to continue from.
  enum Target: Equatable, Sendable {
    /// A time in milliseconds since the Unix epoch.
    case time(Int64)
    case offsets([Int32: Int64])
    case end
  }

  var service: ServiceOptions
  var target: Target
  /// Whether to carry out the plan.
  var isConfirmed: Bool

  init(_ reader: inout OptionReader, host: String) {
    var targets: [Target] = []
    if reader.isGiven("to-time") {
      // An invalid time has been reported with the other options.
      targets.append(.time(reader.optionalText("to-time").flatMap { Timestamp.milliseconds($0) } ?? 0))
    }
    if let text = reader.optionalText("to-offset") {
      var offsets: [Int32: Int64] = [:]
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        let place = DeadLetterNote.Place(part)
        if let place, place.partition >= 0, place.offset >= 0, offsets[place.partition] == nil {
          offsets[place.partition] = place.offset
        } else {
          reader.fault("--to-offset must be PARTITION:OFFSET,… with each partition once, not \(Sentence.quoted(text))")
          break
        }
      }
      targets.append(.offsets(offsets))
    }
    if reader.flag("skip-to-end") { targets.append(.end) }
    if targets.isEmpty { reader.fault("seek needs one of --to-time, --to-offset and --skip-to-end") }
    if targets.count > 1 { reader.fault("--to-time, --to-offset and --skip-to-end exclude each other: give only one of them") }
    target = targets.first ?? .end
    isConfirmed = reader.flag("yes")
    service = ServiceOptions(&reader, host: host)
  }
}

struct RedriveOptions: Equatable, Sendable {
  var brokers: String
  var input: String
  var group: String
  var deadLetter: String
  var selection: RedriveSelection
  /// The maximum number of records; 0 for no limit.
  var limit: Int
  var isJSON: Bool
  /// Whether to send records.
  var isConfirmed: Bool
  var kafka: [KafkaProperty]

  init(_ reader: inout OptionReader) {
    brokers = reader.requiredText("brokers")
    input = reader.requiredText("input")
    group = reader.text("group")
    deadLetter = reader.optionalText("dead-letter") ?? TopicNames.deadLetter(input: input, group: group)
    selection = RedriveSelection(input: input)
    selection.code = reader.optionalText("code")
    selection.reason = reader.optionalText("reason")
    selection.since = reader.optionalText("since").flatMap { Timestamp.milliseconds($0) }
    selection.until = reader.optionalText("until").flatMap { Timestamp.milliseconds($0) }
    selection.redrivesMax = reader.integer("max-redrives")
    limit = reader.integer("limit")
    isJSON = reader.flag("json")
    isConfirmed = reader.flag("yes")
    kafka = reader.kafkaProperties()
  }
}

struct WatchOptions: Equatable, Sendable {
  var brokers: String
  var output: String
  var room: String
  /// The only input whose room is shown, or nil for all.
  var input: String?
  /// Whether to print the current screen and exit.
  var isOnce: Bool
  /// The duration; 0 to run until it is stopped.
  var seconds: Double
  var backSeconds: Double
  var settings: Settings
  var logLevel: LogLevel
  var kafka: [KafkaProperty]

  init(_ reader: inout OptionReader, operands: [String]) {
    brokers = reader.requiredText("brokers")
    output = reader.requiredText("output")
    room = operands.first ?? ""
    if room.isEmpty || room.utf8.count > 256 {
      reader.fault(
        "watch needs a ROOM"
          + (room.isEmpty ? ", such as: combo-consumer watch r1" : " of at most 256 bytes, not \(room.utf8.count)"))
    }
    input = reader.optionalText("of-input")
    isOnce = reader.flag("once")
    seconds = reader.number("seconds")
    backSeconds = reader.number("back")
    settings = reader.settings()
    logLevel = LogLevel(rawValue: reader.text("log-level"))!
    kafka = reader.kafkaProperties()
  }
}
