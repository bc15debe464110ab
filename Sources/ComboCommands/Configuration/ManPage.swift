internal import ComboSystem

/// The manual page, combo-consumer(1), generated from the tables in the macros of man(7).
enum ManPage {
  static var text: String {
    var page = """
      .TH COMBO\\-CONSUMER 1 "" "combo\\-consumer \(Version.number)" "User Commands"
      .nh
      .ad l
      .SH NAME
      combo\\-consumer \\- gift events in, display instructions out, exactly once
      .SH SYNOPSIS

      """
    for command in Command.allCases { page += synopsis(command) }
    page += """
      .SH DESCRIPTION
      Viewers of live rooms send thousands of gifts per second, but a screen can show only two banners at a time.
      .B combo\\-consumer
      reads gift events from Kafka, runs one combo engine per room, and writes the few instructions that a screen needs to an output topic.
      .SH COMMANDS

      """
    for command in Command.allCases {
      page += ".SS \(escaped(command.rawValue))\n\(sentence(command.summary))\n"
      for paragraph in paragraphs(command.description) { page += ".PP\n\(escaped(paragraph))\n" }
      let names = OptionTable.options(of: command).map { "\\fB\\-\\-\(escaped($0.name))\\fR" }
      if !names.isEmpty { page += ".PP\nOptions: \(names.joined(separator: ", ")).\n" }
    }
    page += """
      .SH OPTIONS
      Names cannot be abbreviated: write \\fB\\-\\-\\fIname value\\fR or \\fB\\-\\-\\fIname\\fR=\\fIvalue\\fR. Each entry ends with the commands that have the option.

      """
    for section in Option.Section.allCases {
      let options = OptionTable.all.filter { $0.section == section }
      if options.isEmpty { continue }
      page += ".SS \(escaped(section.rawValue))\n"
      for option in options {
        let value = option.placeholder.isEmpty ? "" : " \\fI\(escaped(option.placeholder))\\fR"
        let commands = Command.allCases.filter(option.commands.contains).map(\.rawValue).joined(separator: ", ")
        page += ".TP\n\\fB\\-\\-\(escaped(option.name))\\fR\(value)\n"
        page += "\(sentence(option.help + Help.limits(option)))\n.br\nCommands: \(escaped(commands)).\n"
      }
    }
    return page + files + exitStatus + examples
  }

  private static var exitStatus: String {
    ExitCode.all.reduce(".SH EXIT STATUS\n") { $0 + ".TP\n.B \($1.code)\n\(sentence($1.sentence))\n" }
  }

  private static let examples = """
    .SH EXAMPLES
    .nf
    combo\\-consumer check \\-\\-brokers localhost:9092 \\-\\-input gifts \\-\\-output banners
    combo\\-consumer run \\-\\-brokers localhost:9092 \\-\\-input gifts \\-\\-output banners
    combo\\-consumer watch r1 \\-\\-brokers localhost:9092 \\-\\-output banners
    .fi

    """

  private static let files = """
    .SH ENVIRONMENT
    Each option is also read from the environment: \\fB\\-\\-linger\\-ms\\fR from
    .BR COMBO_LINGER_MS .
    An empty variable is ignored. The command line overrides the environment, and the environment overrides the file of
    .BR \\-\\-config .
    .SH FILES
    The file that \\fB\\-\\-config\\fR names has one option per line,
    .IR name\\~ =\\~ value ;
    blank lines, and lines that begin with
    .BR # ,
    are ignored. Lines below a line
    .RI [ command ]
    apply to that command alone. Lines above the first such line apply to every command that has the option.
    .PP
    The file that \\fB\\-\\-kafka\\-file\\fR names has one librdkafka property per line,
    .IR key = value .
    .SH SIGNALS
    .TP
    .BR SIGTERM ", " SIGINT
    .B run
    makes a last commit and exits. A second signal ends it at once.
    .TP
    .B SIGHUP
    .B run
    reads its files again. Log level, log format and the HTTP token change at once. librdkafka's properties, certificates, combo settings and the
    map change by a fresh start within the process. All other options need a restart.

    """

  private static func synopsis(_ command: Command) -> String {
    let hasOptions = command == .config || !OptionTable.options(of: command).isEmpty
    let options = hasOptions ? " [\\fIoptions\\fR]" : ""
    let operand = command.operand.map { command.needsOperand ? " \\fI\($0)\\fR" : " [\\fI\($0)\\fR]" } ?? ""
    return "\(command == .run ? "" : ".br\n").B combo\\-consumer \(escaped(command.rawValue))\n\(operand)\(options)\n"
      .split(separator: "\n").map { line in line.drop { $0 == " " } }.joined(separator: "\n") + "\n"
  }

  /// Splits a text into paragraphs, and joins their lines.
  private static func paragraphs(_ text: String) -> [String] {
    var paragraphs = [""]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty {
        paragraphs.append("")
      } else {
        paragraphs[paragraphs.count - 1] += (paragraphs.last!.isEmpty ? "" : " ") + line
      }
    }
    return paragraphs.filter { !$0.isEmpty }
  }

  private static func sentence(_ text: String) -> String {
    let text = text.prefix(1).uppercased() + text.dropFirst()
    return escaped(text) + (text.hasSuffix(".") ? "" : ".")
  }

  /// Escapes a text for roff: no character is a command, and characters beyond ASCII are named by number.
  static func escaped(_ text: String) -> String {
    var result = text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "`", "'": result += scalar == "`" ? "\\(ga" : "\\(aq"
      case _ where scalar.value > 0x7e:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
