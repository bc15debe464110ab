import ComboCore
import ComboGenerate
import ComboKafka
import ComboRooms
import ComboSystem
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

@Suite("A configuration file")
struct ConfigFileTests {
  /// A file that is deleted with the object.
  private final class File {
    let path = NSTemporaryDirectory() + "/" + TestKafka.fresh("combo.conf")
    init(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private func parse(_ arguments: [String], _ environment: [String: String] = [:]) -> Invocation {
    Invocation.parse(arguments, environment: { environment[$0] }, host: "pod-7")
  }

  private func faults(_ text: String, _ command: String = "run") throws -> [String] {
    let file = try File(text)
    guard case .refuse(let faults, _) = parse([command, "--config", file.path]) else { return [] }
    return faults.map { $0.replacingOccurrences(of: file.path, with: "F") }
  }

  private static let required = "brokers = b:1\ninput = gifts\noutput = banners\n"

  @Test("may begin with a mark of byte order")
  func byteOrderMark() throws {
    #expect(try faults("\u{feff}" + Self.required) == [])
    #expect(try faults("\u{feff}# a comment\n" + Self.required) == [])
  }

  @Test("sets any option by its name; the environment and the command line override it")
  func precedence() throws {
    let file = try File(
      """
      # a comment
      \(Self.required)
      slots=7
        linger-ms =  70\r
      count-ms = 71
      progress = yes
      instance = a = b # c
      kafka = client.rack=file
      kafka = socket.timeout.ms = 3000
      """)
    let environment = [
      "COMBO_LINGER_MS": "80", "COMBO_COUNT_MS": "81", "COMBO_KAFKA": "client.rack=environment", "COMBO_CONFIG": file.path,
    ]
    guard case .run(let options) = parse(["run", "--count-ms", "91", "--kafka", "client.rack=line"], environment) else {
      Issue.record("it was refused")
      return
    }
    #expect((options.brokers, options.input, options.output) == ("b:1", "gifts", "banners"))
    #expect((options.settings.slots, options.settings.lingerMs, options.settings.countMs) == (7, 80, 91))
    #expect(options.progress && options.instance == "a = b # c")
    #expect(options.kafka.map(\.value) == ["file", "3000", "environment", "line"])
  }

  @Test("is shared by commands; settings of one command are under its name, and take precedence there")
  func sections() throws {
    let file = try File(
      """
      \(Self.required)
      slots = 3
      from = latest
      threads = 2
      kafka = client.rack=all
      [replay]
      slots = 4
      [run]
      kafka = client.rack=run
      [verify]
      from = 2026-11-21
      """)
    guard case .run(let run) = parse(["run", "--config", file.path]),
      case .replay(let replay) = parse(["replay", "--config", file.path]),
      case .verify(let verify) = parse(["verify", "--config", file.path])
    else {
      Issue.record("it was refused")
      return
    }
    #expect((run.settings.slots, run.fromLatest) == (3, true))
    #expect(run.kafka.map(\.value) == ["all", "run"])
    #expect((replay.settings.slots, replay.threads) == (4, 2))
    #expect(verify.from == Timestamp.milliseconds("2026-11-21"))
  }

  @Test("with an option that two commands understand differently suits each by its value")
  func ambiguous() throws {
    let file = try File("\(Self.required)from = latest\n")
    guard case .verify(let verify) = parse(["verify", "--config", file.path]) else {
      Issue.record("it was refused")
      return
    }
    #expect(verify.from == nil)
  }

  @Test("reports all its faults at once, each with its line, and never a text that may be a password")
  func allFaults() throws {
    let text = """
      slost = 3
      slots = 101
      slots = 2
      hunter22
      linger-ms =
      [rum]
      whatever = 1
      [replay]
      brokers = x
      threads = -1
      [run]
      config = other
      kafka = sasl.password hunter22
      kafka = no.such.thing=1
      socket.timeout.ms = 5
      """
    #expect(
      try faults(text) == [
        "F:1: there is no option \"slost\"; did you mean slots?",
        "F:2: slots must be from 0 to 100, not 101",
        "F:4: a line must be NAME = VALUE, or a comment that begins with #",
        "F:5: linger-ms needs a value",
        "F:6: \"[rum]\" must be one of [run], [serve], [live], [demo], [replay], [tune], [generate], [verify], [explain], [redrive], [watch], [check], [seek], [reset-clock], [map]",
        "F:9: brokers is not an option of replay, but of run, serve, check, seek, reset-clock, verify, explain, redrive, watch, generate, map, tune",
        "F:10: threads must be from 0 to 64, not -1",
        "F:12: a --config file cannot name another one",
        "F:13: kafka must be KEY=VALUE with a property of librdkafka, such as socket.timeout.ms=5000",
        "F:15: there is no option \"socket.timeout.ms\"; write a librdkafka property as kafka = KEY=VALUE",
        "run needs --brokers HOST:PORT,… (or COMBO_BROKERS): the Kafka brokers to connect to first",
        "run needs --input TOPIC,… (or COMBO_INPUT): the topic to read gift events from, or several",
        "run needs --output TOPIC (or COMBO_OUTPUT): the topic of display instructions",
        "F:14: kafka: There is no Kafka property \"no.such.thing\" in librdkafka \(LibrdkafkaProperties.versionText); see its CONFIGURATION.md for all of them.",
      ])
    #expect(try faults("\(Self.required)slots = 2\nslots = 3\n") == ["F:5: slots is already set in line 4"])
    #expect(try faults("threads = x\n", "replay") == ["F:1: threads must be a whole number from 0 to 64, not \"x\""])
  }

