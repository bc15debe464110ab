internal import ComboSystem
internal import ComboWire

/// The command that a command line names.
enum Invocation: Equatable, Sendable {
  case run(ServiceOptions)
  case serve(ServeOptions)
  case live(LiveOptions)
  case demo(DemoOptions)
  case replay(ReplayOptions)
  case tune(TuneOptions)
  case generate(GenerateOptions)
  case verify(VerifyOptions)
  case explain(ExplainOptions)
  case redrive(RedriveOptions)
  case watch(WatchOptions)
  case check(ServiceOptions)
  case seek(SeekOptions)
  case resetClock(ServiceOptions)
  case map(MapOptions)
  /// A text to print on standard output.
  case print(String)
  /// A text to print on standard output, and faults to print on standard error.
  case show(String, faults: [String], hint: String)
  /// Faults to print on standard error, with a hint where to find help.
  case refuse([String], hint: String)

  /// Whether its standard output is its result. `replay` and `generate` handle lost output themselves.
  var answers: Bool {
    switch self {
    case .tune, .verify, .explain, .redrive, .watch, .check, .seek, .resetClock, .map, .print, .show: true
    case .run, .serve, .live, .demo, .replay, .generate, .refuse: false
    }
  }

  /// Whether the environment was read, and nothing else warns of variables that are not options.
  var warnsOfVariables: Bool {
    switch self {
    case .run(let options): options.isShadow
    case .print: false
    default: true
    }
  }

  /// Parses the arguments after the program's name, and the environment. `host` is this machine's name.
  static func parse(
    _ arguments: [String], environment variable: (String) -> String? = { _ in nil }, host: String = "localhost"
  ) -> Invocation {
    guard let first = arguments.first else { return .print(Help.overview) }
    if first == "--version" || first == "version" { return .print(Version.text) }
    if first == "--help" || first == "-h" || first == "help" {
      let command = arguments.dropFirst().first.flatMap(Command.init(rawValue:))
      return .print(command.map(Help.text(of:)) ?? Help.overview)
    }
    guard let command = Command(rawValue: first) else { return .refuse([unknown(first)], hint: "combo-consumer --help") }
    switch command {
    case .config: return config(arguments.dropFirst(), environment: variable, host: host)
    case .completions, .man: return made(command, Array(arguments.dropFirst()))
    case .run, .serve, .live, .demo, .replay, .tune, .generate, .verify, .explain, .redrive, .watch, .check, .seek, .resetClock,
      .map:
      break
    }
    switch Configuration.read(command, Array(arguments.dropFirst()), environment: variable, host: host) {
    case .help: return .print(Help.text(of: command))
    case .read(let invocation, _, let faults):
      return faults.isEmpty ? invocation : .refuse(faults, hint: "combo-consumer \(command.rawValue) --help")
    }
  }

  /// Handles `completions SHELL` and `man`.
  private static func made(_ command: Command, _ arguments: [String]) -> Invocation {
    if arguments.contains("--help") || arguments.contains("-h") { return .print(Help.text(of: command)) }
    let hint = "combo-consumer \(command.rawValue) --help"
    if command == .man {
      return arguments.isEmpty
        ? .print(ManPage.text) : .refuse(["man takes no arguments, but \(Sentence.quoted(arguments[0])) was given"], hint: hint)
    }
    let shells = Completions.Shell.allCases.map(\.rawValue).joined(separator: ", ")
    guard arguments.count == 1, let shell = Completions.Shell(rawValue: arguments[0]) else {
      let given = arguments.isEmpty ? "" : ", not \(Sentence.quoted(arguments.joined(separator: " ")))"
      return .refuse(["completions needs one SHELL: \(shells)\(given)"], hint: hint)
    }
    return .print(Completions.script(for: shell))
  }

  /// Handles `config [COMMAND] [OPTIONS]`.
  private static func config(
    _ arguments: ArraySlice<String>, environment variable: (String) -> String?, host: String
  ) -> Invocation {
    let named = arguments.first.flatMap(Command.init(rawValue:))
    if let named, OptionTable.options(of: named).isEmpty {
      return .refuse(["\(named.rawValue) has no options"], hint: "combo-consumer config --help")
    }
    let rest = Array(named == nil ? arguments : arguments.dropFirst())
    switch Configuration.read(named ?? .run, rest, environment: variable, host: host) {
    case .help: return .print(Help.text(of: .config))
    case .read(_, let table, let faults):
      return .show(table.text, faults: faults, hint: "combo-consumer \(table.command.rawValue) --help")
    }
  }

  private static var commandNames: String { Command.allCases.map(\.rawValue).joined(separator: ", ") }

  private static func unknown(_ word: String) -> String {
    if word.hasPrefix("-") {
      return
        "the command must come before its options, but the first argument is \(Sentence.quoted(word)). Commands: \(commandNames)"
    }
    let likely = Suggestion.nearest(to: word, among: Command.allCases.map(\.rawValue))
    return "unknown command \(Sentence.quoted(word))" + (likely.map { "; did you mean \($0)?" } ?? ". Commands: \(commandNames)")
  }
}
