internal import CMaps
internal import ComboWire

/// The maps that are part of the program: the files of `BuiltIn/`, as they were when it was built.
public enum BuiltInMaps {
  /// By name, in the order in which they are listed; behind them what they include.
  private static let files: [(name: String, text: String)] = {
    var files: [(name: String, text: String)] = []
    guard var file = cmaps_first() else { return files }
    while let name = file.pointee.name {
      let bytes = UnsafeRawBufferPointer(start: file.pointee.bytes, count: file.pointee.count)
      files.append((String(cString: name), String(decoding: bytes, as: UTF8.self)))
      file += 1
    }
    return files
  }()

  /// Their names. One may include `common`, which is no map by itself.
  public static var names: [String] { files.map(\.name).filter { $0 != "common" } }

  /// A file's text, as it can be saved and changed; nil: there is none of that name.
  public static func text(_ name: String) -> String? {
    files.first { $0.name == name }?.text
  }
}

extension MapLibrary {
  /// The built-in maps, and `common`.
  public static let builtIn = MapLibrary { name in BuiltInMaps.text(name).map { (Array($0.utf8), "built-in \(name)") } }
}
