internal import ComboCore
internal import ComboSystem
internal import ComboWire

/// A setting and the values that `tune` tries for it: `slots=1,2,3`. Values that are lists themselves are separated by `/`.
struct Variation: Equatable, Sendable {
  let name: SettingName
  /// The values, all different; at least one.
  let values: [Setting]

  /// Parses a variation; a failure is the end of a sentence.
  static func read(_ text: String) -> Result<Variation, SettingName.Fault> {
    func fail(_ sentence: String) -> Result<Variation, SettingName.Fault> { .failure(SettingName.Fault(description: sentence)) }
    guard let equals = text.firstIndex(of: "=") else {
      return fail("must be NAME=VALUE,… with a setting and the values to try, such as slots=1,2,3; not \(Sentence.quoted(text))")
    }
    let word = String(text[..<equals].map { $0 == "-" ? "_" : $0 })
    guard let name = SettingName(word) else {
      let likely = Suggestion.nearest(to: word, among: SettingName.all.map(\.text))
      let advice =
        likely.map { "did you mean \(dashed($0))?" }
        ?? "settings: \(SettingName.all.map { dashed($0.text) }.joined(separator: ", "))"
      return fail("names \(Sentence.quoted(dashed(word))), which is not a setting; \(advice)")
    }
    let separator: Character =
      switch name {
      case .tiers, .milestones: "/"
      case .integer, .queueMerge, .queueOrder, .finals: ","
      }
    var values: [Setting] = []
    for part in text[text.index(after: equals)...].split(separator: separator, omittingEmptySubsequences: false) {
      switch name.parse(String(part)) {
      case .failure(let fault): return fail("has a value of \(dashed(name.text)) that \(fault)")
      case .success(let setting):
        if let fault = setting.fault { return fail("has a value of \(dashed(name.text)) that \(fault)") }
        if values.contains(setting) { return fail("has \(dashed(name.text))=\(part) twice") }
        values.append(setting)
      }
    }
    return .success(Variation(name: name, values: values))
  }

  /// A setting's name in the form of options.
  static func dashed(_ name: String) -> String { String(name.map { $0 == "_" ? "-" : $0 }) }
}
