@preconcurrency internal import CGetopt
internal import ComboSystem
internal import ComboWire
@preconcurrency internal import Glibc
internal import Synchronization

/// Parses the command line after the command with `getopt_long`: `--name value` or `--name=value`, in any order, with operands
/// anywhere; all that follows `--` is an operand. Options must be written out. The abbreviations of `getopt_long` are refused,
/// since one that works today would be ambiguous once another option is added.
struct ArgumentParser {
  /// The options and operands that were found.
  struct Result {
    var source = OptionSource()
    var operands: [String] = []
    var requestsHelp = false
    var faults: [String] = []
  }

  let command: Command

  /// Serializes parsing, as `getopt_long` keeps its state in global variables.
  private static let lock = Mutex(())

  /// Parses the arguments after the command. Checks that values are present, but not whether they are valid.
  func parse(_ arguments: [String]) -> Result {
    Self.lock.withLock { _ in parseLocked(arguments) }
  }

  private func parseLocked(_ arguments: [String]) -> Result {
    let options = OptionTable.options(of: command)
    let arguments = Self.spread(arguments, options)
    var result = Result()

    var argv: [UnsafeMutablePointer<CChar>?] = ([command.rawValue] + arguments).map { strdup($0) } + [nil]
    // getopt_long moves operands to the end, so these are the same pointers in another order.
    defer { for pointer in argv { free(pointer) } }
    let names = options.map { strdup($0.name) } + [strdup("help")]
    defer { for name in names { free(name) } }
    var table: [option] = names.enumerated().map { index, name in
      let hasArgument: Int32 =
        if index == options.count { no_argument } else if case .flag = options[index].kind { 2 } else { required_argument }
      return option(name: name, has_arg: hasArgument, flag: nil, val: Int32(256 + index))
    }
    table.append(option(name: nil, has_arg: 0, flag: nil, val: 0))

    opterr = 0
    optind = 0  // glibc: begin anew
    let count = Int32(arguments.count + 1)
    while true {
      let found = getopt_long(count, &argv, ":h", table, nil)
      if found == -1 { break }
      let last = argv[Int(optind) - 1].map { String(cString: $0) } ?? ""
      switch found {
      case Int32(Character("h").asciiValue!), Int32(256 + options.count):
        result.requestsHelp = true
      case Int32(Character(":").asciiValue!):
        result.faults.append(missing(last))
        result.source.values[String(Self.name(last).dropFirst(2))] = []
      case 256...:
        add(options[Int(found) - 256], argv: argv, into: &result)
      default:
        // Within an argument of several short options, getopt has not advanced yet.
        result.faults.append(unknown(optopt > 0 && optopt < 128 ? "-\(Character(Unicode.Scalar(UInt8(optopt))))" : last))
      }
    }
    result.operands = argv[Int(optind)..<Int(count)].compactMap { $0.map { String(cString: $0) } }
    return result
  }

  /// Inserts the option's name before each further file of an option that accepts several.
  private static func spread(_ arguments: [String], _ options: [Option]) -> [String] {
    var spread: [String] = []
    var name: String?
    for (index, argument) in arguments.enumerated() {
      if argument == "--" { return spread + arguments[index...] }
      if argument.hasPrefix("--") {
        let isSeveral = options.contains { option in
          if case .files = option.kind { return "--" + option.name == Self.name(argument) }
          return false
        }
        name = isSeveral ? Self.name(argument) : nil
      } else if let name, let last = spread.last, last != name {
        spread.append(name)
      }
      spread.append(argument)
    }
    return spread
  }

  private func add(_ option: Option, argv: [UnsafeMutablePointer<CChar>?], into result: inout Result) {
    let label = "--" + option.name
    var value = "true"
    var written = argv[Int(optind) - 1].map { String(cString: $0) } ?? ""
    if let argument = optarg {
      value = String(cString: argument)
      if argument == argv[Int(optind) - 1] {  // in an argument of its own
        written = argv[Int(optind) - 2].map { String(cString: $0) } ?? ""
        if value.hasPrefix("--"), OptionTable.all.contains(where: { "--" + $0.name == Self.name(value) }) {
          result.faults.append("\(label) needs a value (\(option.placeholder)), but \(value) follows")
          result.source.values[option.name] = []
          return
        }
      }
    }
    guard Self.name(written) == label else {
      result.faults.append("unknown option \(Self.name(written)): names cannot be abbreviated; write \(label)")
      return
    }
    let entry = OptionSource.Value(text: value, label: label)
    if option.isRepeatable {
      result.source.values[option.name, default: []].append(entry)
    } else {
      result.source.values[option.name] = [entry]
    }
  }

  /// Returns the part before the `=`.
  private static func name(_ argument: String) -> String {
    String(argument.prefix { $0 != "=" })
  }

  private func missing(_ argument: String) -> String {
    let option = OptionTable.options(of: command).first { "--" + $0.name == argument }
    return "\(argument) needs a value\(option.map { " (\($0.placeholder): \($0.help))" } ?? "")"
  }

  private func unknown(_ argument: String) -> String {
    let name = Self.name(argument)
    let elsewhere = OptionTable.all.filter { "--" + $0.name == name }.flatMap(\.commands)
    if elsewhere.contains(command) { return "\(name) takes no value, but \(Sentence.quoted(argument)) was given" }
    if !elsewhere.isEmpty {
      let commands = Command.allCases.filter(elsewhere.contains).map(\.rawValue)
      return "\(name) is not an option of \(command.rawValue), but of \(commands.joined(separator: ", "))"
    }
    let names = OptionTable.options(of: command).map { "--" + $0.name } + ["--help"]
    let likely = Suggestion.nearest(to: name, among: names)
    return "unknown option \(Sentence.quoted(name))\(likely.map { "; did you mean \($0)?" } ?? "")"
  }
}
