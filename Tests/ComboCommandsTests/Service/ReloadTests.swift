import ComboEdge
import ComboSystem
import Foundation
import Glibc
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

extension ServiceTests {
  @Suite("A SIGHUP")
  struct ReloadTests {
    /// Files that are deleted with the object.
    private final class Files {
      let folder = NSTemporaryDirectory() + "/" + TestKafka.fresh("combo-reload")
      init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
      deinit { try? FileManager.default.removeItem(atPath: folder) }
      func path(_ name: String) -> String { "\(folder)/\(name)" }
      func write(_ name: String, _ text: String) throws {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
      }
    }

    private static let trialFailed =
      "a trial of the new Kafka properties and certificates failed, and the service continues with the old configuration: "

    /// Returns the status of a request that needs a token, but no answer of the loop, which may be busy.
    private func status(_ token: String, _ port: UInt16) throws -> Int {
      let wire = try HTTPWire(port: port)
      wire.send(HTTPStage.request("/service/data", headers: ["Authorization: Bearer \(token)"]))
      return try wire.response().status
    }

    @Test(
      "applies the settings that can change, reports those that cannot, changes nothing if there is a fault, and loses nothing")
    func reload() throws {
      let group = try TestGroup(partitions: 2)
      let files = try Files()
      let (first, second) = ("0123456789abcdef-1", "0123456789abcdef-2")
      try files.write("token", first)
      try files.write("ca.pem", "one")
      try files.write("kafka", "ssl.ca.location=\(files.path("ca.pem"))\n")
      try files.write("conf", "http-token-file = \(files.path("token"))\nkafka-file = \(files.path("kafka"))\n")
      let service = try group.process(TestGroup.fast + ["--http", "127.0.0.1:0", "--config", files.path("conf")])
      let port = try service.httpPort()
      try group.give((0..<20).map { TestGift(id: "a\($0)", room: "r\($0 % 4)", sender: "u") })
      try group.waitUntilSaid(Dictionary(uniqueKeysWithValues: (0..<4).map { ("r\($0)", 5) }), service)
      #expect(try (status(first, port), status(second, port)) == (200, 401))

      // The configuration has a fault.
      let base = "http-token-file = \(files.path("token"))\nkafka-file = \(files.path("kafka"))\n"
      try files.write("conf", base + "log-format = json\nslots = 101\n")
      try files.write("token", second)
      service.signal(SIGHUP)
      try service.waitForLog(
        " error the configuration was not changed because it has a fault: ", "conf:4: slots must be from 0 to 100, not 101")
      #expect(try status(first, port) == 200)

      // Some options change at once, others need a restart.
      try files.write("conf", base + "log-format = json\nmax-own-settings = 5\n")
      service.signal(SIGHUP)
      try service.waitForLog("these changed options need a restart: ", #""options":"--max-own-settings""#)
      try service.waitForLog(#""message":"the new configuration is in effect""#)
      #expect(try (status(first, port), status(second, port)) == (401, 200))

      // Nothing has changed.
      try files.write("conf", base + "log-format = json\n")
      service.signal(SIGHUP)
      try service.waitForLog(#""message":"nothing has changed""#)
      #expect(service.log.count { $0.contains("the new configuration is in effect") } == 1 && !service.has("starting again"))

      // librdkafka reads a certificate when its clients are created.
      try files.write("ca.pem", "two")
      try beginAnew(service)
      try service.waitForLog("restored: partition")
      try group.give((0..<20).map { TestGift(id: "b\($0)", room: "r\($0 % 4)", sender: "u") })
      try group.waitUntilSaid(Dictionary(uniqueKeysWithValues: (0..<4).map { ("r\($0)", 10) }), service)
      #expect(service.log.filter { $0.contains("starts again within the process") }.count == 1)

      // Only a producer refuses these properties, and only in combination.
      try files.write("kafka", "ssl.ca.location=\(files.path("ca.pem"))\nretries=0\n")
      service.signal(SIGHUP)
      try service.waitForLog(Self.trialFailed, "retries")

      // The brokers cannot be reached with these properties.
      try files.write("kafka", "ssl.ca.location=/nowhere\nsecurity.protocol=ssl\n")
      service.signal(SIGHUP)
      try service.waitForLog(Self.trialFailed, "ssl.ca.location failed")
      try files.write("kafka", "security.protocol=ssl\n")
      service.signal(SIGHUP)
      try service.waitForLog(Self.trialFailed, "cannot describe the cluster")
      #expect(!service.has("keeps trying"), "of clients that are only tried: \(service.text)")
      try group.give([TestGift(id: "c", room: "r0", sender: "u")])
      try group.waitUntilSaid(["r0": 11, "r1": 10, "r2": 10, "r3": 10], service)
      try service.stop()
      #expect(service.log.filter { $0.contains("starts again within the process") }.count == 1)
      #expect(service.log.count { $0.contains("the new configuration is valid; starting again with it") } == 1)
      try group.verify()
    }

    @Test("applies combo settings and a map by a takeover, and `verify` derives with both")
    func engine() throws {
      let group = try TestGroup(partitions: 2)
      let files = try Files()
      let map =
        #"{"map":1,"name":"test","rules":[{"event":"gift","fields":{"room":"/r","sender":{"id":"/u"},"#
        + #""gift":{"id":"/g"},"count":"/n"}}],"otherwise":{"drop":"no gift"}}"#
      try files.write("map.json", map)
      try files.write("conf", "milestones = 100\nmap = \(files.path("map.json"))\n")
      let service = try group.process(TestGroup.fast + ["--config", files.path("conf")])
      func give(_ count: String) throws {
        try group.produce([TestRecord(key: "r", #"{"r":"r","u":"a","g":"rose",\#(count)}"#)])
      }
      try give(#""n":3"#)
      try group.waitUntilSaid(["r": 3], service)

      try files.write("conf", "milestones = 4\nmap = \(files.path("map.json"))\n")
      try files.write("map.json", map.replacingOccurrences(of: "/n", with: "/m"))
      service.signal(SIGHUP)
      try service.waitForLog("takes over its partitions again, with the new settings, map and rules")
      try service.waitForLog("giving up all partitions for a fresh start within the process")
      try service.waitForLog("restored: partition")
      #expect(!service.log.contains { $0.contains(" stopping: ") || $0.hasSuffix(" stopped") }, "\(service.text)")
      try give(#""m":5"#)
      try group.waitUntilSaid(["r": 8], service)
      let emitted = try group.records(of: group.names.output).map { String(decoding: $0.value ?? [], as: UTF8.self) }
      #expect(emitted.contains { $0.contains(#""milestone":4"#) }, "\(emitted)")
      #expect(!service.has("need a restart"))
      #expect(service.log.contains { $0.hasSuffix(" info reading records with the map test") }, "\(service.text)")
      #expect(service.log.count { $0.hasSuffix(" info settings changed: milestones 100 → 4") } == 1, "\(service.text)")
      let other =
        " warning the group ran with the map test until now, and this instance runs with another one of that name. If that is not intended,"
        + " correct --map"
      #expect(service.log.count { $0.hasSuffix(other) } == 1, "\(service.text)")
      try service.stop()

      // A run without a map is logged once, and not again by the next instance without one.
      for count in [1, 0] {
        let next = try group.process(TestGroup.fast + ["--milestones", "4"])
        try next.waitForLog("restored: partition", count: 2)
        let lines = next.log.count {
          $0.contains(" the group ran with the map test until now, and this instance runs without a map")
        }
        #expect(lines == count && !next.has("settings changed"), "\(next.text)")
        try next.stop()
      }
      try group.verify()
    }

    @Test("applies other schemas, for which nobody must restart")
    func schemas() throws {
      let files = try Files()
      let lines = LoggedLines()
      let log = ServiceLog(.info) { lines.add($0) }
      func read(_ folder: String, _ field: String) throws -> Configuration.Outcome {
        try FileManager.default.createDirectory(atPath: files.path(folder), withIntermediateDirectories: true)
        try files.write("\(folder)/7.avsc", #"{"type":"record","name":"g","fields":[{"name":"\#(field)","type":"string"}]}"#)
        let line = "--brokers b:1 --input i --output o --framing confluent --schemas \(files.path(folder))"
        return Configuration.read(.run, line.split(separator: " ").map(String.init), environment: { _ in nil }, host: "h")
      }
      guard case .read(.run(let options), let table, let faults) = try read("a", "x") else { throw EdgeError(.other, "help") }
      #expect(faults.isEmpty)
      let stop = StopFlag()
      Reload(options, table, log: log, stop: stop) { .help }.run(try read("b", "y"))
      #expect(lines.messages.contains { $0.contains("takes over its partitions again") }, "\(lines.messages)")
      #expect(!lines.messages.contains { $0.contains("need a restart") }, "\(lines.messages)")
    }

    /// Makes the service adopt new Kafka properties or certificates, and waits until it has. Brokers that do not answer in time
    /// seem unreachable with the new properties, so that the signal is sent again.
    private func beginAnew(_ service: ServiceProcess) throws {
      func refusals() -> Int { service.log.count { $0.contains(Self.trialFailed) } }
      var before = refusals()
      service.signal(SIGHUP)
      try wait(for: "a new beginning: \(service.text)") {
        if service.has("starts again within the process, with the new Kafka properties and certificates") { return true }
        let now = refusals()
        if now > before { service.signal(SIGHUP) }
        before = now
        return false
      }
    }

    @Test("leaves no door open: the token stays while other machines can reach HTTP", arguments: ["127.0.0.1:0", "none"])
    func tokenStays(http: String) throws {
      let files = try Files()
      let token = "0123456789abcdef-1"
      try files.write("token", token)
      try files.write("conf", "http = *:0\nhttp-token-file = \(files.path("token"))\n")
      // No broker listens on this port, and none is needed.
      let service = try ServiceProcess(
        ["run", "--brokers", "127.0.0.1:1", "--input", "a", "--output", "b", "--config", files.path("conf")])
      let port = try service.httpPort()
      #expect(try (status(token, port), status("another-0123456789", port)) == (200, 401))
      try files.write("conf", "http = \(http)\n")
      service.signal(SIGHUP)
      try service.waitForLog("the new configuration is in effect")
      #expect(try (status(token, port), status("another-0123456789", port)) == (200, 401))
      let warnings = service.log.filter { $0.contains(" warning http: other machines can still reach http://") }
      #expect(warnings.count == 1, "\(service.text)")
      service.requestStop()
      #expect(try service.waitForExit() == 0)
    }

    @Test(
      "takes in a new certificate while gifts come; one that the brokers do not trust changes nothing",
      .enabled(if: TestKafka.canStartClusters))
    func certificates() throws {
      let folder = try SecretFolder()
      try folder.authority("ca")
      try folder.authority("other")
      for name in ["broker", "tests", "mine"] { try folder.certificate(name, by: "ca", addresses: "IP:127.0.0.1") }
      let cluster = try TestKafka.cluster(properties: ServiceKafka.properties + "\n" + folder.brokerProperties)
      let group = try TestGroup(
        partitions: 2, brokers: cluster.brokers, kafka: folder.clientProperties("tests"))
      let service = try group.process(
        TestGroup.fast + ["--kafka-file", try folder.file("mine.properties", folder.clientProperties("mine"))])
      var emitted = 0
      func resume() throws {
        emitted += 5
        try group.give((0..<10).map { TestGift(id: "\(emitted)-\($0)", room: "r\($0 % 2)", sender: "u") })
        try group.waitUntilSaid(["r0": emitted, "r1": emitted], service)
      }
      try resume()

      try folder.certificate("mine", by: "other")
      service.signal(SIGHUP)
      try service.waitForLog(" error \(Self.trialFailed)")
      try resume()

      try folder.certificate("mine", by: "ca")
      try beginAnew(service)
      try resume()
      try service.stop()
      #expect(service.log.filter { $0.contains("starts again within the process") }.count == 1, "\(service.text)")
      try group.verify()
    }
  }
}
