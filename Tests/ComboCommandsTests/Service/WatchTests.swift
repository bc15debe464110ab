import ComboEdge
import Foundation
import Testing

@testable import ComboTestSupport

extension ServiceTests {
  @Suite("`watch`")
  struct WatchTests {
    private func watch(_ group: TestGroup, _ room: String, _ more: [String]) throws -> (code: Int32, output: String, log: String)
    {
      try ServiceProcess.run(["watch", room, "--brokers", group.brokers, "--output", group.names.output] + more)
    }

    @Test("--once prints what is on the screen now, also if it begins in mid-stream, and nothing for a room that is quiet")
    func once() throws {
      let group = try TestGroup(partitions: 3)
      let service = try group.process(["--linger-ms", "600000", "--slots", "3", "--screen-ms", "500", "--enter-ms", "1"])
      try group.give(
        (0..<5).map { TestGift(id: "a\($0)", room: "r", sender: "one") } + [
          TestGift(id: "b", room: "r", sender: "two")
        ]
          + [TestGift(id: "c", room: "other", sender: "three")])
      try group.waitUntilSaid(["r": 6, "other": 1], service)
      let whole = try watch(group, "r", ["--once"])
      #expect(whole.code == 0, "\(whole)")
      let lines = whole.output.split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      }
      #expect(lines.map { $0[0] } == ["0", "1"])
      #expect(lines.map { $0[1] } == ["1", "5"])
      #expect(lines.allSatisfy { $0.count == 5 && $0[2] == "小明" && $0[3] == "" }, "\(whole.output)")
      // Only the newest `screen`s are read.
      var late = whole
      // The service publishes one every half second, if the machine permits.
      try wait(for: "the same from there: \(late)") {
        late = try watch(group, "r", ["--once", "--back", "0.8"])
        return late.output == whole.output
      }
      #expect(late.code == 0, "\(late)")
      let quiet = try watch(group, "nobody", ["--once"])
      #expect(quiet.code == 0 && quiet.output.isEmpty && quiet.log.isEmpty, "\(quiet)")
      let silent = try watch(group, "nobody", ["--seconds", "1"])
      #expect(silent.code == 0 && silent.log.contains(#"room "nobody" has published nothing in the last"#), "\(silent)")
      try service.stop()
    }

    @Test("prints a line for each banner where there is no terminal, and ends when its time is over")
    func lines() throws {
      let group = try TestGroup(partitions: 1)
      let service = try group.process(TestGroup.fast)
      try group.give([TestGift(id: "0", room: "r", sender: "first")])
      try group.waitUntilSaid(["r": 1], service)
      let watch = try ServiceProcess([
        "watch", "r", "--brokers", group.brokers, "--output", group.names.output, "--seconds", "600", "--exit-ms", "20",
      ])
      // A gift before `watch` reads is on its first screen, or over.
      var number = 0
      try wait(for: "a banner: \(watch.text)") {
        number += 1
        try group.give([TestGift(id: "n\(number)", room: "r", sender: "s\(number)")])
        return watch.progress.contains { $0.hasPrefix("+ r  ") } && watch.progress.contains { $0.hasPrefix("- r  ") }
      }
      watch.signal(SIGTERM)
      #expect(try watch.waitForExit() == 0)
      try service.stop()
    }

    @Test("of a topic that does not exist ends in a sentence")
    func faults() throws {
      let none = try ServiceProcess.run([
        "watch", "r", "--brokers", ServiceKafka.brokers(), "--output", TestKafka.fresh("none"), "--once",
      ])
      #expect(none.code == 1 && none.log.contains("does not exist: check --output"), "\(none)")
    }
  }
}
