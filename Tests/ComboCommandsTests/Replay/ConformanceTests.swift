import ComboSystem
import ComboWire
import Foundation
import Testing

@testable import ComboCommands
@testable import ComboTestSupport

/// The streams of Tests/Conformance with their expected results.
@Suite("Conformance")
struct ConformanceTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Conformance")

  static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".in.jsonl") }.map { String($0.dropLast(".in.jsonl".count)) }.sorted()
  }()

  private func contents(_ name: String) throws -> Data {
    try Data(contentsOf: Self.folder.appendingPathComponent(name))
  }

  @Test("the streams are there")
  func present() { #expect(Self.names.count >= 114 && Self.explained.count >= 22) }

  /// The streams for which it is known what became of the gifts.
  static let explained = names.filter {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent("\($0).explain.jsonl").path)
  }

  @Test("room by room, the fate of each gift is as expected", arguments: explained)
  func explanation(name: String) throws {
    let arguments = String(decoding: try contents("\(name).args"), as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard case .replay(let options) = Invocation.parse(["replay", "--explain"] + arguments.map(String.init)), options.explain
    else {
      Issue.record("the options of \(name) are refused")
      return
    }
    let expected = try rooms(contents("\(name).explain.jsonl"))
    for chunkBytes in [1 << 19, 20_000] {
      let emitted = try rooms(
        TestReplay.explain(contents("\(name).in.jsonl"), settings: options.settings, chunkBytes: chunkBytes))
      #expect(emitted == expected, "\(name)")
    }
  }

  @Test("room by room, the instructions are those expected", arguments: names)
  func stream(name: String) throws {
    let arguments = String(decoding: try contents("\(name).args"), as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard case .replay(let options) = Invocation.parse(["replay"] + arguments.map(String.init)) else {
      Issue.record("the options of \(name) are refused")
      return
    }
    let input = try contents("\(name).in.jsonl")
    let expected = try rooms(contents("\(name).out.jsonl"))
    for (threads, chunkBytes) in [(1, 1 << 19), (3, 20_000)] {
      let result = TestReplay.replay(input, settings: options.settings, threads: threads, chunkBytes: chunkBytes)
      #expect(result.reports == [])
      let emitted = try rooms(result.output)
      #expect(emitted.keys.sorted() == expected.keys.sorted())
      for (room, instructions) in expected {
        guard emitted[room] != instructions else { continue }
        let others = emitted[room] ?? []
        let index =
          zip(instructions, others).enumerated().first { $0.element.0 != $0.element.1 }?.offset
          ?? min(instructions.count, others.count)
        Issue.record("\(name), room \(room): instruction \(index + 1) differs from what is expected")
      }
    }
  }

  /// Returns the parsed instructions of each room. The order of fields counts, the notation of numbers does not.
  private func rooms(_ output: Data) throws -> [String: [JSONValue]] {
    var rooms: [String: [JSONValue]] = [:]
    for line in output.split(separator: 0x0a) {
      let value = try #require(line.withUnsafeBytes { JSONValue($0) }).withPlainNumbers
      rooms[try #require(value["room"]?.string), default: []].append(value)
    }
    return rooms
  }
}

extension JSONValue {
  /// The value with each number as the double that it denotes.
  fileprivate var withPlainNumbers: JSONValue {
    switch self {
    case .number(let text): .number(Double(text).map { "\($0)" } ?? text)
    case .array(let values): .array(values.map(\.withPlainNumbers))
    case .object(let members): .object(members.map { Member(name: $0.name, value: $0.value.withPlainNumbers) })
    case .null, .bool, .string: self
    }
  }
}
