import Foundation
import Testing

@testable import ComboSystem
@testable import ComboTestSupport

@Suite("The messages of the log")
struct LogMessagesTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the templates of all messages, each with its level, or nil if that is chosen at run time: the literals after
  /// `log.info(` and the like, and those with a field.
  private static func messages() throws -> [(level: String?, template: String)] {
    var found: [(String?, String)] = []
    let sources = root.appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift", file.lastPathComponent != "LogMessage.swift" else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /(?:log\.|[ {(?:] )(error|warning|info|debug)\(\s*/) {
        let rest = text[match.range.upperBound...]
        if rest.hasPrefix("\"") { found.append((String(match.output.1), template(of: rest))) }
      }
      for match in text.matches(of: #/\\\(\.[a-z]\w*, /#) {
        let before = text[..<match.range.lowerBound]
        guard let quote = before.matches(of: #/(?:^|[^\\])"/#).last.map({ before.index(before: $0.range.upperBound) }),
          !before[quote...].contains("\\(")
        else { continue }
        let isLong = before[..<quote].hasSuffix("\"\"")
        let start = isLong ? text.index(quote, offsetBy: -2) : quote
        let message = template(of: text[start...])
        if message.first.map({ $0.isLetter || $0 == "{" }) == true, message.contains(" ") {
          found.append((level(before: text[..<start]), message))
        }
      }
    }
    return found
  }

  /// Returns the level of the call that a literal is an argument of.
  private static func level(before text: Substring) -> String? {
    let near = text.suffix(250)
    guard let call = near.matches(of: /log\.(error|warning|info|debug)\(/).last, !near[call.range.upperBound...].contains("}")
    else {
      return nil
    }
    return String(call.output.1)
  }

  /// Returns a Swift literal with `{name}` in place of its values.
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

  @Test("are all in docs/schemas/log-messages.tsv, each with its level")
  func reference() throws {
    let messages = try Self.messages()
    #expect(messages.count >= 30, "\(messages.map(\.template))")
    let rows = Dictionary(grouping: messages, by: \.template).map { template, uses in
      let levels = ["debug", "info", "warning", "error"].filter { level in uses.contains { $0.level == level } }
      return "\(levels.isEmpty ? "any" : levels.joined(separator: ","))\t\(template)"
    }
    try GeneratedPart.expect("docs/schemas/log-messages.tsv", is: ["level\tmessage"] + rows.sorted())
  }

  @Test("name each field once, as a JSON line has one value for each name")
  func distinct() throws {
    for message in try Self.messages() {
      let fields = message.template.matches(of: /\{[a-z]\w*\}/).map { String($0.output) }
      #expect(Set(fields).count == fields.count, "\(message.template)")
    }
  }

  @Test("have fields, which docs/logs.md describes")
  func fields() throws {
    let docs = try String(contentsOf: Self.root.appendingPathComponent("docs/logs.md"), encoding: .utf8)
    for field in LogMessage.Field.allCases { #expect(docs.contains("`\(field.rawValue)`"), "\(field)") }
  }
}
