import ComboCore
import ComboEdge
import ComboHTTP
import ComboKafka
import ComboRooms
import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

@Suite("Options")
struct OptionTests {
  private func parse(_ arguments: String, _ environment: [String: String] = [:]) -> Invocation {
    Invocation.parse(arguments.split(separator: " ").map(String.init), environment: { environment[$0] }, host: "pod-7")
  }

  private static let run = "run --brokers b:1,b:2 --input gifts --output banners"

  @Test("a shadow, which serves no HTTP, needs no token for an address that others can reach")
  func shadowNeedsNoToken() {
    guard case .run = parse(Self.run + " --shadow --http *:8080"), case .refuse = parse(Self.run + " --http *:8080") else {
      Issue.record("a shadow was refused, or the service was not")
      return
    }
  }

  @Test("that are not given have the defaults of the structs")
  func defaults() {
    var service = ServiceOptions(
      brokers: "b:1,b:2", input: "gifts", output: "banners", group: "combo-consumer",
      transactionalID: "combo-consumer.gifts.pod-7")
    service.inputs.names = ["gifts"]
    service.defaultedSettings = Set(SettingName.all)
    #expect(parse(Self.run) == .run(service))
    #expect(service.deadLetter == "gifts.combo-consumer.combo-dead-letter")
    #expect(service.topicNames.journal == "gifts.combo-consumer.combo-journal")
    #expect(service.topicNames.state == "gifts.combo-consumer.combo-state")
    service.settings = Settings()
    #expect(parse("replay") == .replay(ReplayOptions()))
    #expect(parse("replay -") == .replay(ReplayOptions()))
    #expect(parse("replay x") == .replay(ReplayOptions(file: "x")))
    #expect(parse("demo") == .demo(DemoOptions()))
    var generate = GenerateOptions()
    generate.events = 1_000_000
    #expect(parse("generate") == .generate(generate))
  }

  @Test(
    "of the service are known to each command that reads them", arguments: ["run", "check", "seek --skip-to-end", "reset-clock"])
  func known(command: String) {
    let line = Self.run.replacing("run ", with: "\(command) ", maxReplacements: 1)
    if case .refuse = parse("\(line) --accept-reset --room-settings none") { Issue.record("\(command) does not know them") }
  }

  @Test("of the service are all read")
  func service() throws {
    let line = """
      --group g --instance i1 --dead-letter dead --from latest --commit-interval-ms 50 --checkpoint-gifts 7 \
      --checkpoint-interval-ms 8 --max-own-settings 9 --delivery at-least-once --room-from-body --room-prefix topic --name-input --accept-reset --progress --log-level debug --http [::1]:99 \
      --kafka socket.timeout.ms=5000 --kafka client.rack=e=f --slots 3 --room-settings linger-ms,finals
      """
    guard case .run(let options) = parse("\(Self.run) \(line)") else { throw Unexpected() }
    var expected = ServiceOptions(
      brokers: "b:1,b:2", input: "gifts", output: "banners", group: "g", transactionalID: "g.gifts.i1")
    expected.inputs.names = ["gifts"]
    expected.deadLetter = "dead"
    expected.fromLatest = true
    expected.delivery = .atLeastOnce
    expected.commitIntervalMs = 50
    expected.checkpointGifts = 7
    expected.checkpointIntervalMs = 8
    expected.ownSettingsMax = 9
    expected.instance = "i1"
    expected.limits.roomFromBody = true
    expected.prefixesRooms = true
    expected.namesInput = true
    expected.acceptsReset = true
    expected.progress = true
    expected.http = HTTPAddress("[::1]:99")
    expected.logLevel = .debug
    expected.kafka = [
      KafkaProperty(key: "socket.timeout.ms", value: "5000"), KafkaProperty(key: "client.rack", value: "e=f"),
    ]
    expected.settings.slots = 3
    expected.limits.roomSettings = [.integer(.lingerMs), .finals]
    #expect(options.defaultedSettings == Set(SettingName.all).subtracting([.integer(.slots)]))
    expected.defaultedSettings = options.defaultedSettings
    #expect(options == expected)
    guard case .run(let none) = parse("\(Self.run) --room-settings none") else { throw Unexpected() }
    #expect(none.limits.roomSettings.isEmpty)
    guard case .run(let named) = parse("\(Self.run) --transactional-id t") else { throw Unexpected() }
    #expect(named.transactionalID == "t")
  }

