internal import ComboCore
internal import ComboGenerate
internal import ComboHTTP
internal import ComboSystem
internal import ComboWire

/// Every option there is. All else, `--help` and checks included, is made from this table.
enum OptionTable {
  static let all: [Option] = general + tune + live + service + demo + generate + map + seek + explain + redrive + kafka + combo

  /// Those that `command` takes.
  static func options(of command: Command) -> [Option] {
    all.filter { $0.commands.contains(command) }
  }

  private static let kafkaCommands: [Command] = [
    .run, .serve, .check, .seek, .resetClock, .verify, .explain, .redrive, .watch, .generate, .map, .tune,
  ]
  private static let engineCommands: [Command] = [.run, .live, .check, .seek, .resetClock, .demo, .replay, .tune]
  private static let serviceCommands: [Command] = [.run, .check, .seek, .resetClock]

  private static let general: [Option] = [
    Option(
      "config", "FILE", .text, nil, kafkaCommands + [.live, .demo, .replay], .main,
      "a file of options, a line each: NAME = VALUE; nearer are the environment, then the command line"),
    Option("brokers", "HOST:PORT,…", .text, nil, kafkaCommands, .main, "the Kafka brokers to begin with"),
    Option(
      "input", "TOPIC", .topic, nil, [.run, .check, .seek, .resetClock, .verify, .explain, .redrive, .tune], .main,
      "where gift events are read"),
    Option(
      "output", "TOPIC", .topic, nil, [.run, .serve, .check, .seek, .resetClock, .verify, .explain, .watch], .main,
      "where display instructions are written"),
    Option(
      "group", "NAME", .text, "combo-consumer", [.run, .check, .seek, .resetClock, .verify, .explain, .redrive], .main,
      "the consumer group; journal and state belong to it"),
    Option(
      "map", "NAME|FILE", .text, nil, [.run, .live, .check, .seek, .resetClock, .replay, .tune, .map], .main,
      "how records become events: a built-in map or a file; with switches as NAME:SWITCH=VALUE,…; default: they are events"),
    Option(
      "max-rested-rooms", "N", .integer(0...100_000_000), "65536", [.replay, .tune], .main,
      "rooms remembered at least, however long they are silent"),
    Option("threads", "N", .integer(0...64), "0", [.replay, .tune], .main, "threads that work; 0 = one a processor"),
    Option(
      "explain", "", .flag, "false", [.replay], .main,
      "print what became of each gift, in place of the instructions: one object a line"),
  ]

  private static let tune: [Option] = [
    Option(
      "vary", "NAME=VALUE,…", .variation, nil, [.tune], .main,
      "a setting and the values to try: slots=1,2,3; may be given several times, for all combinations"),
    Option(
      "settings", "FILE …", .files, nil, [.tune], .main,
      "files of options, each a combination of settings; all arguments up to the next option"),
    Option(
      "format", "FORMAT", .choice(["text", "json"]), "text", [.tune], .main, "a table for people, or one object for programs"),
    Option("html", "FILE", .text, nil, [.tune], .main, "write a page with plots as well, to read and pass on"),
  ]

  private static let live: [Option] = [
    Option(
      "from", "SOURCE", .source, nil, [.live], .main,
      "where records come from: -, post, or ws://HOST:PORT/, then perhaps ,map=NAME ,room=ROOM ,hello=FILE ,password=FILE; may be given several times"
    ),
    Option(
      "data", "FILE|none", .text, nil, [.live, .demo], .main,
      "the file that keeps records and state, or none: in memory only; default live.db or demo.db below the state folder"),
    Option(
      "data", "FILE", .text, nil, [.verify, .explain], .main,
      "read what live or demo keeps in this file; --brokers, --input, --output and --group do not count then"),
    Option(
      "data", "FILE", .text, nil, [.tune], .main,
      "read what live or demo keeps in this file, by the times at which it came in and with the map it was read by"),
    Option(
      "data-max-mib", "N", .integer(16...1_048_576), "2048", [.live], .main,
      "MiB that records may take in that file; the oldest that are not needed any more go first"),
    Option("keep-hours", "H", .number(0...100_000), "24", [.live], .main, "how long records are kept, if there is room"),
    Option("print", "", .flag, "false", [.live], .main, "print the instructions of all rooms on standard output, one a line"),
    Option(
      "export", "", .flag, "false", [.live], .main,
      "print the records that the file holds, room and record with a tab between, and end: for a Kafka topic"),
    Option(
      "dead-letters", "", .flag, "false", [.live], .main,
      "print the bad records that the file holds, with the reason, as JSON, one a line, and end"),
    Option("export-map", "", .flag, "false", [.live], .main, "print the map that reads those records, and end: for run --map"),
    Option(
      "commit-interval-ms", "MS", .integer(1...5000), "10", [.live], .service,
      "from one transaction to the next; in a backlog up to five times as long"),
  ]

