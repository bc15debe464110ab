/// An exit code of the program. `--help`, the manual page and docs/operating.md are generated from this table.
struct ExitCode {
  let code: String
  /// The commands that exit with this code.
  let commands: String
  let meaning: String
  /// The action that it requires.
  let action: String

  /// The meaning, preceded by the command unless it applies to all.
  var sentence: String { commands == "all" ? meaning : "\(commands): \(meaning)" }

  static let all: [ExitCode] = [
    ExitCode(code: "0", commands: "all", meaning: "done; run: stopped by SIGTERM or SIGINT", action: "none"),
    ExitCode(
      code: "1", commands: "all", meaning: "failed; the last error on standard error gives the reason",
      action: "fix the cause; a supervisor may restart the service"),
    ExitCode(code: "1", commands: "check", meaning: "at least one fault", action: "apply the fix printed below each fault"),
    ExitCode(
      code: "1", commands: "verify", meaning: "something differs, or nothing could be compared", action: "read the report"),
    ExitCode(
      code: "1", commands: "explain", meaning: "nothing was found, or only the nearest gifts", action: "see docs/why-not-seen.md"),
    ExitCode(
      code: "1", commands: "replay, tune, map", meaning: "bad records were reported and skipped", action: "fix them, or the map"),
    ExitCode(
      code: "2", commands: "all", meaning: "wrong options, all reported together",
      action: "fix the options; a restart does not help"),
    ExitCode(
      code: "130, 143", commands: "all", meaning: "ended at once by a second signal",
      action: "none: the next start continues from the last commit"),
  ]
}
