import Foundation
import Testing

@testable import ComboCommands

/// Runs a program of the system. Returns nil, with a message, if there is none of that name.
private func output(_ program: String, _ arguments: [String], input: String = "") throws -> (code: Int32, text: String)? {
  guard
    let path = ["/bin", "/usr/bin", "/usr/local/bin"].map({ "\($0)/\(program)" }).first(
      where: FileManager.default.isExecutableFile)
  else {
    print("SKIPPED: there is no \(program) (Debian: apt-get install \(program))")
    return nil
  }
  let process = Process()
  let (into, out) = (Pipe(), Pipe())
  process.executableURL = URL(fileURLWithPath: path)
  process.arguments = arguments
  (process.standardInput, process.standardOutput, process.standardError) = (into, out, out)
  try process.run()
  try into.fileHandleForWriting.write(contentsOf: Data(input.utf8))
  try into.fileHandleForWriting.close()
  let text = String(decoding: out.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return (process.terminationStatus, text)
}

@Suite("Shell completions")
struct CompletionTests {
  /// Returns what bash offers after these words, split as by its line editor.
  private func offers(_ words: [String]) throws -> [String]? {
    let line = words.map { "'\($0)'" }.joined(separator: " ")
    let script = """
      \(Completions.script(for: .bash))
      cd /etc
      COMP_WORDS=(combo-consumer \(line)); COMP_CWORD=\(words.count)
      _combo_consumer
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    guard let (code, text) = try output("bash", ["--norc", "-s"], input: script) else { return nil }
    #expect(code == 0, "\(text)")
    return text.split(separator: "\n").map(String.init)
  }

  @Test(
    "of bash offer commands, options, words and files, and nothing where nobody can guess",
    arguments: [
      (["ve"], ["verify"]), (["comp"], ["completions"]), (["run", "--delivery", ""], ["exactly-once", "at-least-once"]),
      (["run", "--delivery", "=", "at"], ["at-least-once"]), (["run", "--queue-order", "="], ["fifo", "tier"]),
      (["run", "--log-f"], ["--log-format"]), (["verify", "--from"], ["--from", "--from-checkpoint"]),
      (["run", "--slots", ""], []), (["run", "--brokers", ""], []), (["replay", "--threads", "2", "passw"], ["passwd"]),
      (["run", "--kafka-file", "passw"], ["passwd"]), (["run", "--http", ""], ["none", "127.0.0.1:8080", "*:8080"]),
      (["config", "wa"], ["watch"]), (["config", "replay", "--thr"], ["--threads"]), (["config", "--inst"], ["--instance"]),
      (["completions", ""], ["bash", "zsh", "fish"]), (["man", ""], []), (["run", "--from", ""], ["earliest", "latest"]),
      (["verify", "--from", ""], []), (["nonsense", "--x", ""], []),
      (["map", "passw"], ["passwd"]), (["live", "--data", "passw"], ["passwd"]), (["run", "--schemas", "passw"], ["passwd"]),
    ])
  func bash(words: [String], offered: [String]) throws {
    guard let offers = try offers(words) else { return }
    #expect(offers.filter { !$0.hasPrefix("passwd-") } == offered)
  }

  @Test("of bash offer every option of every command", arguments: Command.allCases)
  func everyOption(command: Command) throws {
    let options = OptionTable.options(of: command)
    guard !options.isEmpty, let offers = try offers([command.rawValue, "--"]) else { return }
    #expect(offers == options.map { "--\($0.name)" } + ["--help"])
  }

  @Test("have valid syntax for each installed shell", arguments: Completions.Shell.allCases)
  func syntax(shell: Completions.Shell) throws {
    let script = Completions.script(for: shell)
    for option in OptionTable.all { #expect(script.contains(option.name), "\(option.name)") }
    guard let (code, text) = try output(shell.rawValue, shell == .fish ? ["--no-execute"] : ["-n", "-s"], input: script) else {
      return
    }
    #expect(code == 0 && text.isEmpty, "\(text)")
  }
}

@Suite("The manual page")
struct ManPageTests {
  @Test("has every command and every option, and roff finds nothing wrong with it")
  func page() throws {
    let page = ManPage.text
    #expect(page.utf8.allSatisfy { $0 < 0x7f })
    for line in page.split(separator: "\n") where line.hasPrefix("'") { Issue.record("\(line)") }
    if let (code, text) = try output("groff", ["-man", "-Tutf8", "-ww", "-P-c", "-rLL=200n"], input: page) {
      #expect(code == 0)
      // The complaints of roff begin with its name.
      #expect(!text.contains("troff:") && !text.contains("groff:"), "\(text.prefix(500))")
      let plain = text.replacing(/.\u{8}/, with: "")
      for command in Command.allCases { #expect(plain.contains("combo-consumer \(command.rawValue)"), "\(command)") }
      for option in OptionTable.all { #expect(plain.contains("--\(option.name)"), "\(option.name)") }
      #expect(plain.contains("1000:4000:1000") && plain.contains("V:MS:MS,…"))
    }
    if let (code, text) = try output("mandoc", ["-T", "lint", "-W", "error"], input: page) {
      #expect(code == 0, "\(text)")
    }
  }

  @Test("shows letters that are roff's commands as they are")
  func escapes() {
    #expect(ManPage.escaped(".x\\-'`…") == "\\&.x\\e\\-\\(aq\\(ga\\[u2026]")
  }
}
