/// What a command line asks for.
enum Invocation: Equatable, Sendable {
  case run(ServiceOptions)
  case demo(DemoOptions)
  case replay(ReplayOptions)
  case generate(GenerateOptions)
  case verify(VerifyOptions)
  /// A text for standard output.
  case tell(String)
  /// Sentences for standard error, and how to find help.
  case refuse([String], hint: String)

  /// The version that `--version` says.
  static let version = "0.1.0"

  /// From the arguments after the program's name, and the environment. `host` is this machine's name.
  static func parse(
    _ arguments: [String], environment variable: (String) -> String? = { _ in nil }, host: String = "localhost"
  ) -> Invocation {
    guard let first = arguments.first else {
      return .refuse(["say what to do: \(commandNames)"], hint: "combo-consumer --help")
    }
    if first == "--version" || first == "version" { return .tell("combo-consumer \(version)\n") }
    if first == "--help" || first == "-h" || first == "help" {
      let command = arguments.dropFirst().first.flatMap(Command.init(rawValue:))
      return .tell(command.map(Help.text(of:)) ?? Help.overview)
    }
    guard let command = Command(rawValue: first) else { return .refuse([unknown(first)], hint: "combo-consumer --help") }

    let parsed = ArgumentParser(command: command).parse(Array(arguments.dropFirst()))
    if parsed.wantsHelp { return .tell(Help.text(of: command)) }
    let environment = OptionSource.environment(OptionTable.options(of: command), variable)
    var reader = OptionReader(command, sources: [parsed.source, environment], faults: parsed.faults)
    // Behind an unknown option an operand may be that option's value.
    for extra in parsed.operands.dropFirst(command.operand == nil ? 0 : 1) where parsed.faults.isEmpty {
      let taken = command.operand.map { "takes one \($0)" } ?? "takes options only"
      reader.fault("\(command.rawValue) \(taken), but \(Option.quoted(extra)) was given too")
    }
    let invocation: Invocation =
      switch command {
      case .run: .run(ServiceOptions(&reader, host: host))
      case .demo: .demo(DemoOptions(&reader))
      case .replay: .replay(ReplayOptions(&reader, operands: parsed.operands))
      case .generate: .generate(GenerateOptions(&reader))
      case .verify: .verify(VerifyOptions(&reader))
      }
    return reader.faults.isEmpty ? invocation : .refuse(reader.faults, hint: "combo-consumer \(command.rawValue) --help")
  }

  private static var commandNames: String { Command.allCases.map(\.rawValue).joined(separator: ", ") }

  private static func unknown(_ word: String) -> String {
    if word.hasPrefix("-") {
      return "the command comes first, then its options: \(commandNames), not \(Option.quoted(word))"
    }
    let likely = Suggestion.nearest(to: word, among: Command.allCases.map(\.rawValue))
    return "unknown command \(Option.quoted(word))" + (likely.map { "; did you mean \($0)?" } ?? ": there are \(commandNames)")
  }
}
