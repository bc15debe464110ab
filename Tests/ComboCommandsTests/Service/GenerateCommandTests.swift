import ComboSystem
import Foundation
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

@Suite("Made-up gifts of the command generate")
struct GenerateCommandTests {
  @Test("go to a file with virtual times that depend on the rate alone")
  func file() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("combo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var options = GenerateOptions()
    options.events = 3000
    options.rate = 500
    var contents: [Data] = []
    for name in ["a", "b"] {
      let path = folder.appendingPathComponent(name).path
      options.target = .file(path)
      #expect(GenerateCommand.run(options) == 0)
      contents.append(try #require(FileManager.default.contents(atPath: path)))
    }
    #expect(contents[0] == contents[1])
    let lines = contents[0].split(separator: 0x0a)
    #expect(lines.count == 3000)
    #expect(String(decoding: lines[2999], as: UTF8.self).contains("\"ts\":1732104005998,"))
  }

  @Test("are as many as fit the requested time, or as were requested, whichever ends first")
  func count() {
    var options = GenerateOptions()
    options.seconds = 2
    options.rate = 100
    #expect(GenerateCommand.count(options) == 200)
    options.events = 50
    #expect(GenerateCommand.count(options) == 50)
    options.seconds = 0
    options.events = 0
    #expect(GenerateCommand.count(options) == Int.max)
  }

  @Test("cannot be written where there is no place for them: exit code 1")
  func unwritable() {
    var options = GenerateOptions()
    options.events = 100_000
    options.target = .file("/nowhere/at/all")
    #expect(GenerateCommand.run(options) == 1)
    options.target = .file("/dev/full")
    #expect(GenerateCommand.run(options) == 1)
  }
}

extension ServiceTests {
  @Suite("generate on a real broker")
  struct GenerateServiceTests {
    @Test("reports a topic that does not exist yet, and the sum of the gifts' counts")
    func missingTopic() throws {
      let topic = TestKafka.fresh("made-up")
      let truth = FileManager.default.temporaryDirectory.appendingPathComponent("combo-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: truth) }
      let (_, same, _) = try ServiceProcess.run(["generate", "--events", "50", "--rooms", "7"])
      for (arguments, isNew) in [([], true), (["--as", "bilibili", "--truth", truth], false)] as [([String], Bool)] {
        let (code, output, log) = try ServiceProcess.run(
          ["generate", "--brokers", TestKafka.brokers(), "--topic", topic, "--events", "50", "--rooms", "7"] + arguments)
        #expect(code == 0 && output.isEmpty && log.contains("\"\(topic)\" does not exist yet") == isNew, "\(log)")
        let counts = try (isNew ? same : String(contentsOfFile: truth, encoding: .utf8))
          .matches(of: /"count":(\d+)/).compactMap { Int($0.1) }
        let gifts = Counted.text(counts.reduce(0, +), "gifts")
        #expect(counts.count > 5 && log.contains("produced \(gifts) in ") && log.contains(" s, for up to 7 rooms"), "\(log)")
      }
    }
  }
}
