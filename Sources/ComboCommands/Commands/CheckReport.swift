internal import ComboSystem

/// The findings of `check`, one per line.
struct CheckReport {
  enum Verdict: String, Sendable {
    case ok
    /// The service works, but the fact is worth knowing.
    case note
    /// The service cannot work.
    case fault = "FAULT"
  }

  struct Finding: Equatable, Sendable {
    let verdict: Verdict
    let text: String
    let fix: String?

    static func ok(_ text: String) -> Finding { Finding(verdict: .ok, text: text, fix: nil) }
    static func note(_ text: String, fix: String? = nil) -> Finding { Finding(verdict: .note, text: text, fix: fix) }
    static func fault(_ text: String, fix: String) -> Finding { Finding(verdict: .fault, text: text, fix: fix) }
  }

  private(set) var findings: [Finding] = []
  /// Receives each line as soon as it is known.
  let print: (String) -> Void

  mutating func ok(_ text: String) { add(.ok(text)) }
  mutating func note(_ text: String, fix: String? = nil) { add(.note(text, fix: fix)) }
  mutating func fault(_ text: String, fix: String) { add(.fault(text, fix: fix)) }

  mutating func add(_ finding: Finding) {
    findings.append(finding)
    func padded(_ word: String) -> String { word + String(repeating: " ", count: 7 - word.count) }
    print(padded(finding.verdict.rawValue) + DisplayWidth.harmless(finding.text))
    if let fix = finding.fix { print("       → \(DisplayWidth.harmless(fix))") }
  }

  var faults: Int { findings.count { $0.verdict == .fault } }
}
