import Foundation

/// The targets of Package.swift, read as text: the package manager would need seconds, and the lock of a build.
enum Manifest {
  struct Target {
    let name: String
    let dependencies: [String]
    /// Relative to the repository.
    let folder: String
  }

  /// Returns whether a dependency is used without an import: jemalloc replaces malloc, CWaits replaces a function of librdkafka,
  /// and the tests of the commands start the program.
  static func isLinkedOnly(_ dependency: String) -> Bool { ["CMemory", "CWaits", "combo-consumer"].contains(dependency) }

  static func targets() throws -> [Target] {
    let text = try String(contentsOfFile: SourceFile.root + "/Package.swift", encoding: .utf8)
    let target =
      /\b(library|tests|bench|executableTarget)\(\s*(name: )?"([\w-]+)"(,\s*(dependencies: )?\[([^\]]*)\])?(, path: "([^"]+)")?/
    return text.matches(of: target).compactMap { found in
      // A product begins like a target.
      if found.1 == "library", found.2 != nil { return nil }
      let name = String(found.3)
      let folder = found.8.map(String.init) ?? (found.1 == "tests" ? "Tests/" : "Sources/") + name
      let dependencies = (found.6 ?? "").matches(of: /"([\w-]+)"/).map { String($0.1) }
      return Target(name: name, dependencies: dependencies, folder: folder)
    }
  }
}