  private static let service: [Option] = [
    Option(
      "dead-letter", "TOPIC", .topic, nil, serviceCommands + [.verify, .redrive], .service,
      "where bad events go; default <input>.<group>.combo-dead-letter"),
    Option(
      "from", "WHERE", .choice(["earliest", "latest"]), "earliest", serviceCommands, .service,
      "where a group that has read nothing yet begins"),
    Option(
      "from", "TIME", .time, nil, [.verify], .main,
      "compare only instructions of this time or later: 2026-11-21T13:00:00Z, or milliseconds since 1970; default: all"),
    Option(
      "from-checkpoint", "", .flag, "false", [.verify], .main,
      "begin at the current checkpoint instead of the journal's first entry: quick, but proves only what came after"),
    Option(
      "delivery", "KIND", .choice(["exactly-once", "at-least-once"]), "exactly-once", serviceCommands, .service,
      "exactly-once: in transactions; at-least-once: sooner, and some again after a crash, with the same seq"),
    Option(
      "commit-interval-ms", "MS", .integer(1...5000), "100", serviceCommands, .service,
      "from one transaction to the next; in a backlog up to five times as long"),
    Option(
      "checkpoint-gifts", "N", .integer(1...1_000_000_000_000), "1000000", serviceCommands, .service,
      "snapshots of rooms are written after this many gifts"),
    Option(
      "checkpoint-interval-ms", "MS", .integer(1...IntegerSetting.longestMs), "60000", serviceCommands, .service,
      "… or after this long"),
    Option(
      "max-own-settings", "N", .integer(0...100_000_000), "10000", serviceCommands, .service,
      "rooms of a partition that may have settings of their own"),
    Option(
      "max-age-ms", "MS", .integer(0...2_592_000_000), "0", serviceCommands + [.live], .service,
      "gifts that are older than this when they are taken in reach no room, as after an outage; 0 = no limit"),
    Option(
      "room-settings", "NAMES|all|none", .settingNames, "all", serviceCommands + [.map], .service,
      "the settings that a room may set for itself by room_settings; an event with any other is bad"),
    Option(
      "instance", "NAME", .text, nil, serviceCommands, .service,
      "a stable name of this instance within the group, for a restart without a rebalance"),
    Option(
      "transactional-id", "ID", .text, nil, serviceCommands, .service,
      "of the producer; stable, and its own for each instance; default <group>.<input>.<instance, or host>"),
    Option(
      "accept-reset", "", .flag, "false", serviceCommands + [.live], .service,
      "after an upgrade: where the old version did not stop cleanly, begin a new epoch instead of refusing; use it once"
    ),
    Option(
      "print-topics", "FORMAT", .choice(TopicText.Format.allCases.map(\.rawValue)), nil, [.check], .main,
      "print the topics of the group as Strimzi's KafkaTopic or as Terraform, and end; only the input must be there"),
    Option(
      "shadow", "", .flag, "false", [.run], .service,
      "follow the group instead of joining it: derive beside it, compare with its output, and write nothing"),
    Option(
      "room-from-body", "", .flag, "false", [.run, .check, .seek, .resetClock, .map], .service,
      "take the room from the event though the record key differs; only if producers keep a room in one partition"),
    Option(
      "http", "ADDRESS|none", .address, HTTPAddress.standard.text, [.run, .live, .check, .seek, .resetClock, .demo], .service,
      "where to serve health, metrics and the pages; *:8080 for all addresses of this machine"),
    Option(
      "http-token-file", "FILE", .text, nil, serviceCommands + [.live], .service,
      "a file with the token that HTTP requests must show; needed where other machines can reach it"),
    Option(
      "http", "ADDRESS", .address, HTTPAddress.standard.text, [.serve], .service,
      "where to serve rooms, health, metrics and the pages; *:8080 for all addresses of this machine"),
    Option(
      "http-token-file", "FILE", .text, nil, [.serve], .service,
      "a file with the token that HTTP requests must show; beyond this machine needed, unless --http-public lets rooms be seen"),
    Option(
      "http-public", "", .flag, "false", [.serve], .service,
      "rooms and the overlay need no token; the list of rooms, metrics and the service page still do, where others can reach them"
    ),
    Option(
      "screens", "TOPIC", .topic, nil, serviceCommands, .service,
      "a compacted topic with each room's newest screen, for gateways and caches; made if it is not there"),
    Option(
      "output-header", "NAME=TEMPLATE;…", .text, nil, serviceCommands, .service,
      "a header of each instruction's record, so that a gateway routes without parsing; {room} and {op} stand for the instruction's"
    ),
    Option(
      "http-origin", "ORIGIN,…|*", .text, nil, serviceCommands + [.serve], .service,
      "whose pages may read what is served here: https://live.example,…, or * for all"),
    Option(
      "readers", "N", .integer(1...1_000_000), "10000", [.serve], .service, "streams of events at a time; more are refused"),
    Option(
      "partitions", "LIST", .text, nil, [.serve], .service, "which partitions of the output are served: 0-7,12; default: all"),
    Option(
      "progress", "", .flag, "false", serviceCommands, .service, "print the committed totals on standard output once a second"),
    Option(
      "log-level", "LEVEL", .choice(LogLevel.allCases.map(\.rawValue)), "info",
      [.run, .serve, .live, .check, .seek, .resetClock, .verify, .explain],
      .service,
      "the least that is logged on standard error"),
    Option(
      "log-format", "FORMAT", .choice(LogFormat.allCases.map(\.rawValue)), "text",
      [.run, .serve, .live, .check, .seek, .resetClock, .verify, .explain],
      .service,
      "text for people, json for programs: one object a line"),
  ]

