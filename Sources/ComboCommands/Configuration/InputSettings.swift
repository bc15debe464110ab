internal import ComboSystem

/// The folder of `--input-settings`, with a file of options for each input: `INPUT.conf`.
struct InputSettings: Equatable, Sendable {
  let folder: String

  static func noFolder(_ folder: String) -> String {
    "--input-settings must be a folder, and there is no \(Sentence.quoted(folder))"
  }

  /// The dead-letter topics that its files name, also those of inputs that do not exist yet.
  var deadLetters: Set<String> {
    var topics: Set<String> = []
    for file in SchemaFolder.names(in: folder, ending: ".conf") ?? [] {
      let path = "\(folder)/\(file)"
      guard case .success(let text) = TextFile.read(path, limit: ConfigFile.bytesMax) else { continue }
      if let topic = ConfigFile(text, named: path, of: .run).source(for: .run).values["dead-letter"]?.last {
        topics.insert(topic.text)
      }
    }
    return topics
  }

  /// Returns its files that belong to no input, or nil if there is no such folder.
  func files(unless isInput: (String) -> Bool) -> [String]? {
    SchemaFolder.names(in: folder, ending: ".conf")?.filter { !$0.hasPrefix(".") && !isInput(String($0.dropLast(5))) }
  }

  /// Returns the file that is named after an input and ends otherwise than `.conf`, so that it is not read, or nil if there is
  /// none.
  func strayFile(of input: String) -> String? {
    SchemaFolder.names(in: folder, ending: "")?.first { file in
      if file.hasSuffix(".conf") { return false }
      return file == input || file.lastIndex(of: ".").map { file[..<$0] == input } == true
    }
  }
}
