import Foundation
import Testing

/// A part of a page, or a whole file of the docs, that is generated from a table in the sources. A test compares the two; with
/// COMBO_REFERENCE=write (`make reference`) it writes the file instead.
enum GeneratedPart {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let isWriting = ProcessInfo.processInfo.environment["COMBO_REFERENCE"] == "write"

  /// Expects these lines of `file` between `<!-- NAME: made by make reference -->` and `<!-- end of NAME -->`.
  static func expect(_ file: String, part name: String, is lines: [String]) throws {
    let url = root.appendingPathComponent(file)
    let text = try String(contentsOf: url, encoding: .utf8)
    let begin = "<!-- \(name): made by make reference -->\n"
    let end = "<!-- end of \(name) -->"
    let start = try #require(text.range(of: begin), "\(file) has no \(begin)")
    let stop = try #require(text.range(of: end, range: start.upperBound..<text.endIndex), "\(file) has no \(end)")
    let made = "\n" + lines.joined(separator: "\n") + "\n\n"
    try expect(url, has: text[start.upperBound..<stop.lowerBound], made: made) {
      text[..<start.upperBound] + made + text[stop.lowerBound...]
    }
  }

  /// Expects `file` to consist of these lines.
  static func expect(_ file: String, is lines: [String]) throws {
    let url = root.appendingPathComponent(file)
    let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    let made = lines.joined(separator: "\n") + "\n"
    try expect(url, has: text[...], made: made) { made }
  }

  private static func expect(_ url: URL, has text: Substring, made: String, all: () -> String) throws {
    if text == made { return }
    guard !isWriting else { return try all().write(to: url, atomically: true, encoding: .utf8) }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let first = zip(made.split(separator: "\n", omittingEmptySubsequences: false), lines).first { $0 != $1 }
    Issue.record(
      "\(url.lastPathComponent) is out of date, run make reference: \(first.map { "\($0.1) should be \($0.0)" } ?? "its length")")
  }
}
