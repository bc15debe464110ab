import ComboKafka
import ComboSystem
import Foundation
import Testing

@testable import ComboCommands

/// One test for each kind of fault. The sentence is the one that a user reads.
@Suite("A wrong command line")
struct OptionFaultTests {
  /// Returns the sentences for `arguments`.
  private func faults(_ arguments: String, environment: [String: String] = [:]) -> [String] {
    let words = arguments.split(separator: " ").map { $0 == "''" ? "" : String($0) }
    switch Invocation.parse(words, environment: { environment[$0] }) {
    case .refuse(let sentences, _): return sentences
    default: return []
    }
  }

  @Test(
    "gets a sentence that says what is wrong and what is allowed",
    arguments: [
      ("rum", "unknown command \"rum\"; did you mean run?"),
      (
        "frobnicate",
        "unknown command \"frobnicate\". Commands: run, serve, live, demo, replay, tune, generate, verify, explain, redrive, watch, check, seek, reset-clock, map, config, completions, man"
      ),
      (
        "--slots 3",
        "the command must come before its options, but the first argument is \"--slots\". Commands: run, serve, live, demo, replay, tune, generate, verify, explain, redrive, watch, check, seek, reset-clock, map, config, completions, man"
      ),
      ("replay --lingr-ms 3", "unknown option \"--lingr-ms\"; did you mean --linger-ms?"),
      ("replay --xyzzy", "unknown option \"--xyzzy\""),
      ("replay -x", "unknown option \"-x\""),
      ("replay --ling 3", "unknown option --ling: names cannot be abbreviated; write --linger-ms"),
      ("replay --rooms 3", "--rooms is not an option of replay, but of demo, generate"),
      (
        "verify --brokers b --input i --output o --instance d",
        "--instance is not an option of verify, but of run, check, seek, reset-clock"
      ),
      (
        "verify --brokers b --input i --output o --room-from-body",
        "--room-from-body is not an option of verify, but of run, check, seek, reset-clock, map"
      ),
      (
        "replay --slots",
        "--slots needs a value (N: the maximum number of banners on screen; 0 pauses the room: waiting banners keep waiting)"
      ),
      ("replay --slots --tiers 1:2:3", "--slots needs a value (N), but --tiers follows"),
      ("replay --slots 101", "--slots must be from 0 to 100, not 101"),
      (
        "run --brokers b --input a,,b --output o",
        "--input must be a topic name (1 to 249 characters of a-z, A-Z, 0-9, `.`, `_` and `-`), not \"\""
      ),
      ("run --brokers b --input-pattern gifts --output o", "--input-pattern must begin with ^, as in ^gifts_, not \"gifts\""),
      (
        "run --brokers b --input a,b --output o --map a=tiktok,c=bilibili",
        "--map names \"c\", which is none of the inputs: correct it, or add it to --input"
      ),
      (
        "run --brokers b --input a,b --output o --dead-letter b",
        "--dead-letter and --input must be different topics, but both are b"
      ),
      (
        "seek --brokers b --input a --output o --to-offset 0:1 --map a=tiktok,b=tiktok",
        "--map names \"b\", which is not the input, \"a\": correct it, or leave it out"
      ),
      (
        "check --brokers b --input a --output o --input-settings .",
        "--input-settings is for several inputs, and there is only \"a\": leave it out"
      ),
      (
        "run --brokers b --input a,b --output o --input-settings /no/such",
        "--input-settings must be a folder, and there is no \"/no/such\""
      ),
      (
        "explain --brokers b --input a,b --output o --room r",
        "--input must be one topic, not \"a,b\": run this once for each input"
      ),
      (
        "run --brokers b --input-pattern ^(gifts --output o",
        "--input-pattern must be a regular expression, and \"^(gifts\" is none: Unmatched ( or \\("
      ),
      (
        "run --brokers b --input a,b --output o --transactional-id t",
        "--transactional-id cannot be shared by several inputs: leave it out, and give --instance a name instead"
      ),
      (
        "run --brokers b --input a,b --output o --shadow",
        "--shadow follows one input: give one with --input, and run it once for each"
      ),
      (
        "run --brokers b --input a,b --output o --map tiktok,b=bilibili",
        "--map gives \"tiktok\" to no input: write INPUT=MAP for each"
      ),
      (
        "run --brokers b --input a,a.combo-consumer.combo-journal --output o",
        "the journal and --input must be different topics, but both are a.combo-consumer.combo-journal"
      ),
      (
        "run --brokers b --input a,b --output o --screens s",
        "--screens with several inputs needs --room-prefix topic: its records are distinguished by the room alone"
      ),
      (
        "run --brokers b --input a --output o --new-topics latest",
        "--new-topics is for several inputs, and there is only \"a\": leave it out"
      ),
      (
        "run --brokers b --input a,b --output o --new-topics latest",
        "--new-topics is for topics that --input-pattern finds, and there is no pattern: leave it out"
      ),
      (
        "run --brokers b --input a --output o --dead-letter x.g.combo-journal",
        "--dead-letter is x.g.combo-journal, which by its name is a journal, a state topic or one of Kafka's own: give another"
      ),
      (
        "run --brokers b --input a --output x.g.combo-state",
        "--output is x.g.combo-state, which by its name is a journal, a state topic or one of Kafka's own: give another"
      ),
      (
        "run --brokers b --input i --output o --output-header combo-input=x",
        "--output-header gives \"combo-input\", which is the service's own: use --name-input"
      ),
      (
        "run --brokers b --input i --output o --output-header a=x;b=y;a={room}",
        "--output-header gives \"a\" twice: give each header once"
      ),
      (
        "run --brokers b --input i --output o --schema-registry r:8081",
        "--schema-registry must be an address such as https://registry:8081, not \"r:8081\""
      ),
      (
        "run --brokers b --input i --output o --schema-registry http://u:secret@r",
        "--schema-registry must have no login: put USER:PASSWORD or Bearer TOKEN into a file, and name that by --schema-registry-auth-file"
      ),
      (
        "run --brokers b --input i --output o --schema-registry http://r --schemas /nowhere",
        "--schemas and --schema-registry exclude each other: with a registry, schemas come from there and from the journal; leave one out"
      ),
      (
        "run --brokers b --input i --output o --schema-registry http://r --framing glue",
        "--schema-registry needs --framing confluent or apicurio: records framed as glue name no id that it knows"
      ),
      (
        "run --brokers b --input i --output o --schema-registry http://r --schema-registry-ca /nowhere/ca.pem",
        "--schema-registry-ca: cannot open /nowhere/ca.pem: No such file or directory"
      ),
      (
        "run --brokers b --input i --output o --schema-registry http://r --schema-registry-auth-file /nowhere/login",
        "--schema-registry-auth-file: cannot open the file: No such file or directory"
      ),
      (
        "check --brokers b --input i --output o --schema-registry-auth-file f",
        "--schema-registry-auth-file and --schema-registry-ca need --schema-registry URL"
      ),
      (
        "map --schema-registry http://r --fetch-schemas f",
        "--fetch-schemas needs --schema-registry URL, which has the schemas, and --from-topic TOPIC, whose records name them"
      ),
      ("map --proto f --message M --framing single-object", "--proto needs another --framing: single-object is for Avro"),
      ("replay --slots two", "--slots must be a whole number from 0 to 100, not \"two\""),
      (
        "run --brokers b --input i --output o --room-settings slots,lingr_ms",
        "--room-settings must be all, none, or names of settings such as slots,finals; \"lingr_ms\" is not a setting; did you mean linger_ms?"
      ),
      ("replay --slots=", "--slots must be a whole number from 0 to 100, not \"\""),
      ("replay --linger-ms 1s", "--linger-ms must be a whole number from 0 to 86400000, not \"1s\""),
      (
        "replay --linger-ms 99999999999999999999",
        "--linger-ms must be a whole number from 0 to 86400000, not \"99999999999999999999\""
      ),
      ("replay --queue-merge head", "--queue-merge must be anywhere or tail, not \"head\""),
      ("replay --queue-order lifo", "--queue-order must be fifo or tier, not \"lifo\""),
      (
        "replay --tiers 5:1",
        "--tiers must be a list of VALUE:LINGER_MS:BUSY_LINGER_MS such as 1000:4000:1000,10000:6000:2000, not \"5:1\""
      ),
      (
        "replay --tiers nan:1:1",
        "--tiers must be a list of VALUE:LINGER_MS:BUSY_LINGER_MS such as 1000:4000:1000,10000:6000:2000, not \"nan:1:1\""
      ),
      ("replay --tiers 5:1:1,5:1:1", "--tiers must have rising values above 0, but 5.0 follows 5.0"),
      ("replay --milestones 5,x", "--milestones must be a list of counts such as 10,66,520, not \"5,x\""),
      ("replay --milestones 5,4", "--milestones must be rising counts above 0, but 4 follows 5"),
      ("replay a.jsonl b.jsonl", "replay takes only one FILE, but \"b.jsonl\" was also given"),
      ("demo more", "demo takes only options, but \"more\" was also given"),
      ("demo --rate 0", "--rate must be from 1 to 100000, not 0"),
      ("demo --seconds soon", "--seconds must be a number from 0.0 to 1000000000.0, not \"soon\""),
      ("generate --skew -1", "--skew must be from 0.0 to 10.0, not -1"),
      ("generate --totals 2", "--totals must be a share from 0 to 1, or from 0% to 100%, not \"2\""),
      ("generate --as tiktok --duplicates 101%", "--duplicates must be a share from 0 to 1, or from 0% to 100%, not \"101%\""),
      ("generate --as tiktok --reorder 2h", "--reorder must be a duration such as 200ms or 2s, up to 60000 ms, not \"2h\""),
      ("generate --reorder 2s", "--reorder needs --as: it applies to a platform's records"),
      ("generate --as tiktok --totals 0.5", "--totals cannot be used with --as: it applies to this service's own events"),
      ("generate --bad 0.5 --closes 0.75", "--repeats, --retracts, --closes and --bad must be at most 1 together, not 1.25"),
      (
        "generate --rooms 10000000 --active 100",
        "--rooms times --active must be at most 100000000, not 1000000000: each takes 24 bytes"
      ),
      (
        "generate --topic a/b --brokers x",
        "--topic must be a topic name (1 to 249 characters of a-z, A-Z, 0-9, `.`, `_` and `-`), not \"a/b\""
      ),
      ("generate --topic a --file b --brokers x", "--file and --topic exclude each other: give only one of them"),
      ("watch --brokers b --output o", "watch needs a ROOM, such as: combo-consumer watch r1"),
      ("completions", "completions needs one SHELL: bash, zsh, fish"),
      ("completions tcsh", "completions needs one SHELL: bash, zsh, fish, not \"tcsh\""),
      ("man more", "man takes no arguments, but \"more\" was given"),
      ("generate --topic a", "generate needs --brokers HOST:PORT,… (or COMBO_BROKERS): the Kafka brokers to connect to first"),
    ])
  func sentence(arguments: String, sentence: String) {
    #expect(faults(arguments) == [sentence])
  }

