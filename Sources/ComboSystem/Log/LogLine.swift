/// Formats log lines.
enum LogLine {
  /// Returns one line, without its end.
  /// - Parameters:
  ///   - more: The number of similar lines that were not written, and in how many seconds, if the line reports that.
  static func line(
    _ level: LogLevel, _ message: LogMessage, more: (count: Int, seconds: Int64)? = nil, format: LogFormat, at time: Int64
  ) -> String {
    switch format {
    case .text:
      let rest = more.map { " … and \($0.count) more in the last \($0.seconds) s" } ?? ""
      let input = message.input.map { "\($0): " } ?? ""
      return "\(Timestamp.text(time)) \(level.rawValue) \(input)\(inOneLine(message.sentence))\(rest)"
    case .json:
      var line = #"{"time":"\#(Timestamp.text(time))","level":"\#(level.rawValue)","message":"#
      quote(message.template, to: &line)
      if let input = message.input {
        line += #","input":"#
        quote(input, to: &line)
      }
      for piece in message.pieces {
        switch piece {
        case .words: break
        case .number(let field, let value): line += ",\"\(field.rawValue)\":\(value)"
        case .value(let field, let value):
          line += ",\"\(field.rawValue)\":"
          quote(value, to: &line)
        }
      }
      if let more { line += ",\"more\":\(more.count),\"within_s\":\(more.seconds)" }
      return line + "}"
    }
  }

  /// Replaces line ends and other control characters: a line is one event, and a terminal obeys some of them.
  private static func inOneLine(_ text: String) -> String {
    func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) }
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var clean = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { clean.append(isControl(scalar) ? " " : scalar) }
    return String(clean)
  }

  private static func quote(_ text: String, to line: inout String) {
    line += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": line += "\\\""
      case "\\": line += "\\\\"
      case "\n": line += "\\n"
      case "\r": line += "\\r"
      case "\t": line += "\\t"
      case _ where scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value):
        let digits = String(scalar.value, radix: 16)
        line += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: line.unicodeScalars.append(scalar)
      }
    }
    line += "\""
  }
}
