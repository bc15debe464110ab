import ComboWire
import Foundation
import Testing

@testable import ComboCommands

/// Records that operators have reported, with their expected counts: `NAME.args` are the options for `Cases/NAME.in.jsonl`, and
/// `NAME.want.txt` has a line for each room, sender, receiver (or `-`) and gift.
@Suite("Cases of the field")
struct FieldCaseTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Cases")

  private static let names: [String] = {
    let files = try! FileManager.default.contentsOfDirectory(atPath: folder.path)
    return files.filter { $0.hasSuffix(".want.txt") }.map { String($0.dropLast(9)) }.sorted()
  }()

  @Test("yield the expected counts", arguments: names)
  func counts(name: String) throws {
    func text(_ end: String) throws -> String {
      try String(contentsOf: Self.folder.appendingPathComponent(name + end), encoding: .utf8)
    }
    let words = try text(".args").split(whereSeparator: \.isWhitespace).map {
      $0.hasPrefix("./") ? Self.folder.appendingPathComponent(String($0.dropFirst(2))).path : String($0)
    }
    guard case .replay(let options) = Invocation.parse(["replay"] + words) else {
      Issue.record("\(words) are no options of replay")
      return
    }
    let records = try Data(contentsOf: Self.folder.appendingPathComponent("\(name).in.jsonl"))
    let result = try PlatformReplay.counts(records, by: #require(options.map), options.settings, receivers: true)
    #expect(result.reports == [])
    let wanted = try text(".want.txt").split(separator: "\n").map { $0.split(separator: " ").prefix(5).joined(separator: " ") }
    #expect(result.counts.map { "\($0.key.replacing("|", with: " ")) \($0.value)" }.sorted() == wanted.sorted())
  }
}