  private static let run = "run --brokers b --input i --output o"

  @Test(
    "of the service gets one too",
    arguments: [
      ("--progress=maybe", "--progress must be true or false, not \"maybe\""),
      ("--delivery at-most-once", "--delivery must be exactly-once or at-least-once, not \"at-most-once\""),
      ("--from now", "--from must be earliest or latest, not \"now\""),
      ("--log-level loud", "--log-level must be debug, info, warning or error, not \"loud\""),
      ("--group ''", "--group must not be empty"),
      (
        "--kafka nonsense",
        "--kafka must be KEY=VALUE with a property of librdkafka, such as socket.timeout.ms=5000"
      ),
      ("--kafka-file /nowhere/at/all", "--kafka-file: cannot open /nowhere/at/all: No such file or directory"),
      ("--kafka-file /", "--kafka-file: cannot read /: it is a folder"),
      (
        "--group a/b",
        "--group is part of topic names such as \"i.a/b.combo-journal\", so it may have only a-z, A-Z, 0-9, `.`, `_` and `-`, and the whole name at most 249 characters"
      ),
      ("--shadow --accept-reset", "--accept-reset has no effect with --shadow, which takes nothing over: leave it out"),
      ("--dead-letter o", "--dead-letter and --output must be different topics, but both are o"),
      ("--commit-interval-ms 0", "--commit-interval-ms must be from 1 to 5000, not 0"),
    ])
  func serviceSentence(arguments: String, sentence: String) {
    #expect(faults("\(Self.run) \(arguments)") == [sentence])
  }

