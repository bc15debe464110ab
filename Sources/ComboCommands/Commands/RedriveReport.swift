internal import ComboWire

/// The results of a run of `redrive`, by code and reason.
struct RedriveReport {
  struct Kind: Hashable {
    var code: String
    /// The reason without the parts that differ between records, so that there are few kinds.
    var reason: String
  }

  private(set) var kinds: [Kind: (count: Int, example: DeadLetterNote)] = [:]
  private(set) var verdicts: [RedriveSelection.Verdict: Int] = [:]
  /// Kinds beyond this number are counted as one.
  private static let kindsMax = 200

  mutating func add(_ note: DeadLetterNote, _ verdict: RedriveSelection.Verdict) {
    verdicts[verdict, default: 0] += 1
    guard verdict.isListed else { return }
    var kind = Kind(code: note.code, reason: Self.pattern(of: note.reason))
    if kinds[kind] == nil, kinds.count >= Self.kindsMax { kind.reason = "(other reasons)" }
    kinds[kind, default: (0, note)].count += 1
  }

  /// Returns a reason without its values: `"abc"` becomes `"…"`, and `123` becomes `…`. Numbers that are part of a name stay.
  /// - Parameter keepsNumbers: Whether to leave out quoted text only.
  static func pattern(of reason: String, keepsNumbers: Bool = false) -> String {
    var pattern = ""
    var (isQuoted, isEscaped, isKept) = (false, false, false)
    for character in reason {
      if character == "\"", !isEscaped {
        if isQuoted { pattern += "…" }
        pattern.append(character)
        isQuoted.toggle()
      } else if !isQuoted {
        let isName = ["rule ", "UTF-", "schema is "].contains { pattern.hasSuffix($0) }
        isKept = character.isNumber && (isKept || keepsNumbers || isName)
        if isKept || !character.isNumber {
          pattern.append(character)
        } else if pattern.last != "…" {
          pattern += "…"
        }
      }
      isEscaped = isQuoted && character == "\\" && !isEscaped
    }
    return pattern
  }

  private var sorted: [(key: Kind, value: (count: Int, example: DeadLetterNote))] {
    kinds.sorted { ($1.value.count, $0.key.code, $0.key.reason) < ($0.value.count, $1.key.code, $1.key.reason) }
  }

  /// The report for people: one line per kind, the most frequent first, with the reason of its first record; then the counts of
  /// those that are not sent, and why.
  func text(isDryRun: Bool, limit: Int?) -> String {
    var lines = sorted.map { kind, found in
      // A value of the wrong type may be a viewer's id.
      let words = Self.pattern(of: found.example.reason, keepsNumbers: kind.code != "wrong_type")
      return "\(Self.padded(found.count))  \(kind.code), first at \(found.example.place.text) of the dead letters: \(words)"
    }
    let send = min(verdicts[.send] ?? 0, limit ?? .max)
    let all = RedriveSelection.Verdict.allCases
    for verdict in all.filter(\.isListed) + all.filter({ !$0.isListed }) {
      if let note = verdict.note, let count = verdicts[verdict] { lines.append("\(Self.padded(count))  \(note)") }
    }
    if kinds.isEmpty { lines.append("No dead letter matches.") }
    lines.append(
      isDryRun
        ? "\(send) would be sent back to the input. Nothing was sent: this was a dry run; add --yes to send them."
        : "\(send) \(send == 1 ? "was" : "were") sent back to the input.")
    return lines.joined(separator: "\n") + "\n"
  }

  /// A line for programs: one dead letter as a JSON object.
  /// - Parameter fate: A verdict, or `beyondLimit` if it would be sent, but `--limit` is reached.
  static func line(_ note: DeadLetterNote, _ fate: String) -> String {
    let out = ByteBuffer()
    out.append(#"{"place":"#, jsonString: note.place.text)
    out.append(#","verdict":"#, jsonString: fate)
    out.append(#","code":"#, jsonString: note.code)
    out.append(#","reason":"#, jsonString: note.reason)
    for (name, header) in [("topic", "combo.topic"), ("partition", "combo.partition"), ("offset", "combo.offset")] {
      guard let value = note.headers[header] else { continue }
      out.append(",\"\(name)\":")
      if name != "topic", let number = Int64(value) { out.append(Int(number)) } else { out.append(jsonString: value) }
    }
    out.append(#","timestamp":"#, note.timestampMs)
    out.append(#","redriven":"#, note.redriven)
    out.append("}\n")
    return String(decoding: out.bytes, as: UTF8.self)
  }

  /// The summary for programs: one JSON object.
  func json(isDryRun: Bool, limit: Int?) -> String {
    let out = ByteBuffer()
    out.append(#"{"dryRun":"#, isDryRun)
    out.append(isDryRun ? #","wouldSend":"# : #","sent":"#, min(verdicts[.send] ?? 0, limit ?? .max))
    for verdict in RedriveSelection.Verdict.allCases where verdict != .send {
      out.append(",", jsonString: verdict.rawValue)
      out.append(":", verdicts[verdict] ?? 0)
    }
    out.append(#","kinds":"#, sorted) { kind, found in
      out.append(#"{"code":"#, jsonString: kind.code)
      out.append(#","reason":"#, jsonString: kind.reason)
      out.append(#","count":"#, found.count)
      out.append(#","first":"#, jsonString: found.example.place.text)
      out.append("}")
    }
    out.append("}\n")
    return String(decoding: out.bytes, as: UTF8.self)
  }

  private static func padded(_ count: Int) -> String {
    let text = String(count)
    return String(repeating: " ", count: max(0, 8 - text.count)) + text
  }
}
