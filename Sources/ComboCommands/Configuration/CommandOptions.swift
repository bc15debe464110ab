internal import ComboCore
internal import ComboEdge
internal import ComboGenerate
internal import ComboHTTP
internal import ComboKafka
internal import ComboMaps
internal import ComboSystem
internal import ComboWire

/// The options of `replay`.
struct ReplayOptions: Equatable, Sendable {
  /// Nil: standard input.
  var file: String?
  /// Rooms that are remembered at least, however long they are silent.
  var maxRestedRooms = 65_536
  /// 0: one a processor.
  var threads = 0
  /// Whether it reports what became of the gifts, in place of the instructions.
  var explain = false
  /// By which lines become events; nil: they are events.
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

/// The options of `generate`.
struct GenerateOptions: Equatable, Sendable {
  /// The target of the events.
  enum Target: Equatable, Sendable {
    /// JSON lines in virtual time; nil: standard output.
    case file(String?)
    case topic(String, brokers: String, kafka: [KafkaProperty])
  }

  var target = Target.file(nil)
  /// 0: no limit.
  var events = 0
  /// 0: no limit.
  var seconds = 0.0
  /// Events a second; 0: as fast as it goes.
  var rate = 0
  var mix = GiftMix()
  /// Whose records are written; nil: this service's own events.
  var platform: String?
  var faults = PlatformFaults()
  /// The file for the streaks' real counts.
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

/// The options of `demo`.
struct DemoOptions: Equatable, Sendable {
  /// 0: until it is ended.
  var seconds = 0.0
  var rooms = 12
  /// Gifts a second.
  var rate = 20
  var seed = 1
  var logLevel = LogLevel.error
  /// `none`, or a file; nil: the default file.
  var data: String?
  /// The address of the pages; nil: none.
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
    // Its page lists senders and gifts.
    if !reader.isGiven("finals") { settings.finals = true }
  }
}

/// The options of `verify`.
struct VerifyOptions: Equatable, Sendable {
  var source: DerivationSource
  /// The dead-letter topic; nil: the group's own topic.
  var deadLetter: String?
  /// Instructions before this time are not compared, in milliseconds since the Unix epoch; nil: all are.
  var from: Int64?
  /// Begin at the current checkpoint.
  var fromCheckpoint: Bool

  init(_ reader: inout OptionReader) {
    source = DerivationSource(&reader)
    deadLetter = source.data == nil ? reader.optionalText("dead-letter") : nil
    from = reader.optionalText("from").flatMap { Timestamp.milliseconds($0) }
    fromCheckpoint = reader.flag("from-checkpoint")
  }
}

/// The options of `seek`.
struct SeekOptions: Equatable, Sendable {
  /// The position to continue from.
  enum Target: Equatable, Sendable {
    /// In milliseconds since the Unix epoch.
    case time(Int64)
    case offsets([Int32: Int64])
    case end
  }

  var service: ServiceOptions
  var target: Target
  /// Whether anything is done.
  var isConfirmed: Bool

  init(_ reader: inout OptionReader, host: String) {
    var targets: [Target] = []
    if reader.isGiven("to-time") {
      // What is no time was reported with the other options.
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

/// The options of `redrive`.
struct RedriveOptions: Equatable, Sendable {
  var brokers: String
  var input: String
  var group: String
  var deadLetter: String
  var selection: RedriveSelection
  /// Records at most; 0: no limit.
  var limit: Int
  var isJSON: Bool
  /// Whether anything is sent.
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

/// The options of `watch`.
struct WatchOptions: Equatable, Sendable {
  var brokers: String
  var output: String
  var room: String
  /// Print what is on the screen, and end.
  var isOnce: Bool
  /// 0: until it is ended.
  var seconds: Double
  var backSeconds: Double
  var slots: Int
  var enterMs: Int
  var countMs: Int
  var exitMs: Int
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
    isOnce = reader.flag("once")
    seconds = reader.number("seconds")
    backSeconds = reader.number("back")
    let settings = reader.settings()
    (slots, enterMs, countMs, exitMs) = (settings.slots, settings.enterMs, settings.countMs, settings.exitMs)
    logLevel = LogLevel(rawValue: reader.text("log-level"))!
    kafka = reader.kafkaProperties()
  }
}