  @Test("that names a property that librdkafka does not know, or that must not be set, is refused at the start")
  func properties() {
    for property in ["no.such.property=1", "isolation.level=read_uncommitted", "group.id=x"] {
      let sentences = faults("\(Self.run) --kafka \(property)")
      #expect(sentences.count == 1)
      #expect(sentences.first?.contains(property.prefix { $0 != "=" }) == true)
    }
  }

  @Test("that puts a secret on the command line is refused without showing it; files and the environment may hold it")
  func secrets() {
    for property in ["sasl.password=hush", "ssl.key.password=hush", "sasl.oauthbearer.client.secret=hush", "ssl.key.pem=hush"] {
      let key = property.prefix { $0 != "=" }
      let sentences = faults("\(Self.run) --kafka \(property)")
      #expect(sentences.first?.hasPrefix("--kafka \(key) must not be on the command line") == true)
      #expect(sentences.first?.contains("--kafka-file") == true && sentences.first?.contains("COMBO_KAFKA") == true)
      // Not every librdkafka knows all of them. Its message for that contains no secret either.
      let others = faults(Self.run, environment: ["COMBO_KAFKA": property])
      #expect(sentences.dropFirst().map { $0.dropFirst("--kafka".count) } == others.map { $0.dropFirst("COMBO_KAFKA".count) })
      #expect(others.isEmpty || key == "sasl.oauthbearer.client.secret")
      #expect(!(sentences + others).joined().contains("hush"))
    }
  }

