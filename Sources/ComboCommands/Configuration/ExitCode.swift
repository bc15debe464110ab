/// An exit code of the program. `--help` and the manual page are generated from this table; docs/operating.md lists what to do.
struct ExitCode {
  let code: String
  /// The commands that exit with this code.
  let commands: String
  let meaning: String

  /// The meaning, preceded by the command unless it applies to all.
  var sentence: String { commands == "all" ? meaning : "\(commands): \(meaning)" }

  static let all: [ExitCode] = [
    ExitCode(code: "0", commands: "all", meaning: "done; run: stopped by SIGTERM or SIGINT"),
    ExitCode(code: "1", commands: "all", meaning: "failed; the last error on standard error gives the reason"),
    ExitCode(code: "1", commands: "check", meaning: "at least one fault"),
    ExitCode(code: "1", commands: "verify", meaning: "something differs, or nothing could be compared"),
    ExitCode(code: "1", commands: "explain", meaning: "nothing was found, or only the nearest gifts"),
    ExitCode(code: "1", commands: "replay, tune, map", meaning: "bad records were reported and skipped"),
    ExitCode(code: "2", commands: "all", meaning: "wrong options, all reported together"),
    ExitCode(code: "130, 143", commands: "all", meaning: "ended at once by a second signal"),
  ]
}
