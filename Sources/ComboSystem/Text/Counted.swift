/// Numbers with the nouns that they count.
package enum Counted {
  /// Returns a count with its words: `1 room`, `2,000 rooms`; `1 record is left`, `2 records are left`.
  /// - Parameter words: A noun in the plural, and the words after it.
  package static func text(_ count: some BinaryInteger, _ words: String) -> String {
    "\(ProgressMeter.grouped(Int(count))) \(count == 1 ? singular(words) : words)"
  }

  /// Returns the words that follow a 1 instead of these, which may begin with a space. Words that begin with no known noun are
  /// unchanged.
  static func singular(_ words: String) -> String {
    let start = words.firstIndex { $0 != " " } ?? words.endIndex
    let end = words[start...].firstIndex { !$0.isLetter } ?? words.endIndex
    guard let noun = nouns[words[start..<end]] else { return words }
    var rest = words[end...]
    // The verb is in the same part of the sentence.
    let clause = rest.prefix { !",:;.(".contains($0) }
    if let (verb, one) = verbs.first(where: { clause.contains(" \($0.0) ") || clause.hasSuffix(" \($0.0)") }),
      let range = clause.ranges(of: " \(verb)").first(where: { $0.upperBound == clause.endIndex || clause[$0.upperBound] == " " })
    {
      rest.replaceSubrange(range, with: " \(one)")
    }
    return words[..<start] + noun + rest
  }

  private static let nouns: [Substring: String] = [
    "banners": "banner", "brokers": "broker", "clients": "client", "differences": "difference", "entries": "entry",
    "epochs": "epoch",
    "faults": "fault", "gifts": "gift", "instructions": "instruction", "lines": "line", "members": "member", "notes": "note",
    "offsets": "offset",
    "partitions": "partition", "records": "record", "replicas": "replica", "rooms": "room", "screens": "screen", "slots": "slot",
    "times": "time",
  ]

  private static let verbs = [("are", "is"), ("were", "was"), ("have", "has"), ("wait", "waits"), ("differ", "differs")]
}