  @Test("that cannot be read is a fault like others")
  func unreadable() throws {
    func fault(_ path: String) -> [String] {
      if case .refuse(let faults, _) = parse(["replay", "--slots", "101", "--config", path]) { faults } else { [] }
    }
    #expect(
      fault("/nowhere/c") == [
        "--config: cannot open /nowhere/c: No such file or directory", "--slots must be from 0 to 100, not 101",
      ])
    #expect(fault("/tmp") == ["--config: cannot read /tmp: it is a folder", "--slots must be from 0 to 100, not 101"])
    let large = try File(String(repeating: "#\n", count: 1 << 20))
    #expect(fault(large.path)[0].contains("is larger than"))
  }

  @Test("is not waited for where it is a named pipe, while what another program hands over is read")
  func pipes() throws {
    let path = NSTemporaryDirectory() + "/" + TestKafka.fresh("pipe")
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let output = Mutex<String?>(nil)
    DispatchQueue.global().async {
      let read = TextFile.read(path, limit: 100)
      output.withLock { $0 = "\(read)" }
    }
    let deadline = Deadline(afterMs: ServiceKafka.patienceMs)
    while output.withLock({ $0 == nil }) && !deadline.isOver { MonotonicClock.sleep(ms: 5) }
    #expect(output.withLock { $0 }?.contains("cannot read \(path): it is a named pipe") == true)
    // Ends the wait of a reader that still waits for the other end.
    close(open(path, O_WRONLY | O_NONBLOCK))

    let pipe = Pipe()
    let text = Data(String(repeating: "slots = 2\n", count: 1000).utf8)
    DispatchQueue.global().async {
      pipe.fileHandleForWriting.write(text)
      try? pipe.fileHandleForWriting.close()
    }
    let read = try TextFile.read("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)", limit: 1 << 20).get()
    #expect(read.utf8.count == text.count)
  }

