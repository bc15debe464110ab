import ComboEdge
import ComboSystem
import Foundation
import Testing

@testable import ComboKafka
@testable import ComboTestSupport

extension ServiceTests {
  @Suite("Several inputs in one process", .enabled(if: TestKafka.isAvailable, Comment(rawValue: TestKafka.howTo)))
  struct SeveralInputsTests {
    private let rooms = (0..<12).map { "r\($0)" }

    /// Gives each room a gift.
    private func give(_ name: String, to group: TestGroup) throws {
      try group.give(rooms.map { TestGift(id: "\(group.names.input)-\(name)-\($0)", room: $0) })
    }

    private func start(_ group: TestGroup, _ inputs: [String], _ more: [String] = []) throws -> ServiceProcess {
      var arguments = group.arguments(TestGroup.fast + ["--http", "127.0.0.1:0"]).filter { $0 != "--progress" }
      let place = arguments.firstIndex(of: "--input")!
      arguments.replaceSubrange(place...place + 1, with: inputs)
      return try ServiceProcess(["run"] + arguments + more)
    }

    private func get(_ target: String, _ service: ServiceProcess) throws -> HTTPWire.Response {
      let port = try service.httpPort()
      let wire = try HTTPWire(port: port)
      wire.send(HTTPStage.request(target))
      return try wire.response()
    }