  @Test("of HTTP name the address and the origins, and beyond loopback require a token")
  func http() throws {
    func options(_ line: String) -> ServiceOptions? {
      if case .run(let options) = parse("\(Self.run) \(line)") { options } else { nil }
    }
    func fault(_ line: String) -> String {
      if case .refuse(let faults, _) = parse("\(Self.run) \(line)") { faults.joined(separator: " ") } else { "" }
    }
    #expect(options("")?.http == HTTPAddress("127.0.0.1:8080"))
    #expect(options("--http none")?.http == nil)
    #expect(fault("--http 8080").contains("ADDRESS:PORT"))
    #expect(fault("--http 127.0.0.1:99999").contains("port from 0 to 65535"))
    #expect(fault("--http *:8080").contains("--http-token-file"))
    let pasted = fault("--http *:8080 --http-token-file 0123456789abcdef")
    #expect(pasted.contains("--http-token-file: cannot open the file") && !pasted.contains("0123456789abcdef"), "\(pasted)")
    guard case .show(let table, _, _) = parse("config run --http-token-file 0123456789abcdef --http-origin https://u:hunter22@x")
    else {
      throw Unexpected()
    }
    #expect(!table.contains("0123456789abcdef") && !table.contains("hunter22"), "\(table)")
    let login = fault("--http-origin https://u:hunter22@live.example")
    #expect(login.contains("--http-origin must have no login") && !login.contains("hunter22"), "\(login)")
    let path = NSTemporaryDirectory() + "/" + TestKafka.fresh("token")
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "0123456789abcdef\n".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(options("--http *:8080 --http-token-file \(path)")?.httpToken == (try HTTPToken("0123456789abcdef")))
    try "short".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(fault("--http-token-file \(path)").contains("16"))
    guard case .demo(let demo) = parse("demo --http none") else { throw Unexpected() }
    #expect(demo.http == nil)
    guard case .refuse = parse("demo --http *:1") else { throw Unexpected() }
  }