  @Test("of whatever bytes ends in sentences, never in a crash")
  func anything() {
    var random = SplitMix64(seed: 9)
    let words = [
      "slots", "=", "[", "]", "run", "\n", " ", "#", "kafka", "a=b", "\u{0}", "\u{202e}", "from", "1", "\r\n", "config",
    ]
    for _ in 0..<2000 {
      let text = (0..<12).map { _ in words[Int(random.next() % UInt64(words.count))] }.joined()
      let file = ConfigFile(text, named: "f")
      for fault in file.faults { #expect(fault.hasPrefix("f:")) }
      for command in Command.allCases { _ = file.source(for: command) }
    }
  }
}

@Suite("`config`")
struct ConfigTableTests {
  @Test("shows every option with its value and the source of that, and no secret")
  func table() throws {
    let path = NSTemporaryDirectory() + "/" + TestKafka.fresh("combo.conf")
    let properties = NSTemporaryDirectory() + "/" + TestKafka.fresh("kafka.properties")
    defer { for file in [path, properties] { try? FileManager.default.removeItem(atPath: file) } }
    try "input = gifts\nslots = 3\nkafka = ssl.key.password=hunter22\n".write(toFile: path, atomically: true, encoding: .utf8)
    try "# mine\nsasl.password=hunter22\nsasl.username=combo\nsasl.pasword=hunter22\n".write(
      toFile: properties, atomically: true, encoding: .utf8)
    let environment = ["COMBO_OUTPUT": "banners", "COMBO_KAFKA": "ssl.keystore.password=hunter22"]
    let line = ["config", "--brokers", "b:1", "--config", path, "--kafka-file", properties, "--kafka", "ssl.key.pem=hunter22"]
    guard case .show(let text, let faults, _) = Invocation.parse(line, environment: { environment[$0] }, host: "pod-7") else {
      Issue.record("it was refused")
      return
    }
    #expect(faults.count == 2 && faults[1].hasPrefix("--kafka ssl.key.pem must not be on the command line"), "\(faults)")
    #expect(!(faults + [text]).joined().contains("hunter22"))
    let rows = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    for row in [
      "brokers b:1 --brokers", "input gifts \(path):1", "output banners COMBO_OUTPUT", "slots 3 \(path):2",
      "linger-ms 3000 default",
      "dead-letter gifts.combo-consumer.combo-dead-letter computed", "transactional-id combo-consumer.gifts.pod-7 computed",
      "instance - not set", "kafka sasl.password=****** \(properties):2", "kafka sasl.username=combo \(properties):3",
      "kafka ssl.key.password=****** \(path):3", "kafka ssl.keystore.password=****** COMBO_KAFKA",
      "kafka ssl.key.pem=****** --kafka", "kafka sasl.pasword=****** \(properties):4",
    ] {
      #expect(rows.contains(row), "\(row) in\n\(text)")
    }
    for option in OptionTable.options(of: .run) {
      #expect(rows.contains { $0.hasPrefix("\(option.name) ") }, "\(option.name)")
    }
  }

  @Test("of several inputs shows no value that is worked out for one of them", arguments: ["run", "check"])
  func severalInputs(command: String) throws {
    let line = ["config", command, "--brokers", "b:1", "--input", "a,b", "--output", "o"]
    guard case .show(let text, _, _) = Invocation.parse(line, environment: { _ in nil }, host: "pod-7") else {
      Issue.record("it was refused")
      return
    }
    #expect(!text.contains("computed"), "\(text)")
  }

  @Test("of another command has that one's options, and shows the valid ones despite a fault")
  func faults() {
    guard case .show(let text, let faults, let hint) = Invocation.parse(["config", "replay", "--slots", "101", "--threads", "2"])
    else {
      Issue.record("it was refused")
      return
    }
    #expect(text.contains("threads") && !text.contains("brokers"))
    #expect(faults == ["--slots must be from 0 to 100, not 101"])
    #expect(hint == "combo-consumer replay --help")
    guard case .refuse(let sentences, _) = Invocation.parse(["config", "config"]) else {
      Issue.record("it was not refused")
      return
    }
    #expect(sentences == ["config has no options"])
  }

  @Test("names the options that differ from an earlier reading")
  func differences() throws {
    func table(_ arguments: String) throws -> ConfigTable {
      let words = arguments.split(separator: " ").map(String.init)
      guard case .read(_, let table, _) = Configuration.read(.replay, words, environment: { _ in nil }, host: "h") else {
        throw TestKafka.Failure("help")
      }
      return table
    }
    #expect(try table("--slots 2").differences(from: table("")) == [])
    #expect(try table("--slots 3 --threads 1").differences(from: table("--linger-ms 1")) == ["threads", "slots", "linger-ms"])
  }

  @Test("names no option whose value only follows from the one that was changed")
  func computed() throws {
    func table(_ arguments: [String]) throws -> ConfigTable {
      let main = ["--brokers", "b:9092", "--input", "i", "--output", "o"]
      guard case .read(_, let table, _) = Configuration.read(.run, main + arguments, environment: { _ in nil }, host: "h") else {
        throw TestKafka.Failure("help")
      }
      return table
    }
    #expect(try table(["--instance", "a"]).differences(from: table(["--instance", "b"])) == ["instance"])
    #expect(try table(["--transactional-id", "x"]).differences(from: table([])) == ["transactional-id"])
    #expect(try table([]).differences(from: table(["--transactional-id", "x"])) == ["transactional-id"])
  }
}
