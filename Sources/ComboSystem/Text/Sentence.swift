/// Parts of sentences for people.
package enum Sentence {
  /// Returns a value as sentences show it: in quotes, without control characters, not too long.
  package static func quoted(_ text: String) -> String {
    var shown = ""
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if index == 60 { return "\"\(shown)…\"" }
      let isControl = scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
      shown.unicodeScalars.append(isControl ? "\u{fffd}" : scalar)
    }
    return "\"\(shown)\""
  }

  /// Returns `a, b or c`.
  package static func choice(_ words: [String]) -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}