    @Test("each is exact through kills, topics that appear and topics that are deleted, and all are proven")
    func comeAndGo() throws {
      let one = try TestGroup(partitions: 2, brokers: TestKafka.canStartClusters ? nil : TestKafka.brokers())
      let name = one.names.input
      let others = try ["east", "west"].map { try TestGroup(partitions: 3, beside: one, input: "\(name).\($0)") }
      let inputs = ["--input", name, "--input-pattern", "^\(name)\\."]
      var service = try start(one, inputs)
      var groups = [one] + others
      for round in 0..<4 {
        for group in groups { try give("a\(round)", to: group) }
        if round == 1 {
          #expect(service.text.components(separatedBy: "created topic \"\(one.names.output)\"").count == 2, "\(service.text)")
          try service.crash()
        }
        if round == 1 { service = try start(one, inputs) }
        if round == 2 {
          groups.append(try TestGroup(partitions: 1, beside: one, input: "\(name).new"))
          try give("first", to: groups[3])
        }
        for group in groups { try group.waitUntilTakenIn(service) }
      }
      #expect(service.has("reading the topic \(name).new"))
      let check = try ServiceProcess.run(
        ["check", "--brokers", one.brokers, "--output", one.names.output, "--group", one.group] + inputs)
      #expect(check.code == 0 && check.output.components(separatedBy: "The service can work").count == 5, "\(check)")
      #expect(check.output.contains("none of the 4 inputs failed"), "\(check)")
      for group in groups { #expect(check.output.contains("input \(group.names.input)\n"), "\(check)") }
      try wait(for: "ready: \(service.text)") { try get("/health/ready", service).status == 200 }
      var metrics = ""
      try wait(for: "each is ready: \(metrics)\n\(service.text)") {
        metrics = try get("/metrics", service).text
        return groups.allSatisfy { metrics.contains(#"combo_ready{group="\#(one.group)",input="\#($0.names.input)"} 1"#) }
      }
      #expect(metrics.split(separator: "\n").count { $0.hasPrefix("# TYPE combo_ready ") } == 1)
      #expect(try get("/service/data", service).text.contains(#""partition":2,"input":"\#(name).east""#))

      try one.control.deleteTopic("\(name).west", withinMs: ServiceKafka.patienceMs)
      try service.waitForLog("\(name).west: the topic is gone, so its service has ended; the other inputs continue")
      groups.remove(at: 2)
      for group in groups { try give("last", to: group) }
      for group in groups { try group.waitUntilTakenIn(service) }
      let empty = "\(name).empty"
      try one.control.createTopic(empty, partitions: 1, withinMs: ServiceKafka.patienceMs)
      try service.waitForLog("\(empty): new: partition 0")
      try wait(for: "ready: \(service.text)") { try get("/health/ready", service).status == 200 }
      try service.stop()
      #expect(!service.has("RESET"), "\(service.text)")
      for group in groups { try group.verify() }
      let all = try ServiceProcess.run([
        "verify", "--brokers", one.brokers, "--input", (groups.map(\.names.input) + [empty]).joined(separator: ","), "--output",
        one.names.output, "--group", one.group,
      ])
      #expect(all.code == 0 && all.output.components(separatedBy: "proven: ").count == 4, "\(all)")
      #expect(all.output.contains("input \(name)\n") && all.output.contains("none of the 4 inputs failed"), "\(all)")
      #expect(all.log.contains("there is nothing to verify: \(empty) has had no records yet"), "\(all)")
    }

    @Test("dead letters that match the pattern are not read, and a topic whose options are faulty keeps no other from its check")
    func ownTopics() throws {
      let one = try TestGroup(partitions: 1, brokers: TestKafka.canStartClusters ? nil : TestKafka.brokers())
      let name = one.names.input
      let faulty = try TestGroup(partitions: 1, beside: one, input: "\(name).faulty")
      try one.control.createTopic("\(name).bad", partitions: 1, withinMs: ServiceKafka.patienceMs)
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(TestKafka.fresh("inputs"))
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      for (file, text) in [
        ("\(name).conf", "dead-letter = \(name).bad\n"), ("\(name).faulty.conf", "brokers = b\n"), ("\(name).txt", ""),
      ] { try Data(text.utf8).write(to: folder.appendingPathComponent(file)) }
      let inputs = ["--input-pattern", "^\(name)", "--input-settings", folder.path]
      let service = try start(one, inputs)
      try service.waitForLog("\(name): the folder of --input-settings has \(name).txt, which is ignored")
      try give("a", to: one)
      try one.waitUntilTakenIn(service)
      try service.waitForLog("\(faulty.names.input): the input is not read, because its options have a fault")
      try service.waitForLog("not reading \(name).bad, which matches --input-pattern: it is the output, or one of screens")
      let check = try ServiceProcess.run(
        ["check", "--brokers", one.brokers, "--output", one.names.output, "--group", one.group] + inputs)
      #expect(check.code == 2 && check.output.contains("The service can work. "), "\(check)")
      #expect(check.output.contains("--input-settings has \(name).txt, which is ignored"), "\(check)")
      #expect(
        check.output.contains("FAULT  \(folder.path)/\(faulty.names.input).conf:1: brokers is an option of the whole"), "\(check)"
      )
      #expect(check.output.contains("1 of the 2 inputs failed: \(faulty.names.input)"), "\(check)")
      // An input that is read stays one.
      for (file, text) in [("\(name).faulty.conf", "dead-letter = \(name)\n"), ("\(name).gone.conf", "")] {
        try Data(text.utf8).write(to: folder.appendingPathComponent(file))
      }
      service.signal(SIGHUP)
      try service.waitForLog("because it has a fault: --dead-letter and --input must be different topics, but both are \(name)")
      try Data().write(to: folder.appendingPathComponent("\(name).faulty.conf"))
      service.signal(SIGHUP)
      try service.waitForLog("the folder of --input-settings has \(name).gone.conf, but no topic of that name is read")
      try give("b", to: faulty)
      for group in [one, faulty] { try group.waitUntilTakenIn(service) }
      try service.stop()
      #expect(!service.has("reading the topic \(name).bad") && !service.has("the topic is gone"), "\(service.text)")
    }

    @Test("readiness does not blame the pattern while brokers do not answer")
    func silentBrokers() throws {
      let service = try ServiceProcess(
        ["run", "--brokers", "127.0.0.1:1", "--http", "127.0.0.1:0", "--input-pattern", "^x", "--output", "b"])
      try wait(for: "the reason: \(service.text)") {
        let text = try get("/health/ready", service).text
        #expect(!text.contains("no topic has a name"), "\(text)")
        return text.contains("the topics of --input-pattern cannot be listed: ")
      }
    }

    @Test("of two processes under one name the later works, and the earlier ends with a sentence")
    func sameName() throws {
      let one = try TestGroup(partitions: 1, brokers: TestKafka.canStartClusters ? nil : TestKafka.brokers())
      let two = try TestGroup(partitions: 1, beside: one)
      let inputs = ["--input", "\(one.names.input),\(two.names.input)"]
      let earlier = try start(one, inputs, ["--instance", "x"])
      for group in [one, two] { try give("a", to: group) }
      for group in [one, two] { try group.waitUntilTakenIn(earlier) }
      let later = try start(one, inputs, ["--instance", "x"])
      #expect(try earlier.waitForExit() == 1)
      #expect(
        earlier.log.last?.contains(": the service ends with exit code 1: this member of the group has given up: ") == true,
        "\(earlier.text)")
      for group in [one, two] { try give("b", to: group) }
      for group in [one, two] { try group.waitUntilTakenIn(later) }
      try later.stop()
      for group in [one, two] { try group.verify() }
    }

    @Test("a topic that was recreated is refused alone; each has its map and its settings; rooms are read by INPUT:ROOM")
    func alone() throws {
      let one = try TestGroup(partitions: 1, brokers: TestKafka.canStartClusters ? nil : TestKafka.brokers())
      let two = try TestGroup(partitions: 1, beside: one)
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(TestKafka.fresh("inputs"))
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try Data("slots = 1\nlinger-ms = 60000\nbusy-linger-ms = 60000\n".utf8)
        .write(to: folder.appendingPathComponent("\(two.names.input).conf"))
      let both = "\(one.names.input),\(two.names.input)"
      let inputs = ["--input", both, "--input-settings", folder.path]
      var service = try start(one, inputs)
      for group in [one, two] { try give("a", to: group) }
      for group in [one, two] { try group.waitUntilTakenIn(service) }
      let screen = try get("/rooms/\(two.names.input):r3", service)
      #expect(screen.status == 200 && screen.text.contains(#""slots":1"#), "\(screen.text)")
      #expect(try get("/rooms/r3", service).status == 404)
      let watch = ["watch", "r3", "--brokers", one.brokers, "--output", one.names.output, "--once"]
      let mixed = try ServiceProcess.run(watch)
      #expect(mixed.code == 2 && mixed.log.contains("both have a room of that name: choose one with --of-input"), "\(mixed)")
      let own = try ServiceProcess.run(watch + ["--of-input", two.names.input])
      #expect(own.code == 0 && own.output.split(separator: "\n").count == 1, "\(own)")
      let list = try get("/rooms?prefix=\(two.names.input)", service).text
      #expect(list.components(separatedBy: "\"room\":\"\(two.names.input):r").count == rooms.count + 1, "\(list)")
      // The removal of an input that has not even started is logged like that of one that runs.
      let unfit = try TestGroup(partitions: 1, beside: one, input: "\(one.names.input).unfit")
      try Data("no-such-option = 1\n".utf8).write(to: folder.appendingPathComponent("\(unfit.names.input).conf"))
      try service.stop()
      service = try start(one, inputs + ["--input-pattern", "^\(one.names.input)\\."])
      try service.waitForLog("\(unfit.names.input): the input is not read, because its options have a fault")
      try one.control.deleteTopic(unfit.names.input, withinMs: ServiceKafka.patienceMs)
      try service.waitForLog("\(unfit.names.input): the topic is gone, so its service has ended; the other inputs continue")
      try service.stop()
      try FileManager.default.removeItem(at: folder.appendingPathComponent("\(unfit.names.input).conf"))

      try one.control.deleteTopic(two.names.input, withinMs: ServiceKafka.patienceMs)
      try wait(for: "the deletion") {
        try one.control.partitionCount(two.names.input, withinMs: ServiceKafka.patienceMs) == nil
      }
      try one.control.createTopic(two.names.input, partitions: 1, withinMs: ServiceKafka.patienceMs)
      service = try start(one, inputs)
      try give("b", to: one)
      try one.waitUntilTakenIn(service)
      try service.waitForLog("\(two.names.input): its service has ended, and the other inputs continue")
      // The other input pauses for a moment when the member of this one leaves the group.
      try wait(for: "only the other input to be ready: \(service.text)") {
        let ready = try get("/health/ready", service)
        return ready.status == 503 && ready.text.contains("\(two.names.input): ") && !ready.text.contains("\(one.names.input): ")
      }
      // Further starts examine the group without joining it, so that the other inputs' rooms do not pause.
      try service.waitForLog("\(two.names.input): the service cannot start: ")
      func joins() -> Int { service.log.count { $0.contains("\(two.names.input): assigned: ") } }
      let before = joins()
      #expect(try get("/health/ready", service).text.contains("recreated"))
      // A fault anywhere keeps SIGHUP from changing anything; without one it starts again what has ended.
      let stray = folder.appendingPathComponent("stray.conf")
      try Data().write(to: stray)
      service.signal(SIGHUP)
      try service.waitForLog("the configuration was not changed because it has a fault: --input-settings has \"stray.conf\"")
      try FileManager.default.removeItem(at: stray)
      let starts = service.log.count { $0.contains("\(two.names.input): the service cannot start: ") }
      service.signal(SIGHUP)
      try wait(for: "another start: \(service.text)") {
        service.log.count { $0.contains("\(two.names.input): the service cannot start: ") } > starts
      }
      #expect(joins() == before, "\(service.text)")
      try service.stop()
      try one.verify()
    }
  }
}