  @Test("reports all its faults at once, in the order of the line, then the missing options")
  func allAtOnce() {
    #expect(
      faults("run --lingr-ms=3 --slots 101 --count-ms x", environment: ["COMBO_EXIT_MS": "-1"]) == [
        "unknown option \"--lingr-ms\"; did you mean --linger-ms?",
        "--slots must be from 0 to 100, not 101",
        "--count-ms must be a whole number from 0 to 86400000, not \"x\"",
        "COMBO_EXIT_MS must be from 0 to 86400000, not -1",
        "run needs --brokers HOST:PORT,… (or COMBO_BROKERS): the Kafka brokers to connect to first",
        "run needs --input TOPIC,… (or COMBO_INPUT): the topic to read gift events from, or several",
        "run needs --output TOPIC (or COMBO_OUTPUT): the topic of display instructions",
      ])
  }

  @Test("a login in the brokers' addresses is refused, and not shown")
  func login() {
    let found = faults("run --brokers combo:hunter22@kafka:9092 --input i --output o")
    #expect(found.count == 1 && found[0].contains("sasl.username") && !found[0].contains("hunter22"), "\(found)")
    guard
      case .show(let text, let sentences, _) = Invocation.parse(
        ["config", "--brokers", "combo:hunter=22@kafka:9092"], environment: { _ in nil }, host: "h")
    else {
      Issue.record("config shows no options")
      return
    }
    #expect(!(sentences + [text]).joined().contains("hunter"), "\(text)")
  }

  @Test("of seek: a time in seconds is not taken for milliseconds, and a wrong time is one fault")
  func seekTimes() {
    let seek = "seek --brokers b --input i --output o --to-time"
    #expect(
      faults("\(seek) 1795678078") == [
        "--to-time 1795678078 is 1970-01-21T18:47:58.078Z: give milliseconds since 1970, not seconds, or a time such as"
          + " 2026-11-26T07:27:58Z"
      ])
    #expect(faults("\(seek) yesterday").count == 1)
    #expect(faults("\(seek) 1795678078000").isEmpty && faults("\(seek) 0").isEmpty)
  }

  @Test(
    "a time in seconds is taken for milliseconds by no command",
    arguments: [
      "redrive --brokers b --input i --since", "redrive --brokers b --input i --until",
      "verify --brokers b --input i --output o --from", "explain --brokers b --input i --output o --room r --since",
      "explain --brokers b --input i --output o --room r --until", "tune --brokers b --input i --since",
      "tune --brokers b --input i --until",
    ])
  func seconds(command: String) {
    let found = faults("\(command) 1795678078")
    #expect(found.count == 1 && found[0].contains(" 1795678078 is 1970-01-21T18:47:58.078Z: give milliseconds"), "\(found)")
    #expect(faults("\(command) 1795678078000").isEmpty)
  }

  @Test("of run: no registry for a map that has its Protobuf messages itself")
  func registryForProtobuf() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "map-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let map =
      #"{"map":1,"name":"m","include":"wire","record":{"framing":"confluent","message":"M"},"protobuf":{"M":{"1":"string room"}}}"#
    try Data(map.utf8).write(to: file)
    let run = "run --brokers b --input i --output o --map \(file.path)"
    #expect(faults(run) == [])
    #expect(
      faults("\(run) --schema-registry http://r") == [
        "--schema-registry is for Avro, and --map has its Protobuf messages itself: leave --schema-registry out"
      ])
  }

  @Test("of seek: one target, no more")
  func seekTargets() {
    let seek = "seek --brokers b --input i --output o"
    #expect(faults(seek) == ["seek needs one of --to-time, --to-offset and --skip-to-end"])
    #expect(
      faults("\(seek) --skip-to-end --to-offset 0:1") == [
        "--to-time, --to-offset and --skip-to-end exclude each other: give only one of them"
      ])
  }

  @Test("never shows control characters of the arguments, nor all of a long text")
  func quoting() {
    #expect(Sentence.quoted("a\u{1b}[31mb") == "\"a\u{fffd}[31mb\"")
    #expect(Sentence.quoted(String(repeating: "x", count: 100)) == "\"\(String(repeating: "x", count: 60))…\"")
  }

  @Test("names the faulty line of a properties file, without showing it")
  func propertiesFile() {
    let parsed = KafkaProperty.parse(file: "# comment\n\n a.b = c = d \r\nsecret\n", named: "p")
    #expect(parsed.properties == [KafkaProperty(key: "a.b", value: "c = d")])
    #expect(parsed.faults == ["line 4 of p must be KEY=VALUE, or a comment that begins with #"])
  }

  @Test("the options of an input need the folder, and its file, whenever they are read")
  func lostSettings() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("inputs-\(UUID().uuidString)")
    func faults() -> [String] {
      let line = ["--brokers=b", "--output=o", "--input=a,b", "--input-settings=\(folder.path)"]
      guard case .read(_, _, let faults) = Configuration.read(.run, line, environment: { _ in nil }, host: "h", input: "a") else {
        return ["nothing was read"]
      }
      return faults
    }
    #expect(faults() == ["--input-settings must be a folder, and there is no \(Sentence.quoted(folder.path))"])
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(faults() == [])
    let file = folder.appendingPathComponent("a.conf")
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: folder.appendingPathComponent("gone"))
    #expect(faults() == ["--input-settings: cannot open \(file.path): No such file or directory"])
    try FileManager.default.removeItem(at: file)
    // Another command has an option of that name.
    try Data("from = latestt\n".utf8).write(to: file)
    #expect(faults() == ["\(file.path):1: from must be earliest or latest, not \"latestt\""])
  }

  @Test("a file of --input-settings that is named after no input is refused")
  func strayInput() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("inputs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["a.conf", "gifts_c.conf", "z.conf", "notes.txt"] { try Data().write(to: folder.appendingPathComponent(name)) }
    let outcome = Configuration.read(
      .run, ["--brokers=b", "--output=o", "--input=a,b", "--input-pattern=^gifts_", "--input-settings=\(folder.path)"],
      environment: { _ in nil }, host: "h")
    guard case .read(_, _, let faults) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(
      faults == ["--input-settings has \"z.conf\", but there is no input of that name: name the file as its input, or remove it"])
  }
}
