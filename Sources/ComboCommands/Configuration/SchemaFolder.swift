internal import ComboMaps
internal import ComboSystem
internal import Glibc

/// Avro schemas in the files of a folder, each named after its id: `7.avsc`, `01234567-89ab-cdef-0123-456789abcdef.avsc`.
enum SchemaFolder {
  /// The maximum number of bytes of a schema.
  static let bytesMax = 1 << 20
  static let ending = ".avsc"

  /// Returns the names of the files in a folder that end like this, sorted, or nil if it cannot be read, with the reason in
  /// `errno`.
  static func names(in folder: String, ending: String) -> [String]? {
    guard let directory = opendir(folder) else { return nil }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(ending) { names.append(name) }
    }
    return names.sorted()
  }

  /// Returns the JSON of a map's part that reads records by these schemas.
  static func record(_ folder: String, framing: String) -> Result<String, MapSource.Failure> {
    guard let names = names(in: folder, ending: ending) else {
      return .failure(.init(sentences: ["cannot read the folder \(folder): \(String(cString: strerror(errno)))"]))
    }
    if names.isEmpty {
      return .failure(
        .init(sentences: ["the folder \(folder) has no file named by a schema's id and \(ending), such as 7\(ending)"]))
    }
    var schemas: [(id: String, text: String)] = []
    var sentences: [String] = []
    for name in names {
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      let id = String(name.dropLast(ending.count))
      switch TextFile.bytes(of: path, limit: bytesMax) {
      case .success(let bytes):
        do throws(MapFaults) {
          schemas.append((id, try RecordMap.schema(bytes, file: path, id: framing == "single-object" ? nil : id)))
        } catch {
          sentences += error.faults.map(\.description)
        }
      case .failure(let failure): sentences.append(failure.description)
      }
    }
    if !sentences.isEmpty { return .failure(.init(sentences: sentences)) }
    let list =
      framing == "single-object"
      ? "[\(schemas.map(\.text).joined(separator: ","))]"
      : "{\(schemas.map { "\"\($0.id)\":\($0.text)" }.joined(separator: ","))}"
    return .success(#"{"framing":"\#(framing)","schemas":\#(list)}"#)
  }
}
