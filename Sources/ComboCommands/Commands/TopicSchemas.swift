internal import ComboEdge
internal import ComboKafka
internal import ComboMaps
internal import ComboRegistry
internal import ComboSystem
internal import ComboWire
internal import Glibc

/// Fetches the schemas that the newest records of a topic name from a registry.
struct TopicSchemas {
  /// The map with these schemas.
  private(set) var map: RecordMap
  private(set) var found: [(id: String, text: String)] = []
  /// The schemas that cannot be used, each with the reason, and whether its records wait, since the registry gave no answer.
  private(set) var missing: [(id: String, reason: String, waits: Bool)] = []

  /// - Parameter last: The number of records per partition.
  init(_ registry: SchemaRegistry, _ map: RecordMap, _ tail: TopicTail, last: Int, limits: WireLimits) throws(EdgeError) {
    self.map = map
    let decoder = RecordDecoder(limits: limits, map: map)
    let arena = BumpArena()
    var event = Event()
    var ids: Set<String> = []
    try tail.read(last: last) { _, message, value in
      arena.reset()
      _ = try? decoder.decode(value, key: message.key, header: { message.withLastHeader($0, $1) }, into: arena, &event)
      if let id = decoder.takeUnknownSchema() { ids.insert(id) }
    }
    for id in ids.sorted() {
      switch registry.ask(id) {
      case .schema(let text):
        do throws(MapFaults) {
          self.map = try self.map.adding([id: text])
          found.append((id, text))
        } catch {
          missing.append((id, error.faults[0].description, false))
        }
      case .unknown(let reason), .unusable(let reason): missing.append((id, reason, false))
      case .none(let reason): missing.append((id, reason, true))
      }
    }
  }

  /// Writes each schema to a file in a folder, in the form that `--schemas` reads.
  /// - Returns: The failure as a sentence, or nil on success.
  func write(to folder: String) -> String? {
    if mkdir(folder, 0o755) != 0, errno != EEXIST {
      return "cannot make the folder \(folder): \(String(cString: strerror(errno)))"
    }
    for (id, text) in found {
      let path = "\(folder)/\(id)\(SchemaFolder.ending)"
      let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      guard file >= 0, Console.write(text + "\n", to: file), close(file) == 0 else {
        return "cannot write \(path): \(String(cString: strerror(errno)))"
      }
    }
    return nil
  }
}
