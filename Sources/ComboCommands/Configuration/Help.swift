internal import ComboCore
internal import ComboSystem

/// The texts of `--help`, generated from the option table.
enum Help {
  static var overview: String {
    var text = """
      combo-consumer: gift events in, display instructions out, exactly once.

      Usage: combo-consumer COMMAND [OPTIONS]


      """
    let width = Command.allCases.map(\.rawValue.count).max()!
    for command in Command.allCases { text += "  \(padded(command.rawValue, width))  \(command.summary)\n" }
    text += """

      combo-consumer COMMAND --help lists a command's options. Each option is also read from the environment (--linger-ms from
      COMBO_LINGER_MS) and from the file that --config names (linger-ms = VALUE). The command line overrides the environment,
      and the environment overrides the file. Names cannot be abbreviated: write --name VALUE or --name=VALUE.
      combo-consumer --version prints the versions of the program and of its libraries.

      Exit codes:

      """
    for exit in ExitCode.all { text += "  \(padded(exit.code, 8))  \(exit.sentence)\n" }
    return text
  }

  static func text(of command: Command) -> String {
    let operand = command.operand.map { command.needsOperand ? " \($0)" : " [\($0)]" } ?? ""
    var text = "combo-consumer \(command.rawValue): \(command.summary)\n\n"
    let hasOptions = command == .config || !OptionTable.options(of: command).isEmpty
    text += "Usage: combo-consumer \(command.rawValue)\(operand)\(hasOptions ? " [OPTIONS]" : "")\n\n\(command.description)\n"
    let options = OptionTable.options(of: command)
    guard let example = options.last(where: { $0.name.contains("-") }) ?? options.first else { return text }
    for section in Option.Section.allCases {
      let members = options.filter { $0.section == section }
      if members.isEmpty { continue }
      text += "\n\(section.rawValue):\n"
      let width = members.map { head($0).count }.max()!
      for option in members {
        let lines = wrapped(option.help + limits(option), to: max(60, lineLength - width - 4))
        for (index, line) in lines.enumerated() { text += "  \(padded(index == 0 ? head(option) : "", width))  \(line)\n" }
      }
    }
    text += """

      Each option is also read from the environment (--\(example.name) from \(example.variable); an empty variable is ignored)
      and from the file that --config names (\(example.name) = VALUE).

      """
    return text
  }

  private static func head(_ option: Option) -> String {
    option.placeholder.isEmpty ? "--\(option.name)" : "--\(option.name) \(option.placeholder)"
  }

  /// Describes the allowed values and the default, in parentheses.
  static func limits(_ option: Option) -> String {
    var parts: [String] = []
    switch option.kind {
    case .flag: return ""
    case .integer(let range): parts.append(range.upperBound == Int.max ? "" : "\(range.lowerBound) to \(range.upperBound)")
    case .choice(let words): parts.append(Sentence.choice(words))
    case .setting(.integer(let name)):
      if option.placeholder != "MS" { parts.append("\(name.range.lowerBound) to \(name.range.upperBound)") }
    case .text, .topic, .topics, .topicPattern, .number, .share, .duration, .property, .source, .time, .address, .setting,
      .settingNames, .variation, .files:
      break
    }
    if let fallback = option.fallback { parts.append("default \(fallback)") }
    parts.removeAll(where: \.isEmpty)
    return parts.isEmpty ? "" : " (\(parts.joined(separator: "; ")))"
  }

  /// The length in characters beyond which lines are wrapped between words.
  private static let lineLength = 120

  private static func wrapped(_ text: String, to length: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= length {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
