internal import ComboCore
internal import ComboGenerate
internal import ComboHTTP
internal import ComboMaps
internal import ComboSystem
internal import ComboWire

/// All options. `--help`, checks and everything else are generated from this table.
enum OptionTable {
  static let all: [Option] = general + tune + live + service + demo + generate + map + seek + explain + redrive + kafka + combo

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
      "a file with one option per line, NAME = VALUE; the environment and the command line override it"),
    Option("brokers", "HOST:PORT,…", .text, nil, kafkaCommands, .main, "the Kafka brokers to connect to first"),
    Option(
      "input", "TOPIC,…", .topics, nil, [.run], .main,
      "the topic to read gift events from, or several"),
    Option(
      "input-pattern", "REGEX", .topicPattern, nil, [.run, .check], .main,
      "read also all topics whose names match, such as ^gifts_, as they come and go"),
    Option(
      "new-topics", "WHERE", .choice(["earliest", "latest"]), "earliest", [.run], .service,
      "where a topic begins that is found by --input-pattern while running"),
    Option(
      "input-settings", "FOLDER", .text, nil, [.run, .check], .service,
      "with several inputs: a folder with a file of options for each, such as gifts_eu.conf"),
    Option(
      "input", "TOPIC,…", .topics, nil, [.check, .verify], .main,
      "the topic to read gift events from; several are checked one after the other"),
    Option(
      "input", "TOPIC", .topic, nil, [.seek, .resetClock, .explain, .redrive, .tune], .main,
      "the topic of gift events"),
    Option(
      "output", "TOPIC", .topic, nil, [.run, .serve, .check, .seek, .resetClock, .verify, .explain, .watch], .main,
      "the topic of display instructions"),
    Option(
      "group", "NAME", .text, "combo-consumer", [.run, .check, .seek, .resetClock, .verify, .explain, .redrive], .main,
      "the consumer group; each group has its own journal and state topics"),
    Option(
      "map", "NAME|FILE", .text, nil, [.run, .live, .check, .seek, .resetClock, .replay, .tune, .map], .main,
      "the map that turns records into events: a built-in map or a file, with switches as NAME:SWITCH=VALUE,…; for each input its own as TOPIC=NAME,…; default: no map"
    ),
    Option(
      "schemas", "FOLDER", .text, nil, [.run, .check, .seek, .resetClock, .map], .main,
      "the Avro schemas of the records, in files named by their ids, such as 7.avsc"),
    Option(
      "schema-registry", "URL", .text, nil, [.run, .check, .seek, .resetClock, .map], .main,
      "the registry of the records' Avro schemas, such as https://registry:8081; unknown schemas are requested from it"),
    Option(
      "schema-registry-auth-file", "FILE", .text, nil, [.run, .check, .seek, .resetClock, .map], .main,
      "a file with the registry's login: USER:PASSWORD or Bearer TOKEN"),
    Option(
      "schema-registry-ca", "FILE", .text, nil, [.run, .check, .seek, .resetClock, .map], .main,
      "the certificates of the registry's authority, in PEM; default: those of the system"),
    Option(
      "framing", "FRAME", .choice(RecordMap.framings), "confluent", [.run, .check, .seek, .resetClock, .map], .main,
      "with --schemas, --schema-registry and --proto: what precedes the bytes of a record and names its schema"),
    Option(
      "max-rested-rooms", "N", .integer(0...100_000_000), "65536", [.replay, .tune], .main,
      "the minimum number of rooms to remember, however long they are silent"),
    Option("threads", "N", .integer(0...64), "0", [.replay, .tune], .main, "worker threads; 0 = one per processor"),
    Option(
      "explain", "", .flag, "false", [.replay], .main,
      "print what became of each gift instead of the instructions, one JSON object per line"),
  ]

  private static let tune: [Option] = [
    Option(
      "vary", "NAME=VALUE,…", .variation, nil, [.tune], .main,
      "a setting and the values to try, such as slots=1,2,3; give it several times to try all combinations"),
    Option(
      "settings", "FILE …", .files, nil, [.tune], .main,
      "option files, each with one combination of settings; takes all arguments up to the next option"),
    Option(
      "format", "FORMAT", .choice(["text", "json"]), "text", [.tune], .main,
      "text: a table for people; json: one object for programs"),
    Option("html", "FILE", .text, nil, [.tune], .main, "also write the report as a page with plots to this file"),
  ]

  private static let live: [Option] = [
    Option(
      "from", "SOURCE", .source, nil, [.live], .main,
      "a source of records: -, post or ws://HOST:PORT/, optionally with ,map=NAME ,room=ROOM ,hello=FILE ,password=FILE; may be given several times"
    ),
    Option(
      "data", "FILE|none", .text, nil, [.live, .demo], .main,
      "the file that keeps records and state; none = in memory only; default: live.db or demo.db in the state folder"),
    Option(
      "data", "FILE", .text, nil, [.verify, .explain], .main,
      "read from this file of live or demo instead of Kafka; --brokers, --input, --output and --group are then ignored"),
    Option(
      "data", "FILE", .text, nil, [.tune], .main,
      "read the gifts that live or demo keeps in this file, at the times at which they arrived and with the map that read them"),
    Option(
      "data-max-mib", "N", .integer(16...1_048_576), "2048", [.live], .main,
      "MiB that records may take in that file; the oldest records that are no longer needed are deleted first"),
    Option("keep-hours", "H", .number(0...100_000), "24", [.live], .main, "hours to keep records, if --data-max-mib allows it"),
    Option("print", "", .flag, "false", [.live], .main, "print the instructions of all rooms on standard output, one per line"),
    Option(
      "export", "", .flag, "false", [.live], .main,
      "print the records in the file as ROOM, tab, RECORD, to be loaded into a Kafka topic, and exit"),
    Option(
      "dead-letters", "", .flag, "false", [.live], .main,
      "print the bad records in the file with their reasons, one JSON object per line, and exit"),
    Option(
      "export-map", "", .flag, "false", [.live], .main, "print the map that reads the exported records, for run --map, and exit"),
    Option(
      "commit-interval-ms", "MS", .integer(1...5000), "10", [.live], .service,
      "the time between two transactions; in a backlog up to five times as long"),
  ]

  private static let service: [Option] = [
    Option(
      "dead-letter", "TOPIC", .topic, nil, serviceCommands + [.verify, .redrive], .service,
      "the topic for bad events; default: <input>.<group>.combo-dead-letter"),
    Option(
      "from", "WHERE", .choice(["earliest", "latest"]), "earliest", serviceCommands, .service,
      "where a group that has not read anything yet begins"),
    Option(
      "from", "TIME", .time, nil, [.verify], .main,
      "compare only instructions from this time on, 2026-11-21T13:00:00Z or milliseconds since 1970; default: all"),
    Option(
      "from-checkpoint", "", .flag, "false", [.verify], .main,
      "begin at the current checkpoint instead of the journal's first entry: faster, but proves only what came after it"),
    Option(
      "delivery", "KIND", .choice(["exactly-once", "at-least-once"]), "exactly-once", serviceCommands, .service,
      "exactly-once: in transactions; at-least-once: sooner, but some instructions are repeated after a crash, with the same seq"),
    Option(
      "commit-interval-ms", "MS", .integer(1...5000), "100", serviceCommands, .service,
      "the time between two transactions; in a backlog up to five times as long"),
    Option(
      "checkpoint-gifts", "N", .integer(1...1_000_000_000_000), "1000000", serviceCommands, .service,
      "write snapshots of rooms after this many gifts"),
    Option(
      "checkpoint-interval-ms", "MS", .integer(1...IntegerSetting.longestMs), "60000", serviceCommands, .service,
      "write snapshots of rooms after this time at the latest"),
    Option(
      "max-own-settings", "N", .integer(0...100_000_000), "10000", serviceCommands, .service,
      "the number of rooms per partition that may have their own settings"),
    Option(
      "max-age-ms", "MS", .integer(0...2_592_000_000), "0", serviceCommands + [.live], .service,
      "do not show gifts that are older than this when they are read, for example after an outage; 0 = no limit"),
    Option(
      "room-settings", "NAMES|all|none", .settingNames, "all", serviceCommands + [.map], .service,
      "the settings that a room may change by room_settings; an event with any other setting is bad"),
    Option(
      "instance", "NAME", .text, nil, serviceCommands, .service,
      "a stable name of this instance within the group, so that a restart causes no rebalance"),
    Option(
      "transactional-id", "ID", .text, nil, serviceCommands, .service,
      "the producer's transactional id; must be stable, and unique to each instance; default: <group>.<input>.<instance, or host>"
    ),
    Option(
      "rules", "auto|N", .choice(["auto"] + (Rules.oldest.version...Rules.newest.version).map(String.init)), "auto",
      serviceCommands,
      .service,
      "the engine's rules: auto = the newest, once every member of the group could follow them for two minutes; N = rules N, so that"
        + " an earlier release can take over again"),
    Option(
      "accept-reset", "", .flag, "false", serviceCommands + [.live], .service,
      "after an upgrade, if the old version did not stop cleanly: begin a new epoch instead of refusing to start; use it once"
    ),
    Option(
      "print-topics", "FORMAT", .choice(TopicText.Format.allCases.map(\.rawValue)), nil, [.check], .main,
      "print the group's topics as Strimzi's KafkaTopic or as Terraform, and exit; only the input topic must exist"),
    Option(
      "shadow", "", .flag, "false", [.run], .service,
      "follow the group without joining it: derive its instructions, compare them with its output, and write nothing"),
    Option(
      "room-from-body", "", .flag, "false", [.run, .check, .seek, .resetClock, .map], .service,
      "take the room from the event even if the record key differs; only if producers keep each room in one partition"),
    Option(
      "room-prefix", "", .choice(["none", "topic"]), "none", serviceCommands, .service,
      "topic: put the input's name and a colon in front of each room, so that rooms of inputs that share the output differ"),
    Option(
      "name-input", "", .flag, "false", serviceCommands, .service,
      "name the input in the header combo-input of each instruction; needed wherever other inputs share the output"),
    Option(
      "http", "ADDRESS|none", .address, HTTPAddress.standard.text, [.run, .live, .check, .seek, .resetClock, .demo], .service,
      "the address on which to serve health, metrics and the pages; *:8080 = all addresses of this machine"),
    Option(
      "http-token-file", "FILE", .text, nil, serviceCommands + [.live], .service,
      "a file with the token that HTTP requests must send; required if other machines can reach --http"),
    Option(
      "http", "ADDRESS", .address, HTTPAddress.standard.text, [.serve], .service,
      "the address on which to serve rooms, health, metrics and the pages; *:8080 = all addresses of this machine"),
    Option(
      "http-token-file", "FILE", .text, nil, [.serve], .service,
      "a file with the token that HTTP requests must send; required if other machines can reach --http, unless --http-public is given"
    ),
    Option(
      "http-public", "", .flag, "false", [.serve], .service,
      "serve rooms and the overlay without a token; the list of rooms, metrics and the service page still need it on other machines"
    ),
    Option(
      "screens", "TOPIC", .topic, nil, serviceCommands, .service,
      "a compacted topic for each room's newest screen, for gateways and caches; created if it does not exist"),
    Option(
      "output-header", "NAME=TEMPLATE;…", .text, nil, serviceCommands, .service,
      "headers for each instruction's record, so that a gateway can route without parsing; {room} and {op} are replaced"
    ),
    Option(
      "http-origin", "ORIGIN,…|*", .text, nil, serviceCommands + [.serve], .service,
      "the origins whose pages may read from this server: https://live.example,…, or * for all"),
    Option(
      "readers", "N", .integer(1...1_000_000), "10000", [.serve], .service,
      "the maximum number of open event streams; more are refused"),
    Option(
      "partitions", "LIST", .text, nil, [.serve], .service, "the partitions of the output to serve, such as 0-7,12; default: all"),
    Option(
      "progress", "", .flag, "false", serviceCommands, .service, "print the committed totals on standard output once a second"),
    Option(
      "log-level", "LEVEL", .choice(LogLevel.allCases.map(\.rawValue)), "info",
      [.run, .serve, .live, .check, .seek, .resetClock, .verify, .explain],
      .service,
      "the minimum level of log lines on standard error"),
    Option(
      "log-format", "FORMAT", .choice(LogFormat.allCases.map(\.rawValue)), "text",
      [.run, .serve, .live, .check, .seek, .resetClock, .verify, .explain],
      .service,
      "text for people; json for programs, one object per line"),
  ]

  private static let kafka: [Option] = [
    Option(
      "kafka", "KEY=VALUE", .property, nil, kafkaCommands, .kafka,
      "a property of librdkafka; may be given several times (in the environment, one per line)"),
    Option("kafka-file", "FILE", .text, nil, kafkaCommands, .kafka, "a file of librdkafka properties, one per line"),
  ]

  private static let demo: [Option] = [
    Option(
      "once", "", .flag, "false", [.watch], .main, "print the current screen, one line per banner, and exit; for scripts"),
    Option(
      "back", "S", .number(0...3600), "20", [.watch], .main,
      "how many seconds back to look first for the current screen; a few times --screen-ms is enough"),
    Option(
      "back", "S", .number(0...3600), "20", [.serve], .main,
      "how many seconds before each partition's newest record to begin; at least twice the service's --screen-ms"),
    Option(
      "of-input", "TOPIC", .topic, nil, [.serve, .watch], .main,
      "only the rooms of this input, where several with --name-input share the output"),
    Option(
      "screens", "TOPIC", .topic, nil, [.serve], .main,
      "the topic of `run --screens`: rooms are known at the start also where the output no longer has them"),
    Option(
      "seconds", "S", .number(0...1_000_000_000), "0", [.demo, .generate, .watch], .main, "duration in seconds; 0 = no limit"),
    Option("rooms", "N", .integer(1...10_000_000), "1000", [.generate], .main, "number of rooms"),
    Option("rooms", "N", .integer(1...1000), "12", [.demo], .main, "number of rooms"),
    Option(
      "rate", "N", .integer(0...100_000_000), "0", [.generate], .main, "events per second, evenly spaced; 0 = as fast as possible"
    ),
    Option("rate", "N", .integer(1...100_000), "20", [.demo], .main, "gifts per second"),
    Option(
      "log-level", "LEVEL", .choice(LogLevel.allCases.map(\.rawValue)), "error", [.demo, .watch], .main,
      "the minimum level of log lines on standard error"),
    Option("seed", "N", .integer(0...Int.max), "1", [.demo, .generate], .main, "seed of the random numbers"),
  ]

  private static let map: [Option] = [
    Option(
      "proto", "FILE", .text, nil, [.map], .main,
      "print a map for records in Protobuf, from a .proto file (protoc must be installed) or a descriptor set; --message names the message, --map"
        + " the map that reads its fields (default wire)"),
    Option("message", "NAME", .text, nil, [.map], .main, "with --proto: the message that a record is"),
    Option(
      "records", "", .flag, "false", [.map], .main, "print the records themselves as JSON, one per line, as samples for --infer"),
    Option(
      "fetch-schemas", "FOLDER", .text, nil, [.map], .main,
      "with --schema-registry: write the schemas that the records name into this folder, for --schemas, and exit"),
    Option("from-topic", "TOPIC", .topic, nil, [.map], .main, "read records from this topic instead of a file"),
    Option("last", "N", .integer(1...100_000), "10", [.map], .main, "the number of newest records to read from each partition"),
    Option("json", "", .flag, "false", [.map, .redrive], .main, "print one JSON object per record, one per line, for programs"),
    Option("list", "", .flag, "false", [.map], .main, "list the built-in maps with their switches"),
    Option("print", "NAME", .text, nil, [.map], .main, "print the text of a built-in map, as a start for your own"),
    Option(
      "check", "FILE", .text, nil, [.map], .main, "check a map and list all its faults; exit code 1 if it has any"),
    Option(
      "infer", "FILE", .text, nil, [.map], .main,
      "propose a map from sample records (- = standard input), with notes where it is unsure"),
  ]

  private static let seek: [Option] = [
    Option("to-time", "TIME", .time, nil, [.seek], .main, "continue at the first record of this time or later"),
    Option(
      "to-offset", "P:N,…", .text, nil, [.seek], .main,
      "continue at these offsets, PARTITION:OFFSET,… such as 0:1200,3:900; other partitions do not move"),
    Option("skip-to-end", "", .flag, "false", [.seek], .main, "continue at the current end of the input"),
  ]

  private static let explain: [Option] = [
    Option("room", "ROOM", .text, nil, [.explain], .main, "the room of the gifts"),
    Option("sender", "ID", .text, nil, [.explain], .main, "only gifts of this sender"),
    Option("gift", "ID", .text, nil, [.explain], .main, "only gifts of this kind"),
    Option("id", "ID", .text, nil, [.explain], .main, "only the gift with this id"),
    Option(
      "partition", "N", .integer(0...1_000_000), nil, [.explain], .main,
      "the room's partition of the input; default: where Kafka's default partitioner puts the room, then all others"),
    Option(
      "format", "FORMAT", .choice(["text", "json"]), "text", [.explain], .main,
      "text for people; json for programs, one object per gift"),
  ]

  private static let redrive: [Option] = [
    Option(
      "code", "CODE", .choice(BadEvent.Code.allCases.map(\.rawValue)), nil, [.redrive], .main,
      "only dead letters with this code, such as not_json"),
    Option("reason", "TEXT", .text, nil, [.redrive], .main, "only dead letters whose reason contains this text"),
    Option("since", "TIME", .time, nil, [.redrive, .explain, .tune], .main, "only records from this time on"),
    Option("until", "TIME", .time, nil, [.redrive, .explain, .tune], .main, "only records from before this time"),
    Option("limit", "N", .integer(0...1_000_000_000), "0", [.redrive], .main, "the maximum number of records; 0 = no limit"),
    Option(
      "max-redrives", "N", .integer(1...1000), "1", [.redrive], .main,
      "the maximum number of times that one record is sent back, if it keeps coming back"),
    Option(
      "yes", "", .flag, "false", [.redrive, .seek, .resetClock], .main,
      "do it; without --yes, the command only prints what it would do"),
  ]

  private static let generate: [Option] = [
    Option("file", "FILE", .text, nil, [.generate], .main, "the file to write JSON lines to; default, and `-`: standard output"),
    Option("topic", "TOPIC", .topic, nil, [.generate], .main, "the topic to produce to, instead of a file"),
    Option("events", "N", .integer(0...1_000_000_000_000), "0", [.generate], .main, "number of events; 0 = no limit"),
    Option("skew", "S", .number(0...10), "1", [.generate], .main, "Zipf exponent of the rooms' shares; 0 = equal shares"),
    Option("senders", "N", .integer(1...1_000_000), "50", [.generate], .main, "senders per room"),
    Option("active", "N", .integer(1...100_000), "2", [.generate], .main, "senders per room that send at the same time"),
    Option("gifts", "N", .integer(1...65_535), "24", [.generate], .main, "number of kinds of gifts"),
    Option(
      "as", "PLATFORM", .choice(PlatformShape.all.map(\.name)), nil, [.generate], .main,
      "write the records of a platform instead of this service's events; --map with the same name reads them"),
    Option(
      "duplicates", "SHARE", .share, "0", [.generate], .main,
      "with --as: share of records that are sent twice, such as 0.05 or 5%"),
    Option(
      "reorder", "DURATION", .duration(60_000), "0", [.generate], .main,
      "with --as: delay each record by a random time up to this, such as 200ms or 2s"),
    Option(
      "lost-ends", "SHARE", .share, "0", [.generate], .main,
      "with --as: share of streaks without an end record, where the platform has one"),
    Option(
      "late-totals", "SHARE", .share, "0", [.generate], .main,
      "with --as: share of a streak's records that arrive 3 to 12 s late"),
    Option(
      "truth", "FILE", .text, nil, [.generate], .main,
      "with --as: the file to write the true count of each streak to, one JSON object per line"),
    Option("totals", "SHARE", .share, "0", [.generate], .main, "share of gifts sent as running totals of a streak (0 to 1)"),
    Option(
      "ends", "SHARE", .share, "0", [.generate], .main,
      "share of these streaks that have no name and whose last total marks the end"),
    Option(
      "own-streak-ms", "DURATION", .duration(3_600_000), "0", [.generate], .main,
      "the time for which totals are remembered, written into each of them; 0 = leave it out"),
    Option(
      "own-lingers", "SHARE", .share, "0", [.generate], .main,
      "share of gifts whose banner is to stay for at least 1 to 10 s, depending on the kind of gift"),
    Option("refreshes", "SHARE", .share, "0", [.generate], .main, "share of gifts that keep alive what they repeat"),
    Option(
      "combos", "SHARE", .share, "0", [.generate], .main, "share of a sender's runs of gifts that name their own combo"),
    Option("repeats", "SHARE", .share, "0", [.generate], .main, "share of events that repeat an earlier event"),
    Option("retracts", "SHARE", .share, "0", [.generate], .main, "share of events that retract a sender's combos"),
    Option("closes", "SHARE", .share, "0", [.generate], .main, "share of events that close a room"),
    Option("bad", "SHARE", .share, "0", [.generate], .main, "share of events that are bad"),
  ]

  /// One option per setting of the engine.
  private static let combo: [Option] = SettingName.all.map { setting in
    Option(
      setting.text.split(separator: "_").joined(separator: "-"), setting.placeholder, .setting(setting),
      SettingName.text(of: Settings()[setting]), engineCommands + (drawn.contains(setting) ? [.watch, .serve] : []), .combo,
      setting.help)
  }

  /// The settings that `watch` needs for drawing a room, and that `serve` passes on to viewers.
  private static let drawn: Set<SettingName> = [
    .integer(.slots), .integer(.enterMs), .integer(.countMs), .integer(.exitMs),
  ]
}
