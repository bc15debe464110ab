internal import CMaps
internal import ComboWire

/// The maps that are part of the program: the files of `BuiltIn/` when it was built.
public enum BuiltInMaps {
  /// The files by name, in the order in which they are listed, followed by those that they include.
  private static let files: [(name: String, text: String)] = {
    var files: [(name: String, text: String)] = []
    guard var file = cmaps_first() else { return files }
    while let name = file.pointee.name {
      files.append((String(cString: name), text(of: file.pointee)))
      file += 1
    }
    return files
  }()

  /// The words by which proposed maps find fields, as JSON.
  static var vocabulary: String { text(of: cmaps_vocabulary()) }

  private static func text(of file: cmaps_file) -> String {
    String(decoding: UnsafeRawBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
  }

  /// The names of the maps. They do not include `common`, which is not a map by itself.
  public static var names: [String] { files.map(\.name).filter { $0 != "common" } }

  /// Returns the text of a file, which can be saved and changed, or nil if there is no file of that name.
  public static func text(_ name: String) -> String? {
    files.first { $0.name == name }?.text
  }
}

extension MapLibrary {
  /// The library of the built-in maps and `common`.
  public static let builtIn = MapLibrary { name in BuiltInMaps.text(name).map { (Array($0.utf8), "built-in \(name)") } }
}
