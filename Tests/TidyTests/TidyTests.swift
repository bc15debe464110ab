import Foundation
import Testing

/// The rules of the sources that need no reader: each failure names the place and says what to do.
///
/// Other tests compare the tables of metrics, settings and log messages with their pages (`make reference`).
@Suite("The sources are tidy")
struct TidyTests {
  private let sources = SourceFile.all(in: ["Sources", "Tests", "bench", "Examples"])

  /// The files that do not contain the rules.
  private var others: [SourceFile] { sources.filter { !$0.path.hasPrefix("Tests/TidyTests/") } }

  private func report(_ faults: [String]) {
    for fault in faults { Issue.record(Comment(rawValue: fault)) }
  }

  @Test("no line of code is longer than the formatter's limit, which texts may exceed")
  func lines() throws {
    let limit = try SourceFile.lineLimit()
    report(
      sources.flatMap { file in
        file.code.compactMap { number, line in
          guard line.count > limit, !line.contains("\"") else { return nil }
          return "\(file.path):\(number): \(line.count) characters, and \(limit) are allowed: break the line"
        }
      })
  }

  @Test("no function has more than 70 lines")
  func functions() {
    report(
      sources.flatMap { file in
        file.functions.compactMap { number, count in
          count <= 70
            ? nil : "\(file.path):\(number): the function has \(count) lines, and 70 are allowed: give a part of it a name"
        }
      })
  }

  @Test("no file has more than 400 lines")
  func files() {
    report(
      sources.compactMap { file in
        let count = file.lines.count
        return count <= 400
          ? nil : "\(file.path): \(count) lines, and 400 are allowed: move what belongs together to a file of its own"
      })
  }

  /// Words to avoid, each with the word to write instead.
  private static let words = [
    "leverage": "use", "utilize": "use", "letGo": "release", "goOn": "resume", "goesOn": "continues", "toldNew": "loggedAsNew",
    "praise": "the verb that is meant", "dress": "the verb that is meant", "whitelist": "allowed", "sanity": "what is checked",
  ]

  @Test("words are those of the field")
  func words() {
    report(
      others.flatMap { file in
        Self.words.flatMap { word, better in
          file.lines(with: word).map { "\(file.path):\($0): write \"\(better)\" instead of \"\(word)\"" }
        }
      })
  }

  @Test("the path of a gift in docs/design.md names functions that exist")
  func path() throws {
    let page = SourceFile(path: "docs/design.md")
    let steps = page.text.matches(of: /\n\d+\. `(\w+)\.(\w+)` in `([^`]+)`/)
    report(
      steps.compactMap { step in
        let code = SourceFile(path: "Sources/\(step.3)").text
        let isThere = ["(", "<"].contains { code.contains("func \(step.2)\($0)") } && code.contains("\(step.1)")
        return isThere ? nil : "docs/design.md: \(step.3) has no function \(step.1).\(step.2)"
      })
    #expect(steps.count <= 20 && Set(steps.map(\.3)).count <= 15 && !steps.isEmpty)
  }

  @Test("no work is put off in a comment")
  func marks() {
    report(
      others.flatMap { file in
        ["TODO", "FIXME", "XXX", "HACK"].flatMap { mark in
          file.lines(with: mark).filter { file.lines[$0 - 1].contains("//") }.map {
            "\(file.path):\($0): do it now, or delete the comment"
          }
        }
      })
  }

  @Test("every dependency of a target is imported by it")
  func dependencies() throws {
    let targets = try Manifest.targets()
    #expect(targets.count > 40, "Package.swift was not understood")
    report(
      targets.flatMap { target in
        let files = sources.filter { $0.path.hasPrefix(target.folder + "/") }
        let imports = Set(files.flatMap(\.imports))
        return target.dependencies.filter { !imports.contains($0) && !Manifest.isLinkedOnly($0) }.map {
          "Package.swift: \(target.name) imports no \($0): remove the dependency"
        }
      })
  }

  @Test("every declaration is used")
  func declarations() throws {
    guard let index = DeclarationIndex(SourceFile.root + "/.build/debug/index/store") else {
      print("SKIPPED: no index of this build, or no libIndexStore, so unused declarations are not found")
      return
    }
    #expect(index.declared.count > 5000, "the index was not understood")
    let lines = Dictionary(uniqueKeysWithValues: sources.map { ($0.path, $0.lines) })
    report(
      index.declared.filter { !index.referenced.contains($0.key) }.values.sorted { ($0.file, $0.line) < ($1.file, $1.line) }
        .compactMap { declaration in
          let path = String(declaration.file.dropFirst(SourceFile.root.count + 1))
          guard let lines = lines[path], declaration.line <= lines.count else { return nil }
          let line = lines[declaration.line - 1]
          // Others may use what is public, the program begins with main, and padding has no reader.
          if line.contains("public ") || declaration.name == "padding" || path.hasPrefix("Sources/combo-consumer/") { return nil }
          return "\(path):\(declaration.line): nothing uses \(declaration.name): delete it"
        })
  }
}
