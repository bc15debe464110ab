import Foundation
import Testing

/// A file that is generated: a part of the docs from a table in the sources, or a snapshot of texts that people read. A test
/// compares the two; with COMBO_REFERENCE=write (`make reference`) it writes the file instead, and the diff is reviewed.
enum GeneratedPart {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let isWriting = ProcessInfo.processInfo.environment["COMBO_REFERENCE"] == "write"

  /// Expects a file of Tests/Snapshots to consist of these texts, each below its title.
  static func expect(snapshot file: String, is texts: [(title: String, text: String)]) throws {
    try expect("Tests/Snapshots/\(file)", is: texts.flatMap { ["== \($0.title)", $0.text] })
  }

  /// Expects `file` to consist of these lines.
  static func expect(_ file: String, is lines: [String]) throws {
    let url = root.appendingPathComponent(file)
    let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    let made = lines.joined(separator: "\n") + "\n"
    if text == made { return }
    guard !isWriting else { return try made.write(to: url, atomically: true, encoding: .utf8) }
    let old = text.split(separator: "\n", omittingEmptySubsequences: false)
    let first = zip(made.split(separator: "\n", omittingEmptySubsequences: false), old).first { $0 != $1 }
    Issue.record(
      "\(url.lastPathComponent) is out of date, run make reference: \(first.map { "\($0.1) should be \($0.0)" } ?? "its length")")
  }
}