  private static let kafka: [Option] = [
    Option(
      "kafka", "KEY=VALUE", .property, nil, kafkaCommands, .kafka,
      "a property of librdkafka; may be given several times (in the environment, one a line)"),
    Option("kafka-file", "FILE", .text, nil, kafkaCommands, .kafka, "a file of such properties, one a line"),
  ]

  private static let demo: [Option] = [
    Option(
      "once", "", .flag, "false", [.watch], .main, "print what is on the screen now, a line a banner, and end: for scripts"),
    Option(
      "back", "S", .number(0...3600), "20", [.watch, .serve], .main,
      "how far back what is on the screen is looked for first; a few times --screen-ms is enough"),
    Option("seconds", "S", .number(0...1_000_000_000), "0", [.demo, .generate, .watch], .main, "how long; 0: no limit"),
    Option("rooms", "N", .integer(1...10_000_000), "1000", [.generate], .main, "how many rooms"),
    Option("rooms", "N", .integer(1...1000), "12", [.demo], .main, "how many rooms"),
    Option(
      "rate", "N", .integer(0...100_000_000), "0", [.generate], .main, "events a second, evenly; 0 = as fast as it goes"),
    Option("rate", "N", .integer(1...100_000), "20", [.demo], .main, "gifts a second"),
    Option(
      "log-level", "LEVEL", .choice(LogLevel.allCases.map(\.rawValue)), "error", [.demo, .watch], .main,
      "the least that is logged on standard error"),
    Option("seed", "N", .integer(0...Int.max), "1", [.demo, .generate], .main, "of the random numbers"),
  ]

  private static let map: [Option] = [
    Option("from-topic", "TOPIC", .topic, nil, [.map], .main, "explain records of this topic, instead of a file's"),
    Option("last", "N", .integer(1...100_000), "10", [.map], .main, "this many of the newest of each partition"),
    Option("json", "", .flag, "false", [.map, .redrive], .main, "an object a record, a line each, for programs"),
    Option("list", "", .flag, "false", [.map], .main, "the built-in maps with their switches"),
    Option("print", "NAME", .text, nil, [.map], .main, "a built-in map's text, to begin one's own with"),
    Option(
      "check", "FILE", .text, nil, [.map], .main, "check a map, and list all its faults; exit code 1 if there is one"),
    Option(
      "infer", "FILE", .text, nil, [.map], .main, "propose a map from samples (-: standard input), with notes where it is unsure"),
  ]

  private static let seek: [Option] = [
    Option("to-time", "TIME", .time, nil, [.seek], .main, "continue at the first record of this time or later"),
    Option(
      "to-offset", "P:N,…", .text, nil, [.seek], .main, "continue at these offsets, by partition: 0:1200,3:900; others stay"),
    Option("skip-to-end", "", .flag, "false", [.seek], .main, "continue at the current end of the input"),
  ]

  private static let explain: [Option] = [
    Option("room", "ROOM", .text, nil, [.explain], .main, "the room whose gifts are asked about"),
    Option("sender", "ID", .text, nil, [.explain], .main, "only gifts of this sender"),
    Option("gift", "ID", .text, nil, [.explain], .main, "only gifts of this kind"),
    Option("id", "ID", .text, nil, [.explain], .main, "only the gift of this id"),
    Option(
      "partition", "N", .integer(0...1_000_000), nil, [.explain], .main,
      "the room's partition of the input; default: where Kafka's default partitioner puts the room, then all others"),
    Option(
      "format", "FORMAT", .choice(["text", "json"]), "text", [.explain], .main,
      "text for people, json for programs: an object a gift"),
  ]

