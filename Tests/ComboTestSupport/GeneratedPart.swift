import Foundation
import Testing

/// A file of the docs that is generated from a table in the sources. A test compares the two; with COMBO_REFERENCE=write
/// (`make reference`) it writes the file instead.
enum GeneratedPart {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let isWriting = ProcessInfo.processInfo.environment["COMBO_REFERENCE"] == "write"

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
