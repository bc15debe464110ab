/// A source of values: the command line, the environment, or a file. Sources are searched in order, and the first that has a
/// value wins. A new kind of source is one more `OptionSource` in the list.
struct OptionSource: Sendable {
  /// A value, its label in messages, and its origin.
  struct Value: Equatable, Sendable {
    let text: String
    /// The label, such as `--slots`, `COMBO_SLOTS` or `combo.conf:4: slots`.
    let label: String
    /// The origin, such as `--slots`, `COMBO_SLOTS` or `combo.conf:4`.
    let origin: String

    init(text: String, label: String, origin: String? = nil) {
      self.text = text
      self.label = label
      self.origin = origin ?? label
    }
  }

  /// The values by option name, in the order given. All values of a repeatable option count, of others only the last. An empty
  /// list means that the option was named without its value, which has been reported already.
  var values: [String: [Value]] = [:]

  /// Reads the values of `options` from the environment. An empty variable is ignored.
  static func environment(_ options: [Option], _ variable: (String) -> String?) -> OptionSource {
    var source = OptionSource()
    for option in options {
      guard let text = variable(option.variable), !text.isEmpty else { continue }
      let texts = option.isRepeatable ? text.split(whereSeparator: \.isNewline).map(String.init) : [text]
      source.values[option.name] = texts.map { Value(text: $0, label: option.variable) }
    }
    return source
  }
}
