/// The sources of values: the command line, the environment, or a file. Sources are asked in order; the first that has a
/// value wins. A further kind of source is one more `OptionSource` in the list.
struct OptionSource: Sendable {
  /// A value, what a sentence about it calls it, and where it comes from.
  struct Value: Equatable, Sendable {
    let text: String
    /// `--slots`, `COMBO_SLOTS`, `combo.conf:4: slots`.
    let label: String
    /// `--slots`, `COMBO_SLOTS`, `combo.conf:4`.
    let origin: String

    init(text: String, label: String, origin: String? = nil) {
      self.text = text
      self.label = label
      self.origin = origin ?? label
    }
  }

  /// By option name; in the order given. Only those of a repeatable option all count, of others the last. An empty list
  /// means that the option was named without the value that it needs, which is reported already.
  var values: [String: [Value]] = [:]

  /// The values of `options` in the environment. An empty variable counts as none.
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