  @Test("of a schema registry have no password that `config` shows, and its file is to be readable by its owner alone")
  func registry() throws {
    let line = "config run --schema-registry https://u:hunter22@r --schema-registry-auth-file u:hunter22"
    guard case .show(let table, let faults, _) = parse(line) else { throw Unexpected() }
    #expect(!(faults + [table]).joined().contains("hunter22"), "\(faults) \(table)")
    let path = NSTemporaryDirectory() + "/" + TestKafka.fresh("login")
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "u:hunter22\n".write(toFile: path, atomically: true, encoding: .utf8)
    let words = "--brokers b:1 --input i --output o --schema-registry http://r --schema-registry-auth-file \(path)"
    for (mode, open) in [(0o644, [path]), (0o600, [])] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      let outcome = Configuration.read(.run, words.split(separator: " ").map(String.init), environment: { _ in nil }, host: "h")
      guard case .read(.run(let options), let table, _) = outcome else { throw Unexpected() }
      #expect(RunNotes.openFiles(options, table) == open)
    }
  }

  @Test("a login in --from is not shown, whatever else is wrong with it")
  func sourceLogin() throws {
    for source in ["http://u:hunter22@h", "ftp://x,password=hunter22", "ws://u:hunter22@h,room=", "ws://h:1,password=hunter22"] {
      if case .refuse(let faults, _) = parse("live --from \(source)") {
        #expect(!faults.joined().contains("hunter22"), "\(faults)")
      }
      guard case .show(let table, let faults, _) = parse("config live --from \(source)") else { throw Unexpected() }
      #expect(!(faults + [table]).joined().contains("hunter22"), "\(faults) \(table)")
    }
  }

  @Test("are read from the environment unless they are on the command line; an empty variable counts as none")
  func environment() throws {
    let environment = [
      "COMBO_SLOTS": "4", "COMBO_LINGER_MS": "77", "COMBO_COUNT_MS": "", "COMBO_PROGRESS": "yes", "COMBO_ROOMS": "x",
      "COMBO_KAFKA": "client.rack=1\nsocket.timeout.ms=2000",
    ]
    guard case .run(let options) = parse("\(Self.run) --slots 5 --kafka client.rack=3 --progress=no", environment) else {
      throw Unexpected()
    }
    #expect(options.settings.slots == 5)
    #expect(options.settings.lingerMs == 77)
    #expect(options.settings.countMs == 250)
    #expect(!options.progress)
    // All are kept. Those with precedence come last, so that they win.
    #expect(options.kafka.map(\.value) == ["1", "2000", "3"])
  }

  @Test("that are given twice have the last value")
  func twice() throws {
    guard case .replay(let options) = parse("replay --slots 3 --slots=4") else { throw Unexpected() }
    #expect(options.settings.slots == 4)
  }

  @Test("may follow operands; after -- there are only operands")
  func order() {
    #expect(parse("replay file --threads 2") == parse("replay --threads 2 file"))
    #expect(parse("replay -- --threads") == .replay(ReplayOptions(file: "--threads")))
  }

  @Test("exist for every setting of the engine, on replay, run and demo", arguments: Settings().all)
  func everySetting(setting: Setting) {
    let name = setting.name.split(separator: "_").joined(separator: "-")
    for command in [Command.run, .live, .replay, .demo] {
      #expect(OptionTable.options(of: command).contains { $0.name == name })
    }
  }

  @Test("set what they name")
  func settings() throws {
    let line = "--queue-merge tail --queue-order tier --tiers 1000:4000:1000,10000.5:6000:2000 --milestones 10,66,520"
    guard case .replay(let options) = parse("replay \(line) --busy-linger-ms 9") else { throw Unexpected() }
    var expected = Settings()
    expected.queueMerge = .tail
    expected.queueOrder = .tier
    expected.tiers = [
      Tier(value: 1000, lingerMs: 4000, busyLingerMs: 1000), Tier(value: 10000.5, lingerMs: 6000, busyLingerMs: 2000),
    ]
    expected.milestones = [10, 66, 520]
    expected.busyLingerMs = 9
    #expect(options.settings == expected)
  }

  @Test("have defaults that the table itself allows, and one meaning for a command")
  func table() {
    for option in OptionTable.all {
      if let fallback = option.fallback { #expect(option.fault(of: fallback) == nil, "--\(option.name)") }
    }
    for command in Command.allCases {
      let names = OptionTable.options(of: command).map(\.name)
      #expect(Set(names).count == names.count, "\(command)")
    }
  }

  @Test("are all in their command's help, which is printed before any fault", arguments: Command.allCases)
  func help(command: Command) throws {
    guard case .print(let text) = parse("\(command.rawValue) --help --nonsense") else { throw Unexpected() }
    for option in OptionTable.options(of: command) { #expect(text.contains("--\(option.name)")) }
    #expect(text.hasPrefix("combo-consumer \(command.rawValue): "))
  }

  @Test("ask for the overview and the version")
  func overview() throws {
    #expect(parse("") == .print(Help.overview))
    #expect(parse("--help") == .print(Help.overview))
    #expect(parse("-h") == .print(Help.overview))
    #expect(parse("help replay") == .print(Help.text(of: .replay)))
    #expect(parse("--version") == .print(Version.text))
    let text = Version.text
    #expect(text.hasPrefix("combo-consumer \(Version.number)\nlibrdkafka \(LibrdkafkaProperties.versionText), libmicrohttpd "))
    let libraries = /[^\n]+\n(?:\w+ \d+\.\d+\.\d+, ){2}simdjson \d+\.\d+\.\d+ \(\w+\), jemalloc \d+\.\d+\.\d+\n/
    let rules = try #require(text.prefixMatch(of: libraries)).range.upperBound
    #expect(text[rules...] == "rules of the engine: 2 and 3\n")
  }

  @Test("that are mistyped are guessed by the number of mistakes")
  func suggestion() {
    #expect(Suggestion.distance("--slots", "--slost") == 1)
    #expect(Suggestion.distance("", "abc") == 3)
    #expect(Suggestion.nearest(to: "replya", among: ["run", "replay"]) == "replay")
    #expect(Suggestion.nearest(to: "x", among: ["run", "replay"]) == nil)
  }

  private struct Unexpected: Error {}
}
