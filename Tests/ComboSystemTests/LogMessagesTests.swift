import Foundation
import Testing

@testable import ComboSystem

@Suite("The messages of the log")
struct LogMessagesTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The literals behind `log.info(` and the like, as their templates.
  private static func messages() throws -> [(level: String, template: String, file: String)] {
    var found: [(String, String, String)] = []
    let sources = root.appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift", !file.path.contains("/Log/") else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /(?:log\.|[ {(?:] )(error|warning|info|debug)\(\s*/)
      where text[..<match.range.lowerBound].last != "." {
        let rest = text[match.range.upperBound...]
        guard rest.hasPrefix("\"") else { continue }
        found.append((String(match.output.1), template(of: rest), file.lastPathComponent))
      }
    }
    return found
  }

  /// A Swift literal with `{name}` in the places of its values.
  private static func template(of source: Substring) -> String {
    let isLong = source.hasPrefix("\"\"\"")
    let end = isLong ? "\"\"\"" : "\""
    var rest = source.dropFirst(end.count)
    var template = ""
    while !rest.isEmpty, !rest.hasPrefix(end) {
      if rest.hasPrefix("\\(") {
        var depth = 0
        let inner = rest.dropFirst().prefix { character in
          depth += character == "(" ? 1 : character == ")" ? -1 : 0
          return depth > 0
        }
        rest = rest.dropFirst(inner.count + 2)
        template += "{\(inner.dropFirst().drop { $0 == "." }.prefix { $0.isLetter })}"
      } else if rest.hasPrefix("\\\n") {
        rest = rest.dropFirst(2)
        rest = rest.drop { $0 == " " }
      } else if rest.hasPrefix("\\\"") {
        template += "\""
        rest = rest.dropFirst(2)
      } else {
        if rest.first != "\n" { template.append(rest.first!) }
        rest = rest.dropFirst()
        if isLong, template.isEmpty { rest = rest.drop { $0 == " " || $0 == "\n" } }
      }
    }
    return template.trimmingCharacters(in: .whitespaces)
  }

  @Test("stand in docs/logs.md, all of them, each with its level and its fields")
  func documented() throws {
    let docs = try String(contentsOf: Self.root.appendingPathComponent("docs/logs.md"), encoding: .utf8)
    let messages = try Self.messages()
    #expect(messages.count >= 30, "\(messages.map(\.template))")
    for (level, template, file) in messages {
      let row = docs.split(separator: "\n").first { $0.hasPrefix("| ") && $0.contains("`\(template)`") }
      #expect(row != nil, "\(file): \(template)")
      if let row { #expect(row.dropFirst(2).prefix { $0 != "|" }.contains(level), "\(file): \(level): \(row)") }
    }
    for field in LogMessage.Field.allCases { #expect(docs.contains("`\(field.rawValue)`"), "\(field)") }
  }
}