  private static let redrive: [Option] = [
    Option(
      "code", "CODE", .choice(BadEvent.Code.allCases.map(\.rawValue)), nil, [.redrive], .main,
      "only dead letters with this code, such as not_json"),
    Option("reason", "TEXT", .text, nil, [.redrive], .main, "only those whose reason contains this text"),
    Option("since", "TIME", .time, nil, [.redrive, .explain, .tune], .main, "only records of this time or later"),
    Option("until", "TIME", .time, nil, [.redrive, .explain, .tune], .main, "only records from before this time"),
    Option("limit", "N", .integer(0...1_000_000_000), "0", [.redrive], .main, "at most so many; 0 = no limit"),
    Option(
      "max-redrives", "N", .integer(1...1000), "1", [.redrive], .main,
      "how often a record may be sent back in all, if it keeps coming back"),
    Option(
      "yes", "", .flag, "false", [.redrive, .seek, .resetClock], .main,
      "do it; without it, the command only prints what it would do"),
  ]

  private static let generate: [Option] = [
    Option("file", "FILE", .text, nil, [.generate], .main, "where to write JSON lines; default, and `-`: standard output"),
    Option("topic", "TOPIC", .topic, nil, [.generate], .main, "the topic to produce to, instead of a file"),
    Option("events", "N", .integer(0...1_000_000_000_000), "0", [.generate], .main, "how many; 0: no limit"),
    Option("skew", "S", .number(0...10), "1", [.generate], .main, "Zipf exponent of the rooms' shares; 0 = all alike"),
    Option("senders", "N", .integer(1...1_000_000), "50", [.generate], .main, "senders a room"),
    Option("active", "N", .integer(1...100_000), "2", [.generate], .main, "how many of them send at once"),
    Option("gifts", "N", .integer(1...65_535), "24", [.generate], .main, "kinds of gifts"),
    Option(
      "as", "PLATFORM", .choice(PlatformShape.all.map(\.name)), nil, [.generate], .main,
      "write the records of a platform, not this service's events; --map with the same name reads them"),
    Option("duplicates", "SHARE", .share, "0", [.generate], .main, "with --as: share of records that come twice: 0.05, or 5%"),
    Option(
      "reorder", "DURATION", .duration(60_000), "0", [.generate], .main,
      "with --as: each record comes up to this much later: 200ms, or 2s"),
    Option(
      "lost-ends", "SHARE", .share, "0", [.generate], .main,
      "with --as: share of streaks without an end record, where the platform has one"),
    Option(
      "late-totals", "SHARE", .share, "0", [.generate], .main,
      "with --as: share of a streak's records that come 3 to 12 s late, after its end"),
    Option(
      "truth", "FILE", .text, nil, [.generate], .main, "with --as: where to write what each streak comes to, a JSON line each"),
    Option("totals", "SHARE", .share, "0", [.generate], .main, "share of gifts sent as running totals of a streak (0 to 1)"),
    Option(
      "ends", "SHARE", .share, "0", [.generate], .main,
      "share of these streaks that have no name, and whose last total marks its end"),
    Option(
      "own-streak-ms", "DURATION", .duration(3_600_000), "0", [.generate], .main,
      "totals bring how long they are remembered; 0 = they do not"),
    Option(
      "combos", "SHARE", .share, "0", [.generate], .main, "share of a sender's runs of gifts that are a combo of their own name"),
    Option("repeats", "SHARE", .share, "0", [.generate], .main, "share of events that are an earlier one sent again"),
    Option("retracts", "SHARE", .share, "0", [.generate], .main, "share of events that retract a sender's combos"),
    Option("closes", "SHARE", .share, "0", [.generate], .main, "share of events that close a room"),
    Option("bad", "SHARE", .share, "0", [.generate], .main, "share of events that are bad"),
  ]

  /// One option for each setting of the engine.
  private static let combo: [Option] = SettingName.all.map { setting in
    Option(
      setting.text.split(separator: "_").joined(separator: "-"), setting.placeholder, .setting(setting),
      SettingName.text(of: Settings()[setting]), engineCommands + (drawn.contains(setting) ? [.watch, .serve] : []), .combo,
      setting.help)
  }

  /// The settings that a terminal that draws a room needs, and viewers of `serve`.
  private static let drawn: Set<SettingName> = [
    .integer(.slots), .integer(.enterMs), .integer(.countMs), .integer(.exitMs),
  ]
}
