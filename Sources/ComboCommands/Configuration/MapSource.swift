internal import ComboMaps
internal import ComboSystem
internal import ComboWire
internal import Glibc

/// Maps by name or from files.
enum MapSource {
  /// The reasons why a map cannot be used, one sentence per fault.
  struct Failure: Error {
    let sentences: [String]
  }

  /// Loads the map that `--map` names, with its switches. A built-in name takes precedence over a file; `./NAME` is always a
  /// file.
  /// - Parameter record: The JSON that describes how records are encoded, or nil to use what the map specifies.
  static func map(_ text: String, record: String? = nil) -> Result<RecordMap, Failure> {
    let reference: MapReference
    switch MapReference.read(text) {
    case .success(let read): reference = read
    case .failure(let fault): return .failure(Failure(sentences: [fault.description]))
    }
    switch bytes(reference.name) {
    case .failure(let failure): return .failure(failure)
    case .success(let found):
      do throws(MapFaults) {
        let library = library(beside: found)
        let map = try RecordMap(found.text, file: found.file, switches: reference.switches, library: library)
        guard let record else { return .success(map) }
        let name =
          BuiltInMaps.text(reference.name) == nil ? found.file.split(separator: "/").last.map(String.init) : reference.name
        let text = ByteBuffer()
        text.append(#"{"map":1,"name":"#, jsonString: map.name)
        text.append(#","about":"#, jsonString: map.about)
        text.append(#","include":"#, jsonString: name ?? "")
        text.append(#","record":"#)
        text.append(record)
        text.append("}")
        return .success(try RecordMap(text.array, file: "the map with schemas", switches: reference.switches, library: library))
      } catch {
        return .failure(Failure(sentences: error.faults.map(\.description)))
      }
    }
  }

  /// Parses a map. It may refer to built-in maps, and to files relative to the current folder.
  static func map(text: String, file: String) -> Result<RecordMap, Failure> {
    do throws(MapFaults) {
      return .success(try RecordMap(Array(text.utf8), file: file, library: library(beside: ([], ""))))
    } catch {
      return .failure(Failure(sentences: error.faults.map(\.description)))
    }
  }

  /// Returns a map's unmodified text, and its name.
  static func bytes(_ name: String) -> Result<(text: [UInt8], file: String), Failure> {
    if let text = BuiltInMaps.text(name) { return .success((Array(text.utf8), "built-in \(name)")) }
    switch TextFile.bytes(of: name, limit: MapLibrary.bytesMax) {
    case .success(let bytes): return .success((bytes, name))
    case .failure(let failure):
      // If the file exists, its own fault is what matters.
      if name.contains("/") || name.contains(".") || access(name, F_OK) == 0 {
        return .failure(Failure(sentences: [failure.description]))
      }
      let likely = Suggestion.nearest(to: name, among: BuiltInMaps.names).map { "; did you mean \($0)?" } ?? ""
      let known = BuiltInMaps.names.joined(separator: ", ")
      return .failure(
        Failure(sentences: ["there is no built-in map and no file \(Sentence.quoted(name))\(likely); built-in maps: \(known)"]))
    }
  }

  /// The maps to which another one may refer: built-in maps, or files relative to its own file.
  private static func library(beside found: (text: [UInt8], file: String)) -> MapLibrary {
    let folder = found.file.lastIndex(of: "/").map { String(found.file[...$0]) } ?? ""
    @Sendable func path(_ name: String) -> String { name.hasPrefix("/") ? name : folder + name }
    var library = MapLibrary { name in
      if let text = BuiltInMaps.text(name) { return (Array(text.utf8), "built-in \(name)") }
      return (try? TextFile.bytes(of: path(name), limit: MapLibrary.bytesMax).get()).map { ($0, path(name)) }
    }
    library.whyUnreadable = { name in
      guard access(path(name), F_OK) == 0,
        case .failure(let failure) = TextFile.bytes(of: path(name), limit: MapLibrary.bytesMax)
      else { return nil }
      return failure.description
    }
    return library
  }
}
