internal import ComboKafka
internal import ComboSystem
internal import ComboWire

/// The text of a `--config` file. Each line has an option, `name = value`, under its name on the command line. Blank lines and
/// lines that begin with `#` are comments. Lines below a line `[COMMAND]` apply to that command only; lines above the first such
/// line apply to every command that has the option.
///
/// There is no quoting or substitution: a value is the rest of its line, without surrounding white space.
struct ConfigFile: Sendable {
  /// A line with an option.
  struct Entry: Equatable, Sendable {
    /// The only command to which the line applies, or nil if it applies to all commands that have the option.
    let command: Command?
    let name: String
    let value: String
    let line: Int
  }

  let name: String
  private(set) var entries: [Entry] = []
  /// Sentences that begin with `FILE:LINE: `.
  private(set) var faults: [String] = []

  /// The largest file that is read, in bytes.
  static let bytesMax = 1 << 20

  /// Parses the text, and reports all faults that do not depend on the command for which it is read.
  /// - Parameter command: The command to which lines above the first section apply, or nil if they apply to all.
  init(_ text: String, named name: String, of command: Command? = nil) {
    self.name = name
    var command = command
    var isKnownSection = true
    // Some editors put a byte order mark first, which is not part of the text.
    let text = text.unicodeScalars.first == "\u{feff}" ? String(text.unicodeScalars.dropFirst()) : text
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let place = index + 1
      let line = KafkaProperty.trimmed(line)
      if line.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("[") {
        let word = line.hasSuffix("]") ? KafkaProperty.trimmed(line.dropFirst().dropLast()) : ""
        command = Command(rawValue: word)
        isKnownSection = command != nil
        if command == nil {
          let names = Command.allCases.filter { !OptionTable.options(of: $0).isEmpty }.map(\.rawValue)
          fault(place, "\(Sentence.quoted(line)) must be one of \(names.map { "[\($0)]" }.joined(separator: ", "))")
        }
        continue
      }
      guard let equals = line.firstIndex(of: "=") else {
        // The line may hold a password, so only its position is reported.
        fault(place, "a line must be NAME = VALUE, or a comment that begins with #")
        continue
      }
      let entry = Entry(
        command: command, name: KafkaProperty.trimmed(line[..<equals]),
        value: KafkaProperty.trimmed(line[line.index(after: equals)...]), line: place)
      if !isKnownSection { continue }
      if let fault = fault(of: entry) { self.fault(place, fault) } else { entries.append(entry) }
    }
  }

  private mutating func fault(_ line: Int, _ sentence: String) { faults.append("\(name):\(line): \(sentence)") }

  private func fault(of entry: Entry) -> String? {
    let named = OptionTable.all.filter { $0.name == entry.name }
    guard !named.isEmpty else {
      let likely = Suggestion.nearest(to: entry.name, among: OptionTable.all.map(\.name))
      let isProperty = entry.name.contains(".") ? "; write a librdkafka property as kafka = KEY=VALUE" : ""
      return "there is no option \(Sentence.quoted(entry.name))\(likely.map { "; did you mean \($0)?" } ?? isProperty)"
    }
    if entry.name == "config" { return "a --config file cannot name another one" }
    let options = entry.command.map { command in named.filter { $0.commands.contains(command) } } ?? named
    guard !options.isEmpty else {
      let commands = named.flatMap(\.commands).map(\.rawValue)
      return "\(entry.name) is not an option of \(entry.command!.rawValue), but of \(commands.joined(separator: ", "))"
    }
    if entry.value.isEmpty { return "\(entry.name) needs a value" }
    if !options[0].isRepeatable,
      let first = entries.first(where: { $0.name == entry.name && $0.command == entry.command })
    {
      return "\(entry.name) is already set in line \(first.line)"
    }
    // If commands have different options of one name, a value that suits one of them may be meant for it.
    let faults = options.map { $0.fault(of: entry.value) }
    return faults.contains(where: { $0 == nil }) ? nil : "\(entry.name) \(faults[0]!)"
  }

  /// The options for `command`. Those of its own section override the shared ones.
  func source(for command: Command) -> OptionSource {
    var source = OptionSource()
    for option in OptionTable.options(of: command) {
      // A shared option that does not suit this command is meant for another.
      let all = entries.filter { entry in
        guard entry.name == option.name else { return false }
        return entry.command.map { $0 == command } ?? (option.fault(of: entry.value) == nil)
      }
      let own = all.filter { $0.command != nil }
      let counting = option.isRepeatable ? all.filter { $0.command == nil } + own : own.isEmpty ? all : own
      if counting.isEmpty { continue }
      source.values[option.name] = counting.map { entry in
        let place = "\(name):\(entry.line)"
        return OptionSource.Value(text: entry.value, label: "\(place): \(entry.name)", origin: place)
      }
    }
    return source
  }
}
