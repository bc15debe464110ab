import Foundation

/// A Swift file of the repository.
struct SourceFile {
  /// Relative to the repository.
  let path: String
  let text: String
  let lines: [String]

  static let root: String = String(#filePath.dropLast("/Tests/TidyTests/SourceFile.swift".count))

  static func all(in folders: [String]) -> [SourceFile] {
    folders.flatMap { folder in
      (FileManager.default.enumerator(atPath: root + "/" + folder) ?? .init()).compactMap { $0 as? String }
        .filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }.sorted()
        .map { SourceFile(path: folder + "/" + $0) }
    }
  }

  init(path: String) {
    self.path = path
    text = (try? String(contentsOfFile: Self.root + "/" + path, encoding: .utf8)) ?? ""
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    self.lines = lines
  }

  /// The longest line that the formatter makes, in characters.
  static func lineLimit() throws -> Int {
    let data = try Data(contentsOf: URL(filePath: root + "/.swift-format"))
    let settings = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    return settings?["lineLength"] as? Int ?? 0
  }

  /// The lines outside multi-line string literals, with their numbers.
  var code: [(number: Int, line: String)] {
    var isText = false
    return lines.enumerated().compactMap { index, line in
      let marks = line.components(separatedBy: "\"\"\"").count - 1
      defer { if marks % 2 == 1 { isText.toggle() } }
      return isText || marks > 0 ? nil : (index + 1, line)
    }
  }

  /// The first lines of the functions and initializers, and their numbers of lines. Indentation shows where they end.
  var functions: [(number: Int, count: Int)] {
    lines.enumerated().compactMap { index, line in
      // The search for a word takes much less time than the pattern.
      guard line.contains("func ") || line.contains("init") || line.contains("subscript"),
        line.contains(/^ *([@a-z][a-zA-Z()]* )*(func |init[(?<]|subscript\()/)
      else { return nil }
      let indentation = line.prefix { $0 == " " }
      for end in index + 1..<max(index + 1, lines.count) {
        let next = lines[end]
        if next.hasPrefix(indentation + "}") { return (index + 1, end - index + 1) }
        let isInside = next.isEmpty || next.hasPrefix(indentation + " ") || next.hasPrefix(indentation + ")")
        if !isInside { return nil }
      }
      return nil
    }
  }

  /// The modules that it imports.
  var imports: [String] {
    lines.compactMap { line in
      guard line.contains("import "),
        let found = line.firstMatch(
          of: /^ *(@\w+ )?((package|public|internal|private|fileprivate) )?import ((struct|func|class|enum) )?(\w+)/)
      else { return nil }
      return String(found.6)
    }
  }

  /// The numbers of the lines that contain a word.
  func lines(with word: String) -> [Int] {
    guard text.contains(word) else { return [] }
    return lines.indices.filter { index in
      lines[index].contains(word)
        && lines[index].split { !($0.isLetter || $0.isNumber) }.contains { $0 == word }
    }.map { $0 + 1 }
  }
}
