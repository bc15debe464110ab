internal import ComboCore
public import ComboWire
internal import Synchronization

/// The map of a derivation.
extension Derivation {
  /// The map, as a part of a sentence: `with the map tiktok`, `without a map`.
  package var mapWords: String {
    guard let mapping else { return "without a map" }
    guard let map = try? RecordMap(canonical: mapping) else { return "with a map that this program cannot read" }
    return "with the map \(map.title)"
  }

  /// Adds the schemas that another derivation's map has and this one's lacks.
  package mutating func addSchemas(of other: Derivation) {
    guard let mapping, let others = other.mapping, mapping != others, let map = try? RecordMap(canonical: mapping),
      map.readsSchemasByID, let all = try? map.adding(RecordMap.schemas(of: others))
    else { return }
    self.mapping = all.canonical
  }

  /// Returns a decoder that makes the events of this derivation.
  public func decoder() throws(FormatFault) -> RecordDecoder {
    guard let mapping else { return RecordDecoder(limits: limits, rules: rules) }
    do throws(MapFaults) {
      return RecordDecoder(limits: limits, map: try Self.map(mapping), rules: rules)
    } catch {
      throw FormatFault(
        code: .newer,
        description:
          "its events were made by a map that this program cannot read (\(error.faults[0])). Run the program that wrote"
          + " it, or a newer one")
    }
  }

  /// The maps that were compiled last, which all partitions of a process share.
  private static let maps = Mutex<[RecordMap]>([])
  private static let mapsMax = 8

  private static func map(_ canonical: String) throws(MapFaults) -> RecordMap {
    if let known = maps.withLock({ $0.last { $0.canonical == canonical } }) { return known }
    let map = try RecordMap(canonical: canonical)
    maps.withLock { $0 = $0.suffix(mapsMax - 1) + [map] }
    return map
  }
}
