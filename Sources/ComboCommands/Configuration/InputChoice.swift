internal import ComboEdge
internal import ComboSystem
internal import Glibc

/// The inputs of `run`: the topics of a list, and those whose names match a pattern.
struct InputChoice: Equatable, Sendable {
  var names: [String] = []
  var pattern: TopicPattern?

  /// Whether there is one input, and never another.
  var isSingle: Bool { pattern == nil && names.count <= 1 }

  func contains(_ topic: String) -> Bool { names.contains(topic) || pattern?.matches(topic) == true }

  /// Returns the inputs that are named, and then those among the topics that match the pattern.
  /// - Parameter own: Topics of the service, which are no inputs.
  func all(among topics: some Sequence<String>, but own: Set<String>) -> [String] {
    names + topics.filter { pattern?.matches($0) == true && !names.contains($0) && !own.contains($0) }.sorted()
  }

  /// Splits a list of topics; several occurrences count once.
  static func names(in list: String) -> [String] {
    var names: [String] = []
    for name in list.split(separator: ",", omittingEmptySubsequences: false).map(String.init) where !names.contains(name) {
      names.append(name)
    }
    return names
  }

  /// Returns the reason why the value of `--map` cannot be used, as the end of a sentence: it names no input, or an input twice,
  /// or has a map for no input. Returns nil if it can be used, or if there is no input.
  func mapFault(in text: String) -> String? {
    if names.isEmpty && pattern == nil { return nil }
    var map: Substring?
    var seen: [String] = []
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = halves.count == 2 ? String(halves[0]) : ""
      if !name.isEmpty, contains(name) {
        if seen.isEmpty, let map, !map.contains(":") {
          return "gives \(Sentence.quoted(String(map))) to no input: write INPUT=MAP for each"
        }
        if seen.contains(name) { return "gives the input \(Sentence.quoted(name)) two maps: keep one of them" }
        seen.append(name)
        map = halves[1]
      } else if halves.count == 2, Option.topicFault(name) == nil, map?.contains(":") != true {
        // After a map's colon come its switches.
        return isSingle
          ? "names \(Sentence.quoted(name)), which is not the input, \(Sentence.quoted(names[0])): correct it, or leave it out"
          : "names \(Sentence.quoted(name)), which is none of the inputs: correct it, or add it to --input"
      } else if map == nil {
        map = piece
      }
    }
    return nil
  }

  /// Splits the value of `--map` where it gives inputs maps of their own, as in `gifts_a=tiktok,gifts_b=bilibili:guard=gifts`.
  /// - Returns: The maps by input, or nil if the value is one map for all.
  func maps(in text: String) -> [String: String]? {
    var maps: [String: String] = [:]
    var input: String?
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if halves.count == 2, contains(String(halves[0])) {
        input = String(halves[0])
        maps[input!] = String(halves[1])
      } else if let input {
        // A further switch of the same map.
        maps[input]! += "," + piece
      } else {
        return nil
      }
    }
    return maps
  }
}

/// A pattern of topic names: a POSIX extended regular expression that begins with `^`, as librdkafka subscribes to. The end of a
/// name need not match.
struct TopicPattern: Equatable, Sendable {
  let text: String

  /// Returns the reason why a text is no pattern, as the end of a sentence, or nil if it is one.
  static func fault(of text: String) -> String? {
    if !text.hasPrefix("^") { return "must begin with ^, as in ^gifts_, not \(Sentence.quoted(text))" }
    var compiled = regex_t()
    let error = regcomp(&compiled, text, REG_EXTENDED | REG_NOSUB)
    if error == 0 {
      regfree(&compiled)
      return nil
    }
    var words = [CChar](repeating: 0, count: 200)
    regerror(error, &compiled, &words, words.count)
    let reason = String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "must be a regular expression, and \(Sentence.quoted(text)) is none: \(reason)"
  }

  /// Whether a topic's name matches. Topics of Kafka and of this program never do.
  func matches(_ topic: String) -> Bool {
    if topic.hasPrefix("__") || topic.hasSuffix(".combo-dead-letter") || TopicNames.isForRecovery(topic) { return false }
    var compiled = regex_t()
    guard regcomp(&compiled, text, REG_EXTENDED | REG_NOSUB) == 0 else { return false }
    defer { regfree(&compiled) }
    return regexec(&compiled, topic, 0, nil, 0) == 0
  }
}
